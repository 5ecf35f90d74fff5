/** Steps of a change of columns that both databases take, each in its own order: add, convert, fill, copy over. */

import type { FieldDefinition } from '../../fields/field.ts';
import type { ColumnAlteration, ColumnStep, Dialect } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { identifier, literal, sql } from '../statement.ts';
import { askThrough } from './ask-through.ts';
import { columnType, isRequired } from './columns.ts';
import { convertColumn, isStoredAlike } from './convert.ts';
import { runAll } from './statements.ts';

/** Name of the column that holds the converted values until they take the place of the old ones. */
export const nextColumn = (column: string): string => `${column}__next`;

export const isConverted = ({ from, to }: ColumnStep): boolean =>
  from !== undefined && !isStoredAlike(from, to);

/** Adds a column without any rule: the rules come once its values are there. */
export const addColumn = (table: string, column: string, to: FieldDefinition, dialect: Dialect): string =>
  `alter table ${quoteName(table)} add column ${quoteName(column)} ${columnType(to, dialect)}`;

/** Puts the converted values of a column into a new one beside it. */
export const convertAside = async (
  { db, dialect, table }: ColumnAlteration,
  { column, from, to }: ColumnStep,
): Promise<void> => {
  if (from === undefined) return;
  const aside = nextColumn(column);
  await runAll(db, [addColumn(table.name, aside, to, dialect)]);
  await convertColumn(
    db,
    dialect,
    table.name,
    { column, definition: from },
    { column: aside, definition: to },
  );
};

/**
 * Gives records without a value the one that is to be filled in, where the column is required.
 * @throws Error where some would be left without
 */
export const fillColumn = async (
  { db, dialect, table }: ColumnAlteration,
  column: string,
  { to, fill }: ColumnStep,
): Promise<void> => {
  if (!isRequired(to)) return;
  const [from, filled] = [identifier(table.name), identifier(column)];
  if (fill !== undefined) {
    const value = typeof fill === 'boolean' ? sql.raw(dialect.schema.boolean(fill)) : literal(fill);
    await runAll(db, [sql`update ${from} set ${filled} = ${value} where ${filled} is null`]);
    return;
  }
  const rows = await askThrough(db)<{ id: number }>(
    `/* ${table.name}.${column} must have a value everywhere */ select "id" as id from ${quoteName(table.name)} where ${quoteName(column)} is null limit 1`,
  );
  if (rows.length > 0)
    throw new Error(
      `${table.name}.${column} is required and record ${rows[0]?.id} has no value: say one under fill`,
    );
};
