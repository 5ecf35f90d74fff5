import type { Dialect } from '../dialects/dialect.ts';
import type { DialectName } from '../dialects/name.ts';
import { dialectOf } from '../dialects/registry.ts';
import type { Tables } from '../introspection.ts';
import { quoteName } from '../quote.ts';
import { type Fragment, literal, sql } from '../statement.ts';
import { askThrough } from './ask-through.ts';
import { tableOf } from './columns.ts';
import type { MigrationDatabase } from './migration.ts';
import { followingName } from './names.ts';
import { forgetReference, nulledColumns, watchReference } from './nulled-references.ts';
import { readTables } from './read-tables.ts';
import { ensureRegister, forgetTable, readRegister, renameRegisteredTable } from './register.ts';
import { runAll } from './statements.ts';

/** Tables of the service that hold what roles may do with a model. */
const granting = ['permission_entries', 'permissions'] as const;

/** The same, and those that hold what became of its records: ids begin anew with a new table. */
const byModel = [
  ...granting,
  'gatewright_history',
  'gatewright_events',
  'gatewright_event_inbox',
  'gatewright_trash',
  'gatewright_deliveries',
] as const;

/** Models whose records stood in a table: the one that the register names, else those of its regular name. */
export const modelsOf = async (
  db: MigrationDatabase,
  tables: Tables,
  table: string,
): Promise<readonly string[]> => {
  const ask = askThrough(db);
  const model = (await readRegister(ask, tables)).get(table)?.model;
  if (model !== undefined) return [model];
  const names = await Promise.all(
    granting
      .filter((name) => tables.has(name))
      .map((name) => ask<{ model: string }>(`select distinct model from ${name}`)),
  );
  const known = new Set(names.flat().map((row) => row.model));
  return [...known].filter((name) => tableOf(name) === table);
};

/** One statement for each of these tables that is there. */
const ofModels = (tables: Tables, statement: (table: Fragment) => Fragment): Fragment[] =>
  byModel.filter((name) => tables.has(name)).map((name) => statement(sql.raw(name)));

const webhooks = 'gatewright_webhooks';

/** Changes the JSON text of the models about which each webhook is told. */
const changeTold = (tables: Tables, dialect: Dialect, change: (models: Fragment) => Fragment): Fragment[] =>
  tables.has(webhooks)
    ? [
        sql`update ${sql.raw(webhooks)} set models = ${dialect.cast(change(sql`cast(models as text)`), 'json')}`,
      ]
    : [];

const replaced = (models: Fragment, name: string, by: string): Fragment =>
  sql`replace(${models}, ${literal(name)}, ${literal(by)})`;

const forgetModels = (tables: Tables, dialect: Dialect, models: readonly string[]): Fragment[] =>
  models.flatMap((model) => [
    ...ofModels(tables, (table) => sql`delete from ${table} where model = ${literal(model)}`),
    ...changeTold(tables, dialect, (told) =>
      [`"${model}",`, `,"${model}"`, `"${model}"`].reduce((text, name) => replaced(text, name, ''), told),
    ),
  ]);

/**
 * Drops the table of a resource that is gone, with every grant on its model and every version of its records: a later
 * model of the same name inherits nothing. References to it from other tables go as well; their columns stay.
 */
export const dropTable = async (
  db: MigrationDatabase,
  dialectName: DialectName,
  name: string,
): Promise<void> => {
  const dialect = dialectOf({ dialect: dialectName });
  const tables = await readTables(askThrough(db), dialect);
  const models = await modelsOf(db, tables, name);
  const references = [...tables.values()].flatMap((table) =>
    [...table.columns.values()].flatMap(({ references: key }) =>
      key?.table === name && key.name !== undefined && table.name !== name
        ? [`alter table ${quoteName(table.name)} drop constraint ${quoteName(key.name)}`]
        : [],
    ),
  );
  await runAll(db, [
    ...references,
    `drop table ${quoteName(name)}`,
    ...forgetModels(tables, dialect, models),
  ]);
  await ensureRegister(db, dialect);
  await forgetTable(db, name);
};

/**
 * Renames the table of a resource. Its records stay, what refers to it follows, and so do the grants on its
 * model and the versions of its records.
 */
export const renameTable = async (
  db: MigrationDatabase,
  name: DialectName,
  from: string,
  to: string,
  { model }: { readonly model: string },
): Promise<void> => {
  const dialect = dialectOf({ dialect: name });
  const tables = await readTables(askThrough(db), dialect);
  const models = (await modelsOf(db, tables, from)).filter((each) => each !== model);
  const table = tables.get(from);
  const watched = table === undefined ? [] : nulledColumns(table);
  await runAll(db, [
    ...watched.map((column) => forgetReference(dialect, from, column)),
    `alter table ${quoteName(from)} rename to ${quoteName(to)}`,
    ...watched.flatMap((column) => watchReference(dialect, to, column)),
  ]);
  for (const index of table?.indexes ?? []) {
    const next = followingName(index, from, to);
    if (next !== index.name) await runAll(db, dialect.schema.renameIndex(to, index, next));
  }
  await runAll(db, [
    // What an earlier model of the new name was granted is not this one's.
    ...(models.length === 0 ? [] : forgetModels(tables, dialect, [model])),
    ...models.flatMap((old) =>
      ofModels(
        tables,
        (rows) => sql`update ${rows} set model = ${literal(model)} where model = ${literal(old)}`,
      ),
    ),
    ...models.flatMap((old) =>
      changeTold(tables, dialect, (told) => replaced(told, `"${old}"`, `"${model}"`)),
    ),
  ]);
  await ensureRegister(db, dialect);
  await renameRegisteredTable(db, from, to, tableOf(model) === to ? undefined : model);
};
