/** Comparison of a set of migrations with the names that a database remembers as applied. */

import type { Ask, Tables } from '../introspection.ts';
import type { ServiceNames } from '../service-names.ts';
import type { Baseline, MigrationSet } from './migration.ts';
import { MigrationError } from './migration-error.ts';

/** A set of migrations beside what a database remembers of it; names in their order. */
export interface Applied {
  /** In the set and applied. */
  readonly known: readonly string[];
  /** In the set and not applied yet. */
  readonly pending: readonly string[];
  /** Applied and not in the set. */
  readonly later: readonly string[];
}

/** The names in terms of the baseline: it stands for the steps that were joined into it. */
export const sinceBaseline = (
  names: readonly string[],
  { name: baseline, replaces }: Baseline,
): readonly string[] =>
  names.includes(replaces) ? [baseline, ...names.filter((name) => name > replaces)] : names;

/**
 * Refuses a database from before the steps that the baseline replaces.
 * @throws MigrationError
 */
const assertBaseline = (names: readonly string[], { name, replaces, commit }: Baseline): void => {
  if (names.includes(name) || names.includes(replaces)) return;
  throw new MigrationError(
    `the database is too old: its newest migration of the service is ${names.at(-1)}, and this version upgrades from ${replaces} on; nothing was changed. Start the service of commit ${commit} on it once, then this version`,
  );
};

/** The state of a set of which a database remembers nothing. */
export const nothingApplied = ({ migrations, baseline }: MigrationSet): Applied => ({
  known: [],
  // The baseline makes what the later steps lead to.
  pending: baseline === undefined ? Object.keys(migrations).sort() : [baseline.name],
  later: [],
});

/**
 * Reads the table that remembers a set; one that is not there remembers nothing.
 * @throws MigrationError where the database is older than the baseline
 */
export const appliedOf = async (
  ask: Ask,
  tables: Tables,
  set: MigrationSet,
  own: ServiceNames,
): Promise<Applied> => {
  const { migrations, tableName, baseline } = set;
  // Another program's table of the same name remembers nothing of ours.
  const rows =
    tables.get(tableName)?.columns.has('name') === true
      ? await ask<{ name: string }>(`select "name" from ${own.quoted(tableName)}`)
      : [];
  const remembered = rows.map(({ name }) => name).sort();
  if (remembered.length === 0) return nothingApplied(set);
  if (baseline !== undefined) assertBaseline(remembered, baseline);
  const names = baseline === undefined ? remembered : sinceBaseline(remembered, baseline);
  const all = Object.keys(migrations).sort();
  return {
    known: all.filter((name) => names.includes(name)),
    pending: all.filter((name) => !names.includes(name)),
    later: names.filter((name) => !Object.hasOwn(migrations, name)),
  };
};

/**
 * Refuses an order that was never tried. A database that is further than this program is none: what a newer one has
 * applied comes behind everything that this one knows.
 * @throws MigrationError
 */
export const assertOrder = (sets: readonly Applied[]): void => {
  for (const { known, pending, later } of sets) {
    const last = [...known, ...pending].sort().at(-1);
    const missing = later.filter((name) => last !== undefined && name < last);
    if (missing.length > 0)
      throw new MigrationError(
        `the database has applied ${missing.join(', ')}, which is not among the migrations of this program, although ${last} is: a file is missing, or has another name`,
      );
    const newest = [...known, ...later].sort().at(-1);
    const late = pending.filter((name) => newest !== undefined && name < newest);
    if (late.length > 0)
      throw new MigrationError(
        `${late.join(', ')} is pending, but ${newest}, which comes behind it, has been applied: give the newer migration a name that sorts last`,
      );
  }
};
