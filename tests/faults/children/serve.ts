import { pino } from 'pino';
import { createApplication } from '../../../src/app/application.ts';
import { readConfig } from '../../../src/app/config.ts';
import { createServer } from '../../../src/app/server.ts';

/** The service in a process of its own, configured by the environment. Says its base URL, then its log. */
const lines: string[] = [];
let say = (line: string): void => void lines.push(line);
const server = await createServer({
  config: readConfig(process.env),
  application: createApplication({}),
  logger: pino({ level: 'warn' }, { write: (line) => say(line.trim()) }),
});
console.log(server.config.baseUrl);
say = (line) => console.log(line);
for (const line of lines) say(line);
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
