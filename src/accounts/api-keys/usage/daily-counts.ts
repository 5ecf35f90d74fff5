/**
 * Responses to each key by day, the refused ones apart, and the last address: counted in memory, written in batches.
 */

import { sql as raw } from 'kysely';
import type { Principal } from '../../../auth/principal.ts';
import { type AuthMethodName, authMethods, isOfKeys } from '../../../auth/registry.ts';
import type { Database, Query } from '../../../database/database.ts';
import type { Dialect } from '../../../database/dialect.ts';
import { timeText } from '../../../database/source.ts';
import { join, type Statement, sql, statement, toQuery } from '../../../database/statement.ts';
import { tablesOf } from '../../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../../kernel/clock.ts';
import { BatchedCounter } from '../../../ledger/batched-counter.ts';
import type { Change, TableContext } from '../../../ledger/context.ts';

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
  /** The networks seen last, at most `maxListedNetworks`. */
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
      const number = (column: 'keys' | 'requests' | 'refused') =>
        sql`cast(${param(column, index)} as bigint)`;
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

/** Merges counts of a key; the later address stays. */
const mergeUses = (earlier: CountedUse | undefined, added: CountedUse): CountedUse => {
  if (earlier === undefined) return { ...added, address: copyOf(added.address) };
  earlier.requests += added.requests;
  earlier.refused += added.refused;
  if (earlier.address !== added.address) earlier.address = copyOf(added.address);
  return earlier;
};

/**
 * Counts of responses by key and day. A batch is added to the day on which it is written, one statement after the
 * other, so that other writes run in between. Several processes add to the same rows.
 */
export class KeyUsage {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #db: Change['tables'];
  /** The statements that add rows, by their number of rows. */
  readonly #statements: ReadonlyMap<number, Statement<Rows>>;
  readonly #counter: BatchedCounter<number, CountedUse>;

  constructor({ database, clock }: TableContext) {
    this.#database = database;
    this.#clock = clock;
    this.#db = tablesOf(database);
    this.#statements = new Map(writeSizes.map((size) => [size, addStatement(database.dialect, size)]));
    this.#counter = new BatchedCounter({
      maxEntries: maxKeys,
      writeSizes,
      merge: mergeUses,
      write: (used) => this.#write(used),
    });
  }

  /** Counts a response to a key; for any other caller nothing. */
  count(principal: Principal, status: number, { address }: { readonly address: string }): void {
    if (principal.kind !== 'user' || !byKey.has(principal.method)) return;
    const { credential } = principal;
    if (credential !== undefined)
      this.#counter.add(credential, { requests: 1, refused: status >= 400 ? 1 : 0, address });
  }

  /** Writes the counts that are pending now. */
  flush(): Promise<void> {
    return this.#counter.flush();
  }

  /** Starts writing batches. Returns a function that stops it and writes the last batch. */
  start(onError: (error: unknown) => void): () => Promise<void> {
    return this.#counter.start(10_000, onError);
  }

  /** Deletes days that no page shows any more; called periodically. */
  async sweep(now = this.#clock()): Promise<void> {
    const oldest = dayOf(now - retentionMs);
    const expired = this.#db.deleteFrom('gatewright_key_usage').where('day', '<', oldest);
    await this.#database.execute(toQuery(expired));
  }

  /** Returns the usage of a key from a day on, oldest day first; days without requests are absent. */
  async of(keyId: number, since: string): Promise<KeyUse> {
    const counted = this.#db
      .selectFrom('gatewright_key_usage')
      .select(['day', 'requests', 'refused', 'address'])
      .where('key_id', '=', keyId)
      .where('day', '>=', since)
      .orderBy('day');
    const [rows, networks] = await Promise.all([
      this.#database.all<UsedDay & { readonly address: string }>(toQuery(counted)),
      this.#database.all<KeyUse['networks'][number]>(this.#networksOf(keyId)),
    ]);
    const days = rows.map(({ day, requests, refused }) => ({
      day,
      requests: Number(requests),
      refused: Number(refused),
    }));
    return { days, lastAddress: rows.at(-1)?.address ?? null, networks };
  }

  async #write(used: readonly (readonly [number, CountedUse])[]): Promise<void> {
    const query = this.#statements.get(used.length)?.({
      day: dayOf(this.#clock()),
      keys: used.map(([key]) => key),
      requests: used.map(([, { requests }]) => requests),
      refused: used.map(([, { refused }]) => refused),
      addresses: used.map(([, { address }]) => address),
    });
    if (query === undefined) throw new Error(`no statement adds ${used.length} rows`);
    await this.#database.execute(query);
  }

  #networksOf(keyId: number): Query {
    const text = timeText(this.#database.dialect, raw`n.first_used_at`);
    return toQuery(
      this.#db
        .selectFrom('gatewright_key_networks as n')
        .select('n.network')
        .select(raw<string>`${text}`.as('first_used_at'))
        .where('n.key_id', '=', keyId)
        .orderBy('n.first_used_at', 'desc')
        .limit(maxListedNetworks),
    );
  }
}

export const createKeyUsage = (context: TableContext): KeyUsage => new KeyUsage(context);
