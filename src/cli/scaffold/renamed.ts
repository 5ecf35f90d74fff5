/** Applies the declared renames of tables and columns to a stored schema. */

import type { ColumnShape, ForeignKeyShape, SameKey, TableShape } from '../../database/introspection.ts';
import { followingName, type Stored } from '../../database/schema-differences.ts';
import { CommandError } from '../io.ts';
import type { Declarations } from './declarations.ts';

const renameKey = <T>(map: ReadonlyMap<string, T>, from: string, to: string): Map<string, T> =>
  new Map([...map].map(([key, value]) => [key === from ? to : key, value]));

const retarget = (table: TableShape, from: string, to: string): TableShape => ({
  ...table,
  columns: new Map(
    [...table.columns].map(([name, column]): [string, ColumnShape] => [
      name,
      column.references?.table === from
        ? { ...column, references: { ...column.references, table: to } }
        : column,
    ]),
  ),
});

/** Columns with the new names of columns that keys of `same` have: on this side, or in the table that was renamed. */
const withSame = (
  columns: TableShape['columns'],
  renamed: (references: ForeignKeyShape, same: SameKey) => Partial<SameKey>,
): TableShape['columns'] =>
  new Map(
    [...columns].map(([name, column]): [string, ColumnShape] => {
      const { references } = column;
      const same = references?.same;
      if (references === undefined || same === undefined) return [name, column];
      const next = { ...same, ...renamed(references, same) };
      return [name, { ...column, references: { ...references, same: next } }];
    }),
  );

/** A table whose references with `same` lead to a table in which the shared column has a new name. */
const followSame = (table: TableShape, to: string, from: string, next: string): TableShape => ({
  ...table,
  columns: withSame(table.columns, (references, same) =>
    references.table === to && same.to === from ? { to: next } : {},
  ),
});

const renameColumn = (table: TableShape, from: string, to: string): TableShape => ({
  ...table,
  columns: new Map(
    [
      ...renameKey(
        withSame(table.columns, (_, same) => (same.column === from ? { column: to } : {})),
        from,
        to,
      ),
    ].map(([key, column]) => [key, { ...column, name: key }]),
  ),
  indexes: table.indexes.map((index) => {
    const rename = (column: string): string => (column === from ? to : column);
    const name = followingName(index, table.name, table.name, rename);
    return { ...index, name, columns: index.columns.map(rename) };
  }),
  search: table.search?.map((column) => (column === from ? to : column)),
});

const renameTable = (stored: Stored, from: string, to: string): Stored => {
  const tables = new Map(
    [...stored.tables].map(([name, table]): [string, TableShape] => {
      if (name !== from) return [name, retarget(table, from, to)];
      const indexes = table.indexes.map((index) => ({ ...index, name: followingName(index, from, to) }));
      return [to, retarget({ ...table, name: to, indexes }, from, to)];
    }),
  );
  return { ...stored, tables, register: renameKey(stored.register, from, to) };
};

const renameInRegister = (stored: Stored, table: string, from: string, to: string): Stored['register'] => {
  const known = stored.register.get(table);
  if (known === undefined) return stored.register;
  return new Map(stored.register).set(table, {
    ...known,
    fields: renameKey(known.fields, from, to),
    fieldNames: renameKey(known.fieldNames, from, to),
  });
};

/**
 * Returns the database schema after the declared renames.
 * @throws CommandError if an old name does not exist, or a new one does
 */
export const applyRenames = (stored: Stored, declarations: Declarations): Stored => {
  let now = stored;
  for (const [from, to] of declarations.tables) {
    if (!now.tables.has(from)) throw new CommandError(`--rename ${from}=${to}: there is no table ${from}`);
    if (now.tables.has(to)) throw new CommandError(`--rename ${from}=${to}: there is a table ${to} already`);
    now = renameTable(now, from, to);
  }
  for (const [name, columns] of declarations.columns)
    for (const [from, to] of columns) {
      const text = `--rename ${name}.${from}=${to}`;
      const table = now.tables.get(name);
      if (table === undefined) throw new CommandError(`${text}: there is no table ${name}`);
      if (!table.columns.has(from)) throw new CommandError(`${text}: ${name} has no column ${from}`);
      if (table.columns.has(to)) throw new CommandError(`${text}: ${name} has a column ${to} already`);
      now = {
        ...now,
        tables: new Map(
          [...new Map(now.tables).set(name, renameColumn(table, from, to))].map(([key, each]) => [
            key,
            followSame(each, name, from, to),
          ]),
        ),
        register: renameInRegister(now, name, from, to),
      };
    }
  return now;
};
