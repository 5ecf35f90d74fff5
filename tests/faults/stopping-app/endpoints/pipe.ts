import { readFile } from 'node:fs/promises';
import { defineEndpoint } from 'gatewright';

/** Opens a pipe without a writer: a thread of the process waits for ever. */
export default defineEndpoint({
  method: 'GET',
  path: '/pipe',
  auth: [],
  handle: async () => {
    console.log(JSON.stringify({ msg: 'begun' }));
    await readFile(process.env['APP_PIPE'] ?? '');
    return undefined;
  },
});
