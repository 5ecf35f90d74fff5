/**
 * The data that the service keeps of records follows their tables and columns: it is found under the new name once one
 * is renamed, and is gone once one is dropped, so that a later one of the name inherits nothing. Everything happens in
 * the migration's transaction, by one statement for each table of the service.
 */

import type { Json, JsonObject } from '../../kernel/json.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../introspection.ts';
import { namesOn } from '../service-names.ts';
import { type Fragment, identifier, join, literal, own, sql, statement, tableName } from '../statement.ts';
import { keptColumns } from '../tables/own-tables.ts';
import type { KeptKind } from '../tables/table.ts';
import { askThrough } from './ask-through.ts';
import { type FieldNames, tableOf } from './columns.ts';
import type { MigrationDatabase } from './migration.ts';
import { readTables } from './read-tables.ts';
import {
  ensureRegister,
  forgetColumn,
  forgetTable,
  readRegister,
  renameRegisteredColumn,
  renameRegisteredTable,
} from './register.ts';
import { runAll, runQuery } from './statements.ts';

/** A path to a column from a record of a model, and what it is from now on; undefined where it is gone. */
interface PathChange {
  readonly from: string;
  readonly to: string | undefined;
}

/** The new names of the columns of a table. */
export interface ColumnChanges {
  /** New names by the old ones. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Columns that go with their values, by their new names. */
  readonly drop?: readonly string[];
  /** New columns: what is still kept under these names is of others. */
  readonly add?: readonly string[];
  /** Names of fields that are called otherwise than their columns, by the column; what is kept is kept under these. */
  readonly fieldNames?: FieldNames;
}

/** The name of the field of a column, by the register. */
type FieldOf = (table: string, column: string) => string;

const fieldsIn = async (db: MigrationDatabase, tables: Tables): Promise<FieldOf> => {
  const register = await readRegister(askThrough(db), tables, namesOn(db));
  return (table, column) => register.get(table)?.fieldNames.get(column) ?? column;
};

/** References that are followed one behind the other. */
const mostReferences = 3;

/** Models whose records stood in a table: the one that the register names, else those of its regular name. */
export const modelsOf = async (
  db: MigrationDatabase,
  tables: Tables,
  table: string,
): Promise<readonly string[]> => {
  const ask = askThrough(db);
  const model = (await readRegister(ask, tables, namesOn(db))).get(table)?.model;
  if (model !== undefined) return [model];
  const names = await Promise.all(
    ['permission_entries', 'permissions']
      .filter((each) => tables.has(each))
      .map((each) => ask<{ model: string }>(`select distinct model from ${namesOn(db).written(each)}`)),
  );
  const known = new Set(names.flat().map((row) => row.model));
  return [...known].filter((each) => tableOf(each) === table);
};

/** The service's tables that are there and have columns of the kinds, with these. */
const keeping = (tables: Tables, ...kinds: readonly KeptKind[]): { table: string; columns: string[] }[] =>
  Object.entries(keptColumns).flatMap(([table, kept]) => {
    const there = tables.get(table)?.columns;
    const columns = kinds.flatMap((kind) => kept[kind] ?? []).filter((column) => there?.has(column));
    return columns.length === 0 ? [] : [{ table, columns }];
  });

const pathsIn = (changes: readonly PathChange[], path: Fragment): Fragment =>
  sql`case ${join(
    changes.flatMap(({ from, to }) => {
      const before = `${from}.`;
      const behind = sql`substr(${path}, ${literal(before.length)})`;
      const next = to === undefined ? sql`null` : literal(to);
      return [
        sql`when ${path} = ${literal(from)} then ${next}`,
        sql`when substr(${path}, 1, ${literal(before.length)}) = ${literal(before)} then ${next} || ${behind}`,
      ];
    }),
    ' ',
  )} else ${path} end`;

/** The path after the changes, computed here instead of in SQL; null where it is gone. */
const pathAfter = (changes: readonly PathChange[], path: string): string | null => {
  const change = changes.find(({ from }) => path === from || path.startsWith(`${from}.`));
  if (change === undefined) return path;
  return change.to === undefined ? null : change.to + path.slice(change.from.length);
};

const isText = (column: Fragment): Fragment => sql`cast(${column} as text)`;

/** True if a text names one of the paths, perhaps: rows that name none are not written. */
const names = (column: Fragment, changes: readonly PathChange[]): Fragment =>
  sql`(${join(
    changes.map(({ from }) => sql`${isText(column)} like ${literal(`%"${from}%`)}`),
    ' or ',
  )})`;

