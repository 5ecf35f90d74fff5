/** Former values of records, filled in by a migration for columns that their stored versions lack. */

import type { FieldDefinition } from '../../fields/field.ts';
import { exactText, parseExact } from '../../kernel/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { SqlValue } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../introspection.ts';
import { type RecordColumns, storedRecord } from '../record-column.ts';
import { namesOn } from '../service-names.ts';
import { identifier, join, literal, type Statement, sql, statement, tableName } from '../statement.ts';
import { askThrough } from './ask-through.ts';
import { tableOf } from './columns.ts';
import { accept } from './convert.ts';
import type { MigrationDatabase } from './migration.ts';
import { readTables } from './read-tables.ts';
import { type RegisteredTable, readRegister } from './register.ts';
import { ownColumns } from './schema.ts';
import { runQuery } from './statements.ts';

/**
 * Returns the values to add to one side of a version, or to change in it, by the names of fields; an empty object for
 * none. It receives the values of that side in the form of responses, with those of columns that are dropped later.
 */
export type HistoryFill = (values: JsonObject) => JsonObject;

const historyName = 'gatewright_history';

/** Versions that are read, filled and written at a time: as many, but of no more bytes than these and one version. */
const mostVersions = 500;
const mostBytes = 4 * 1024 * 1024;

