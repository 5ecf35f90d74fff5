/** Change of a SQLite table by a new table that takes its place. */

import type { SameReference } from '../dialect.ts';
import type { ColumnShape, IndexShape, TableShape } from '../introspection.ts';
import { askThrough } from '../migrations/ask-through.ts';
import { referenceSql } from '../migrations/columns.ts';
import type { MigrationDatabase } from '../migrations/migration.ts';
import { sameKeySql } from '../migrations/same-keys.ts';
import { runAll } from '../migrations/statements.ts';
import { quoteName, quoteText } from '../quote.ts';
import { namesOn, type ServiceNames } from '../service-names.ts';
import { ownTypes } from './own-types.ts';

/** A column of the table that takes the old one's place, and the SQL of its values. */
export interface RebuiltColumn {
  readonly shape: ColumnShape;
  readonly value: string;
}

/** Words of a table's SQL that say what a rebuild from names, types and references would lose. */
const lost =
  /\b(?:check|collate|constraint|deferrable|generated|match|strict|unique|without|on\s+(?:conflict|update))\b/i;

/** The SQL without what is quoted and commented. */
const bare = (sql: string): string =>
  sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?\*\//g, ' ');

const columnText = ({ name, type, notNull, preset, references }: ColumnShape, own: ServiceNames): string => {
  if (name === 'id') return `"id" ${ownTypes.id}`;
  const parts = [quoteName(name), type];
  if (notNull) parts.push('not null');
  if (preset !== undefined) parts.push(`default ${preset}`);
  return parts.join(' ') + referenceSql(references, own);
};

/**
 * The clause of a key of `same`. `set null` would set both columns; the reference's own key sets the one, within the
 * same statement, at whose end SQLite looks at keys without an effect.
 */
export const sameClause = (reference: SameReference): string =>
  sameKeySql(reference) + (reference.onDelete === 'cascade' ? ' on delete cascade' : '');

/** The clauses of keys of `same` whose columns all go on. */
const keptSame = (table: string, columns: readonly RebuiltColumn[]): readonly string[] =>
  columns.flatMap(({ shape: { name: column, references } }) => {
    const key = references?.same;
    if (references === undefined || key === undefined) return [];
    if (!columns.some(({ shape }) => shape.name === key.column)) return [];
    return sameClause({ table, column, to: references.table, key, onDelete: references.onDelete });
  });

interface SchemaRow {
  readonly type: 'table' | 'index' | 'trigger';
  readonly name: string;
  readonly sql: string;
}

const schemaRows = (db: MigrationDatabase, table: string): Promise<readonly SchemaRow[]> =>
  askThrough(db)<SchemaRow>(
    `select type, name, sql from sqlite_master where tbl_name = ${quoteText(table)} and sql is not null order by type, name`,
  );

const assertRebuildable = (table: TableShape, rows: readonly SchemaRow[]): void => {
  const [word] = lost.exec(bare(rows.find(({ type }) => type === 'table')?.sql ?? '')) ?? [];
  if (word !== undefined)
    throw new Error(
      `the table ${table.name} was made with ${word.toUpperCase()}, which a rebuild would lose: rebuild it by hand`,
    );
  if (!table.columns.has('id')) throw new Error(`the table ${table.name} has no column id`);
};

/** Indexes that are kept: those over columns that all go on. Triggers are made again as they were. */
const keptStatements = (
  rows: readonly SchemaRow[],
  indexes: readonly IndexShape[],
  columns: readonly RebuiltColumn[],
): string[] => {
  const names = new Set(columns.map(({ shape }) => shape.name));
  const gone = new Set(
    indexes.filter((index) => !index.columns.every((name) => names.has(name))).map(({ name }) => name),
  );
  return rows.filter(({ type, name }) => type !== 'table' && !gone.has(name)).map(({ sql }) => sql);
};

/**
 * SQLite changes a column by making the table again (https://sqlite.org/lang_altertable.html#otheralter): ids, the
 * highest id that was ever given, indexes, triggers and what refers to the table stay. Foreign keys are not enforced
 * on the migration's connection, and checked before it commits.
 * @throws Error where the table has something that would be lost
 */
export const rebuildTable = async (
  db: MigrationDatabase,
  table: TableShape,
  columns: readonly RebuiltColumn[],
): Promise<void> => {
  const rows = await schemaRows(db, table.name);
  assertRebuildable(table, rows);
  const next = `${table.name}__next`;
  const names = columns.map(({ shape }) => quoteName(shape.name)).join(', ');
  const sequence = `name = ${quoteText(next)}`;
  const lines = [
    ...columns.map(({ shape }) => columnText(shape, namesOn(db))),
    ...keptSame(table.name, columns),
  ];
  await runAll(db, [
    `create table ${quoteName(next)} (\n  ${lines.join(',\n  ')}\n)`,
    `insert into ${quoteName(next)} (${names})\n  select ${columns.map(({ value }) => value).join(', ')} from ${quoteName(table.name)}`,
    `delete from sqlite_sequence where ${sequence}`,
    `insert into sqlite_sequence (name, seq) select ${quoteText(next)}, seq from sqlite_sequence where name = ${quoteText(table.name)}`,
    `drop table ${quoteName(table.name)}`,
    `alter table ${quoteName(next)} rename to ${quoteName(table.name)}`,
    ...keptStatements(rows, table.indexes, columns),
  ]);
};
