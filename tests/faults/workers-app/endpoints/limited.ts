import { defineEndpoint } from 'gatewright';

/** Has a limit in the configuration. */
export default defineEndpoint({
  method: 'GET',
  path: '/limited',
  handle: () => ({ pid: process.pid }),
});
