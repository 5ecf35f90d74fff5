import { column, table } from '../tables/table.ts';
import { addColumnStatements, createStatements } from '../tables/table-statements.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { runAll } from './statements.ts';

const text = column.text({ nullable: true });

/** The counts as they are from here on. */
const counts = table(
  'gatewright_counts',
  {
    model: column.text(),
    field: column.text(),
    per: column.text(),
    target_id: column.integer(),
    period: column.integer(),
    last: column.integer(),
    target_key: column.text({ default: '' }),
  },
  { primaryKey: ['model', 'field', 'per', 'target_id', 'period', 'target_key'] },
);

/**
 * Ids of records that are texts, beside those that are numbers. No row changes, and no index: a new column that may be
 * null changes the description of a table only, however large it is. The counts alone are made again, as the text is a
 * part of their key; they have one row for each count.
 */
export const recordKeys: Migration = ownStep(async (db, dialect) => {
  const added = {
    gatewright_events: { record_key: text },
    gatewright_event_inbox: { record_key: text },
    gatewright_history: { record_key: text },
    gatewright_trash: { record_key: text, target_key: text },
    gatewright_deliveries: { record_key: text },
    users: { owner_key: text },
  };
  for (const [of, columns] of Object.entries(added))
    await runAll(db, addColumnStatements(of, columns, dialect));
  const kept = 'model, field, per, target_id, period, last';
  await runAll(db, [
    `create table gatewright_counts_before as select ${kept} from gatewright_counts`,
    'drop table gatewright_counts',
    ...createStatements(counts, dialect),
    `insert into gatewright_counts (${kept}) select ${kept} from gatewright_counts_before`,
    'drop table gatewright_counts_before',
  ]);
});
