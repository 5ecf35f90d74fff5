/**
 * Responses to each key by day, the refused ones apart, and the last address: counted in memory, written in batches.
 */

import { sql as raw } from 'kysely';
import type { Principal } from '../../../auth/principal.ts';
import { type AuthMethodName, authMethods, isOfKeys } from '../../../auth/registry.ts';
import type { Query } from '../../../database/database.ts';
import type { Dialect } from '../../../database/dialect.ts';
import { timeText } from '../../../database/source.ts';
import { join, type Statement, sql, statement, toQuery } from '../../../database/statement.ts';
import { tablesOf } from '../../../database/tables-of.ts';
import { toTimestamp } from '../../../kernel/clock.ts';
import { BatchedCounter } from '../../../ledger/batched-counter.ts';
import type { TableContext } from '../../../ledger/context.ts';

/** Days for which counts are kept: one more than the page of a key shows. */
const retentionMs = 31 * 24 * 3_600_000;

/**
 * Maximum number of keys in a batch, some 100 bytes each. More keys within ten seconds occur only while the database
 * is unavailable; their requests are not counted.
 */
const maxKeys = 200_000;

/** Numbers of rows that one statement adds. There are few, so that few statements are compiled. */
const writeSizes = [500, 50, 5, 1] as const;

/** Maximum number of networks listed for a key. */
const maxListedNetworks = 20;

/** `YYYY-MM-DD`, UTC. */
export const dayOf = (time: number): string => toTimestamp(time).slice(0, 10);

export interface UsedDay {
  readonly day: string;
  readonly requests: number;
  /** Requests among them with a status of 400 or above. */
  readonly refused: number;
}

export interface KeyUse {
  readonly days: readonly UsedDay[];
  /** Address of the last of these requests. */
  readonly lastAddress: string | null;
  /** The networks seen last, at most `maxNetworks`. */
  readonly networks: readonly { readonly network: string; readonly first_used_at: string }[];
}

/** Responses to a key that are counted and not yet written. */
interface CountedUse {
  requests: number;
  refused: number;
  address: string;
}

/** The rows of one statement, one list for each column. */
type Rows = {
  readonly day: string;
  readonly keys: readonly number[];
  readonly requests: readonly number[];
  readonly refused: readonly number[];
  readonly addresses: readonly string[];
};

const byKey: ReadonlySet<AuthMethodName> = new Set(authMethods.map(({ name }) => name).filter(isOfKeys));

/** Returns a copy of its own, so that the text does not keep the whole header in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/**
 * Returns a statement that adds counts, except for deleted keys. It orders them by id, so that processes take row
 * locks in one order.
 */
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
 * Counts of responses by key and day. A batch is added to the day on which it is written, one statement after the
 * other, so that other writes run in between. Several processes add to the same rows.
 */
export const createKeyUsage = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf(database);
  const statements = new Map(writeSizes.map((size) => [size as number, addStatement(dialect, size)]));

  const counter = new BatchedCounter<number, CountedUse>({
    maxEntries: maxKeys,
    writeSizes,
    merge: (earlier, added) => {
      if (earlier === undefined) return { ...added, address: copyOf(added.address) };
      earlier.requests += added.requests;
      earlier.refused += added.refused;
      if (earlier.address !== added.address) earlier.address = copyOf(added.address);
      return earlier;
    },
    write: async (used) => {
      const query = statements.get(used.length)?.({
        day: dayOf(clock()),
        keys: used.map(([key]) => key),
        requests: used.map(([, { requests }]) => requests),
        refused: used.map(([, { refused }]) => refused),
        addresses: used.map(([, { address }]) => address),
      });
      if (query === undefined) throw new Error(`no statement adds ${used.length} rows`);
      await database.execute(query);
    },
  });

  const count = (principal: Principal, status: number, { address }: { readonly address: string }): void => {
    if (principal.kind !== 'user' || !byKey.has(principal.method)) return;
    const { credential } = principal;
    if (credential !== undefined)
      counter.add(credential, { requests: 1, refused: status >= 400 ? 1 : 0, address });
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
        .limit(maxListedNetworks),
    );
  };

  return {
    count,
    flush: counter.flush,
    start: (onError: (error: unknown) => void) => counter.start(10_000, onError),

    /** Deletes days that no page shows any more; called periodically. */
    sweep: async (now = clock()): Promise<void> => {
      const oldest = dayOf(now - retentionMs);
      await database.execute(toQuery(db.deleteFrom('gatewright_key_usage').where('day', '<', oldest)));
    },

    /** Returns the usage of a key from a day on, oldest day first; days without requests are absent. */
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
