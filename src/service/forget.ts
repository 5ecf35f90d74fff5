import type { Database } from '../database/database.ts';
import type { JsonObject } from '../kernel/json.ts';
import { createHistory } from '../records/history/history.ts';
import { createTrash } from '../records/trash/trash.ts';
import type { Actor } from './audit/audit.ts';
import { createCommands } from './command.ts';
import { createEventLog } from './events/event-log.ts';
import { forgetAnswers } from './idempotency/idempotency.ts';
import { forgetDelivered } from './webhooks/delivery-administration.ts';

/**
 * Of how many versions, events and deliveries the values of a record were removed, and how many records left the trash.
 */
export interface Forgotten extends JsonObject {
  readonly versions: number;
  readonly events: number;
  readonly deliveries: number;
  /** The record and what could only come back with it. */
  readonly trash: number;
}

/**
 * Removes the values of a record from all that is kept of it beside the record itself. That it was kept stays, and a
 * line in the audit log. Where nothing was kept there is no line.
 */
export const forgetRecord = async (
  database: Database,
  record: { readonly model: string; readonly id: number },
  now: number,
  actor: Actor,
): Promise<Forgotten> => {
  const { model, id } = record;
  // In steps of their own: there may be any number of others between them.
  const events = await createEventLog(database).forget(model, id);
  return createCommands({ database, clock: () => now })(actor, async ({ transaction }) => {
    const versions = await createHistory(database, model).forget(transaction, id);
    const deliveries = await forgetDelivered(transaction, database, model, id);
    const trash = await createTrash(database).forget(transaction, model, id);
    await forgetAnswers(transaction, database, model, id);
    const forgotten = { versions, events, deliveries, trash };
    const target = { kind: model, id, name: null };
    const isKept = versions + events + deliveries + trash > 0;
    return {
      audit: isKept ? { action: 'record.forget', target, detail: forgotten } : [],
      result: forgotten,
    };
  });
};
