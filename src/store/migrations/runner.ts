import { existsSync, statSync } from 'node:fs';
import { Kysely } from 'kysely';
import { type Migration as KyselyMigration, Migrator } from 'kysely/migration';
import type { DialectName, SqlValue } from '../database.ts';
import { postgresMigrationDialect } from '../dialects/postgres/migration-dialect.ts';
import { sqliteMigrationDialect } from '../dialects/sqlite/migration-dialect.ts';
import type { DatabaseTarget } from '../dialects/target.ts';

/** A migration sees tables as they were when it was written, so none of today's table types apply to it. */
export interface MigrationTables {
  [table: string]: { [column: string]: SqlValue };
}

export type MigrationDatabase = Kysely<MigrationTables>;

/** One step of the schema. All pending steps are applied in one transaction: all or none. */
export interface Migration {
  up(db: MigrationDatabase, dialect: DialectName): Promise<void>;
}

/** Steps by name; they run in the order of their names, so a new name must sort after all that were ever applied. */
export type Migrations = Readonly<Record<string, Migration>>;

export interface MigrationOptions {
  /** Table that remembers what was applied: one for each set of migrations. */
  readonly tableName: string;
}

const connect = (target: DatabaseTarget): MigrationDatabase =>
  new Kysely<MigrationTables>({
    dialect:
      target.dialect === 'sqlite'
        ? sqliteMigrationDialect(target.path)
        : postgresMigrationDialect(target.url),
  });

const migratorOf = (
  db: MigrationDatabase,
  dialect: DialectName,
  migrations: Migrations,
  options: MigrationOptions,
): Migrator => {
  const steps: Record<string, KyselyMigration> = {};
  for (const [name, migration] of Object.entries(migrations)) {
    steps[name] = { up: (transaction) => migration.up(transaction, dialect) };
  }
  return new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    migrationTableName: options.tableName,
    migrationLockTableName: `${options.tableName}_lock`,
  });
};

/**
 * Applies what is pending, on a connection of its own and under a lock: several processes may start at once on one
 * database. Answers the names applied. Throws an Error that names the failed step; then nothing was applied.
 */
export const migrate = async (
  target: DatabaseTarget,
  migrations: Migrations,
  options: MigrationOptions,
): Promise<readonly string[]> => {
  const db = connect(target);
  try {
    const { error, results = [] } = await migratorOf(
      db,
      target.dialect,
      migrations,
      options,
    ).migrateToLatest();
    if (error === undefined) return results.map((result) => result.migrationName);
    const failed = results.find((result) => result.status === 'Error')?.migrationName;
    // Without a step that failed, the migrator's own words say it: the database is further than this program.
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(failed === undefined ? `Migrating failed: ${reason}` : `Migration ${failed} failed`, {
      cause: error,
    });
  } finally {
    await db.destroy();
  }
};

export const isEmptyFile = (target: DatabaseTarget): boolean =>
  target.dialect === 'sqlite' && (!existsSync(target.path) || statSync(target.path).size === 0);

/** Names of the steps that `migrate` would apply. Changes nothing, not even a missing file. */
export const pending = async (
  target: DatabaseTarget,
  migrations: Migrations,
  options: MigrationOptions,
): Promise<readonly string[]> => {
  if (isEmptyFile(target)) return Object.keys(migrations).sort();
  const db = connect(target);
  try {
    const steps = await migratorOf(db, target.dialect, migrations, options).getMigrations();
    return steps.filter((step) => step.executedAt === undefined).map((step) => step.name);
  } finally {
    await db.destroy();
  }
};
