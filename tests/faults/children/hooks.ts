import { writeSync } from 'node:fs';
import { pino } from 'pino';
import { readConfig } from '../../../src/app/config.ts';
import { createServer } from '../../../src/app/server.ts';
import { application, times } from '../webhooks-app.ts';

/** A process that sends to webhooks, or one that writes an order and does not commit it. Says when it has begun. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

const server = await createServer({
  config: readConfig(process.env),
  application,
  logger: pino({ level: 'warn' }, { write: (line) => say(line.trim()) }),
  ...times,
});
if (process.env['UNCOMMITTED'] === '1')
  void server.services.systemScope('a test').transaction(async ({ records }) => {
    await records('Order').create({ title: 'never committed' });
    say('written');
    await new Promise(() => {});
  });
say('working');
