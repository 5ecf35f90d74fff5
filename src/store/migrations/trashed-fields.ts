import type { JsonObject } from '../../kernel/json.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { literal, sql, statement } from '../statement.ts';
import { askThrough } from './ask-through.ts';
import type { MigrationDatabase } from './migration.ts';
import { readTables } from './read-tables.ts';
import { runQuery } from './statements.ts';
import { modelsOf } from './tables.ts';

/** Records of the trash that are read at a time. */
const step = 200;

/** What becomes of the fields of a table: new names by the old ones, and those that go with their values. */
interface FieldNames {
  readonly rename: Readonly<Record<string, string>>;
  readonly drop: readonly string[];
}

const trash = 'gatewright_trash';

/** What a record's JSON text becomes; keys keep their places. */
const renamed = (text: string, { rename, drop }: FieldNames): string => {
  const record = JSON.parse(text) as JsonObject;
  const entries = Object.entries(record).map(([key, value]) => [rename[key] ?? key, value] as const);
  return JSON.stringify(Object.fromEntries(entries.filter(([key]) => !drop.includes(key))));
};

/**
 * Has the records of the trash follow their table: a column's values keep with its new name, and those of one that is
 * dropped are gone, so that no later column of the name gets them.
 */
export const followInTrash = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: string,
  names: FieldNames,
): Promise<void> => {
  const { rename, drop } = names;
  if (Object.keys(rename).length + drop.length === 0) return;
  const tables = await readTables(askThrough(db), dialect);
  if (!tables.has(trash)) return;
  for (const model of await modelsOf(db, tables, table)) {
    const of = sql`model = ${literal(model)}`;
    const next = statement<{ after: number }>(
      dialect,
      (value) =>
        sql`select id, cast(record as text) as record from ${sql.raw(trash)} where ${of} and record is not null and id > ${value('after')} order by id limit ${literal(step)}`,
    );
    const write = statement<{ id: number; record: string }>(
      dialect,
      (value) => sql`update ${sql.raw(trash)} set record = ${value('record')} where id = ${value('id')}`,
    );
    for (let after = 0, more = true; more; ) {
      const rows = await runQuery<{ id: number; record: string }>(db, next({ after }));
      for (const { id, record } of rows)
        await runQuery(db, write({ id: Number(id), record: renamed(record, names) }));
      after = Number(rows.at(-1)?.id ?? after);
      more = rows.length === step;
    }
    const note = statement<{ from: string; to: string }>(
      dialect,
      (value) =>
        sql`update ${sql.raw(trash)} set field = ${value('to')} where ${of} and kind = 'reference' and field = ${value('from')}`,
    );
    for (const [from, to] of Object.entries(rename)) await runQuery(db, note({ from, to }));
    const forget = statement<{ field: string }>(
      dialect,
      (value) =>
        sql`delete from ${sql.raw(trash)} where ${of} and kind = 'reference' and field = ${value('field')}`,
    );
    for (const field of drop) await runQuery(db, forget({ field }));
  }
};
