import { pino } from 'pino';
import { readConfig } from '../../../src/app/config.ts';
import { createServer } from '../../../src/app/server.ts';
import { scansApplication } from '../../support/scans.ts';

/** The service with files in a process of its own. Says where it listens. */
const server = await createServer({
  config: readConfig(JSON.parse(process.argv[2] ?? '{}')),
  application: scansApplication(),
  logger: pino({ level: 'silent' }),
});
console.log(`http://${server.config.host}:${server.config.port}`);
