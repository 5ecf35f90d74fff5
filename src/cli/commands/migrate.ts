/** `gatewright migrate`: applies, shows or undoes migrations. */

import { readConfig } from '../../app/config.ts';
import { awaitDatabase } from '../../app/database-wait.ts';
import { expectsDatabase } from '../../app/known-databases.ts';
import {
  fillingMessage,
  pendingMigrations,
  planMigrations,
  prepareDatabase,
  undoMigration,
} from '../../app/migrate.ts';
import { differencesOf, SchemaError } from '../../app/schema-check.ts';
import { incompleteSearches } from '../../database/migrations.ts';
import { breaksRequests, describeDifference } from '../../database/schema-differences.ts';
import { databaseTarget } from '../../database/targets.ts';
import { openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError } from '../io.ts';

export const command = defineCommand({
  operands: [],
  options: {
    plan: { type: 'boolean', help: 'print the SQL of pending migrations without running it' },
    check: {
      type: 'boolean',
      help: 'write nothing; exit with 1 if migrations are pending or models and database differ',
    },
    undo: {
      type: 'boolean',
      help: "revert the application's latest migration unless that loses data; not in production",
    },
    ...jsonOption,
  },
  description: [
    'Applies pending migrations under a lock: those of the service, then those of the application.',
    'All steps run in one transaction. If one fails, the error shows the cause and the statement.',
    'If models and database differ afterwards, it exits with 1 and lists the differences: the service would not start,',
    'or an index would be missing. gatewright generate migration NAME writes the missing migration.',
  ],
  examples: [
    'gatewright migrate',
    'gatewright migrate --plan',
    'gatewright migrate --check',
    'gatewright migrate --undo',
  ],
  async run({ values }, io) {
    const config = readConfig(io.env);
    const application = await openApplication();
    const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
    const report = (fields: object, message: string): void =>
      io.warn(`gatewright: ${message} ${JSON.stringify(fields)}`);
    await awaitDatabase(target, config, report);
    const lost = target.lostWrites();
    if (lost !== undefined) report({ database: target.place }, lost);
    // A lost database is not a new one: its plan would begin with an empty database.
    if (values.plan === true || values.check === true) await expectsDatabase(config, target);
    if (values.plan === true) {
      const planned = await planMigrations(target, application, config);
      if (values.json === true) return io.print(JSON.stringify({ planned }));
      if (planned.length === 0) return io.print('-- The database is up to date.');
      for (const { name, statements } of planned) io.print([`-- ${name}`, ...statements, ''].join('\n'));
      return;
    }
    const { models } = application;
    if (values.check === true) {
      const pending = await pendingMigrations(target, application, config);
      const found = pending.length > 0 ? [] : await differencesOf(target, models);
      const incomplete = pending.length > 0 ? [] : await incompleteSearches(target);
      if (values.json === true) {
        const differences = found.map(describeDifference);
        io.print(JSON.stringify({ pending, differences, incomplete_searches: incomplete }));
      }
      if (pending.length > 0) throw new CommandError(`migrations are pending: ${pending.join(', ')}`);
      if (found.length > 0) throw new SchemaError(found);
      if (values.json === true) return;
      io.print('The database is up to date.');
      if (incomplete.length > 0)
        io.print(
          `Full-text searches still without some words: ${incomplete.join(', ')}. A start or gatewright migrate completes them.`,
        );
      return;
    }
    if (values.undo === true) {
      if (config.production) throw new CommandError('--undo is for development: NODE_ENV is production');
      const undone = await undoMigration(target, application);
      if (values.json === true) return io.print(JSON.stringify({ undone: undone ?? null }));
      if (undone === undefined) return io.print('No migration of the application is applied.');
      return io.print(`undone ${undone}: its file stays, and gatewright migrate applies it again`);
    }
    const { applied, later } = await prepareDatabase({ ...config, migrate: 'start' }, application, target, {
      onFilling: (table, records) => report({ table, records }, fillingMessage),
    });
    // Tables of a newer release are no mistake of these models.
    const found = (await differencesOf(target, models)).filter(
      (each) => later.length === 0 || breaksRequests(each),
    );
    if (values.json === true)
      io.print(JSON.stringify({ applied, differences: found.map(describeDifference) }));
    else if (applied.length > 0) for (const name of applied) io.print(`applied ${name}`);
    else if (found.length === 0) io.print('The database is up to date.');
    if (found.length > 0) throw new SchemaError(found);
  },
});
