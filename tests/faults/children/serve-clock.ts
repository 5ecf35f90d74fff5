import { writeSync } from 'node:fs';
import { pino } from 'pino';
import { createApplication } from '../../../src/app/application.ts';
import { readConfig } from '../../../src/app/config.ts';
import { createServer } from '../../../src/app/server.ts';
import { defineJob } from '../../../src/delivery/jobs/define-job.ts';
import { items } from '../items.ts';

/** The service with a job by the second, and one that never ends where ENDLESS is set. Says a line for each tick. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

const tick = defineJob({ every: '* * * * * *', handle: () => say('tick') });
const endless = defineJob({
  timeout: 3_000,
  handle: async () => {
    say('endless');
    await new Promise(() => {});
  },
});

const server = await createServer({
  config: readConfig(process.env),
  application: createApplication({ ...items, jobs: { tick, endless } }),
  logger: pino({ level: 'warn' }, { write: (line) => say(line.trim()) }),
  jobTimes: { poll: 200 },
});
if (process.env['ENDLESS'] === '1') await server.jobs.port.add('endless', {}, {}, undefined);
say(`at ${server.config.baseUrl}`);
