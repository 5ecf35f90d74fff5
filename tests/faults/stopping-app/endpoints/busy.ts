import { defineEndpoint } from 'gatewright';

/** From then on no turn of the event loop is short. */
const keepBusy = (): void => {
  const end = performance.now() + 50;
  while (performance.now() < end);
  setImmediate(keepBusy);
};

export default defineEndpoint({
  method: 'GET',
  path: '/busy',
  auth: [],
  handle: () => {
    setImmediate(keepBusy);
    return { busy: true };
  },
});
