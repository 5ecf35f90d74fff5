import { defineEndpoint } from 'gatewright';

/** Writes lines that no pipe takes in one go. */
export default defineEndpoint({
  method: 'GET',
  path: '/shout',
  auth: [],
  handle: () => {
    for (let line = 0; line < 3; line += 1)
      console.log(JSON.stringify({ msg: 'shout', pid: process.pid, text: String(line).repeat(100_000) }));
    return { pid: process.pid };
  },
});
