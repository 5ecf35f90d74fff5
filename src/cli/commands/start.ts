import { type Config, ConfigError, readConfig } from '../../app/config.ts';
import { createLogger, guardStandardStreams } from '../../app/log.ts';
import { defineCommand } from '../command.ts';
import { CommandError, type Io } from '../io.ts';
import { npmGone } from '../parent.ts';
import { stopSignal } from '../stop-signal.ts';
import { workerRole } from '../workers/worker.ts';

/** @throws CommandError for an invalid configuration, whose mistakes have been printed */
const configOf = (io: Io): Config => {
  try {
    return readConfig(io.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { mistakes } = error;
    createLogger('fatal').fatal({ mistakes }, 'the configuration has mistakes');
    for (const mistake of mistakes) io.warn(`gatewright: ${mistake}`);
    throw new CommandError(`the configuration has ${mistakes.length} mistake(s), see above`);
  }
};

export const command = defineCommand({
  operands: [],
  options: {},
  description: [
    'Starts the service for the application in the current folder.',
    'Configuration comes from the environment: PORT, HOST, BASE_URL, DATABASE_URL, DATA_DIR, JWT_SECRET, …',
    'SIGTERM stops it: it serves the requests in flight and exits with status 0. A second signal stops it immediately.',
    'SIGUSR2 sets the log level to debug for 10 minutes: every statement is logged, without its values.',
  ],
  examples: ['gatewright start', 'PORT=8080 DATABASE_URL=postgres://localhost/app gatewright start'],
  async run(_invocation, io) {
    guardStandardStreams();
    const worker = await workerRole(io.env);
    const stopped =
      worker?.stopped ?? Promise.race([stopSignal(), npmGone(io.env).then(() => 'SIGTERM' as const)]);
    // A closed terminal, or SIGHUP as a request to reload, does not end the service.
    process.on('SIGHUP', () => {});
    const config = configOf(io);
    const logger = createLogger(config.logLevel);
    if (worker === undefined && config.workers > 1) {
      const { superviseWorkers } = await import('../workers/primary.ts');
      await superviseWorkers({ config, logger, io, stopped });
    }
    // Loaded only here: the primary process does not need it.
    const { serve } = await import('../serve.ts');
    await serve({ config, logger, io, stopped, worker });
  },
});
