import { Problem } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import { ConstraintError } from '../store/database.ts';
import { afterCommit } from './after-commit.ts';
import { acceptedVersions } from './preconditions.ts';
import type { ServedResource } from './served-resource.ts';
import type { SharedTransaction } from './transaction.ts';
import { refuseMissing } from './update.ts';

/**
 * Deletes a record; optional references to it become null. On its own, or in a transaction with other operations.
 * @throws Problem `record_not_found`, `stale`, `still_referenced`
 */
export const remove = async (
  resource: ServedResource,
  grant: Grant,
  id: number,
  ifMatch: string | undefined,
  shared?: SharedTransaction,
): Promise<void> => {
  try {
    const removed = await resource.records.remove(grant, id, acceptedVersions(ifMatch), shared?.transaction);
    if (removed === undefined) await refuseMissing(resource, grant, id, shared);
    else afterCommit(resource, 'destroy', grant, { id, whole: removed.whole }, {}, shared);
  } catch (error) {
    if (error instanceof ConstraintError && error.kind === 'foreign_key')
      throw new Problem('still_referenced', { cause: error });
    throw error;
  }
};
