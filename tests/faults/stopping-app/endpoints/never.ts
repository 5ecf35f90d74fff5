import { defineEndpoint } from 'gatewright';

export default defineEndpoint({
  method: 'GET',
  path: '/never',
  auth: [],
  handle: () => {
    console.log(JSON.stringify({ msg: 'begun' }));
    return new Promise<never>(() => {});
  },
});
