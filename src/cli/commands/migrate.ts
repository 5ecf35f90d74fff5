import { readConfig } from '../../config.ts';
import { awaitDatabase } from '../../database-wait.ts';
import { planMigrations, prepareDatabase } from '../../migrate.ts';
import { databaseTarget } from '../../store/dialects/targets.ts';
import { openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';

export const command = defineCommand({
  operands: [],
  options: {
    plan: { type: 'boolean', help: 'print the SQL of what is pending, and run none of it' },
    ...jsonOption,
  },
  description: [
    'Applies pending migrations: those of the service, then those of the application, under a lock.',
    'All of it is one transaction: every step or none. What fails says why, with the statement.',
  ],
  examples: ['gatewright migrate', 'gatewright migrate --plan', 'gatewright migrate --json'],
  async run({ values }, io) {
    const config = readConfig(io.env);
    const application = await openApplication();
    const target = databaseTarget(config.databaseUrl);
    const told = (fields: object, message: string): void =>
      io.warn(`gatewright: ${message} ${JSON.stringify(fields)}`);
    await awaitDatabase(target, config, told);
    if (values.plan === true) {
      const planned = await planMigrations(target, application);
      if (values.json === true) return io.print(JSON.stringify({ planned }));
      if (planned.length === 0) return io.print('-- The database is up to date.');
      for (const { name, statements } of planned) io.print([`-- ${name}`, ...statements, ''].join('\n'));
      return;
    }
    const { applied } = await prepareDatabase({ ...config, migrate: 'start' }, application, target);
    if (values.json === true) return io.print(JSON.stringify({ applied }));
    if (applied.length === 0) return io.print('The database is up to date.');
    for (const name of applied) io.print(`applied ${name}`);
  },
});
