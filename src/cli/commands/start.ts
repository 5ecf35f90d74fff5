import { ConfigError, readConfig } from '../../config.ts';
import { createServer, type Server } from '../../server.ts';
import { openApplication } from '../application.ts';
import { defineCommand } from '../command.ts';
import { CommandError, type Io } from '../io.ts';

/** What a newcomer needs to know; the generated password stands here once and nowhere else. */
const greet = ({ config, firstAdmin }: Server, io: Io): void => {
  io.print(`Gatewright answers on ${config.baseUrl}`);
  io.print(`  API             ${config.baseUrl}/api/v1`);
  if (config.apiDocs) io.print(`  Documentation   ${config.baseUrl}/api-docs`);
  io.print(`  Administration  ${config.baseUrl}/admin`);
  if (firstAdmin === undefined) return;
  if (firstAdmin.password === undefined)
    io.print(`  Sign in as ${firstAdmin.username} with the password of ADMIN_PASSWORD`);
  else {
    io.print(`  Sign in as ${firstAdmin.username} with the password ${firstAdmin.password}`);
    io.print('  It is shown this once: keep it, or change it with PUT /api/v1/auth/password');
  }
};

/** Resolves at the first SIGTERM or SIGINT; a terminal may send the second twice. */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
  });

export const command = defineCommand({
  operands: [],
  options: {},
  description: [
    'Starts the service for the application in the current folder.',
    'Configuration comes from the environment: PORT, HOST, BASE_URL, DATABASE_URL, DATA_DIR, JWT_SECRET, …',
    'SIGTERM ends it: what is in flight is answered, then it exits with status 0.',
  ],
  examples: ['gatewright start', 'PORT=8080 DATABASE_URL=postgres://localhost/app gatewright start'],
  async run(_invocation, io) {
    const stopped = stopSignal();
    let config: ReturnType<typeof readConfig>;
    try {
      config = readConfig(io.env);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const mistake of error.mistakes) io.warn(`gatewright: ${mistake}`);
      throw new CommandError(`the configuration has ${error.mistakes.length} mistake(s), see above`);
    }
    const server = await createServer({ config, application: await openApplication() });
    greet(server, io);
    await stopped;
    await server.close();
  },
});
