/** Users and keys as the subject of an explanation, also if authentication refuses them. */

import { sql as raw } from 'kysely';
import type { Database } from '../../database/database.ts';
import { timeText } from '../../database/source.ts';
import { prepare } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../../ledger/context.ts';
import { plainHash } from '../api-keys/stored-hash.ts';

/** A user as the subject of an explanation, enabled or disabled. */
export interface CallerUser {
  readonly id: number;
  readonly username: string;
  readonly disabled: boolean;
  /** A service account calls with API keys only. */
  readonly service: boolean;
}

/** The end of a deleted key. */
export interface Revocation {
  readonly at: string;
  /** The actor's name or kind; null if unknown. */
  readonly by: string | null;
}

/**
 * A key as the subject of an explanation, active, expired or revoked. Authentication compares the hash, which is
 * never shown.
 */
export interface KnownKey {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
  readonly expired: boolean;
  /** Null: from everywhere. */
  readonly networks: readonly string[] | null;
  readonly revoked: Revocation | undefined;
  /** The owner; of a revoked key, the owner at its end. */
  readonly user: CallerUser;
}

interface RevokedRow {
  readonly name: string;
  readonly key_hash: string;
  readonly user_id: number;
  readonly username: string;
  readonly at: string;
  readonly actor_kind: string | null;
  readonly actor_name: string | null;
}

interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly disabled: boolean | number;
  readonly kind: string;
}

const callerUser = ({ id, username, disabled, kind }: UserRow): CallerUser => ({
  id,
  username,
  disabled: Boolean(disabled),
  service: kind === 'service',
});

interface KeyRow extends UserRow {
  readonly name: string;
  readonly key_hash: string;
  readonly expired: boolean | number | null;
  readonly networks: string | null;
}

/** The statements of the store, compiled once. */
const statementsFor = (database: Database) => {
  const db = tablesOf(database);
  return {
    userById: prepare<{ id: number }>((param) =>
      db.selectFrom('users').select(['id', 'username', 'disabled', 'kind']).where('id', '=', param('id')),
    ),
    keyById: prepare<{ id: number; now: string }>((param) =>
      db
        .selectFrom('api_keys')
        .innerJoin('users', 'users.id', 'api_keys.user_id')
        .select([
          'api_keys.name',
          'api_keys.key_hash',
          'users.id',
          'users.username',
          'users.disabled',
          'users.kind',
        ])
        .select((eb) => [
          eb('api_keys.expires_at', '<=', param('now')).as('expired'),
          eb.cast<string | null>('api_keys.networks', 'text').as('networks'),
        ])
        .where('api_keys.id', '=', param('id')),
    ),
    revokedById: prepare<{ id: number }>((param) =>
      db
        .selectFrom('gatewright_revoked_keys as t')
        .select(['name', 'key_hash', 'user_id', 'username', 'actor_kind', 'actor_name'])
        .select(raw<string>`${timeText(database.dialect, raw`t.revoked_at`)}`.as('at'))
        .where('key_id', '=', param('id')),
    ),
  };
};

/** Finds users and keys for an explanation, also if authentication would refuse them. */
export class CallerStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof statementsFor>;

  constructor({ database, clock }: TableContext) {
    this.#database = database;
    this.#clock = clock;
    this.#statements = statementsFor(database);
  }

  async user(id: number): Promise<CallerUser | undefined> {
    const row = await this.#database.get<UserRow>(this.#statements.userById({ id }));
    return row === undefined ? undefined : callerUser(row);
  }

  async key(id: number): Promise<KnownKey | undefined> {
    const now = toTimestamp(this.#clock());
    const row = await this.#database.get<KeyRow>(this.#statements.keyById({ id, now }));
    if (row === undefined) return this.#revokedKey(id);
    return {
      id,
      name: row.name,
      hash: plainHash(row.key_hash),
      expired: Boolean(row.expired),
      networks: row.networks === null ? null : (JSON.parse(row.networks) as string[]),
      revoked: undefined,
      user: callerUser(row),
    };
  }

  async #revokedKey(id: number): Promise<KnownKey | undefined> {
    const row = await this.#database.get<RevokedRow>(this.#statements.revokedById({ id }));
    if (row === undefined) return undefined;
    const { name, at, actor_kind, actor_name } = row;
    return {
      id,
      name,
      hash: plainHash(row.key_hash),
      expired: false,
      networks: null,
      revoked: { at, by: actor_name ?? actor_kind },
      user: { id: row.user_id, username: row.username, disabled: false, service: false },
    };
  }
}

export const createCallerStore = (context: TableContext): CallerStore => new CallerStore(context);
