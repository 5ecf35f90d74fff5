/** The log of events, in the order in which they were committed. */

import { removedAfter, type TimeUse } from './stored-time.ts';
import { column, table } from './table.ts';

const eventColumns = (use: TimeUse) => ({
  id: column.id(),
  model: column.text({ kept: 'model' }),
  record_id: column.integer(),
  version: column.integer(),
  action: column.text(),
  at: column.time(use),
  actor_kind: column.text(),
  actor_id: column.text({ nullable: true }),
  actor_name: column.text({ nullable: true }),
  /** The API key of the actor; null without one. */
  actor_key: column.integer({ nullable: true }),
  reason: column.text({ nullable: true, kept: 'log' }),
  /** JSON array of the names of changed fields. */
  fields: column.json({ kept: 'fields' }),
  /** Values by which readers of the event are decided. */
  reach: column.json({ nullable: true, kept: 'paths' }),
});

export const eventsTable = table('gatewright_events', eventColumns(removedAfter('30 days', 'events are')));

/** Where ids are not given in the order of commits, an event stands here until it gets its number. */
export const eventInboxTable = table(
  'gatewright_event_inbox',
  eventColumns(removedAfter('until they have one', 'events that have no number yet are')),
);
