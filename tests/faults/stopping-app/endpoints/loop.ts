import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'GET',
  path: '/loop/:seconds',
  auth: [],
  handle: async ({ params }) => {
    await Promise.resolve();
    const end = Date.now() + Number(params['seconds']) * 1000;
    while (Date.now() < end);
    return { over: true };
  },
});
