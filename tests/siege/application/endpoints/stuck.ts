import { defineEndpoint } from 'gatewright';

/** A handler that never answers. */
export default defineEndpoint({
  method: 'GET',
  path: '/stuck',
  auth: [],
  handle: () => new Promise<never>(() => {}),
});
