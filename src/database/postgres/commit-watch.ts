import type { QueryResult } from 'pg';
import type { Query } from '../database.ts';
import { isOutcomeUnknown } from '../problems.ts';
import type { AttachedReplica } from './attached-replica.ts';
import type { Effect } from './errors.ts';
import { commitPositionQuery, type PositionRow } from './position.ts';

/** Who is told of commits. */
export type CommitWatch = Pick<AttachedReplica, 'committed'>;

interface CommittingSession {
  run(query: Query, effect?: Effect): Promise<QueryResult>;
  corked<T>(ask: () => T): T;
}

/**
 * Runs what commits, and has it told where that is over: asked right behind it, in the same system call. A commit whose
 * place is not answered, or that itself is not, is told all the same.
 */
export const telling = async (
  session: CommittingSession,
  told: CommitWatch,
  statements: readonly string[],
  commits: () => Promise<QueryResult>,
): Promise<QueryResult> => {
  const [committing, asked] = session.corked(() => {
    const committing = commits();
    const asked = session.run(commitPositionQuery).then(
      ({ rows }): PositionRow | undefined => rows[0],
      () => undefined,
    );
    return [committing, asked] as const;
  });
  try {
    const result = await committing;
    told.committed(statements, await asked);
    return result;
  } catch (error) {
    if (isOutcomeUnknown(error)) told.committed(statements, undefined);
    await asked;
    throw error;
  }
};

/** Runs a statement that may write, in a transaction of its own; tells whoever wants to know where that is over. */
export const runOwn = (
  session: CommittingSession,
  query: Query,
  told: CommitWatch | undefined,
): Promise<QueryResult> =>
  told === undefined
    ? session.run(query, 'own')
    : telling(session, told, [query.sql], () => session.run(query, 'own'));
