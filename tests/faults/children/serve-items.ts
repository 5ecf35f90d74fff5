import { pino } from 'pino';
import { createApplication } from '../../../src/app/application.ts';
import { readConfig } from '../../../src/app/config.ts';
import { createServer } from '../../../src/app/server.ts';
import { items } from '../items.ts';

/** Serves the items of the environment's database, and says where. */
const server = await createServer({
  config: readConfig(process.env),
  application: createApplication(items),
  logger: pino({ level: 'silent' }),
});
process.stdout.write(`port ${server.config.port}\n`);
