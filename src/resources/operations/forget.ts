import type { RecordId } from '../../fields/key.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { SharedTransaction } from './transaction.ts';

/** Numbers of versions, events and deliveries from which values were removed, and of records removed from the trash. */
export interface Forgotten extends JsonObject {
  readonly versions: number;
  /** 0 within a transaction: a job removes the values of events after the commit. */
  readonly events: number;
  readonly deliveries: number;
  /** The record, and records that could only be restored with it. */
  readonly trash: number;
}

/** Removes all stored copies of a record's values except the record itself, in a transaction if there is one. */
export type ForgetRecord = (
  record: { readonly model: string; readonly id: RecordId },
  actor: Actor,
  shared?: Pick<SharedTransaction, 'transaction' | 'onCommit'>,
) => Promise<Forgotten>;
