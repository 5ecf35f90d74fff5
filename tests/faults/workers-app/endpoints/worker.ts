import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint } from 'gatewright';

/** Returns the id of its process after a while; logs each request of half a second and more when it begins. */
export default defineEndpoint({
  method: 'GET',
  path: '/worker/:milliseconds',
  auth: [],
  handle: ({ params }) => {
    const milliseconds = Number(params['milliseconds']);
    if (milliseconds >= 500) console.log(JSON.stringify({ msg: 'begun' }));
    return delay(milliseconds, { pid: process.pid });
  },
});
