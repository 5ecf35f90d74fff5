import { setTimeout as delay } from 'node:timers/promises';
import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'GET',
  path: '/slow/:milliseconds',
  auth: [],
  handle: ({ params }) => delay(Number(params['milliseconds']), { slept: true }),
});
