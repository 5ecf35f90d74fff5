import type { Compilable } from 'kysely';
import type { Claim } from '../../auth/method.ts';
import type { Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { KeptRefusal, RefusedCaller } from './refusal.ts';

/** Different ones of a batch, and of an address in it: strangers who guess do not crowd out everybody else. */
const most = 500;
const mostOfAddress = 50;
/** Characters of an application's id; what is longer is nobody's. */
const longestId = 200;

type Asked = Pick<KeptRefusal, 'method' | 'path' | 'address'>;

interface RefusedClaim extends Asked {
  readonly claim: Claim;
  readonly code: number;
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

interface ClaimOfCaller extends Omit<RefusedClaim, 'claim'> {
  readonly caller: RefusedCaller;
}

const nameOf = (claim: Claim): string =>
  claim.kind === 'user' ? `${claim.id}` : claim.kind === 'api_key' ? claim.hash : claim.appId;

/** A key that a claim names, there or gone. */
interface NamedKey {
  readonly id: number;
  readonly key_hash: string;
  readonly username: string;
}

/** Distinct values of one kind of claims. */
const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

/**
 * Requests whose credentials were refused. Whose they were is looked up by the batch, with one statement for users,
 * one for keys and one for keys that are gone: whoever sends what is nobody's costs an entry of a bounded map, and no look-up in the request's path.
 */
export const createRefusedClaims = (database: Database, isApplication: (appId: string) => boolean) => {
  const db = tablesOf(database);
  let pending = new Map<string, RefusedClaim>();
  let addresses = new Map<string, number>();

  const usernames = async (ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    if (ids.length === 0) return new Map();
    const query = db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids);
    const rows = await database.all<{ id: number; username: string }>(toQuery(query));
    return new Map(rows.map(({ id, username }) => [id, username]));
  };

  const rowsOf = async (
    hashes: readonly string[],
    query: (hashes: readonly string[]) => Compilable,
  ): Promise<readonly NamedKey[]> => (hashes.length === 0 ? [] : database.all(toQuery(query(hashes))));

  const keys = async (hashes: readonly string[]): Promise<ReadonlyMap<string, RefusedCaller>> => {
    const live = await rowsOf(hashes, (asked) =>
      db
        .selectFrom('api_keys')
        .innerJoin('users', 'users.id', 'api_keys.user_id')
        .select(['api_keys.id', 'api_keys.key_hash', 'users.username'])
        .where('api_keys.key_hash', 'in', asked),
    );
    const known = new Set(live.map(({ key_hash }) => key_hash));
    const gone = await rowsOf(
      hashes.filter((hash) => !known.has(hash)),
      (asked) =>
        db
          .selectFrom('gatewright_revoked_keys')
          .select(['key_id as id', 'key_hash', 'username'])
          .where('key_hash', 'in', asked),
    );
    return new Map(
      [...live, ...gone].map(({ id, key_hash, username }) => [
        key_hash,
        { caller_kind: 'api_key', caller_id: String(id), caller_name: username },
      ]),
    );
  };

  const callersOf = async (
    claims: readonly Claim[],
  ): Promise<(claim: Claim) => RefusedCaller | undefined> => {
    const [names, known] = await Promise.all([
      usernames(distinct(claims.map((claim) => (claim.kind === 'user' ? claim.id : undefined)))),
      keys(distinct(claims.map((claim) => (claim.kind === 'api_key' ? claim.hash : undefined)))),
    ]);
    return (claim) => {
      if (claim.kind === 'api_key') return known.get(claim.hash);
      if (claim.kind === 'application')
        return isApplication(claim.appId)
          ? { caller_kind: 'application', caller_id: claim.appId, caller_name: claim.appId }
          : undefined;
      const name = names.get(claim.id);
      return name === undefined
        ? undefined
        : { caller_kind: 'user', caller_id: String(claim.id), caller_name: name };
    };
  };

  return {
    add: (claim: Claim, request: Asked, code: number, now: number): void => {
      const name = nameOf(claim);
      if (name.length > longestId) return;
      const { method, path, address } = request;
      const alike = [claim.kind, name, method, path, code, address].join('\n');
      const known = pending.get(alike);
      if (known !== undefined) {
        known.count += 1;
        known.lastAt = now;
        return;
      }
      const ofAddress = addresses.get(address) ?? 0;
      if (pending.size >= most || ofAddress >= mostOfAddress) return;
      addresses.set(address, ofAddress + 1);
      pending.set(alike, { claim, ...request, code, firstAt: now, lastAt: now, count: 1 });
    },

    /** Takes what has come, and answers those of known callers. Where that cannot be looked up they come next time. */
    take: async (): Promise<readonly ClaimOfCaller[]> => {
      if (pending.size === 0) return [];
      const batch = pending;
      pending = new Map();
      addresses = new Map();
      try {
        const refused = [...batch.values()];
        const callerOf = await callersOf(refused.map(({ claim }) => claim));
        return refused.flatMap(({ claim, ...rest }) => {
          const caller = callerOf(claim);
          return caller === undefined ? [] : [{ ...rest, caller }];
        });
      } catch (error) {
        for (const [alike, each] of batch) {
          const later = pending.get(alike);
          if (later === undefined) pending.set(alike, each);
          else later.count += each.count;
        }
        throw error;
      }
    },
  };
};
