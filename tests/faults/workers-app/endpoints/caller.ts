import { defineEndpoint } from 'gatewright';

/** Returns the id of its process to a caller with any credentials. */
export default defineEndpoint({
  method: 'GET',
  path: '/caller',
  auth: ['jwt', 'api_key', 'http_signature'],
  handle: () => ({ pid: process.pid }),
});
