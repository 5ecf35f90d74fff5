import { flushCompileCache } from 'node:module';
import { ConfigError, readConfig } from '../../config.ts';
import { createLogger, guardStandardStreams } from '../../log.ts';
import { createServer, type Server, type ServerOptions } from '../../server.ts';
import { openApplication } from '../application.ts';
import { defineCommand } from '../command.ts';
import { greet } from '../greeting.ts';
import { CommandError } from '../io.ts';
import { npmGone } from '../parent.ts';
import { endAfter, endFailed, endIfKeptAlive, stopSignal } from '../stop-signal.ts';
import { logUncaught } from '../uncaught.ts';

/** What an application that could not be started has left running keeps the process no longer. */
const startServer = async (parts: Pick<ServerOptions, 'logger' | 'config'>): Promise<Server> => {
  try {
    const application = await openApplication();
    return await createServer({ ...parts, watch: true, lifecycle: true, application });
  } catch (error) {
    endIfKeptAlive();
    throw error;
  }
};

export const command = defineCommand({
  operands: [],
  options: {},
  description: [
    'Starts the service for the application in the current folder.',
    'Configuration comes from the environment: PORT, HOST, BASE_URL, DATABASE_URL, DATA_DIR, JWT_SECRET, …',
    'SIGTERM ends it: what is in flight is answered, then it exits with status 0. A second one ends it at once.',
  ],
  examples: ['gatewright start', 'PORT=8080 DATABASE_URL=postgres://localhost/app gatewright start'],
  async run(_invocation, io) {
    guardStandardStreams();
    const stopped = Promise.race([stopSignal(), npmGone(io.env).then(() => 'SIGTERM' as const)]);
    // A terminal that is closed, or a habit of asking for a reload, ends nothing.
    process.on('SIGHUP', () => {});
    let config: ReturnType<typeof readConfig>;
    try {
      config = readConfig(io.env);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const mistake of error.mistakes) io.warn(`gatewright: ${mistake}`);
      throw new CommandError(`the configuration has ${error.mistakes.length} mistake(s), see above`);
    }
    const logger = createLogger(config.logLevel);
    let started: Server | undefined;
    logUncaught(logger, () => void endFailed(started));
    const server = await startServer({ logger, config });
    started = server;
    greet(server, io);
    // Node writes its cache of compiled code at the exit, which a process that is killed does not reach.
    flushCompileCache();
    await endAfter(server, (await stopped) === 'SIGINT' ? 0 : config.drain);
  },
});
