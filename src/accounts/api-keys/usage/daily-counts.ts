/**
 * Responses to each key by day, the refused ones apart, and the last address: counted in memory, written in batches.
 */

import { sql as raw } from 'kysely';
import type { Principal } from '../../../auth/principal.ts';
import { type AuthMethodName, authMethods, isOfKeys } from '../../../auth/registry.ts';
import type { Query } from '../../../database/database.ts';
import { timeText } from '../../../database/source.ts';
import { toQuery } from '../../../database/statement.ts';
import { toTimestamp } from '../../../kernel/clock.ts';
import type { TableContext } from '../../../ledger/context.ts';
import { CountedTable } from '../../../ledger/counted-table.ts';

/** Days for which counts are kept: one more than the page of a key shows. */
const retentionMs = 31 * 24 * 3_600_000;

/**
 * Maximum number of keys in a batch, some 100 bytes each. More keys within ten seconds occur only while the database
 * is unavailable; their requests are not counted.
 */
const maxKeys = 200_000;

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
  readonly key_id: number;
  requests: number;
  refused: number;
  address: string;
}

const byKey: ReadonlySet<AuthMethodName> = new Set(authMethods.map(({ name }) => name).filter(isOfKeys));

/** Returns a copy of its own, so that the text does not keep the whole header in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** Counts of responses by key and day. A batch is added to the day on which it is written. */
export class KeyUsage extends CountedTable<'gatewright_key_usage', CountedUse> {
  constructor(context: TableContext) {
    super(context, {
      name: 'use of keys',
      table: 'gatewright_key_usage',
      key: ['key_id', 'day'],
      sums: ['requests', 'refused'],
      newest: ['address'],
      written: { day: dayOf },
      owner: 'key_id',
      removal: { column: 'day', ageMs: retentionMs, text: dayOf },
      maxEntries: maxKeys,
      rowsPerStatement: [500, 50, 5, 1],
      begin: (used) => ({ ...used, address: copyOf(used.address) }),
      merge: (pending, used) => {
        pending.requests += used.requests;
        pending.refused += used.refused;
        if (pending.address !== used.address) pending.address = copyOf(used.address);
        return pending;
      },
    });
  }

  /** Counts a response to a key; for any other caller nothing. */
  count(principal: Principal, status: number, { address }: { readonly address: string }): void {
    if (principal.kind !== 'user' || !byKey.has(principal.method)) return;
    const { credential } = principal;
    if (credential !== undefined)
      this.counter.add(credential, {
        key_id: credential,
        requests: 1,
        refused: status >= 400 ? 1 : 0,
        address,
      });
  }

  /** Returns the usage of a key from a day on, oldest day first; days without requests are absent. */
  async of(keyId: number, since: string): Promise<KeyUse> {
    const counted = this.tables
      .selectFrom('gatewright_key_usage')
      .select(['day', 'requests', 'refused', 'address'])
      .where('key_id', '=', keyId)
      .where('day', '>=', since)
      .orderBy('day');
    const [rows, networks] = await Promise.all([
      this.database.all<UsedDay & { readonly address: string }>(toQuery(counted)),
      this.database.all<KeyUse['networks'][number]>(this.#networksOf(keyId)),
    ]);
    const days = rows.map(({ day, requests, refused }) => ({
      day,
      requests: Number(requests),
      refused: Number(refused),
    }));
    return { days, lastAddress: rows.at(-1)?.address ?? null, networks };
  }

  #networksOf(keyId: number): Query {
    const text = timeText(this.database.dialect, raw`n.first_used_at`);
    return toQuery(
      this.tables
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
