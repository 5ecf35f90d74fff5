import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';

/** Identity of a credentials file, and which of two is the older one. */
export interface CredentialsMark {
  readonly serial: number;
  /** SHA-256 of the encrypted file, lowercase hex: it says nothing of what is in it. */
  readonly digest: string;
}

export interface SeenCredentials extends CredentialsMark {
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

const only = 1;

/** The credentials that some instance or command saw last, where a restart and every instance find it. */
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

  /** Takes over a mark that is not older; one statement, as another instance may do the same. */
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

    /** Remembers a file as the last one, unless a newer one was seen. Returns the one that was seen before. */
    see: (mark: CredentialsMark): Promise<SeenCredentials | undefined> =>
      database.write(async (transaction) => {
        const before = await read(transaction);
        if (before?.digest === mark.digest && before.serial === mark.serial) return before;
        // Nothing was changed where another instance saw a newer one in between.
        return (await transaction.run(put(mark))) === 0 ? read(transaction) : before;
      }),

    /** The statement of `see`, for a transaction of the caller's. */
    put,
  };
};

export type SeenCredentialsStore = ReturnType<typeof createSeenCredentials>;
