import { writeSync } from 'node:fs';
import { defineConfig } from 'gatewright';

const say = (line: string): void => void writeSync(1, `${line}\n`);

export default defineConfig({
  onStart: async (scope) => {
    // Never cleared: it keeps no process.
    setInterval(() => {}, 1_000);
    if (process.env['START'] === 'fails') throw new Error('no licence');
    say(`onStart for ${scope.principal.kind}`);
    if (process.env['SLOW'] !== undefined)
      await scope.jobs.add('slow', { seconds: Number(process.env['SLOW']) });
  },
  onStop: async () => {
    say('onStop');
    if (process.env['STOP'] === 'hangs') await new Promise(() => {});
    if (process.env['STOP'] === 'fails') throw new Error('too late');
  },
});
