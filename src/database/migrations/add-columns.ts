import type { TableColumns } from '../tables/table.ts';
import { addColumnStatements } from '../tables/table-statements.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { runAll } from './statements.ts';

/**
 * A step that adds columns to a table of the service. It states them again, as they are when it is written: the
 * described table changes after it.
 */
export const addColumns = (table: string, columns: TableColumns): Migration =>
  ownStep((db, dialect) => runAll(db, addColumnStatements(table, columns, dialect)));
