import { writeSync } from 'node:fs';
import { defineConfig } from 'gatewright';

export default defineConfig({
  limits: { 'GET /limited': { max: 100, window: '1h' } },
  onStart: () => {
    const after = process.env['DIES_AFTER'];
    if (after !== undefined) setTimeout(() => process.exit(7), Number(after));
    if (process.env['FAILS'] !== undefined) throw new Error('no licence');
    process.on('SIGUSR2', () => writeSync(1, `${process.pid} is signalled\n`));
  },
});
