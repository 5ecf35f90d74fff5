import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'GET',
  path: '/throws',
  auth: [],
  handle: () => {
    setTimeout(() => {
      throw new Error('uncaught by the application', { cause: new Error('the cause of it') });
    }, 10);
    return { thrown: true };
  },
});
