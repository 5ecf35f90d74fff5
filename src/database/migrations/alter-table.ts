/**
 * Change of the table of a resource: order of renamed, changed and dropped columns, their indexes, triggers and search.
 */

import type { CommonOptions, FieldDefinition } from '../../fields/field.ts';
import type { Json } from '../../kernel/json.ts';
import { isMissing } from '../../model/validate.ts';
import type { ColumnStep, Dialect } from '../dialect.ts';
import type { TableShape } from '../introspection.ts';
import { quoteName } from '../quote.ts';
import {
  columnName,
  type FieldNames,
  fieldIndexes,
  isRequired,
  referenceOf,
  type TableAlteration,
  tableIndex,
  uniqueIndex,
} from './columns.ts';
import { accept } from './convert.ts';
import { createSearch, dropSearch } from './fill-search.ts';
import { followColumnsIn } from './follow.ts';
import type { MigrationDatabase } from './migration.ts';
import { followingName, indexName } from './names.ts';
import { forgetReference, isNulled, nulledColumns, watchReference } from './nulled-references.ts';
import { record } from './recording.ts';
import { registerColumn } from './register.ts';
import { dropSameInto, dropUnusedSameIndexes, hasSame } from './same-keys.ts';
import { runAll, tableNow } from './statements.ts';

const fillOf = (
  table: string,
  column: string,
  definition: FieldDefinition,
  fill: Json | undefined,
): ColumnStep['fill'] => {
  const { default: preset } = definition.options as CommonOptions;
  const value = fill ?? preset;
  if (value === undefined || value === null || !isRequired(definition)) return undefined;
  const accepted = accept(definition, value);
  if (isMissing(value) || !('column' in accepted) || accepted.column === null)
    throw new Error(`fill: ${JSON.stringify(value)} is not a value of ${table}.${column}`);
  return accepted.column;
};

const stepsOf = (
  table: string,
  { add = {}, change = {}, fill = {}, references = {}, fieldNames = {} }: TableAlteration,
): ColumnStep[] => {
  const step = (key: string, from: FieldDefinition | undefined, to: FieldDefinition): ColumnStep => {
    const column = columnName(key, to, fieldNames);
    return {
      column,
      from,
      to,
      referred: from === undefined ? undefined : referenceOf(key, from, references, fieldNames),
      refers: referenceOf(key, to, references, fieldNames),
      fill: fillOf(table, column, to, fill[column]),
    };
  };
  return [
    ...Object.entries(add).map(([key, to]) => step(key, undefined, to)),
    ...Object.entries(change).map(([key, { from, to }]) => step(key, from, to)),
  ];
};

/**
 * Triggers of references go before their columns change and come back with what the columns are then: a database
 * refuses to change a column that a trigger names, or keeps the trigger under a name that another may want.
 */
const watchers = (
  table: TableShape,
  steps: readonly ColumnStep[],
  { rename = {}, drop = [] }: TableAlteration,
  dialect: Dialect,
): { readonly before: readonly string[]; readonly after: readonly string[] } => {
  const renamed = (column: string): string => rename[column] ?? column;
  const changed = new Set(steps.map(({ column }) => column));
  const gone = [...table.columns.values()].flatMap(({ name, references }) => {
    // The column of a reference ends so, unless it has a name of its own.
    if (references === undefined && !name.endsWith('_id')) return [];
    return name in rename || changed.has(renamed(name)) || drop.includes(renamed(name)) ? [name] : [];
  });
  const kept = nulledColumns(table).filter((name) => name in rename && !changed.has(renamed(name)));
  const back = [...kept.map(renamed), ...steps.filter(({ to }) => isNulled(to)).map(({ column }) => column)];
  return {
    before: gone.map((column) => forgetReference(dialect, table.name, column)),
    after: back
      .filter((column) => !drop.includes(column))
      .flatMap((column) => watchReference(dialect, table.name, column)),
  };
};

/** Renames a column; its indexes are called as if it had always had this name. */
const renameColumn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: TableShape,
  from: string,
  to: string,
): Promise<void> => {
  await runAll(db, [
    `alter table ${quoteName(table.name)} rename column ${quoteName(from)} to ${quoteName(to)}`,
  ]);
  const rename = (column: string): string => (column === from ? to : column);
  for (const index of table.indexes.filter(({ columns }) => columns.includes(from))) {
    const next = followingName(index, table.name, table.name, rename);
    const now = { ...index, columns: index.columns.map(rename) };
    if (next !== index.name) await runAll(db, dialect.schema.renameIndex(table.name, now, next));
  }
};

