import { defineEndpoint } from 'gatewright';

/** A handler that starts something, waits for none of it, and leaves a timer behind. */
export default defineEndpoint({
  method: 'GET',
  path: '/careless',
  auth: [],
  handle: () => {
    void Promise.reject(new Error('nobody awaits this'));
    setInterval(() => {}, 60_000);
    return { started: true };
  },
});
