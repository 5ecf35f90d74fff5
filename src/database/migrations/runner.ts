/** Runner of migrations: one transaction under a lock for everything that is pending, with the checks around it. */

import { Kysely, type LogEvent, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Ask, Tables } from '../introspection.ts';
import type { ServiceNames } from '../service-names.ts';
import { type OtherSet, otherSet } from '../service-sets.ts';
import { appliedTable } from '../tables/database-tables.ts';
import { createStatements } from '../tables/table-statements.ts';
import type { DatabaseTarget } from '../target.ts';
import { type Applied, appliedOf, assertOrder, nothingApplied } from './applied.ts';
import { askThrough } from './ask-through.ts';
import { fillSearches } from './fill-search.ts';
import { lockStatements } from './lock-tables.ts';
import type {
  MigrationDatabase,
  MigrationOptions,
  MigrationSet,
  Migrations,
  MigrationTables,
} from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { readTables } from './read-tables.ts';
import { runAll } from './statements.ts';

/** The content of a database before anything is applied. */
export interface Found {
  readonly tables: Tables;
  /** One for each set, in their order. */
  readonly applied: readonly Applied[];
  readonly ask: Ask;
  /** The names of the service's own tables. */
  readonly names: ServiceNames;
  /** The tables of another service, where this one has none. */
  readonly otherSet: () => Promise<OtherSet | undefined>;
}

/** Checks of the database around the migrations; one that throws refuses all of them. */
export interface Conditions {
  /** Asked before anything is written, and again under the lock. */
  before?(found: Found): Promise<void>;
  /** A statement that is run behind the steps, where there were any. */
  readonly afterwards?: string;
  /** Asked when everything is applied and nothing is committed yet. */
  after?(ask: Ask): Promise<void>;
  /**
   * Called before the words of a full-text search are made, with the number of records without words, if these are
   * many.
   */
  readonly onFilling?: (table: string, records: number) => void;
}

export interface Migrated {
  /** Names of what was applied. */
  readonly applied: readonly string[];
  /** Names of what the database has beyond these sets: a newer program came before this one. */
  readonly later: readonly string[];
}

/** The statement from which an error came: the error of a driver does not name it. */
const statementOf = new WeakMap<object, string>();

const rememberStatement = (event: LogEvent): void => {
  if (event.level === 'error' && typeof event.error === 'object' && event.error !== null)
    statementOf.set(event.error, event.query.sql);
};

const connect = async (target: DatabaseTarget): Promise<MigrationDatabase> =>
  new Kysely<MigrationTables>({
    dialect: await target.migrationDriver(),
    log: rememberStatement,
  });

const nothing: Ask = async () => [];

const foundIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  sets: readonly MigrationSet[],
): Promise<Found> => {
  const ask = askThrough(db);
  const tables = await readTables(ask, dialect);
  const applied: Applied[] = [];
  for (const set of sets) applied.push(await appliedOf(ask, tables, set, dialect.names));
  return { tables, applied, ask, names: dialect.names, otherSet: () => otherSet(ask, dialect) };
};

/** Reads as `foundIn` does, but makes no missing or empty file to find out that nothing is in it. */
const look = async (
  db: MigrationDatabase,
  target: DatabaseTarget,
  sets: readonly MigrationSet[],
): Promise<Found> => {
  if (!target.isEmpty()) return foundIn(db, await target.dialect(), sets);
  return {
    tables: new Map(),
    applied: sets.map(nothingApplied),
    ask: nothing,
    names: target.names,
    otherSet: async () => undefined,
  };
};

/**
 * Remembers steps. Each a millisecond after the one before: an earlier version of the service reads their order from
 * it.
 */
const remember = async (
  db: MigrationDatabase,
  tableName: string,
  names: readonly string[],
): Promise<void> => {
  const started = Date.now();
  for (const [index, name] of names.entries()) {
    const timestamp = new Date(started + index).toISOString();
    await db.insertInto(tableName).values({ name, timestamp }).execute();
  }
};

const runSteps = async (
  db: MigrationDatabase,
  dialect: Dialect,
  { migrations, tableName, baseline }: MigrationSet,
  names: readonly string[],
): Promise<void> => {
  await runAll(db, [
    ...dialect.schema.place,
    ...createStatements(appliedTable(tableName), dialect, { ifMissing: true }),
  ]);
  for (const name of names) {
    try {
      await migrations[name]?.up(db, dialect.name);
    } catch (error) {
      throw MigrationError.of(name, error, statementOf);
    }
  }
  const isNew = baseline !== undefined && names.includes(baseline.name);
  await remember(db, tableName, isNew ? Object.keys(migrations).sort() : names);
};