interface HistoryRow extends RecordColumns {
  readonly id: number;
  readonly version: number;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields of a model whose former values can be filled, with their definitions where a migration stated them. */
interface FilledModel {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  readonly fields: RegisteredTable['fields'];
}

/** @throws Error where no migration has made a table of the model */
const filledModel = (
  name: string,
  tables: Tables,
  register: ReadonlyMap<string, RegisteredTable>,
): FilledModel => {
  const named = [...register].find(([, { model }]) => model === name)?.[0] ?? tableOf(name) ?? '';
  const table = tables.get(named);
  if (table === undefined) throw new Error(`fillHistory: there is no table of the model ${name}`);
  const own: ReadonlySet<string> = new Set(ownColumns);
  const registered = register.get(named);
  const fieldOf = (column: string): string => registered?.fieldNames.get(column) ?? column;
  return {
    name,
    columns: new Set([...table.columns.keys()].filter((column) => !own.has(column)).map(fieldOf)),
    fields: new Map([...(registered?.fields ?? [])].map(([column, field]) => [fieldOf(column), field])),
  };
};

/**
 * The next versions with values, in the order of their index. The comment tells the plan, which runs nothing, that
 * versions are filled here.
 */
const readStatement = (dialect: Dialect, { name }: FilledModel) =>
  statement<{ readonly record: number; readonly id: number }>(dialect, (param) => {
    const bytes = (side: string) =>
      sql`coalesce(${dialect.octets(sql`cast(${identifier(side)} as text)`)}, 0)`;
    return sql`${sql.raw(`/* former values of ${name} are filled */`)} select id, record_id, record_key, version,
      cast(before as text) as before, cast(after as text) as after
      from (select step.*, sum(bytes) over (order by record_id, id) - bytes as earlier
        from (select id, record_id, record_key, version, before, after, ${bytes('before')} + ${bytes('after')} as bytes
          from ${tableName(historyName)}
          where model = ${literal(name)} and (record_id, id) > (${param('record')}, ${param('id')})
            and (before is not null or after is not null)
          order by record_id, id limit ${literal(mostVersions)}) as step) as steps
      where earlier < ${literal(mostBytes)} order by record_id, id`;
  });

interface Written {
  readonly [name: string]: readonly SqlValue[];
  readonly ids: readonly number[];
  readonly before: readonly (string | null)[];
  readonly after: readonly (string | null)[];
}

/** Writes both sides of as many versions. */
const writeStatement = (dialect: Dialect, count: number) =>
  statement<Written>(dialect, (param) => {
    const rows = Array.from(
      { length: count },
      (_, index) => sql`(${param('ids', index)}, ${param('before', index)}, ${param('after', index)})`,
    );
    const [id, before, after] = ['v.column1', 'v.column2', 'v.column3'].map((column) => sql.raw(column));
    return sql`update ${tableName(historyName)}
      set before = ${dialect.cast(before ?? sql``, 'json')}, after = ${dialect.cast(after ?? sql``, 'json')}
      from (values ${join(rows)}) as v
      where ${tableName(historyName, 'id')} = ${dialect.cast(id ?? sql``, 'integer')}`;
  });

/** The value as versions store it: in the form of responses. */
const storedValue = (definition: FieldDefinition | undefined, value: Json, place: string): Json => {
  if (definition === undefined || value === null) return value;
  const accepted = accept(definition, value);
  if ('violations' in accepted)
    throw new Error(`${place} breaks the rule ${accepted.violations.map(({ rule }) => rule).join(', ')}`);
  const { type, options } = definition;
  const { column } = accepted;
  return column === null || type.decode === undefined ? column : type.decode(column, options);
};

/** @throws Error that names every name of no field, or the first value that its field does not take */
const filledSide = (
  { name, columns, fields }: FilledModel,
  fill: HistoryFill,
  text: string,
  place: string,
): string => {
  const filled: unknown = fill(JSON.parse(text) as JsonObject);
  if (!isJsonObject(filled)) throw new Error('fillHistoryIn: the function must return an object of values');
  const given = Object.entries(filled).filter(([, value]) => value !== undefined);
  const unknown = given.flatMap(([field]) => (columns.has(field) ? [] : [field]));
  if (unknown.length > 0) throw new Error(`fillHistory: ${name} has no field ${unknown.join(', ')}`);
  if (given.length === 0) return text;
  const values = given.map(([field, value]): [string, Json] => [
    field,
    storedValue(fields.get(field), value, `fillHistory: the value of ${name}.${field} in ${place}`),
  ]);
  return exactText({ ...(parseExact(text) as JsonObject), ...Object.fromEntries(values) });
};

/** Writes the changed ones among the versions. */
const writeFilled = async (
  db: MigrationDatabase,
  model: FilledModel,
  fill: HistoryFill,
  rows: readonly HistoryRow[],
  writeOf: (count: number) => Statement<Written>,
): Promise<void> => {
  const changed = rows.flatMap(({ id, version, ...sides }) => {
    const place = `version ${version} of record ${storedRecord(sides)}`;
    const side = (text: string | null) => (text === null ? null : filledSide(model, fill, text, place));
    const [before, after] = [side(sides.before), side(sides.after)];
    return before === sides.before && after === sides.after ? [] : [{ id: Number(id), before, after }];
  });
  if (changed.length === 0) return;
  await runQuery(
    db,
    writeOf(changed.length)({
      ids: changed.map(({ id }) => id),
      before: changed.map(({ before }) => before),
      after: changed.map(({ after }) => after),
    }),
  );
};

/** Fills former values of a model's records: `fillHistory` in a dialect. */
export const fillHistoryIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  model: string,
  fill: HistoryFill,
): Promise<void> => {
  const ask = askThrough(db);
  const tables = await readTables(ask, dialect);
  const filled = filledModel(model, tables, await readRegister(ask, tables, namesOn(db)));
  // The plan of a new database has no history.
  if (!tables.has(historyName)) return;
  const read = readStatement(dialect, filled);
  const writes = new Map<number, Statement<Written>>();
  const writeOf = (count: number): Statement<Written> => {
    const write = writes.get(count) ?? writeStatement(dialect, count);
    writes.set(count, write);
    return write;
  };
  for (let last = { record: Number.MIN_SAFE_INTEGER, id: 0 }; ; ) {
    const rows = await runQuery<HistoryRow>(db, read(last));
    const end = rows.at(-1);
    if (end === undefined) return;
    await writeFilled(db, filled, fill, rows, writeOf);
    last = { record: Number(end.record_id), id: Number(end.id) };
  }
};
