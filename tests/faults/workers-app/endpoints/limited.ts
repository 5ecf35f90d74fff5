import { defineEndpoint } from 'gatewright';

/** The endpoint has a limit in the configuration. */
export default defineEndpoint({
  method: 'GET',
  path: '/limited',
  handle: () => ({ pid: process.pid }),
});
