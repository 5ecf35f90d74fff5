/** The state of the database itself: its id, its migrations, the credentials file that was seen last. */

import { column, table } from './table.ts';

/** One row. */
export const databaseTable = table('gatewright_database', {
  /** 32 lowercase hex digits; no two databases have the same, but copies of one do. */
  id: column.text({ primaryKey: true }),
  /** Major version of the newest service that has migrated it. */
  major: column.integer(),
  /** Time of the last readiness check, milliseconds since the epoch. */
  checked_at: column.integer({ time: 'shown' }),
  /** Time at which the service last ran, milliseconds since the epoch; null before the first start. */
  clock_at: column.integer({
    nullable: true,
    time: {
      decides: 'whether time has leapt while the service was stopped',
      most: 'now',
      wasAhead: 'set to now; stored times are checked',
      wasBehind: 'removals lag by as much for a day',
    },
  }),
  /** Time of the last successful backup; null before the first one. */
  backed_up_at: column.time('shown', { nullable: true }),
});

/** One row: the credentials file that was seen last. */
export const seenCredentialsTable = table('gatewright_seen_credentials', {
  id: column.integer({ primaryKey: true }),
  serial: column.integer(),
  digest: column.text(),
  seen_at: column.time('shown'),
});

/** Full-text searches that a migration created and whose words are not complete: keys below `below` have none. */
export const fillsTable = table('gatewright_fills', {
  table_name: column.text({ primaryKey: true }),
  below: column.integer(),
});

/** A table that remembers which migrations of a set were applied. */
export const appliedTable = <const Name extends string>(name: Name) =>
  table(name, {
    name: column.text({ sqlType: 'varchar(255)', primaryKey: true }),
    timestamp: column.text({ sqlType: 'varchar(255)' }),
  });

/** The declaration of each table in migrations of an application (`register.ts`). */
export const registeredTablesTable = table('gatewright_tables', {
  name: column.text({ primaryKey: true, kept: 'register' }),
  /** Null where the table is the regular plural of the model's name. */
  model: column.text({ nullable: true, kept: 'register' }),
});

export const registeredColumnsTable = table(
  'gatewright_columns',
  {
    table_name: column.text({ kept: 'register' }),
    column_name: column.text({ kept: 'register' }),
    kind: column.text({ kept: 'register' }),
    options: column.text({ kept: 'register' }),
  },
  { primaryKey: ['table_name', 'column_name'] },
);
