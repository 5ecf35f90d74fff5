import type { Application } from '../app/application.ts';
import { type Config, readConfig } from '../app/config.ts';
import { isBaselinePending, pendingMigrations, prepareDatabase } from '../app/migrate.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { databaseTarget } from '../database/targets.ts';
import { systemClock } from '../kernel/clock.ts';
import type { TableContext } from '../ledger/context.ts';
import { openApplication } from './application.ts';
import type { Io } from './io.ts';

/** The configuration of a command that reports problems: in English, like its help, unless LOCALE is set. */
export const commandConfig = ({ env }: Pick<Io, 'env'>): Config =>
  readConfig({ ...env, LOCALE: env['LOCALE'] || 'en' });

/**
 * Opens the configured database for a command on the service's own tables, migrates these as a start would, and closes
 * it afterwards. Migrations of the application stay pending, unless the database is new.
 */
export const withTables = async <T>(
  io: Io,
  work: (
    context: TableContext & {
      readonly config: Config;
      readonly database: Database;
      readonly application: Application;
    },
  ) => Promise<T>,
): Promise<T> => {
  const config = commandConfig(io);
  const application = await openApplication();
  const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
  const isNew = isBaselinePending(await pendingMigrations(target, application, config));
  await prepareDatabase(config, isNew ? application : { migrations: {} }, target);
  // One connection for a transaction, and one for what is looked up beside it.
  const database = await openDatabase(target, { poolSize: 2 });
  try {
    return await work({ config, database, application, clock: systemClock });
  } finally {
    await database.close();
  }
};
