import { toTimestamp } from '../../kernel/timestamp.ts';
import { prepare } from '../statement.ts';
import type { TableContext } from './context.ts';
import { tablesOf } from './tables-of.ts';

/** A user as an explanation is about them, disabled or not. */
export interface CallerUser {
  readonly id: number;
  readonly username: string;
  readonly disabled: boolean;
}

/** A key as an explanation is about it, expired or not. The hash is what authentication goes by; it is never shown. */
export interface KnownKey {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
  readonly expired: boolean;
  readonly user: CallerUser;
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
      if (row === undefined) return undefined;
      const user = { id: row.id, username: row.username, disabled: Boolean(row.disabled) };
      return { id, name: row.name, hash: row.key_hash, expired: Boolean(row.expired), user };
    },
  };
};

export type CallerStore = ReturnType<typeof createCallerStore>;
