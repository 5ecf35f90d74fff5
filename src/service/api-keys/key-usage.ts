import { sql as raw } from 'kysely';
import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, isOfKeys } from '../../auth/registry.ts';
import { timeText } from '../../database/column.ts';
import type { Query } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { dialectOf } from '../../database/registry.ts';
import { join, type Statement, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { TableContext } from '../context.ts';
import { batchesOf } from '../usage/batches.ts';

/** Milliseconds between two batches. */
const interval = 10_000;

/** Milliseconds for which days are kept: one more than a key's page shows. */
const retention = 31 * 24 * 3_600_000;

/**
 * Keys of one batch at most, some 100 bytes each. More are used within ten seconds only while the database is away for
 * long: what they do then is not counted.
 */
const mostKeys = 200_000;

/** Rows that one statement adds: of each length one is compiled, so that there are few of them. */
const lengths = [500, 50, 5, 1] as const;

/** Networks that are named of a key. */
const namedNetworks = 20;

/** `YYYY-MM-DD`, UTC. */
export const dayOf = (time: number): string => toTimestamp(time).slice(0, 10);

export interface UsedDay {
  readonly day: string;
  readonly requests: number;
  /** Those of them that were answered with a status of 400 or above. */
  readonly refused: number;
}

export interface KeyUse {
  readonly days: readonly UsedDay[];
  /** From where the last of these requests came. */
  readonly lastAddress: string | null;
  /** The ones seen last first; no more than some. */
  readonly networks: readonly { readonly network: string; readonly first_used_at: string }[];
}

/** What was counted up to a moment. */
interface CountedUse {
  readonly requests: ReadonlyMap<number, number>;
  readonly refused: ReadonlyMap<number, number>;
  readonly addresses: ReadonlyMap<number, string>;
}

/** The rows of one statement, a list for each column. */
type Rows = {
  readonly day: string;
  readonly keys: readonly number[];
  readonly requests: readonly number[];
  readonly refused: readonly number[];
  readonly addresses: readonly string[];
};

const byKey: ReadonlySet<AuthMethodName> = new Set(authMethods.map(({ name }) => name).filter(isOfKeys));

/** A text of its own, not a part of the long one that a header was. */
const apart = (text: string): string => Buffer.from(text).toString();

/** Keys that were deleted meanwhile are left out; in the order of their ids, on every instance. */
const addStatement = (dialect: Dialect, length: number): Statement<Rows> =>
  statement<Rows>(dialect, (param) => {
    const rows = Array.from({ length }, (_, index) => {
      const number = (of: 'keys' | 'requests' | 'refused') => sql`cast(${param(of, index)} as bigint)`;
      const address = sql`cast(${param('addresses', index)} as text)`;
      return sql`(${number('keys')}, ${number('requests')}, ${number('refused')}, ${address})`;
    });
    return sql`with used (key_id, requests, refused, address) as (values ${join(rows)})
      insert into gatewright_key_usage (key_id, day, requests, refused, address)
      select u.key_id, cast(${param('day')} as text), u.requests, u.refused, u.address
      from used u join api_keys k on k.id = u.key_id where true order by u.key_id
      on conflict (key_id, day) do update set
        requests = gatewright_key_usage.requests + excluded.requests,
        refused = gatewright_key_usage.refused + excluded.refused,
        address = excluded.address`;
  });

/**
 * Answers to keys, counted by key and day. Counting adds to numbers in memory: no clock is read, and nothing is allocated
 * for a key that the batch knows. A batch is added to the day in which it is written. Several instances add to the same
 * rows.
 */
export const createKeyUsage = ({ database, clock }: TableContext) => {
  const dialect = dialectOf(database);
  const db = tablesOf(database);
  let requests = new Map<number, number>();
  let refused = new Map<number, number>();
  let addresses = new Map<number, string>();

  const add = (key: number, answers: number, failures: number, address: string): void => {
    const known = requests.get(key);
    if (known === undefined && requests.size >= mostKeys) return;
    requests.set(key, (known ?? 0) + answers);
    if (failures > 0) refused.set(key, (refused.get(key) ?? 0) + failures);
    if (addresses.get(key) !== address) addresses.set(key, apart(address));
  };

  const count = (principal: Principal, status: number, { address }: { readonly address: string }): void => {
    if (principal.kind !== 'user' || !byKey.has(principal.method)) return;
    const { credential } = principal;
    if (credential !== undefined) add(credential, 1, status >= 400 ? 1 : 0, address);
  };

  const adding = new Map<number, Statement<Rows>>(
    lengths.map((length) => [length, addStatement(dialect, length)]),
  );

  const write = async (keys: readonly number[], batch: CountedUse): Promise<void> => {
    const query = adding.get(keys.length)?.({
      day: dayOf(clock()),
      keys,
      requests: keys.map((key) => batch.requests.get(key) ?? 0),
      refused: keys.map((key) => batch.refused.get(key) ?? 0),
      addresses: keys.map((key) => batch.addresses.get(key) ?? ''),
    });
    if (query === undefined) throw new Error(`no statement adds ${keys.length} rows`);
    await database.execute(query);
  };

  const networksOf = (keyId: number): Query => {
    const text = timeText(dialect, raw`n.first_used_at`);
    return toQuery(
      db
        .selectFrom('gatewright_key_networks as n')
        .select('n.network')
        .select(raw<string>`${text}`.as('first_used_at'))
        .where('n.key_id', '=', keyId)
        .orderBy('n.first_used_at', 'desc')
        .limit(namedNetworks),
    );
  };

  const step = async (): Promise<void> => {
    if (requests.size === 0) return;
    const batch: CountedUse = { requests, refused, addresses };
    requests = new Map();
    refused = new Map();
    addresses = new Map();
    const keys = [...batch.requests.keys()].sort((a, b) => a - b);
    let written = 0;
    try {
      // One statement after the other: whoever else writes gets in between.
      while (written < keys.length) {
        const left = keys.length - written;
        const length = lengths.find((each) => each <= left) ?? 1;
        await write(keys.slice(written, written + length), batch);
        written += length;
      }
    } catch (error) {
      // What was not written stays for the next batch; where it came from is known better by now.
      for (const key of keys.slice(written)) {
        const address = addresses.get(key) ?? batch.addresses.get(key) ?? '';
        add(key, batch.requests.get(key) ?? 0, batch.refused.get(key) ?? 0, address);
      }
      throw error;
    }
  };

  return {
    count,
    ...batchesOf(step, interval),

    /** Deletes days that no page shows any more; run now and then. */
    sweep: async (now = clock()): Promise<void> => {
      const oldest = dayOf(now - retention);
      await database.execute(toQuery(db.deleteFrom('gatewright_key_usage').where('day', '<', oldest)));
    },

    /** What a key did from a day on, the oldest day first; days without a request are left out. */
    of: async (keyId: number, from: string): Promise<KeyUse> => {
      const [rows, networks] = await Promise.all([
        database.all<UsedDay & { readonly address: string }>(
          toQuery(
            db
              .selectFrom('gatewright_key_usage')
              .select(['day', 'requests', 'refused', 'address'])
              .where('key_id', '=', keyId)
              .where('day', '>=', from)
              .orderBy('day'),
          ),
        ),
        database.all<KeyUse['networks'][number]>(networksOf(keyId)),
      ]);
      const days = rows.map(({ day, requests, refused }) => ({
        day,
        requests: Number(requests),
        refused: Number(refused),
      }));
      return { days, lastAddress: rows.at(-1)?.address ?? null, networks };
    },
  };
};

export type KeyUsage = ReturnType<typeof createKeyUsage>;
