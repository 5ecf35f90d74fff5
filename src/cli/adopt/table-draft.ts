/** A table on the way to its model: its names, its key, its conditions, and the columns that the service writes. */

import type { DescribedColumn, DescribedTable, DescribedUnique } from '../../database/described-tables.ts';
import type { ReferredKey } from './adopted-model.ts';
import { fieldOfColumn } from './column-field.ts';
import { type ColumnCondition, readCondition } from './conditions.ts';
import { type ModelNames, plainName, storedNameFlaw } from './names.ts';

/** The key of a model: one column that becomes `id`, several, or none. */
type Key =
  | { readonly kind: 'integer' | 'bigint' | 'uuid' | 'text'; readonly column: string }
  | { readonly kind: 'several'; readonly columns: readonly string[] }
  | { readonly kind: 'none'; readonly because: string };

/** A table on the way to its model. */
export interface Draft {
  readonly table: DescribedTable;
  readonly names: ModelNames;
  readonly key: Key;
  readonly conditions: readonly (readonly [sql: string, ColumnCondition[] | undefined])[];
}

export const columnNamed = (table: DescribedTable, name: string): DescribedColumn | undefined =>
  table.columns.find((column) => column.name === name);

/** The conditions of a table, with those of the domains of its columns. */
export const conditionsOf = (table: DescribedTable): Draft['conditions'] => [
  ...table.checks.map(({ sql }) => [sql, readCondition(sql)?.slice()] as const),
  ...table.columns.flatMap(({ name, checks }) =>
    checks.map((sql) => {
      const read = readCondition(sql)?.map((each) =>
        each.column.toLowerCase() === 'value' ? { ...each, column: name } : each,
      );
      return [`${name}: ${sql}`, read] as const;
    }),
  ),
];

/** Names of columns are compared as SQLite does; on PostgreSQL two that differ in capitals only are rare. */
export const isNamed = (name: string, column: string): boolean => name.toLowerCase() === column.toLowerCase();

export const factsOf = (
  { table, conditions }: Pick<Draft, 'table' | 'conditions'>,
  { name }: DescribedColumn,
) => {
  const sets = table.unique.filter(({ because, columns }) => because === undefined && columns.includes(name));
  const isKey = table.key.includes(name);
  return {
    conditions: conditions.flatMap(([, read = []]) => read.filter(({ column }) => isNamed(name, column))),
    indexed: sets.length > 0 || isKey,
    unique: sets.some(({ columns }) => columns.length === 1),
  };
};

/** Why the values of a column cannot be part of an id: they have no exact text. */
const inexact = ({ type }: DescribedColumn): string | undefined => {
  if (type.kind === 'number') return 'its numbers are not exact';
  if (type.kind === 'json') return 'JSON names nothing';
  return 'fine' in type && type.fine ? 'its times are finer than those of a field' : undefined;
};

/** The columns that name a row: those of the primary key, else of a unique set without nulls. */
const identifying = (table: DescribedTable): readonly string[] => {
  if (table.key.length > 0) return table.key;
  const isKey = ({ because, columns }: DescribedUnique): boolean =>
    because === undefined && columns.every((name) => columnNamed(table, name)?.notNull === true);
  return table.unique.find(isKey)?.columns ?? [];
};

const singleKey = (column: DescribedColumn): Key => {
  const { type, provision, name } = column;
  if (!column.readable) return { kind: 'none', because: `this database user may not read its key ${name}` };
  const flaw = storedNameFlaw(name);
  if (flaw !== undefined) return { kind: 'none', because: `its key ${name}: ${flaw}` };
  if (type.kind === 'uuid' || type.kind === 'text') return { kind: type.kind, column: name };
  if (type.kind !== 'integer')
    return { kind: 'none', because: `its key ${name} is of the type ${column.declared}` };
  const isCounted = provision?.by === 'count';
  // 64 bits that nothing counts are often made of a time and a place, beyond 2^53.
  return { kind: isCounted || !type.wide ? 'integer' : 'bigint', column: name };
};

export const keyOfTable = (table: DescribedTable): Key => {
  const names = identifying(table);
  const columns = names.flatMap((name) => columnNamed(table, name) ?? []);
  const [first] = columns;
  if (first === undefined)
    return { kind: 'none', because: table.kind === 'table' ? 'it has no key' : `it is a ${table.kind}` };
  if (columns.length === 1) return singleKey(first);
  const conditions = conditionsOf(table);
  for (const column of columns) {
    const field = fieldOfColumn(column, { ...factsOf({ table, conditions }, column), indexed: true });
    const because = columnFlaw({ table }, column) ?? ('because' in field ? field.because : inexact(column));
    if (because !== undefined)
      return { kind: 'none', because: `${column.name} cannot be a part of an id: ${because}` };
  }
  return { kind: 'several', columns: names };
};

/** Why no model can name a column; undefined where it can. */
export const columnFlaw = (
  { table }: Pick<Draft, 'table'>,
  { name }: DescribedColumn,
): string | undefined => {
  const same = table.columns.find((column) => isNamed(column.name, name));
  return same === undefined || same.name === name
    ? storedNameFlaw(name)
    : `${same.name} differs from it in capitals only`;
};

/** Columns that keep when a row was written, and how often, by the names that frameworks give them. */
const written: ReadonlyMap<string, { readonly own: string; readonly kind: 'timestamp' | 'integer' }> =
  new Map([
    ['created_at', { own: 'created_at', kind: 'timestamp' }],
    ['updated_at', { own: 'updated_at', kind: 'timestamp' }],
    ['lock_version', { own: 'version', kind: 'integer' }],
  ]);

/** The columns that the service itself writes, by the names that it gives them. */
export const writtenColumns = ({ table, key }: Draft): Map<string, string> => {
  const own = new Map<string, string>();
  if ('column' in key) own.set('id', key.column);
  for (const column of table.columns) {
    const found = written.get(plainName(column.name, 'column'));
    const isKey = 'columns' in key && key.columns.includes(column.name);
    const fits = found?.kind === column.type.kind && column.readable && column.provision?.by !== 'always';
    if (found !== undefined && fits && !isKey && !own.has(found.own)) own.set(found.own, column.name);
  }
  return own;
};

/** True if a model of the table has at least one field: `id` and what the service writes are none. */
export const hasFields = (table: DescribedTable): boolean => {
  const key = keyOfTable(table);
  const conditions = conditionsOf(table);
  const id = 'column' in key ? key.column : undefined;
  return table.columns.some(
    (column) =>
      column.name !== id &&
      !written.has(plainName(column.name, 'column')) &&
      columnFlaw({ table }, column) === undefined &&
      !('because' in fieldOfColumn(column, factsOf({ table, conditions }, column))),
  );
};

export const referredKey = ({ key }: Draft): ReferredKey =>
  'column' in key ? { kind: key.kind, columns: [key.column] } : { columns: [] };