/**
 * The columns of the search before and after; undefined if it stays as it is. It is made again where one of its columns
 * is renamed, changed or dropped: its triggers name them.
 */
const searchChange = (
  { name, search }: TableShape,
  steps: readonly ColumnStep[],
  { rename = {}, drop = [], search: change }: TableAlteration,
): readonly string[] | undefined => {
  if (change === undefined && search === undefined) return undefined;
  const after = change?.to ?? (search ?? []).map((column) => rename[column] ?? column);
  const touched = new Set([...drop, ...steps.map(({ column }) => column), ...Object.values(rename)]);
  const kept = after.filter((column) => !drop.includes(column));
  if (change !== undefined && kept.length < after.length)
    throw new Error(
      `search: ${name} has no column ${after.find((column) => drop.includes(column))} any more`,
    );
  return change === undefined && !after.some((column) => touched.has(column)) ? undefined : kept;
};

const dropIndexes = (names: readonly string[]): string[] =>
  names.map((name) => `drop index if exists ${quoteName(name)}`);

/** Indexes of fields that are no longer as they were; an index of a dropped column goes with it. */
const staleIndexes = (
  table: string,
  steps: readonly ColumnStep[],
  dialect: Dialect,
  fieldNames: FieldNames,
): string[] =>
  steps.flatMap(({ column, from, to }) => {
    if (from === undefined) return [];
    const after = new Set(fieldIndexes(table, column, to, dialect, fieldNames).map(({ sql }) => sql));
    return fieldIndexes(table, column, from, dialect, fieldNames).flatMap(({ name, sql }) =>
      after.has(sql) ? [] : name,
    );
  });

const newIndexes = (
  table: string,
  steps: readonly ColumnStep[],
  dialect: Dialect,
  fieldNames: FieldNames,
): string[] =>
  steps.flatMap(({ column, from, to }) => {
    const known = from === undefined ? [] : fieldIndexes(table, column, from, dialect, fieldNames);
    const before = new Set(known.map(({ sql }) => sql));
    return fieldIndexes(table, column, to, dialect, fieldNames).flatMap(({ sql }) =>
      before.has(sql) ? [] : sql,
    );
  });

/** Changes the table of a resource: `alterTable` in a dialect. */
export const alterTableIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  name: string,
  alteration: TableAlteration,
): Promise<void> => {
  if (record(db, { kind: 'alter', table: name, alteration })) return;
  const { rename = {}, drop = [], fieldNames = {} } = alteration;
  const steps = stepsOf(name, alteration);
  const before = await tableNow(db, dialect, name);
  const watched = watchers(before, steps, alteration, dialect);
  const searched = searchChange(before, steps, alteration);
  if (searched !== undefined) await dropSearch(db, dialect, name);
  await runAll(db, watched.before);
  for (const [from, to] of Object.entries(rename))
    await renameColumn(db, dialect, await tableNow(db, dialect, name), from, to);

  const several = [
    ...(alteration.dropIndexes ?? []).map((columns) => indexName(name, columns, false)),
    ...(alteration.dropUnique ?? []).map((columns) => indexName(name, columns, true)),
  ];
  await runAll(db, dropIndexes([...staleIndexes(name, steps, dialect, fieldNames), ...several]));

  await dropSameInto(db, dialect, name, drop);
  const table = await tableNow(db, dialect, name);
  await dialect.schema.alterColumns({ db, dialect, table, steps, drop });

  await runAll(db, watched.after);
  await runAll(db, newIndexes(name, steps, dialect, fieldNames));
  await runAll(db, [
    ...(alteration.addUnique ?? []).map((columns) => uniqueIndex(name, columns).sql),
    ...(alteration.addIndexes ?? []).map((columns) => tableIndex(name, columns).sql),
  ]);
  if (searched !== undefined && searched.length > 0)
    await createSearch(db, dialect, { of: name, columns: searched });
  if (hasSame(before)) await dropUnusedSameIndexes(db, dialect);
  const add = steps.flatMap(({ column, from }) => (from === undefined ? [column] : []));
  await followColumnsIn(db, dialect, name, { rename, drop, add, fieldNames });
  for (const { column, to } of steps) await registerColumn(db, name, { column, definition: to, fieldNames });
};
