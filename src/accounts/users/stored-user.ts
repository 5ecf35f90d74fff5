/**
 * A stored user inside a transaction: its row, the proof that its password still holds, and the end of all sessions.
 */

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { tokenLifetime } from '../../auth/jwt.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import type { Reader } from '../../database/database.ts';
import { own, toQuery } from '../../database/statement.ts';
import type { CoreSchema } from '../../database/tables.ts';
import type { Locale } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Change } from '../../ledger/context.ts';

export interface StoredUser {
  readonly username: string;
  readonly usernameCanonical: string;
  /** Empty if there is none. */
  readonly email: string;
  readonly emailCanonical: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly kind: 'person' | 'service';
  readonly securityStamp: number;
  /** Language of messages to the user; null for none. */
  readonly locale: Locale | null;
  readonly roles: readonly string[];
}

/** Returns a user as it is in the transaction. @throws Problem `record_not_found` */
export const storedUser = async (
  { transaction, tables }: Pick<Change, 'tables'> & { readonly transaction: Pick<Reader, 'get' | 'all'> },
  id: number,
): Promise<StoredUser> => {
  const user = tables
    .selectFrom('users')
    .select(['username', 'username_canonical', 'email', 'email_canonical', 'name', 'disabled', 'kind'])
    .select(['security_stamp', 'locale'])
    .where('id', '=', id);
  type Row = Pick<StoredUser, 'username' | 'email' | 'name' | 'kind' | 'locale'> & {
    username_canonical: string;
    email_canonical: string;
    disabled: boolean | number;
    security_stamp: number;
  };
  const row = await transaction.get<Row>(toQuery(user));
  if (row === undefined) throw new Problem('record_not_found');
  const roles = await transaction.all<{ role: string }>(
    toQuery(tables.selectFrom('user_roles').select('role').where('user_id', '=', id)),
  );
  const { username, email, name, kind, locale } = row;
  return {
    username,
    email,
    name,
    kind,
    locale,
    usernameCanonical: row.username_canonical,
    emailCanonical: row.email_canonical,
    disabled: Boolean(row.disabled),
    securityStamp: row.security_stamp,
    roles: roles.map(({ role }) => role),
  };
};

/** Refuses a way of signing in to a service account. @throws Problem `service_account` */
export const demandPerson = ({ kind }: Pick<StoredUser, 'kind'>): void => {
  if (kind === 'service') throw new Problem('service_account');
};

/**
 * SQL condition: the verification of a user is still valid. It belongs into the statement that writes, since the
 * password may be changed and the account disabled between an earlier read and the write.
 */
export const isStillVerified =
  ({ id, securityStamp }: VerifiedUser) =>
  (eb: ExpressionBuilder<CoreSchema, 'users'>): Expression<SqlBool> =>
    eb.and([eb('id', '=', id), eb('security_stamp', '=', securityStamp), eb('disabled', '=', false)]);

/**
 * SQL condition: a user without a password who has linked an account, and none of a provider that closes the way to a
 * first password.
 * @param closed names of these providers
 */
export const maySetFirstPassword =
  (closed: readonly string[]) =>
  (eb: ExpressionBuilder<CoreSchema, 'users'>): Expression<SqlBool> => {
    const linked = eb
      .selectFrom('gatewright_linked_accounts as l')
      .select('l.id')
      .whereRef('l.user_id', '=', 'users.id');
    // No provider has the empty name: an empty list is no SQL.
    const shut = eb.exists(linked.where('l.provider', 'in', ['', ...closed]));
    return eb.and([eb('password_hash', '=', ''), eb.exists(linked), eb.not(shut)]);
  };

/**
 * Greatest expiry (Unix seconds) of the tokens that the user may hold; an instance whose clock is ahead may have issued
 * one.
 */
const greatestExpiry = (now: number) => sql<number>`(select max(e.column1) from (values
  (cast(${Math.floor(now / 1000) + tokenLifetime} as bigint)), (${own('users')}.last_token_expiry), (${own('users')}.revoked_token_expiry)) e)`;

/** Ends the open links for a user (`user_id`) or by a user (`made_by`); returns their number. */
export const endInvitations = (
  { transaction, tables, at }: Change,
  column: 'user_id' | 'made_by',
  userId: number,
): Promise<number> => {
  const end = tables
    .updateTable('gatewright_invitations')
    .set({ ended_at: at })
    .where(column, '=', userId)
    .where('ended_at', 'is', null);
  return transaction.run(toQuery(end));
};

/**
 * Ends everything that was begun for a user and is not finished: a sign-in, a link that was sent, an invitation, the
 * setup of a factor, the link of a provider. Each of them carries the stamp of its beginning, and `isStillVerified` is
 * part of the statement that finishes it. The rows that are removed here would only stay and never be used.
 */
export const endBegun = async (change: Change, id: number): Promise<void> => {
  const { transaction, tables } = change;
  const raise = tables
    .updateTable('users')
    .set((eb) => ({ security_stamp: eb('security_stamp', '+', 1) }))
    .where('id', '=', id);
  await transaction.run(toQuery(raise));
  await transaction.run(toQuery(tables.deleteFrom('gatewright_account_links').where('user_id', '=', id)));
  await endInvitations(change, 'user_id', id);
};

/**
 * Ends one session of a user, and revokes the tokens of a long sign-in. Returns the place where it began; undefined if
 * the user has no such session.
 */
export const endSession = async (
  { transaction, tables, now }: Change,
  userId: number,
  id: number,
): Promise<{ readonly address: string; readonly user_agent: string } | undefined> => {
  const issued = tables
    .selectFrom('gatewright_session_tokens as t')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .select(['s.user_id', 't.expiry'])
    .where('s.id', '=', id)
    .where('s.user_id', '=', userId)
    .where('t.expiry', '>', Math.floor(now / 1000));
  const revoke = tables
    .insertInto('gatewright_revoked_tokens')
    .columns(['user_id', 'expiry'])
    .expression(issued)
    .onConflict((conflict) => conflict.doNothing());
  await transaction.run(toQuery(revoke));
  const end = tables
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(['address', 'user_agent']);
  return transaction.get(toQuery(end));
};

/**
 * Revokes every token of a user, ends everything that was begun, and ends every session but `kept`. Returns the number
 * of ended sessions.
 */
export const endSessions = async (change: Change, id: number, kept?: number): Promise<number> => {
  const { transaction, tables, now } = change;
  const revoke = tables
    .updateTable('users')
    .set({ revoked_token_expiry: greatestExpiry(now) })
    .where('id', '=', id);
  await transaction.run(toQuery(revoke));
  await endBegun(change, id);
  const all = tables.deleteFrom('sessions').where('user_id', '=', id);
  return transaction.run(toQuery(kept === undefined ? all : all.where('id', '!=', kept)));
};
