/** A table on the way to its model: its names, its key, its conditions, and the columns that the service writes. */

import type { DescribedColumn, DescribedTable, DescribedUnique } from '../../database/described-tables.ts';
import { type KeyKind, kindsOfParts, recordKeys } from '../../fields/keys.ts';
import type { ReferredKey } from './adopted-model.ts';
import { fieldOfColumn } from './column-field.ts';
import { type ColumnCondition, readCondition } from './conditions.ts';
import { type ModelNames, plainName, storedNameFlaw } from './names.ts';

/** The key of a model: the column that becomes `id`, or several; or why none can, so that the table has no model. */
type Key =
  | { readonly kind: KeyKind; readonly column: string }
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
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
  if (type.kind === 'text' && type.foldsCase)
    return {
      kind: 'none',
      because: `its key ${name} takes capitals and small letters for the same, and an id is compared exactly`,
    };
  const isCounted = provision?.by === 'count';
  // 64 bits that nothing counts are often made of a time and a place, beyond 2^53.
  const whole = isCounted || type.kind !== 'integer' || !type.wide ? 'integer' : 'bigint';
  const kind = type.kind === 'uuid' || type.kind === 'text' ? type.kind : whole;
  const fits = type.kind === kind || type.kind === 'integer';
  return fits && column.holds.includes(recordKeys[kind].field.type.column)
    ? { kind, column: name }
    : { kind: 'none', because: `its key ${name} is of the type ${column.declared}` };
};

/** The columns of a key of several. */
const severalKey = (table: DescribedTable, columns: readonly DescribedColumn[]): Key => {
  const names = columns.map(({ name }) => name);
  const conditions = conditionsOf(table);
  for (const column of columns) {
    const made = fieldOfColumn(column, factsOf({ table, conditions }, column));
    const flaw = columnFlaw({ table }, column) ?? ('because' in made ? made.because : undefined);
    const holds = !('because' in made) && kindsOfParts.has(made.definition.type.column);
    const because = flaw ?? (holds ? undefined : `it is of the type ${column.declared}`);
    if (because !== undefined)
      return { kind: 'none', because: `its key is ${names.join(', ')}, and of ${column.name}: ${because}` };
  }
  return { kind: 'columns', columns: names };
};

/** The column of a view that names its rows by its name: `id`, or the first one if that is called `order_id`. */
const namedKey = ({ columns }: DescribedTable): DescribedColumn | undefined =>
  columns.find(({ name }) => isNamed(name, 'id')) ??
  columns.slice(0, 1).find(({ name }) => plainName(name, 'column').endsWith('_id'));

export const keyOfTable = (table: DescribedTable): Key => {
  const names = identifying(table);
  const columns = names.flatMap((name) => columnNamed(table, name) ?? []);
  if (names.length > 1) return severalKey(table, columns);
  const [first] = columns;
  if (first !== undefined) return singleKey(first);
  const named = table.kind === 'table' ? undefined : namedKey(table);
  return named === undefined
    ? {
        kind: 'none',
        because: 'no column of it names a row: write a model with readOnly: true and key: [fields] that do',
      }
    : singleKey(named);
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
    if ('columns' in key && key.columns.includes(column.name)) continue;
    const found = written.get(plainName(column.name, 'column'));
    const fits = found?.kind === column.type.kind && column.readable && column.provision?.by !== 'always';
    if (found !== undefined && fits && column.holds.includes(found.kind) && !own.has(found.own))
      own.set(found.own, column.name);
  }
  return own;
};

/** Why a table has no model: it has no id, or no field, as `id` and what the service writes are none. */
export const modelFlaw = (table: DescribedTable): string | undefined => {
  const key = keyOfTable(table);
  if (key.kind === 'none') return key.because;
  if ('columns' in key) return undefined;
  const conditions = conditionsOf(table);
  const isField = table.columns.some(
    (column) =>
      column.name !== key.column &&
      !written.has(plainName(column.name, 'column')) &&
      columnFlaw({ table }, column) === undefined &&
      !('because' in fieldOfColumn(column, factsOf({ table, conditions }, column))),
  );
  return isField ? undefined : 'no field has any of its columns';
};

export const referredKey = ({ key }: Draft): ReferredKey =>
  'column' in key
    ? { kind: key.kind, columns: [key.column] }
    : { columns: 'columns' in key ? key.columns : [] };
