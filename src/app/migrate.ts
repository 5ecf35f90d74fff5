/** Decides whether a database may be used or migrated, and applies, plans or undoes its migrations. */

import { mkdir } from 'node:fs/promises';
import { restoringName } from '../database/fence.ts';
import type { Ask } from '../database/introspection.ts';
import {
  type Conditions,
  coreSet,
  type Found,
  type Migrated,
  MigrationError,
  migrateAll,
  type PlannedStep,
  pendingOf,
  plan,
  undoLast,
} from '../database/migrations.ts';
import { ownTables } from '../database/tables.ts';
import type { DatabaseTarget } from '../database/target.ts';
import { separateDatabaseAdvice } from '../database/targets.ts';
import { readDestinationMark, readSourceMark } from '../upkeep/backup.ts';
import type { Application } from './application.ts';
import type { Config } from './config.ts';
import { expectsDatabase, lostContent, rememberDatabase } from './known-databases.ts';
import { majorVersion } from './version.ts';

/** Migrations of the service first, then the application's, whose tables refer to users. */
const sets = (application: Pick<Application, 'migrations'>) => [
  coreSet,
  { migrations: application.migrations, tableName: 'migrations' },
];

/** The settings that decide about migrating. */
type Settings = Pick<Config, 'dataDir' | 'migrate' | 'newDatabase'>;

const describe = (names: readonly string[]): string =>
  names.length === 1 ? `a table ${names[0]}` : `tables ${names.join(', ')}`;

/** True if no migration of the service has ever been applied. */
const isUnused = ({ applied: [core] }: Found): boolean =>
  core === undefined || core.known.length + core.later.length === 0;

/** Refuses a second set of tables beside another one, unless it is asked for and both can be there. */
const assertOwnSet = async ({ otherSet }: Found, isAskedFor: boolean): Promise<void> => {
  const other = await otherSet();
  if (other === undefined || (other.mayBeBeside && isAskedFor)) return;
  const more = other.mayBeBeside ? '; for a second service beside it start once with NEW_DATABASE=1' : '';
  throw new MigrationError(`${other.sentence}${more}`);
};

/** Refuses a database in which other tables have names that the service needs. */
const assertFree = async (found: Found): Promise<void> => {
  if (!isUnused(found)) return;
  const needed = [...ownTables, ...sets({ migrations: {} }).map(({ tableName: name }) => ({ name }))];
  const names = needed
    .flatMap(({ name }) => (found.tables.has(name) ? [found.names.shown(name)] : []))
    .sort();
  if (names.length > 0)
    throw new MigrationError(
      `the database has ${describe(names)} that another program made and this service needs under the same name; nothing was changed. Give the service ${separateDatabaseAdvice}`,
    );
};

/**
 * Refuses a database that a later major version has changed: this version does not know the meaning of its tables.
 */
const assertMajor = async ({ tables, ask, names }: Found, own: number): Promise<void> => {
  if (!tables.has('gatewright_database')) return;
  const [row] = await ask<{ major: number }>(`select major from ${names.written('gatewright_database')}`);
  const major = Number(row?.major ?? 0);
  if (major > own)
    throw new MigrationError(
      `the database was migrated by version ${major} of the service, and this is version ${own}: start that version, or the backup from before`,
    );
};

const assertNothingPending = ({ applied }: Found): void => {
  const waiting = applied.flatMap(({ pending }) => pending);
  if (waiting.length > 0) throw new Error(`MIGRATE=off and migrations are pending: ${waiting.join(', ')}`);
};

/** Refuses a database that was or is being moved or restored: its content is elsewhere, or incomplete. */
const assertWhole = async ({ tables, ask, names }: Found): Promise<void> => {
  const mark = await readSourceMark(ask, tables, names);
  if (mark !== undefined)
    throw new MigrationError(
      `the database ${mark.state === 'moved' ? 'was' : 'is being'} moved to ${mark.destination} since ${mark.since}: set DATABASE_URL, or have this one take writes again with \`gatewright move --undo\``,
    );
  if ((await readDestinationMark(ask, tables, names)) !== undefined)
    throw new MigrationError(
      'a move into this database is not finished: run the same `gatewright move` again, or empty it',
    );
  if (tables.has(restoringName))
    throw new MigrationError(
      'a restore into this database was not finished, and what is there was never compared with its backup: run the same `gatewright restore` again, or empty it',
    );
};

/**
 * Creates the tables of an empty database by the migrations. `after` runs behind them, in the same transaction.
 * @throws Error where the database is not empty, and errors of `after`; the database is unchanged then
 */
export const prepareEmptyDatabase = async (
  settings: Pick<Config, 'dataDir'>,
  application: Pick<Application, 'migrations'>,
  target: DatabaseTarget,
  after: (ask: Ask) => Promise<void>,
): Promise<void> => {
  const before = async ({ tables }: Found): Promise<void> => {
    const [name] = tables.keys();
    if (name !== undefined)
      throw new MigrationError(`the destination is not empty: it has a table ${name}; nothing was changed`);
  };
  await prepareDatabase({ ...settings, migrate: 'start', newDatabase: true }, application, target, {
    before,
    after,
  });
};

