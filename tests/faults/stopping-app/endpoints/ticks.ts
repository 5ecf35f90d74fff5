import { defineEndpoint } from 'gatewright';

let ticks = 0;
// Code of an application as it is: nobody ends this timer.
setInterval(() => {
  ticks += 1;
}, 100);

export default defineEndpoint({ method: 'GET', path: '/ticks', auth: [], handle: () => ({ ticks }) });
