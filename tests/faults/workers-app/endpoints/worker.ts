import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint } from 'gatewright';

/** Returns the id of its process after a while; logs each request of a second and more when it begins. */
export default defineEndpoint({
  method: 'GET',
  path: '/worker/:milliseconds',
  auth: [],
  handle: ({ params }) => {
    const milliseconds = Number(params['milliseconds']);
    if (milliseconds >= 1_000) console.log(JSON.stringify({ msg: 'begun' }));
    return delay(milliseconds, { pid: process.pid });
  },
});
