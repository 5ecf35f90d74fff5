import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createApplication } from '../../../src/app/application.ts';
import { readConfig } from '../../../src/app/config.ts';
import { createServer } from '../../../src/app/server.ts';
import { defineJob } from '../../../src/delivery/jobs/define-job.ts';
import { field } from '../../../src/fields/define.ts';

/** A process that works on jobs, with short leases. Says which one it begins and ends, at once and in order. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

const count = defineJob({
  input: { n: field.integer({ required: true }) },
  handle: async ({ values }) => {
    say(`begun ${values.n}`);
    await delay(Number(process.env['JOB_TIME'] ?? 5));
    say(`done ${values.n}`);
  },
});

const report = defineJob({ every: '* * * * * *', handle: ({ id }) => say(`tick ${id}`) });

await createServer({
  config: readConfig(process.env),
  application: createApplication({ jobs: process.env['TICKS'] === '1' ? { report } : { count } }),
  logger: pino({ level: 'warn' }, { write: (line) => say(line.trim()) }),
  jobTimes: { lease: 1_500, poll: 200 },
});
say('working');