/** Has JSON of one model's rows follow. */
const followJson = (
  tables: Tables,
  dialect: Dialect,
  model: string,
  changes: readonly PathChange[],
  kinds: readonly ('values' | 'paths' | 'fields')[],
): Fragment[] => {
  const { mapKeys, mapTexts } = dialect.schema;
  const after = (path: Fragment): Fragment => pathsIn(changes, path);
  /** Values by path; of both sides of a write, where it was no deletion. */
  const paths = (of: Fragment): Fragment => {
    const side = (key: string): Fragment =>
      sql`${literal(`"${key}":`)} || ${isText(mapKeys(sql`(${of} -> ${literal(key)})`, after))}`;
    const lacks = (key: string): Fragment => sql`(${of} -> ${literal(key)}) is null`;
    const sides = sql`case when ${lacks('before')} then ${side('after')}
      when ${lacks('after')} then ${side('before')} else ${side('before')} || ',' || ${side('after')} end`;
    return sql`case when action = 'destroy' then ${mapKeys(of, after)}
      else ${dialect.cast(sql`('{' || ${sides} || '}')`, 'json')} end`;
  };
  return keeping(tables, ...kinds).map(({ table, columns }) => {
    const next = (column: string): Fragment => {
      const of = tableName(table, column);
      const is = (kind: KeptKind): boolean => keptColumns[table]?.[kind]?.includes(column) === true;
      const value = is('paths') ? paths(of) : is('fields') ? mapTexts(of, after) : mapKeys(of, after);
      return sql`${identifier(column)} = case when ${of} is not null then ${value} end`;
    };
    const named = columns.map((column) => names(tableName(table, column), changes));
    return sql`update ${tableName(table)} set ${join(columns.map(next))}
      where model = ${literal(model)} and (${join(named, ' or ')})`;
  });
};

/** Has rows that are about one column follow. */
const followFields = (tables: Tables, model: string, changes: readonly PathChange[]): Fragment[] =>
  keeping(tables, 'field').flatMap(({ table, columns }) =>
    columns.flatMap((column) => {
      const among = (of: readonly PathChange[]): Fragment =>
        sql`model = ${literal(model)} and ${identifier(column)} in (${join(of.map(({ from }) => literal(from)))})`;
      const gone = changes.filter(({ to }) => to === undefined);
      const kept = changes.filter(({ to }) => to !== undefined);
      const statements: Fragment[] = [];
      if (gone.length > 0) statements.push(sql`delete from ${tableName(table)} where ${among(gone)}`);
      if (kept.length > 0)
        statements.push(
          sql`update ${tableName(table)} set ${identifier(column)} = ${pathsIn(kept, identifier(column))} where ${among(kept)}`,
        );
      return statements;
    }),
  );

const emptied = (columns: readonly string[]): Fragment =>
  join(columns.map((column) => sql`${identifier(column)} = null`));

/**
 * Removes texts in which dropped values may stand: what was sent for records of the models, and every kept answer, as
 * related records stand in responses under names that no table has.
 */
const forgetTexts = (tables: Tables, models: readonly string[]): Fragment[] => [
  ...keeping(tables, 'sent').flatMap(({ table, columns }) =>
    models.map(
      (model) => sql`update ${tableName(table)} set ${emptied(columns)} where model = ${literal(model)}`,
    ),
  ),
  ...keeping(tables, 'answer').map(
    ({ table, columns }) => sql`update ${tableName(table)} set ${emptied(columns)} where model is not null`,
  ),
];

/** The query of a saved list, with the new names of its columns. */
const queryAfter = (query: JsonObject, after: (path: string) => string | null): JsonObject => {
  const { filter, sort, columns, ...rest } = query;
  const next: Record<string, Json> = { ...rest };
  if (isJsonObject(filter))
    next['filter'] = Object.fromEntries(
      Object.entries(filter).flatMap(([key, value]) => {
        const [path = '', ...operator] = key.split('@');
        const to = after(path);
        return to === null ? [] : [[[to, ...operator].join('@'), value]];
      }),
    );
  if (isJsonObject(sort)) {
    const field = after(String(sort['field']));
    if (field !== null) next['sort'] = { ...sort, field };
  }
  if (Array.isArray(columns)) next['columns'] = columns.flatMap((each) => after(String(each)) ?? []);
  return next;
};

const listOf = (table: string): Fragment => literal(`records/${table}`);

