import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint } from 'gatewright';

/** Says which process answers, after a while. */
export default defineEndpoint({
  method: 'GET',
  path: '/worker/:milliseconds',
  auth: [],
  handle: ({ params }) => delay(Number(params['milliseconds']), { pid: process.pid }),
});
