/** Steps that migrations of an application call with the name of the dialect, which is turned into the dialect here. */

import type { Dialect } from '../dialect.ts';
import { dialectOf } from '../dialects.ts';
import type { DialectName } from '../name.ts';
import { namesOn } from '../service-names.ts';
import { alterTableIn } from './alter-table.ts';
import type { TableAlteration } from './columns.ts';
import { fillHistoryIn, type HistoryFill } from './fill-history.ts';
import { type ColumnChanges, followColumnsIn, followTableIn } from './follow.ts';
import type { MigrationDatabase } from './migration.ts';
import { createTableIn, type TableDefinition } from './schema.ts';
import { dropTableIn, renameTableIn } from './tables.ts';

const dialectOn = (db: MigrationDatabase, dialect: DialectName): Dialect => dialectOf(dialect, namesOn(db));

/** Makes the table of a resource, on whichever database. */
export const createTable = (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  definition: TableDefinition,
): Promise<void> => createTableIn(db, dialectOn(db, dialect), table, definition);

/**
 * Changes the table of a resource, on whichever database, and keeps what is in it.
 * @throws Error where a value does not fit, or a column is required and existing records have no value for it
 */
export const alterTable = (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  alteration: TableAlteration,
): Promise<void> => alterTableIn(db, dialectOn(db, dialect), table, alteration);

/**
 * Drops the table of a resource that is gone, with every grant on its model and everything that is kept of its records:
 * a later model of the same name inherits nothing. References to it from other tables go as well; their columns stay.
 */
export const dropTable = (db: MigrationDatabase, dialect: DialectName, table: string): Promise<void> =>
  dropTableIn(db, dialectOn(db, dialect), table);

/**
 * Renames the table of a resource. Its records stay, what refers to it follows, and so do the grants on its
 * model and everything that is kept of its records.
 */
export const renameTable = (
  db: MigrationDatabase,
  dialect: DialectName,
  from: string,
  to: string,
  options: { readonly model: string },
): Promise<void> => renameTableIn(db, dialectOn(db, dialect), from, to, options);

/**
 * Fills former values of a model's records: `fill` is called for each stored side of each version, the values before a
 * write and those after it. Call it between the `alterTable` that adds columns and the one that drops their sources.
 * Erased values stay erased.
 * @throws Error for a model without a table, a name that is not a field, and a value that its field does not take
 */
export const fillHistory = (
  db: MigrationDatabase,
  dialect: DialectName,
  model: string,
  fill: HistoryFill,
): Promise<void> => fillHistoryIn(db, dialectOn(db, dialect), model, fill);

/**
 * Has everything that is kept under the names of a table's columns follow them. `alterTable` calls it; a migration that
 * renames or drops a column by SQL of its own calls it beside.
 */
export const followColumns = (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  changes: ColumnChanges,
): Promise<void> => followColumnsIn(db, dialectOn(db, dialect), table, changes);

/**
 * Has everything that is kept of a table's records follow it: to the table and the model of another name, or away where
 * `to` is undefined. `renameTable` and `dropTable` call it; a migration that does so by SQL of its own calls it before.
 */
export const followTable = (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  to: { readonly table: string; readonly model: string } | undefined,
): Promise<void> => followTableIn(db, dialectOn(db, dialect), table, to);
