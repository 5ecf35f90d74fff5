/**
 * The way back of the last migration, for development. A migration states its way forward only: its calls are recorded,
 * and their opposites run in reverse order, in one transaction.
 */

import type { FieldDefinition } from '../../fields/field.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import type { Models } from '../../model/models.ts';
import type { Dialect } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { join, literal, own, sql } from '../statement.ts';
import type { DatabaseTarget } from '../target.ts';
import { alterTableIn } from './alter-table.ts';
import { askThrough } from './ask-through.ts';
import { columnName, type FieldChange, type TableAlteration } from './columns.ts';
import { modelsOf } from './follow.ts';
import type { MigrationDatabase, MigrationSet } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { readTables } from './read-tables.ts';
import { OwnStatementError, recordChanges, type TableChange } from './recording.ts';
import { changeLocked, type Found } from './runner.ts';
import { sqlTextOf } from './statements.ts';
import { dropTableIn, renameTableIn } from './tables.ts';

const refuse = (reason: string): never => {
  throw new MigrationError(reason);
};

const mapKeys = <Value>(
  entries: Readonly<Record<string, Value>>,
  rename: (key: string) => string,
): Record<string, Value> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [rename(key), value]));

/** The alteration that reverts another one. Its columns are called by the names that they get back. */
const oppositeOf = (
  table: string,
  { rename = {}, add = {}, change = {}, drop = [], fill: _kept, ...more }: TableAlteration,
): TableAlteration => {
  if (drop.length > 0) refuse(`it drops ${table}.${drop[0]}, whose values are gone`);
  const {
    addIndexes = [],
    dropIndexes = [],
    addUnique = [],
    dropUnique = [],
    references = {},
    fieldNames = {},
    search,
  } = more;
  const former = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
  const before = (column: string): string => former.get(column) ?? column;
  const columnsBefore = (lists: readonly (readonly string[])[]) => lists.map((names) => names.map(before));
  const back = ([key, { from, to }]: [string, FieldChange]): [string, FieldChange] => [
    before(columnName(key, to, fieldNames)),
    { from: to, to: from },
  ];
  const columns = new Map(
    Object.entries(change).map(([key, { to }]) => [key, columnName(key, to, fieldNames)]),
  );
  const opposite: TableAlteration = {
    rename: Object.fromEntries(former),
    change: Object.fromEntries(Object.entries(change).map(back)),
    drop: Object.entries(add).map(([key, definition]: [string, FieldDefinition]) =>
      columnName(key, definition, fieldNames),
    ),
    addIndexes: columnsBefore(dropIndexes),
    dropIndexes: columnsBefore(addIndexes),
    addUnique: columnsBefore(dropUnique),
    dropUnique: columnsBefore(addUnique),
    references: mapKeys(references, (key) => before(columns.get(key) ?? key)),
    fieldNames: mapKeys(fieldNames, before),
  };
  if (search === undefined) return opposite;
  return { ...opposite, search: { from: search.to.map(before), to: search.from.map(before) } };
};

/** A migration's transaction, and the application's models. */
interface Undoing {
  readonly db: MigrationDatabase;
  readonly dialect: Dialect;
  readonly models: Models;
}

/** JSON texts of the deleted records of a table, which the trash can restore. */
const trashOf = async ({ db, dialect }: Undoing, table: string): Promise<readonly string[]> => {
  const ask = askThrough(db);
  const tables = await readTables(ask, dialect);
  const models = await modelsOf(db, tables, table);
  if (models.length === 0 || !tables.has('gatewright_trash')) return [];
  const names = join(models.map((name) => literal(name)));
  const query = sql`select cast(record as text) as record from ${own('gatewright_trash')}
    where model in (${names}) and record is not null`;
  return (await ask<{ record: string }>(sqlTextOf(query, dialect))).map(({ record }) => record);
};

/** Refuses to drop a table with records. */
const assertEmptyTable = async (undoing: Undoing, table: string): Promise<void> => {
  const [row] = await askThrough(undoing.db)(`select 1 from ${quoteName(table)} limit 1`);
  if (row !== undefined) refuse(`${table} has records`);
  if ((await trashOf(undoing, table)).length > 0) refuse(`the trash has records of ${table}`);
};

/** Refuses to drop a column with values. */
const assertEmptyColumn = async (
  undoing: Undoing,
  table: string,
  column: string,
  field: string,
): Promise<void> => {
  const [row] = await askThrough(undoing.db)(
    `select 1 from ${quoteName(table)} where ${quoteName(column)} is not null limit 1`,
  );
  if (row !== undefined) refuse(`${table}.${column} has values`);
  const inTrash = (await trashOf(undoing, table)).some((record) => JSON.parse(record)[field] != null);
  if (inTrash) refuse(`the trash has values of ${table}.${column}`);
};

/** The name of the model to which a renamed table goes back: that of the application, which is older again. */
const modelBefore = (
  { models }: Undoing,
  { table, to, model }: Extract<TableChange, { kind: 'rename' }>,
): string => {
  const found = [...models.values()].find((each) => each.table === table);
  if (found === undefined || (table === to && found.name === model))
    return refuse(`no model has the table ${table} that ${to} was: give the model its former name first`);
  return found.name;
};

const revert = async (undoing: Undoing, change: TableChange): Promise<void> => {
  const { db, dialect } = undoing;
  const { table } = change;
  switch (change.kind) {
    case 'create':
      await assertEmptyTable(undoing, table);
      return dropTableIn(db, dialect, table);
    case 'alter': {
      const opposite = oppositeOf(table, change.alteration);
      const { fieldNames = {} } = change.alteration;
      for (const column of opposite.drop ?? [])
        await assertEmptyColumn(undoing, table, column, fieldNames[column] ?? column);
      return alterTableIn(db, dialect, table, opposite);
    }
    case 'rename': {
      const model = modelBefore(undoing, change);
      return renameTableIn(db, dialect, change.to, table, { model });
    }
    case 'drop':
      refuse(`it drops ${table}, whose records are gone`);
  }
};

/** The calls of a migration. */
const changesOf = async (
  target: DatabaseTarget,
  dialect: Dialect,
  { migrations }: MigrationSet,
  name: string,
): Promise<readonly TableChange[]> => {
  const migration = migrations[name];
  if (migration === undefined) return [];
  try {
    return await recordChanges(migration, await target.migrationDriver(), dialect.name);
  } catch (error) {
    if (!(error instanceof OwnStatementError)) throw error;
    return refuse('it runs statements of its own');
  }
};

/**
 * Reverts the migration that was applied last, unless that loses data. Its file stays, and it is pending again. Returns
 * its name; undefined if none was applied.
 * @throws MigrationError that says why not; the database is unchanged then
 */
export const undoLast = (
  target: DatabaseTarget,
  set: MigrationSet,
  models: Models,
  before: (found: Found) => Promise<void>,
): Promise<string | undefined> =>
  changeLocked(target, set, async (db, found) => {
    await before(found);
    const [applied] = found.applied;
    const { known = [], later = [] } = applied ?? {};
    const name = [...known, ...later].sort().at(-1);
    if (name === undefined) return undefined;
    try {
      if (later.includes(name)) refuse('no file of the application is this migration');
      const dialect = await target.dialect();
      for (const change of (await changesOf(target, dialect, set, name)).toReversed())
        await revert({ db, dialect, models }, change);
    } catch (error) {
      throw new MigrationError(`${name} was not undone, and nothing was changed: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    await db.deleteFrom(set.tableName).where('name', '=', name).execute();
    return name;
  });