/** Saved lists are some for each administrator: they are read and written one by one. */
const followQueries = async (
  db: MigrationDatabase,
  dialect: Dialect,
  tables: Tables,
  of: string,
  changes: readonly PathChange[],
): Promise<void> => {
  for (const { table, columns } of keeping(tables, 'query'))
    for (const column of columns) {
      const read = sql`select id, ${isText(identifier(column))} as query from ${tableName(table)} where ${join(
        keeping(tables, 'list')
          .filter((each) => each.table === table)
          .map((each) => sql`${identifier(each.columns[0] ?? '')} = ${listOf(of)}`),
      )}`;
      const rows = await runQuery<{ id: number; query: string }>(db, statement(dialect, () => read)({}));
      const write = statement<{ id: number; query: string }>(
        dialect,
        (value) =>
          sql`update ${tableName(table)} set ${identifier(column)} = ${value('query')} where id = ${value('id')}`,
      );
      for (const { id, query } of rows) {
        const next = JSON.stringify(queryAfter(JSON.parse(query), (path) => pathAfter(changes, path)));
        if (next !== query) await runQuery(db, write({ id: Number(id), query: next }));
      }
    }
};

/** Tables whose records lead to records of a table by references, with the path. */
const referrersOf = (tables: Tables, table: string, fieldOf: FieldOf): { table: string; path: string }[] => {
  const found: { table: string; path: string }[] = [];
  let last = [{ table, path: '' }];
  for (let depth = 0; depth < mostReferences; depth += 1) {
    last = last.flatMap((target) =>
      [...tables.values()].flatMap((from) =>
        [...from.columns.values()]
          .filter(({ references }) => references?.table === target.table)
          .map((column) => ({ table: from.name, path: `${fieldOf(from.name, column.name)}.${target.path}` })),
      ),
    );
    found.push(...last);
  }
  return found;
};

/** Has the values that records of other models keep of this table's follow. */
const followReferrers = async (
  db: MigrationDatabase,
  dialect: Dialect,
  tables: Tables,
  table: string,
  changes: readonly PathChange[],
): Promise<void> => {
  const fieldOf = await fieldsIn(db, tables);
  const byTable = Map.groupBy(referrersOf(tables, table, fieldOf), (each) => each.table);
  for (const [from, paths] of byTable) {
    const behind = paths.flatMap(({ path }) =>
      changes.map((change) => ({
        from: path + change.from,
        to: change.to === undefined ? undefined : path + change.to,
      })),
    );
    for (const model of await modelsOf(db, tables, from))
      await runAll(db, followJson(tables, dialect, model, behind, ['paths']));
  }
};

/** Has everything that is kept under the names of a table's columns follow them: `followColumns` in a dialect. */
export const followColumnsIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: string,
  { rename = {}, drop = [], add = [], fieldNames = {} }: ColumnChanges,
): Promise<void> => {
  await ensureRegister(db, dialect);
  const tables = await readTables(askThrough(db), dialect);
  const fieldOf = await fieldsIn(db, tables);
  const before = (column: string): string => fieldOf(table, column);
  const after = (column: string): string => fieldNames[column] ?? column;
  const dropped = drop.map((column) =>
    before(Object.entries(rename).find(([, to]) => to === column)?.[0] ?? column),
  );
  // A field keeps its name where only its column gets another one.
  const renamed = Object.entries(rename)
    .map(([from, to]) => ({ from: before(from), to: after(to) }))
    .filter(({ from, to }) => from !== to || dropped.includes(from));
  // Data under a name that a field gets now belongs to an earlier one, which a statement of its own has dropped.
  const free = [...renamed.map(({ to }) => to), ...add.map(after)].filter(
    (field) => !renamed.some(({ from }) => from === field) && !dropped.includes(field),
  );
  const changes: PathChange[] = [
    ...renamed.filter(({ from }) => !dropped.includes(from)),
    ...[...dropped, ...new Set(free)].map((from) => ({ from, to: undefined })),
  ];
  for (const [from, to] of Object.entries(rename))
    await renameRegisteredColumn(db, dialect, table, from, { to, field: after(to) });
  for (const column of drop) await forgetColumn(db, table, column);
  if (changes.length === 0) return;
  const models = await modelsOf(db, tables, table);
  for (const model of models)
    await runAll(db, [
      ...followJson(tables, dialect, model, changes, ['values', 'paths', 'fields']),
      ...followFields(tables, model, changes),
    ]);
  if (dropped.length > 0) await runAll(db, forgetTexts(tables, models));
  await followQueries(db, dialect, tables, table, changes);
  await followReferrers(db, dialect, tables, table, changes);
};

