import { toQuery } from '../../database/statement.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Change } from '../context.ts';

export interface StoredUser {
  readonly username: string;
  readonly disabled: boolean;
  readonly roles: readonly string[];
}

/** A user as the transaction finds them. @throws Problem `record_not_found` */
export const storedUser = async ({ transaction, tables }: Change, id: number): Promise<StoredUser> => {
  const row = await transaction.get<{ username: string; disabled: boolean | number }>(
    toQuery(tables.selectFrom('users').select(['username', 'disabled']).where('id', '=', id)),
  );
  if (row === undefined) throw new Problem('record_not_found');
  const roles = await transaction.all<{ role: string }>(
    toQuery(tables.selectFrom('user_roles').select('role').where('user_id', '=', id)),
  );
  return { username: row.username, disabled: Boolean(row.disabled), roles: roles.map(({ role }) => role) };
};
