import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'POST',
  path: '/signed',
  auth: ['signature'],
  handle: ({ body }) => ({ body }),
});
