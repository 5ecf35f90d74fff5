import type { Database } from '../database/database.ts';
import { forgetDelivered } from '../delivery/webhooks.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Actor } from '../ledger/audit.ts';
import { createCommands } from '../ledger/command.ts';
import { EventLog } from '../ledger/event-log.ts';
import { forgetResponses } from '../ledger/idempotency.ts';
import { createHistory } from '../records/history.ts';
import { createTrash } from '../records/trash.ts';

/**
 * Numbers of versions, events and deliveries from which values were removed, and of records removed from the trash.
 */
export interface Forgotten extends JsonObject {
  readonly versions: number;
  readonly events: number;
  readonly deliveries: number;
  /** The record, and records that could only be restored with it. */
  readonly trash: number;
}

/**
 * Removes all stored copies of a record's values except the record itself. The versions, events and deliveries stay
 * without them. A line is written to the audit log if anything was removed.
 */
export const forgetRecord = async (
  database: Database,
  record: { readonly model: string; readonly id: number },
  now: number,
  actor: Actor,
): Promise<Forgotten> => {
  const { model, id } = record;
  // In transactions of their own: there may be any number of other events between them.
  const events = await new EventLog(database).forget(model, id);
  return createCommands({ database, clock: () => now })(actor, async ({ transaction }) => {
    const versions = await createHistory(database, model).forget(transaction, id);
    const deliveries = await forgetDelivered(transaction, database, model, id);
    const trash = await createTrash(database).forget(transaction, model, id);
    await forgetResponses(transaction, database, model, id);
    const forgotten = { versions, events, deliveries, trash };
    const target = { kind: model, id, name: null };
    const isKept = versions + events + deliveries + trash > 0;
    return {
      audit: isKept ? { action: 'record.forget', target, detail: forgotten } : [],
      result: forgotten,
    };
  });
};
