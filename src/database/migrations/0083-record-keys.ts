import { column } from '../tables/table.ts';
import { addColumnStatements } from '../tables/table-statements.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { runAll } from './statements.ts';

const text = column.text({ nullable: true });

/**
 * Ids of records that are texts, beside those that are numbers. No row changes, and no index: a new column that may be
 * null changes the description of a table only, however large it is.
 */
export const textKeys: Migration = ownStep(async (db, dialect) => {
  const added = {
    gatewright_events: { record_key: text },
    gatewright_event_inbox: { record_key: text },
    gatewright_history: { record_key: text },
    gatewright_trash: { record_key: text, target_key: text },
    gatewright_deliveries: { record_key: text },
    users: { owner_key: text },
  };
  for (const [table, columns] of Object.entries(added))
    await runAll(db, addColumnStatements(table, columns, dialect));
});
