import type { UsageRecorder } from '../../auth/ports.ts';
import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { type Fragment, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { plainHash, storedFormsOf } from '../api-keys/stored-hash.ts';
import type { TableContext } from '../context.ts';

export interface BatchedCounterOptions<Key extends number | string, Entry> {
  /** Maximum number of pending entries; while it is reached, entries with other keys are not counted. */
  readonly maxEntries: number;
  /** Numbers of entries that one write takes, largest first and ending with 1; undefined: the whole batch. */
  readonly writeSizes?: readonly number[];
  /** Merges an entry with the earlier one of the same key, if there is one. It may change the earlier one. */
  readonly merge: (earlier: Entry | undefined, added: Entry) => Entry;
  /** Adds entries that must be looked up or completed before a batch is written. */
  readonly gather?: () => Promise<void>;
  /** Writes entries, all or none of them. @throws the error of the write */
  readonly write: (entries: readonly (readonly [Key, Entry])[]) => Promise<void>;
}

/**
 * A counter in memory that is written in batches, so that no request waits for the database. Entries are merged by
 * key until they are written. After a failed write, they are merged with later ones and written once, with the next
 * batch. A batch is ordered by key, so that processes take row locks in one order; batches are written one after the
 * other.
 */
export class BatchedCounter<Key extends number | string, Entry> {
  readonly #options: BatchedCounterOptions<Key, Entry>;
  #entries = new Map<Key, Entry>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: BatchedCounterOptions<Key, Entry>) {
    this.#options = options;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#options.maxEntries;
  }

  add(key: Key, entry: Entry): void {
    const earlier = this.#entries.get(key);
    if (earlier === undefined && this.isFull) return;
    this.#entries.set(key, this.#options.merge(earlier, entry));
  }

  /** Writes the entries added so far, after the batch that is being written. */
  readonly flush = (): Promise<void> => {
    this.#last = this.#last.then(this.#flush, this.#flush);
    return this.#last;
  };

  /**
   * Starts writing batches. Returns a function that stops it and writes the last batch.
   * @param intervalMs milliseconds between two batches
   * @param onError called with the first error after a successful batch
   */
  start(intervalMs: number, onError: (error: unknown) => void): () => Promise<void> {
    let isFailing = false;
    const attempt = async (): Promise<void> => {
      try {
        await this.flush();
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(error);
        isFailing = true;
      }
    };
    const timer = setInterval(attempt, intervalMs).unref();
    return async () => {
      clearInterval(timer);
      await attempt();
    };
  }

  readonly #flush = async (): Promise<void> => {
    await this.#options.gather?.();
    const entries = [...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1));
    if (entries.length === 0) return;
    this.#entries = new Map();
    let written = 0;
    try {
      while (written < entries.length) {
        const size = this.#sizeOf(entries.length - written);
        await this.#options.write(entries.slice(written, written + size));
        written += size;
      }
    } catch (error) {
      const later = this.#entries;
      this.#entries = new Map(entries.slice(written));
      for (const [key, entry] of later) this.add(key, entry);
      throw error;
    }
  };

  #sizeOf(left: number): number {
    return this.#options.writeSizes?.find((size) => size <= left) ?? left;
  }
}

/** Counts are kept for one day more than the longest plot shows. */
const retentionMs = 31 * 24 * 3_600_000;

const slots = ['none', ...authMethods.map(({ name }) => name)] as const;

/** Methods with the same verification share a line in the plot. */
const slotOf = Object.fromEntries(
  authMethods.map(({ name }) => [name, slots.indexOf(verifiedAs(name))]),
) as Readonly<Record<AuthMethodName, number>>;

/** Keys of the counter: slot × `statuses` + status (at most 599) for requests, and one for failed sign-ins. */
const statuses = 600;
const failuresKey = slots.length * statuses;

/** `YYYY-MM-DDTHH`, UTC. */
export const hourOf = (time: number): string => toTimestamp(time).slice(0, 13);

