/** Removal of the values of a record, or of the name of a user, from everything that the service keeps beside them. */

import type { Database, Transaction } from '../database/database.ts';
import { recordNumber } from '../database/record-column.ts';
import { toQuery } from '../database/statement.ts';
import { jobLeaseMs } from '../database/tables.ts';
import { tablesOf } from '../database/tables-of.ts';
import { forgetDelivered } from '../delivery/webhooks.ts';
import type { RecordId } from '../fields/key.ts';
import type { Actor } from '../ledger/audit.ts';
import { createCommands } from '../ledger/command.ts';
import type { TableContext } from '../ledger/context.ts';
import { Erasure, filesJob, requestErasure } from '../ledger/erasure.ts';
import { EventLog } from '../ledger/event-log.ts';
import { forgetResponses } from '../ledger/idempotency.ts';
import { Outbox } from '../ledger/outbox.ts';
import { createHistory } from '../records/history.ts';
import { createTrash } from '../records/trash.ts';
import type { ForgetRecord, Forgotten } from '../resources/operations.ts';

export interface ForgetParts extends TableContext {
  readonly outbox: Pick<Outbox, 'add'>;
  /** Makes the workers look for jobs. */
  readonly wake: () => void;
}

/**
 * The versions, events and deliveries stay without values. A line is written to the audit log if anything was removed.
 * A job, stored in the same transaction, removes the rest from the files of the database.
 */
export const createForget = ({ database, clock, outbox, wake }: ForgetParts): ForgetRecord => {
  const change = createCommands({ database, clock });
  const log = new EventLog(database);
  /** Has the job look for files of former values, where the record has any file. */
  const removeFiles = async (
    transaction: Transaction,
    { model, id }: { readonly model: string; readonly id: RecordId },
  ): Promise<void> => {
    const some = tablesOf(database)
      .selectFrom('gatewright_files')
      .select('id')
      .where('model', '=', model)
      .where('record_id', '=', recordNumber(id))
      .limit(1);
    if ((await transaction.get(toQuery(some))) === undefined) return;
    await outbox.add({ name: filesJob, key: 'forgotten', input: {}, at: undefined }, transaction);
  };
  return async ({ model, id }, actor, shared) => {
    // In transactions of their own: there may be any number of other events between them.
    const events = shared === undefined ? await log.forget(model, id) : 0;
    const forgotten = await change(
      actor,
      async ({ transaction }) => {
        const versions = await createHistory(database, model).forget(transaction, id);
        const deliveries = await forgetDelivered(transaction, database, model, id);
        const trash = await createTrash(database).forget(transaction, model, id);
        await forgetResponses(transaction, database, model, id);
        await removeFiles(transaction, { model, id });
        const left = shared === undefined ? undefined : { model, record: id };
        await requestErasure(outbox, transaction, left);
        const result: Forgotten = { versions, events, deliveries, trash };
        const target = { kind: model, id, name: null };
        const isKept = shared !== undefined || versions + events + deliveries + trash > 0;
        return { audit: isKept ? { action: 'record.forget', target, detail: result } : [], result };
      },
      {},
      shared?.transaction,
    );
    if (shared === undefined) wake();
    else shared.onCommit(wake);
    return forgotten;
  };
};

/** The same for a process that runs no jobs: those of the service find the job that it stores. */
export const forgetRecord = (
  database: Database,
  record: { readonly model: string; readonly id: RecordId },
  now: number,
  actor: Actor,
): Promise<Forgotten> => {
  const outbox = new Outbox(database, [], jobLeaseMs);
  return createForget({ database, clock: () => now, outbox, wake: () => {} })(record, actor);
};

/** Removes the name and the network addresses of a deleted user from all logs. Returns false if the user exists. */
export const forgetUser = async (
  { database, clock }: TableContext,
  id: number,
  actor: Actor,
): Promise<boolean> => {
  const query = toQuery(tablesOf(database).selectFrom('users').select('id').where('id', '=', id));
  if ((await database.get(query)) !== undefined) return false;
  await new Erasure(database, new EventLog(database)).run(
    { model: 'User', record: id },
    new AbortController().signal,
  );
  await createCommands({ database, clock })(actor, async () => ({
    audit: { action: 'record.forget', target: { kind: 'user', id, name: null } },
    result: undefined,
  }));
  return true;
};
