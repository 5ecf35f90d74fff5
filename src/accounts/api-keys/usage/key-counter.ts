import type { Database, Query } from '../../../database/database.ts';
import { toQuery } from '../../../database/statement.ts';
import { tablesOf } from '../../../database/tables-of.ts';
import { BatchedCounter } from '../../../ledger/batched-counter.ts';

/** Maximum number of entries in a batch, some 150 bytes each; further requests are not counted. */
const maxEntries = 50_000;

/** Numbers of rows that one statement adds; one statement is compiled for each. */
const writeSizes = [100, 10, 1] as const;

interface CountedOfKey {
  readonly key_id: number;
  requests: number;
}

/**
 * Counts requests of keys in memory and writes them in batches. Requests of keys that were deleted meanwhile are left
 * out.
 * @param insertOf makes the statement that adds rows, of which there is one at least
 */
export const keyCounter = <Counted extends CountedOfKey>(
  database: Database,
  insertOf: (rows: readonly Counted[]) => Query,
): BatchedCounter<string, Counted> => {
  const db = tablesOf(database);
  return new BatchedCounter<string, Counted>({
    maxEntries,
    writeSizes,
    merge: (earlier, added) => {
      if (earlier === undefined) return added;
      earlier.requests += added.requests;
      return earlier;
    },
    write: async (counted) => {
      const rows = counted.map(([, each]) => each);
      const known = db
        .selectFrom('api_keys')
        .select('id')
        .where('id', 'in', [...new Set(rows.map(({ key_id }) => key_id))]);
      await database.write(async (transaction) => {
        const ids = new Set((await transaction.all<{ id: number }>(toQuery(known))).map(({ id }) => id));
        const present = rows.filter(({ key_id }) => ids.has(key_id));
        if (present.length > 0) await transaction.run(insertOf(present));
      });
    },
  });
};
