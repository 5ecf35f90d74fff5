import type { FieldDefinition } from '../../fields/field.ts';
import type { DialectName } from '../database.ts';
import type { TableShape } from '../introspection.ts';
import { quoteName, quoteText } from '../sql.ts';
import { askThrough } from './ask-through.ts';
import { columnType, isRequired, onDelete, type ReferenceTables, referencedTable } from './columns.ts';
import { convertColumn, representation } from './convert.ts';
import type { MigrationDatabase } from './runner.ts';
import { runAll } from './statements.ts';

/** A column that is added or changed. */
export interface ColumnStep {
  readonly key: string;
  readonly column: string;
  /** Undefined where the column is new. */
  readonly from: FieldDefinition | undefined;
  readonly to: FieldDefinition;
  /** What records without a value get, as the column takes it; undefined where nothing is to be filled in. */
  readonly fill: string | number | boolean | undefined;
}

/** What the two databases do each in their way: columns added, changed and dropped. */
export type AlterColumns = (
  db: MigrationDatabase,
  table: TableShape,
  steps: readonly ColumnStep[],
  drop: readonly string[],
  references: ReferenceTables,
) => Promise<void>;

/** Name of the column that holds the converted values until they take the place of the old ones. */
export const nextColumn = (column: string): string => `${column}__next`;

export const isConverted = ({ from, to }: ColumnStep): boolean =>
  from !== undefined && representation(from) !== representation(to);

/** Adds a column without any rule: the rules come once its values are there. */
export const addColumn = (table: string, column: string, to: FieldDefinition, dialect: DialectName): string =>
  `alter table ${quoteName(table)} add column ${quoteName(column)} ${columnType(to, dialect)}`;

/** Puts the converted values of a column into a new one beside it. */
export const convertAside = async (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  { column, from, to }: ColumnStep,
): Promise<void> => {
  if (from === undefined) return;
  const aside = nextColumn(column);
  await runAll(db, [addColumn(table, aside, to, dialect)]);
  await convertColumn(db, dialect, table, { column, definition: from }, { column: aside, definition: to });
};

const literal = (value: string | number | boolean, dialect: DialectName): string => {
  if (typeof value === 'boolean') return dialect === 'sqlite' ? String(Number(value)) : String(value);
  return typeof value === 'number' ? String(value) : quoteText(value);
};

/**
 * Gives records without a value the one that is to be filled in, where the column is required.
 * @throws Error where some would be left without
 */
export const fillColumn = async (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  column: string,
  { to, fill }: ColumnStep,
): Promise<void> => {
  if (!isRequired(to)) return;
  const empty = `from ${quoteName(table)} where ${quoteName(column)} is null`;
  if (fill !== undefined) {
    await runAll(db, [
      `update ${quoteName(table)} set ${quoteName(column)} = ${literal(fill, dialect)} where ${quoteName(column)} is null`,
    ]);
    return;
  }
  const rows = await askThrough(db)<{ id: number }>(
    `/* ${table}.${column} must have a value everywhere */ select "id" as id ${empty} limit 1`,
  );
  if (rows.length > 0)
    throw new Error(
      `${table}.${column} is required and record ${rows[0]?.id} has no value: say one under fill`,
    );
};

/** What a column refers to and what happens to it when that goes, as one text that can be compared. */
export const referenceOf = (
  key: string,
  definition: FieldDefinition | undefined,
  references: ReferenceTables,
): { readonly table: string; readonly onDelete: 'no action' | 'set null' } | undefined => {
  const table = definition === undefined ? undefined : referencedTable(key, definition, references);
  return table === undefined || definition === undefined
    ? undefined
    : { table, onDelete: onDelete(definition) };
};
