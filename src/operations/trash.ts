import { bundleName, type TrashBundle, type TrashedRecord } from '../records/trash/bundle.ts';
import type { Trash } from '../records/trash/trash.ts';
import type { Acting } from './acting.ts';
import { whoDid } from './record-change.ts';
import type { ResourceContext } from './served-resource.ts';
import type { SharedTransaction } from './transaction.ts';

/** What is told of a deletion whose record goes into the trash, with all that goes along. */
export const newTrashBundle = ({ clock }: Pick<ResourceContext, 'clock'>, acting: Acting): TrashBundle => ({
  bundle: bundleName(),
  at: clock(),
  actor: whoDid(acting),
});

/** Records that wait for the end of their transaction at most: they are in memory. */
const mostWaiting = 512;

/**
 * Puts a record that has been deleted into the trash, in the transaction that has deleted it. Many are written by one
 * statement, at the end of it at the latest.
 */
export const intoTrash = async (
  trash: Trash,
  shared: SharedTransaction,
  record: TrashedRecord,
): Promise<void> => {
  const { trashed, transaction } = shared;
  const write = (): Promise<void> => trash.keep(transaction, trashed.splice(0));
  if (trashed.push(record) === 1) shared.last(write);
  if (trashed.length >= mostWaiting) await write();
};
