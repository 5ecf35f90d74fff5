import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'GET',
  path: '/never',
  auth: [],
  handle: () => new Promise<never>(() => {}),
});