/** Refuses a database with pending migrations. */
const refusePending = ({ applied }: Found): void => {
  const waiting = applied.flatMap(({ pending: names }) => names);
  if (waiting.length > 0)
    throw new MigrationError(
      `migrations are pending (${waiting.join(', ')}): run \`gatewright migrate\` first`,
    );
};

/** Demands that a database has exactly the migrations of this program and the application. */
export const assertUpToDate = async (
  application: Pick<Application, 'migrations'>,
  target: DatabaseTarget,
): Promise<void> => {
  const { later } = await migrateAll(target, sets(application), {
    before: async (found) => {
      await assertOwnSet(found, false);
      refusePending(found);
    },
  });
  if (later.length > 0)
    throw new MigrationError(
      `the database has migrations of a newer release (${later.join(', ')}): move it with that`,
    );
};

/**
 * Brings the database up to date with the service and the application: applies pending migrations, all in one
 * transaction, or refuses them with MIGRATE=off. `conditions` are checked before anything is written, and again
 * before the commit.
 * @throws Error with one line that says why not; the database is unchanged then
 */
export const prepareDatabase = async (
  settings: Settings,
  application: Pick<Application, 'migrations'>,
  target: DatabaseTarget,
  conditions: Pick<Conditions, 'before' | 'after' | 'onFilling'> = {},
): Promise<Migrated> => {
  const expected = await expectsDatabase(settings, target);
  const major = await majorVersion();
  const migrated = await migrateAll(target, sets(application), {
    ...conditions,
    before: async (found) => {
      await assertOwnSet(found, settings.newDatabase);
      if (expected && isUnused(found)) throw lostContent(target);
      await assertWhole(found);
      await assertFree(found);
      await assertMajor(found, major);
      if (settings.migrate === 'off') assertNothingPending(found);
      await conditions.before?.(found);
    },
    afterwards: `update ${target.names.written('gatewright_database')} set major = ${major} where major < ${major}`,
  });
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  await rememberDatabase(settings, target);
  return migrated;
};

/**
 * Migrates a database in which no migration was ever applied, for a command that works beside a service; refuses
 * pending migrations of any other, since only a start and `migrate` apply these.
 */
export const prepareForCommand = async (
  settings: Settings,
  application: Pick<Application, 'migrations'>,
  target: DatabaseTarget,
): Promise<void> => {
  const before = async (found: Found): Promise<void> => {
    if (!isUnused(found)) refusePending(found);
  };
  await prepareDatabase(settings, application, target, { before });
};

/** Logged with a table and its number of records without words; making them takes about 1 ms a record. */
export const fillingMessage = 'making the words of a full-text search';

/** Applies everything pending to a database that no service uses. Returns the names of the applied migrations. */
export const applyMigrations = async (
  target: DatabaseTarget,
  application: Pick<Application, 'migrations'>,
): Promise<readonly string[]> => (await migrateAll(target, sets(application))).applied;

/**
 * Reverts the application's migration that was applied last. Returns its name; undefined if there is none.
 * @throws MigrationError that says why not; the database is unchanged then
 */
export const undoMigration = (
  target: DatabaseTarget,
  { migrations, models }: Pick<Application, 'migrations' | 'models'>,
): Promise<string | undefined> =>
  undoLast(target, { migrations, tableName: 'migrations' }, models, async (found) => {
    await assertOwnSet(found, false);
    await assertWhole(found);
  });

/**
 * Names of everything that `prepareDatabase` would apply.
 * @throws MigrationError that names both prefixes where the database has the tables of a service with another one
 */
export const pendingMigrations = (
  target: DatabaseTarget,
  application: Pick<Application, 'migrations'>,
  { newDatabase }: Pick<Settings, 'newDatabase'> = { newDatabase: false },
): Promise<readonly string[]> =>
  pendingOf(target, sets(application), (found) => assertOwnSet(found, newDatabase));

/** True if the baseline of the service is among pending migrations: the database is new. */
export const isBaselinePending = (pending: readonly string[]): boolean =>
  coreSet.baseline !== undefined && pending.includes(coreSet.baseline.name);

/** The SQL of everything that `prepareDatabase` would apply; nothing is changed. @throws as `pendingMigrations` does */
export const planMigrations = async (
  target: DatabaseTarget,
  application: Pick<Application, 'migrations'>,
  settings?: Pick<Settings, 'newDatabase'>,
): Promise<readonly PlannedStep[]> => {
  const waiting = await pendingMigrations(target, application, settings);
  if (waiting.length === 0) return [];
  const steps: PlannedStep[] = [];
  for (const set of sets(application)) steps.push(...(await plan(target, set.migrations, set)));
  return steps;
};