export interface CountedRequests {
  /** `YYYY-MM-DDTHH` or `YYYY-MM-DD`, UTC. */
  readonly at: string;
  readonly authentication: string;
  readonly status: number;
  readonly requests: number;
}

export interface CountedFailures {
  readonly at: string;
  readonly failures: number;
}

/** A period in steps of hours (13 characters of a timestamp) or days (10). */
export interface Period {
  readonly step: 'hour' | 'day';
  /** First hour, `YYYY-MM-DDTHH`. */
  readonly from: string;
}

/**
 * Counts of responses by authentication method and status, and of failed sign-ins. Counting is an addition in memory,
 * without reading a clock. A batch is added to the hour in which it is written, so that hours are exact to a few
 * seconds; a crash loses these seconds.
 */
export const createRequestCounts = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);

  const addRequests = (hour: string, counts: readonly (readonly [number, number])[]): Query =>
    toQuery(
      db
        .insertInto('request_counts')
        .values(
          counts.map(([key, requests]) => ({
            ...{ hour, authentication: slots[Math.floor(key / statuses)] ?? 'none' },
            ...{ status: key % statuses, requests },
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['hour', 'authentication', 'status']).doUpdateSet((eb) => ({
            requests: eb('request_counts.requests', '+', eb.ref('excluded.requests')),
          })),
        ),
    );

  const addFailures = (hour: string, failures: number): Query =>
    toQuery(
      db
        .insertInto('sign_in_failures')
        .values({ hour, failures })
        .onConflict((conflict) =>
          conflict.column('hour').doUpdateSet((eb) => ({
            failures: eb('sign_in_failures.failures', '+', eb.ref('excluded.failures')),
          })),
        ),
    );

  const counter = new BatchedCounter<number, number>({
    maxEntries: failuresKey + 1,
    merge: (earlier = 0, added) => earlier + added,
    write: (counted) =>
      database.write(async (transaction) => {
        const hour = hourOf(clock());
        const requests = counted.filter(([key]) => key !== failuresKey);
        if (requests.length > 0) await transaction.run(addRequests(hour, requests));
        for (const [key, failures] of counted)
          if (key === failuresKey) await transaction.run(addFailures(hour, failures));
      }),
  });

  const count = (principal: Principal, status: number): void => {
    const slot = principal.kind === 'nobody' ? 0 : slotOf[principal.method];
    counter.add(slot * statuses + status, 1);
  };

  const countFailedSignIn = (_principal: Principal, status: number): void => {
    if (status === 401 || status === 429) counter.add(failuresKey, 1);
  };

  const countSignIn = (principal: Principal, status: number): void => {
    count(principal, status);
    countFailedSignIn(principal, status);
  };

  return {
    count,
    countSignIn,
    countFailedSignIn,
    flush: counter.flush,
    start: (onError: (error: unknown) => void) => counter.start(10_000, onError),

    /** Deletes counts that no plot shows any more; called periodically. */
    sweep: async (now = clock()): Promise<void> => {
      const oldest = hourOf(now - retentionMs);
      await database.execute(toQuery(db.deleteFrom('request_counts').where('hour', '<', oldest)));
      await database.execute(toQuery(db.deleteFrom('sign_in_failures').where('hour', '<', oldest)));
    },

    /** At most 31 days of hours, methods and statuses; an index on the hour bounds the query. */
    requests: ({ step, from }: Period): Promise<CountedRequests[]> =>
      database.all<CountedRequests>(
        toQuery(
          db
            .selectFrom('request_counts')
            .select((eb) => [
              eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(step === 'hour' ? 13 : 10)]).as('at'),
              'authentication',
              'status',
              eb.cast<number>(eb.fn.sum('requests'), 'bigint').as('requests'),
            ])
            .where('hour', '>=', from)
            .groupBy(['at', 'authentication', 'status'])
            .orderBy('at'),
        ),
      ),

    failures: ({ step, from }: Period): Promise<CountedFailures[]> =>
      database.all<CountedFailures>(
        toQuery(
          db
            .selectFrom('sign_in_failures')
            .select((eb) => [
              eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(step === 'hour' ? 13 : 10)]).as('at'),
              eb.cast<number>(eb.fn.sum('failures'), 'bigint').as('failures'),
            ])
            .where('hour', '>=', from)
            .groupBy('at')
            .orderBy('at'),
        ),
      ),
  };
};