const changeModels = (
  tables: Tables,
  { schema }: Dialect,
  change: (model: Fragment) => Fragment,
): Fragment[] =>
  keeping(tables, 'models').flatMap(({ table, columns }) =>
    columns.map(
      (column) =>
        sql`update ${tableName(table)} set ${identifier(column)} = ${schema.mapTexts(tableName(table, column), change)}`,
    ),
  );

/** Ends the accounts that records of a model own: their keys go, and they are disabled and belong to no one. */
const endAccounts = (tables: Tables, model: string): Fragment[] =>
  keeping(tables, 'owner').flatMap(({ table, columns: [column = ''] }) => {
    const owned = sql`${identifier(column)} = ${literal(model)}`;
    // A step of the service that runs earlier has not added the second one yet.
    const owners = [column, 'owner_record', 'owner_key'].filter((each) =>
      tables.get(table)?.columns.has(each),
    );
    return [
      sql`delete from ${own('api_keys')} where user_id in (select id from ${tableName(table)} where ${owned})`,
      sql`update ${tableName(table)} set disabled = ${literal(true)}, ${emptied(owners)} where ${owned}`,
    ];
  });

const forgetModels = (tables: Tables, dialect: Dialect, models: readonly string[]): Fragment[] =>
  models.flatMap((model) => [
    ...keeping(tables, 'model').map(
      ({ table }) => sql`delete from ${tableName(table)} where model = ${literal(model)}`,
    ),
    ...endAccounts(tables, model),
    ...changeModels(tables, dialect, (of) => sql`nullif(${of}, ${literal(model)})`),
  ]);

const forgetLists = (tables: Tables, of: string): Fragment[] =>
  keeping(tables, 'list').map(
    ({ table, columns: [column = ''] }) =>
      sql`delete from ${tableName(table)} where ${identifier(column)} = ${listOf(of)}`,
  );

/** Has saved lists of a table follow it to its new name, in place of those of an earlier table of this name. */
const renameLists = (tables: Tables, from: string, to: string): Fragment[] =>
  from === to
    ? []
    : [
        ...forgetLists(tables, to),
        ...keeping(tables, 'list').map(
          ({ table, columns: [column = ''] }) =>
            sql`update ${tableName(table)} set ${identifier(column)} = ${listOf(to)} where ${identifier(column)} = ${listOf(from)}`,
        ),
      ];

/** Has everything that is kept of a table's records follow it: `followTable` in a dialect. */
export const followTableIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: string,
  to: { readonly table: string; readonly model: string } | undefined,
): Promise<void> => {
  const tables = await readTables(askThrough(db), dialect);
  const known = await modelsOf(db, tables, table);
  await ensureRegister(db, dialect);
  if (to === undefined) {
    const fieldOf = await fieldsIn(db, tables);
    const columns = [...(tables.get(table)?.columns.keys() ?? [])];
    await followReferrers(
      db,
      dialect,
      tables,
      table,
      columns.map((column) => ({ from: fieldOf(table, column), to: undefined })),
    );
    await runAll(db, [
      ...forgetModels(tables, dialect, known),
      ...forgetLists(tables, table),
      ...forgetTexts(tables, []),
    ]);
    return forgetTable(db, table);
  }
  const models = known.filter((each) => each !== to.model);
  // Grants of an earlier model of the new name are not this one's.
  const earlier = models.length === 0 ? [] : [to.model];
  await runAll(db, [
    ...forgetModels(tables, dialect, earlier),
    ...models.flatMap((old) => [
      ...keeping(tables, 'model', 'holder').map(
        ({ table: of }) =>
          sql`update ${tableName(of)} set model = ${literal(to.model)} where model = ${literal(old)}`,
      ),
      ...keeping(tables, 'owner').map(
        ({ table: of, columns: [column = ''] }) =>
          sql`update ${tableName(of)} set ${identifier(column)} = ${literal(to.model)} where ${identifier(column)} = ${literal(old)}`,
      ),
      ...changeModels(
        tables,
        dialect,
        (of) => sql`case ${of} when ${literal(old)} then ${literal(to.model)} else ${of} end`,
      ),
    ]),
    ...renameLists(tables, table, to.table),
  ]);
  await renameRegisteredTable(db, table, to.table, tableOf(to.model) === to.table ? undefined : to.model);
};
