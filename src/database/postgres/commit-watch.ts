import type { Replica } from '../database.ts';
import { isOutcomeUnknown } from '../problems.ts';

/** A replica as the database of its first server uses it. */
export interface AttachedReplica extends Replica {
  /**
   * Called after each commit with the statements of its transaction.
   * @param isUnknown whether the answer to COMMIT is lost: the transaction may still be committed, or not at all
   */
  onCommit(statements: readonly string[], isUnknown: boolean): void;
  interrupt(): void;
  close(): Promise<void>;
}

export type CommitWatch = Pick<AttachedReplica, 'onCommit'>;

/** Waits for a commit and reports it to the watch, if there is one. */
export const watchCommit = async <T>(
  watch: CommitWatch | undefined,
  statements: readonly string[],
  commit: Promise<T>,
): Promise<T> => {
  try {
    const result = await commit;
    watch?.onCommit(statements, false);
    return result;
  } catch (error) {
    if (isOutcomeUnknown(error)) watch?.onCommit(statements, true);
    throw error;
  }
};
