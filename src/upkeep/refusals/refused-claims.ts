/** Finds the callers of requests whose credentials were refused, in batches of bounded size. */

import { findSecrets } from '../../accounts/api-keys.ts';
import type { Claim } from '../../auth/method.ts';
import type { Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { Clock } from '../../kernel/clock.ts';
import { BatchedCounter } from '../../ledger/batched-counter.ts';
import type { TableContext } from '../../ledger/context.ts';

/** A refusal as it is stored, without its times and its count. */
export interface KeptRefusal {
  readonly caller_kind: 'user' | 'api_key' | 'application';
  readonly caller_id: string;
  readonly caller_name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: number;
  readonly address: string;
}

export type RefusedCaller = Pick<KeptRefusal, 'caller_kind' | 'caller_id' | 'caller_name'>;

/**
 * Maximum numbers of distinct claims in a batch, and per address in it: guesses by one address do not displace
 * others.
 */
const maxClaims = 500;
const maxClaimsOfAddress = 50;
/** Maximum length of an application's id in characters; a longer one belongs to no application. */
const maxIdLength = 200;

type Asked = Pick<KeptRefusal, 'method' | 'path' | 'address'>;

interface RefusedClaim extends Asked {
  readonly claim: Claim;
  readonly code: number;
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

export interface ClaimOfCaller extends Omit<RefusedClaim, 'claim'> {
  readonly caller: RefusedCaller;
}

const nameOf = (claim: Claim): string =>
  claim.kind === 'user' ? `${claim.id}` : claim.kind === 'api_key' ? claim.hash : claim.appId;

/** Distinct values of one kind of claim. */
const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

/**
 * Requests with refused credentials. Their callers are looked up in batches, by one statement each for users and
 * keys: such a request costs an entry of a bounded counter and no query.
 */
export class RefusedClaims {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #isApplication: (appId: string) => boolean;
  readonly #onCaller: (claim: ClaimOfCaller) => void;
  #addresses = new Map<string, number>();
  readonly #counter = new BatchedCounter<string, RefusedClaim>({
    maxEntries: maxClaims,
    merge: (earlier, added) => {
      earlier.count += added.count;
      earlier.lastAt = added.lastAt;
      return earlier;
    },
    write: (refused) => this.#pass(refused.map(([, claim]) => claim)),
  });

  constructor(
    { database, clock }: TableContext,
    isApplication: (appId: string) => boolean,
    onCaller: (claim: ClaimOfCaller) => void,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#isApplication = isApplication;
    this.#onCaller = onCaller;
  }

  add(claim: Claim, request: Asked, code: number, now: number): void {
    const name = nameOf(claim);
    if (name.length > maxIdLength) return;
    const { method, path, address } = request;
    const key = [claim.kind, name, method, path, code, address].join('\n');
    if (!this.#counter.has(key)) {
      const ofAddress = this.#addresses.get(address) ?? 0;
      if (this.#counter.isFull || ofAddress >= maxClaimsOfAddress) return;
      this.#addresses.set(address, ofAddress + 1);
    }
    this.#counter.add(key, { claim, ...request, code, firstAt: now, lastAt: now, count: 1 });
  }

  /** Looks up the callers of the pending claims. */
  flush(): Promise<void> {
    return this.#counter.flush();
  }

  async #pass(refused: readonly RefusedClaim[]): Promise<void> {
    this.#addresses = new Map();
    const callerOf = await this.#callersOf(refused.map(({ claim }) => claim));
    for (const { claim, ...rest } of refused) {
      const caller = callerOf(claim);
      if (caller !== undefined) this.#onCaller({ ...rest, caller });
    }
  }

  async #callersOf(claims: readonly Claim[]): Promise<(claim: Claim) => RefusedCaller | undefined> {
    const [names, known] = await Promise.all([
      this.#usernames(distinct(claims.map((claim) => (claim.kind === 'user' ? claim.id : undefined)))),
      this.#keys(distinct(claims.map((claim) => (claim.kind === 'api_key' ? claim.hash : undefined)))),
    ]);
    return (claim) => {
      if (claim.kind === 'api_key') return known.get(claim.hash);
      if (claim.kind === 'application')
        return this.#isApplication(claim.appId)
          ? { caller_kind: 'application', caller_id: claim.appId, caller_name: claim.appId }
          : undefined;
      const name = names.get(claim.id);
      return name === undefined
        ? undefined
        : { caller_kind: 'user', caller_id: String(claim.id), caller_name: name };
    };
  }

  async #usernames(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (ids.length === 0) return new Map();
    const query = tablesOf(this.#database)
      .selectFrom('users')
      .select(['id', 'username'])
      .where('id', 'in', ids);
    const rows = await this.#database.all<{ id: number; username: string }>(toQuery(query));
    return new Map(rows.map(({ id, username }) => [id, username]));
  }

  async #keys(hashes: readonly string[]): Promise<ReadonlyMap<string, RefusedCaller>> {
    const found = await findSecrets(this.#database, this.#database.dialect, hashes, this.#clock());
    return new Map(
      [...found].map(([hash, { id, username }]) => [
        hash,
        { caller_kind: 'api_key', caller_id: String(id), caller_name: username },
      ]),
    );
  }
}

/** @param onCaller called with each claim that belongs to a caller */
export const createRefusedClaims = (
  context: TableContext,
  isApplication: (appId: string) => boolean,
  onCaller: (claim: ClaimOfCaller) => void,
): RefusedClaims => new RefusedClaims(context, isApplication, onCaller);
