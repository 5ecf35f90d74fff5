import { defineEndpoint } from 'gatewright';

/** A handler that never returns. */
export default defineEndpoint({
  method: 'GET',
  path: '/stuck',
  auth: [],
  handle: () => new Promise<never>(() => {}),
});
