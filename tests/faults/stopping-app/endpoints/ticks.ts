import { defineEndpoint } from 'gatewright';

let ticks = 0;
// An application's mistake: this timer is never cleared.
setInterval(() => {
  ticks += 1;
}, 100);

export default defineEndpoint({ method: 'GET', path: '/ticks', auth: [], handle: () => ({ ticks }) });
