/** The SQL that makes a described table, on whichever database. */

import type { Dialect } from '../dialect.ts';
import { quoteName, quoteText } from '../quote.ts';
import type { Table, TableColumn, TableColumns, TableIndex } from './table.ts';

const defaultSql = (value: boolean | number | string, { schema }: Dialect): string => {
  if (typeof value === 'boolean') return schema.boolean(value);
  return typeof value === 'number' ? String(value) : quoteText(value);
};

const referenceSql = ({ options: { references, onDelete } }: TableColumn, { names }: Dialect): string => {
  const [table = '', column = ''] = (references ?? '').split('.');
  const action = onDelete === undefined ? '' : ` on delete ${onDelete}`;
  return `references ${names.quoted(table)} (${quoteName(column)})${action}`;
};

const columnSql = (name: string, column: TableColumn, dialect: Dialect): string => {
  const { type, options } = column;
  const words = [quoteName(name), options.sqlType ?? dialect.schema.own[type]];
  if (options.primaryKey) words.push('primary key');
  if (!options.nullable && type !== 'id') words.push('not null');
  if (options.default !== undefined) words.push('default', defaultSql(options.default, dialect));
  if (options.check !== undefined) words.push(`check (${options.check})`);
  if (options.references !== undefined) words.push(referenceSql(column, dialect));
  return words.join(' ');
};

const indexSql = (
  table: Table,
  name: string,
  { on, unique, where }: TableIndex,
  { schema, names }: Dialect,
): string => {
  const parts = on.map((part) => (Object.hasOwn(table.columns, part) ? quoteName(part) : part));
  const condition = typeof where === 'function' ? where({ on: schema.boolean(true) }) : where;
  const create = `create ${unique ? 'unique ' : ''}index ${quoteName(names.object(name))} on ${names.quoted(table.name)} (${parts.join(', ')})`;
  return condition === undefined ? create : `${create} where ${condition}`;
};

/** Adds columns to a table that is there. */
export const addColumnStatements = (
  table: string,
  columns: TableColumns,
  dialect: Dialect,
): readonly string[] =>
  Object.entries(columns).map(
    ([name, each]) =>
      `alter table ${dialect.names.quoted(table)} add column ${columnSql(name, each, dialect)}`,
  );

/** Makes the table with its indexes. `ifMissing`: it may be there already. */
export const createStatements = (
  table: Table,
  dialect: Dialect,
  { ifMissing = false } = {},
): readonly string[] => {
  const key = table.primaryKey.map(quoteName).join(', ');
  const lines = Object.entries(table.columns).map(([name, column]) => columnSql(name, column, dialect));
  if (key !== '') lines.push(`primary key (${key})`);
  const create = `create table ${ifMissing ? 'if not exists ' : ''}${dialect.names.quoted(table.name)}`;
  return [
    `${create} (\n  ${lines.join(',\n  ')}\n)`,
    ...Object.entries(table.indexes).map(([name, index]) => indexSql(table, name, index, dialect)),
  ];
};
