/** Refuses a move between databases whose tables, column types or migrations do not fit. */

import type { Dialect } from '../../../database/dialect.ts';
import type { Ask, TableShape, Tables } from '../../../database/introspection.ts';
import { coreSet, sinceBaseline } from '../../../database/migrations.ts';
import type { ServiceNames } from '../../../database/service-names.ts';
import { isMark } from './marks.ts';
import { MoveError } from './move-error.ts';

/** Tables that a move copies. */
export const movedTables = (tables: Tables): readonly TableShape[] =>
  [...tables.values()].filter(({ name }) => !isMark(name)).sort((a, b) => (a.name < b.name ? -1 : 1));

const listed = (names: readonly string[]): string =>
  names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');

/**
 * Refuses columns whose values the other kind of database represents differently, or not at all.
 * @throws MoveError that names them
 */
export const assertPortable = (tables: readonly TableShape[], own: Dialect, other: Dialect): void => {
  const unknown = tables.flatMap(({ name, columns }) =>
    [...columns.values()]
      .filter(({ type }) => own.name !== other.name && !own.schema.moving.portable(type))
      .map((column) => `${name}.${column.name} (${column.type || 'no type'})`),
  );
  if (unknown.length > 0)
    throw new MoveError(
      `it is not known how values of these columns are written in the other database: ${listed(unknown)}; nothing was changed. Change them by a migration, or drop what is not needed`,
    );
};

/**
 * Refuses a source whose tables differ from those of the migrations.
 * @throws MoveError that names what is missing on either side
 */
export const assertSameTables = (source: Tables, destination: Tables, own: ServiceNames): void => {
  const namesOf = (tables: Tables): ReadonlySet<string> =>
    new Set(
      movedTables(tables).flatMap(({ name, columns }) => [
        name,
        ...[...columns.keys()].map((column) => `${name}.${column}`),
      ]),
    );
  const present = namesOf(source);
  const created = namesOf(destination);
  // With names of the service's own there may be tables of other programs, which stay where they are.
  const isOthers = (name: string): boolean =>
    own.prefix !== undefined && !destination.has(name.split('.')[0] ?? name);
  const tables = [...present].filter((name) => !created.has(name) && !isOthers(name));
  if (tables.length > 0)
    throw new MoveError(
      `no migration makes what the database has: ${listed(tables)}; nothing was changed. Make it by a migration, or drop it`,
    );
  const missing = [...created].filter((name) => !present.has(name));
  if (missing.length > 0)
    throw new MoveError(
      `the database lacks what the migrations make: ${listed(missing)}; nothing was changed`,
    );
};

/** Tables of the source that a move copies: those that the destination has as well. */
export const ownTablesOf = (source: Tables, destination: Tables): readonly TableShape[] =>
  movedTables(source).filter(({ name }) => destination.has(name));

/** Names of the migrations that a database has applied, in their order; the baseline for the steps that it replaces. */
export const stepsOf = async (ask: Ask, tables: Tables, own: ServiceNames): Promise<readonly string[]> => {
  const steps: string[] = [];
  for (const { table, baseline } of [
    { table: coreSet.tableName, baseline: coreSet.baseline },
    { table: 'migrations', baseline: undefined },
  ]) {
    if (!tables.has(table)) continue;
    const rows = await ask<{ name: string }>(`select name from ${own.quoted(table)} order by name`);
    const names = rows.map(({ name }) => name);
    const known = baseline === undefined ? names : sinceBaseline(names, baseline);
    steps.push(...known.map((name) => `${table} ${name}`));
  }
  return steps;
};

/**
 * Refuses two databases with different migrations.
 * @throws MoveError
 */
export const assertSameSteps = (source: readonly string[], destination: readonly string[]): void => {
  const differing = [
    ...source.filter((name) => !destination.includes(name)),
    ...destination.filter((name) => !source.includes(name)),
  ];
  if (differing.length > 0)
    throw new MoveError(
      `the databases are not at the same migrations (${listed(differing)}): run \`gatewright migrate\` on the older one with the same program`,
    );
};
