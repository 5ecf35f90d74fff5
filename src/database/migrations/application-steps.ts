import type { Dialect } from '../dialect.ts';
import type { DialectName } from '../name.ts';
import { dialectOf } from '../registry.ts';
import { alterTableIn } from './alter-table.ts';
import { fillHistoryIn } from './fill-history.ts';
import { followColumnsIn, followTableIn } from './follow.ts';
import type { MigrationDatabase } from './migration.ts';
import { createTableIn } from './schema.ts';
import { dropTableIn, renameTableIn } from './tables.ts';

/** The steps that migrations of an application call with the name of the dialect. */

type SchemaStep<Target, Arguments extends readonly unknown[]> = (
  db: MigrationDatabase,
  dialect: Target,
  ...rest: Arguments
) => Promise<void>;

const byName =
  <Arguments extends readonly unknown[]>(
    step: SchemaStep<Dialect, Arguments>,
  ): SchemaStep<DialectName, Arguments> =>
  (db, dialect, ...rest) =>
    step(db, dialectOf({ dialect }), ...rest);

/** Makes the table of a resource, on whichever database. */
export const createTable = byName(createTableIn);

/**
 * Changes the table of a resource, on whichever database, and keeps what is in it.
 * @throws Error where a value does not fit, or a column is required and existing records have no value for it
 */
export const alterTable = byName(alterTableIn);

/**
 * Drops the table of a resource that is gone, with every grant on its model and everything that is kept of its records: a
 * later model of the same name inherits nothing. References to it from other tables go as well; their columns stay.
 */
export const dropTable = byName(dropTableIn);

/**
 * Renames the table of a resource. Its records stay, what refers to it follows, and so do the grants on its
 * model and everything that is kept of its records.
 */
export const renameTable = byName(renameTableIn);

/**
 * Fills former values of a model's records: `fill` is called for each stored side of each version, the values before a
 * write and those after it. Call it between the `alterTable` that adds columns and the one that drops their sources.
 * Erased values stay erased.
 * @throws Error for a model without a table, a name that is no field, and a value that its field does not take
 */
export const fillHistory = byName(fillHistoryIn);

/**
 * Has everything that is kept under the names of a table's columns follow them. `alterTable` calls it; a migration that
 * renames or drops a column by SQL of its own calls it beside.
 */
export const followColumns = byName(followColumnsIn);

/**
 * Has everything that is kept of a table's records follow it: to the table and the model of another name, or away where
 * `to` is undefined. `renameTable` and `dropTable` call it; a migration that does so by SQL of its own calls it before.
 */
export const followTable = byName(followTableIn);