/** Runs some work in one transaction under the lock of migrations. */
const underLock = <T>(
  db: MigrationDatabase,
  work: (transaction: MigrationDatabase) => Promise<T>,
): Promise<T> => {
  const { adapter } = db.getExecutor();
  const lock = { lockTable: 'none', lockRowId: 'none' };
  return db.connection().execute(async (connection) => {
    // Before the transaction, so that it sees what the holder before has done. The end of the connection gives it back.
    await adapter.acquireMigrationLock(connection, lock);
    return connection.transaction().execute(work);
  });
};

/** Makes the words that new full-text searches lack. Nothing is lost if it fails: the next start continues. */
const fill = async (
  db: MigrationDatabase,
  target: DatabaseTarget,
  tables: Tables,
  { onFilling }: Conditions = {},
): Promise<void> => {
  try {
    await fillSearches(db, target, tables, onFilling);
  } catch (error) {
    throw MigrationError.of('of full-text searches', error, statementOf);
  }
};

/** Applies the pending migrations, all of them in one transaction. */
const apply = (
  db: MigrationDatabase,
  dialect: Dialect,
  sets: readonly MigrationSet[],
  conditions: Conditions,
): Promise<Migrated> =>
  underLock(db, async (transaction) => {
    const found = await foundIn(transaction, dialect, sets);
    await conditions.before?.(found);
    assertOrder(found.applied);
    const pendingIn = (index: number): readonly string[] => found.applied[index]?.pending ?? [];
    // Steps of the set that has a baseline alter tables that every write of the application reaches.
    if (sets.some(({ baseline }, index) => baseline !== undefined && pendingIn(index).length > 0))
      await runAll(transaction, await lockStatements(found.ask, found.tables, dialect));
    for (const [index, set] of sets.entries()) {
      const names = pendingIn(index);
      if (names.length > 0) await runSteps(transaction, dialect, set, names);
    }
    if (conditions.afterwards !== undefined) await sql.raw(conditions.afterwards).execute(transaction);
    await conditions.after?.(askThrough(transaction));
    return migratedFrom(found);
  });

/**
 * Runs some work on a database that is there, in one transaction under the lock of migrations. Undefined if it is
 * empty.
 */
export const changeLocked = async <T>(
  target: DatabaseTarget,
  set: MigrationSet,
  work: (transaction: MigrationDatabase, found: Found) => Promise<T>,
): Promise<T | undefined> => {
  if (target.isEmpty()) return undefined;
  await using db = await connect(target);
  const dialect = await target.dialect();
  const done = await underLock(db, async (transaction) =>
    work(transaction, await foundIn(transaction, dialect, [set])),
  );
  await fill(db, target, await readTables(askThrough(db), dialect));
  return done;
};

const migratedFrom = ({ applied }: Found): Migrated => ({
  applied: applied.flatMap(({ pending }) => pending),
  later: applied.flatMap(({ later }) => later),
});

/**
 * Applies what is pending of all sets in one transaction, on a connection of its own and under a lock: several
 * processes may start at once on one database. Whatever fails or is refused leaves the database as it was. Then it
 * makes the words of new full-text searches, in further transactions.
 * @throws MigrationError that names the step, the cause and the statement; and what the conditions throw
 */
export const migrateAll = async (
  target: DatabaseTarget,
  sets: readonly MigrationSet[],
  conditions: Conditions = {},
): Promise<Migrated> => {
  await using db = await connect(target);
  const found = await look(db, target, sets);
  await conditions.before?.(found);
  assertOrder(found.applied);
  const dialect = await target.dialect();
  const isPending = found.applied.some(({ pending }) => pending.length > 0);
  const migrated = isPending ? await apply(db, dialect, sets, conditions) : migratedFrom(found);
  if (!isPending) await conditions.after?.(found.ask);
  const tables = isPending ? await readTables(askThrough(db), dialect) : found.tables;
  await fill(db, target, tables, conditions);
  return migrated;
};

/** Applies what is pending of one set, as `migrateAll` does. Returns the names applied. */
export const migrate = async (
  target: DatabaseTarget,
  migrations: Migrations,
  options: MigrationOptions,
): Promise<readonly string[]> => (await migrateAll(target, [{ migrations, ...options }])).applied;

/**
 * Names of the steps that `migrateAll` would apply, where `before` refuses none. Changes nothing, not even a missing
 * file.
 */
export const pendingOf = async (
  target: DatabaseTarget,
  sets: readonly MigrationSet[],
  before: Conditions['before'] = async () => {},
): Promise<readonly string[]> => {
  await using db = await connect(target);
  const found = await look(db, target, sets);
  await before(found);
  return found.applied.flatMap((each) => each.pending);
};

/** Names of the steps of one set that `migrate` would apply, as `pendingOf` returns them. */
export const pending = (
  target: DatabaseTarget,
  migrations: Migrations,
  options: MigrationOptions,
): Promise<readonly string[]> => pendingOf(target, [{ migrations, ...options }]);
