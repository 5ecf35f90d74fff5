import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'GET',
  path: '/rejects',
  auth: [],
  handle: () => {
    void Promise.reject(new Error('unhandled by the application', { cause: new Error('the cause of it') }));
    void Promise.reject('not even an error');
    return { rejected: true };
  },
});
