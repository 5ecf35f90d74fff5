import { sql as raw } from 'kysely';
import { dialectOf } from '../../database/registry.ts';
import { timeText } from '../../database/source.ts';
import { prepare } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';

/** A user as an explanation is about them, disabled or not. */
export interface CallerUser {
  readonly id: number;
  readonly username: string;
  readonly disabled: boolean;
}

/** How a key ended that somebody deleted. */
export interface Revocation {
  readonly at: string;
  /** The actor in words; null where unknown. */
  readonly by: string | null;
}

/**
 * A key as an explanation is about it, expired, revoked or not. The hash is what authentication goes by; it is never
 * shown.
 */
export interface KnownKey {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
  readonly expired: boolean;
  readonly revoked: Revocation | undefined;
  /** The owner; of a key that was revoked as they were then. */
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

/** Callers whom an administrator asks about: also those whom authentication would refuse. */
export const createCallerStore = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const userById = prepare<{ id: number }>((param) =>
    db.selectFrom('users').select(['id', 'username', 'disabled']).where('id', '=', param('id')),
  );
  const keyById = prepare<{ id: number; now: string }>((param) =>
    db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .select(['api_keys.name', 'api_keys.key_hash', 'users.id', 'users.username', 'users.disabled'])
      .select((eb) => eb('api_keys.expires_at', '<=', param('now')).as('expired'))
      .where('api_keys.id', '=', param('id')),
  );
  const revokedById = prepare<{ id: number }>((param) =>
    db
      .selectFrom('gatewright_revoked_keys as t')
      .select(['name', 'key_hash', 'user_id', 'username', 'actor_kind', 'actor_name'])
      .select(raw<string>`${timeText(dialectOf(database), raw`t.revoked_at`)}`.as('at'))
      .where('key_id', '=', param('id')),
  );

  const revokedKey = async (id: number): Promise<KnownKey | undefined> => {
    const row = await database.get<RevokedRow>(revokedById({ id }));
    if (row === undefined) return undefined;
    const { name, key_hash: hash, at, actor_kind, actor_name } = row;
    const user = { id: row.user_id, username: row.username, disabled: false };
    return { id, name, hash, expired: false, revoked: { at, by: actor_name ?? actor_kind }, user };
  };

  return {
    user: async (id: number): Promise<CallerUser | undefined> => {
      const row = await database.get<{ id: number; username: string; disabled: boolean | number }>(
        userById({ id }),
      );
      return row === undefined ? undefined : { ...row, disabled: Boolean(row.disabled) };
    },

    key: async (id: number): Promise<KnownKey | undefined> => {
      const now = toTimestamp(clock());
      const row = await database.get<{
        name: string;
        key_hash: string;
        id: number;
        username: string;
        disabled: boolean | number;
        expired: boolean | number | null;
      }>(keyById({ id, now }));
      if (row === undefined) return revokedKey(id);
      const user = { id: row.id, username: row.username, disabled: Boolean(row.disabled) };
      const expired = Boolean(row.expired);
      return { id, name: row.name, hash: row.key_hash, expired, revoked: undefined, user };
    },
  };
};

export type CallerStore = ReturnType<typeof createCallerStore>;
