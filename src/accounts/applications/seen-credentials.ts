/**
 * The mark of the newest credentials file that any process or command has read, kept for all processes and restarts.
 */

import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../../ledger/context.ts';

/** Identifies a credentials file, and orders two of them by age. */
export interface CredentialsMark {
  readonly serial: number;
  /** SHA-256 of the encrypted file, lowercase hex: it reveals nothing of the content. */
  readonly digest: string;
}

export interface SeenCredentials extends CredentialsMark {
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

const only = 1;

export const createSeenCredentials = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const last = toQuery(
    db
      .selectFrom('gatewright_seen_credentials')
      .select(['serial', 'digest', 'seen_at'])
      .where('id', '=', only),
  );

  const read = async (reader: Pick<Transaction, 'get'>): Promise<SeenCredentials | undefined> => {
    const row = await reader.get<{ serial: number; digest: string; seen_at: string }>(last);
    if (row === undefined) return undefined;
    return { serial: Number(row.serial), digest: row.digest, seenAt: new Date(row.seen_at).getTime() };
  };

  /**
   * Stores a mark unless it is older than the stored one; in one statement, since another process may do the same.
   */
  const put = ({ serial, digest }: CredentialsMark) => {
    const seen = { serial, digest, seen_at: toTimestamp(clock()) };
    return toQuery(
      db
        .insertInto('gatewright_seen_credentials')
        .values({ id: only, ...seen })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(seen).where('gatewright_seen_credentials.serial', '<=', serial),
        ),
    );
  };

  return {
    last: (): Promise<SeenCredentials | undefined> => read(database),

    /** Stores a file as the newest one, unless a newer one is stored. Returns the mark that was stored before. */
    see: (mark: CredentialsMark): Promise<SeenCredentials | undefined> =>
      database.write(async (transaction) => {
        const before = await read(transaction);
        if (before?.digest === mark.digest && before.serial === mark.serial) return before;
        // Nothing was changed if another process stored a newer one meanwhile.
        return (await transaction.run(put(mark))) === 0 ? read(transaction) : before;
      }),

    /** The statement of `see`, for a transaction of the caller. */
    put,
  };
};

export type SeenCredentialsStore = ReturnType<typeof createSeenCredentials>;
