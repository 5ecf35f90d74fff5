import { mkdir } from 'node:fs/promises';
import { type Config, readConfig } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { applyMigrations, pendingMigrations } from '../migrate.ts';
import type { Database } from '../store/database.ts';
import { databaseTarget } from '../store/dialects/target.ts';
import { openDatabase } from '../store/open.ts';
import type { TableContext } from '../store/tables/context.ts';
import { openApplication } from './application.ts';
import { CommandError, type Io } from './io.ts';

/** Opens the configured database for a command, brings it up to date as a start would, and closes it afterwards. */
export const withTables = async <T>(
  io: Io,
  work: (context: TableContext & { readonly config: Config; readonly database: Database }) => Promise<T>,
): Promise<T> => {
  const config = readConfig(io.env);
  const application = await openApplication();
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const target = databaseTarget(config.databaseUrl);
  if (config.migrate === 'start') await applyMigrations(target, application);
  else {
    const waiting = await pendingMigrations(target, application);
    if (waiting.length > 0) throw new CommandError(`migrations are pending: ${waiting.join(', ')}`);
  }
  const database = await openDatabase(target, { poolSize: 1 });
  try {
    return await work({ config, database, clock: systemClock });
  } finally {
    await database.close();
  }
};
