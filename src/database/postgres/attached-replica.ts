import type { Replica } from '../database.ts';
import type { PositionRow } from './position.ts';

/** A replica as the database of its first server has it. */
export interface AttachedReplica extends Replica {
  /**
   * Told of each transaction that was committed, or may have been, with the statements that it consisted of; and where
   * it is over, unless nobody knows.
   */
  committed(statements: readonly string[], position: PositionRow | undefined): void;
  interrupt(): void;
  close(): Promise<void>;
}
