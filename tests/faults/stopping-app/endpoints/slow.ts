import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint } from 'gatewright';

/** Responds after so many milliseconds; logs each request of half a second and more when it begins. */
export default defineEndpoint({
  method: 'GET',
  path: '/slow/:milliseconds',
  auth: [],
  handle: ({ params }) => {
    const milliseconds = Number(params['milliseconds']);
    if (milliseconds >= 500) console.log(JSON.stringify({ msg: 'begun' }));
    return delay(milliseconds, { slept: true });
  },
});