export type RequestCounts = ReturnType<typeof createRequestCounts>;

/**
 * Last uses of keys, applications and sessions, written every few seconds and at the stop. A crash loses the last
 * uses of a few seconds, nothing else. An earlier time never replaces a later one, neither in memory nor in the
 * database: clocks are set back, and another process may have seen the key since.
 */
export const createUsageRecorder = (
  { database }: TableContext,
  onError: (error: unknown) => void,
): Pick<UsageRecorder, 'applicationUsed'> & {
  keyUsed(id: number, hash: string, now: number): void;
  sessionUsed(id: number, now: number): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
} => {
  const db = tablesOf(database);

  const lastUses = <Id extends number | string>(queryOf: (id: Id, at: string) => Query) =>
    new BatchedCounter<Id, number>({
      maxEntries: 200_000,
      merge: (earlier = 0, used) => Math.max(earlier, used),
      write: (uses) =>
        database.write(async (transaction) => {
          for (const [id, used] of uses) await transaction.run(queryOf(id, toTimestamp(used)));
        }),
    });

  const { dialect } = database;
  const keyUse = statement<{ id: number; hash: string; at: string }>(dialect, (value) => {
    const at = dialect.cast(value('at'), 'timestamp');
    const later = (of: Fragment): Fragment => sql`case when ${of} > ${at} then ${of} else ${at} end`;
    return sql`update api_keys set last_used_at = ${later(sql`last_used_at`)},
      secret_used_at = case when key_hash in (${storedFormsOf(value('hash'))}) then ${later(sql`secret_used_at`)} else secret_used_at end
      where id = ${value('id')} returning key_hash`;
  });
  const formerUse = statement<{ hash: string; at: string }>(dialect, (value) => {
    const at = dialect.cast(value('at'), 'timestamp');
    return sql`update gatewright_former_secrets set last_used_at = ${at}
      where key_hash in (${storedFormsOf(value('hash'))}) and (last_used_at is null or last_used_at < ${at})`;
  });
  /** By secrets: a rotation may have replaced one since it was used. */
  const keys = new BatchedCounter<string, { readonly id: number; at: number }>({
    maxEntries: 200_000,
    merge: (earlier, used) => {
      if (earlier === undefined) return used;
      earlier.at = Math.max(earlier.at, used.at);
      return earlier;
    },
    write: (uses) =>
      database.write(async (transaction) => {
        // By the id, so that processes lock rows in one order: the secrets of a key share a row.
        for (const [hash, { id, at }] of uses.toSorted(([, one], [, other]) => one.id - other.id)) {
          const use = { hash, at: toTimestamp(at) };
          const key = await transaction.get<{ key_hash: string }>(keyUse({ id, ...use }));
          if (key !== undefined && plainHash(key.key_hash) !== hash) await transaction.run(formerUse(use));
        }
      }),
  });
  const sessions = lastUses<number>((id, at) =>
    toQuery(
      db
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where('last_used_at', '<', at),
    ),
  );
  const applications = lastUses<string>((appId, at) =>
    toQuery(
      db
        .insertInto('application_usage')
        .values({ app_id: appId, last_used_at: at })
        .onConflict((conflict) =>
          conflict
            .column('app_id')
            .doUpdateSet({ last_used_at: at })
            .where('application_usage.last_used_at', '<', at),
        ),
    ),
  );

  const stops = [keys, sessions, applications].map((counter) => counter.start(5_000, onError));
  return {
    keyUsed: (id, hash, at) => keys.add(hash, { id, at }),
    applicationUsed: (appId, now) => applications.add(appId, now),
    sessionUsed: (id, now) => sessions.add(id, now),
    flush: async () => {
      await Promise.all([keys.flush(), sessions.flush(), applications.flush()]);
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
};

export type Usage = ReturnType<typeof createUsageRecorder>;
