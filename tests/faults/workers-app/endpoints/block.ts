import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint } from 'gatewright';

/** Keeps the event loop busy for a while. */
export default defineEndpoint({
  method: 'GET',
  path: '/block/:milliseconds',
  auth: [],
  handle: async ({ params }) => {
    console.log(JSON.stringify({ msg: 'blocking' }));
    // The line is written first.
    await delay(100);
    const end = performance.now() + Number(params['milliseconds']);
    while (performance.now() < end);
    return 'free again';
  },
});
