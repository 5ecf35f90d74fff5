import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { tokenLifetime } from '../../auth/jwt.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import type { CoreSchema } from '../../database/schema.ts';
import { toQuery } from '../../database/statement.ts';
import type { Change } from '../context.ts';

/**
 * Whether the user of a row is still whom the password was verified of. It belongs into the very statement that writes:
 * between a look before it and the write, a password may be changed and an account be disabled.
 */
export const stillVerified =
  ({ id, securityStamp }: VerifiedUser) =>
  (eb: ExpressionBuilder<CoreSchema, 'users'>): Expression<SqlBool> =>
    eb.and([eb('id', '=', id), eb('security_stamp', '=', securityStamp), eb('disabled', '=', false)]);

/** Greatest expiry (Unix seconds) of the tokens that the user may hold; an instance whose clock is ahead may have issued one. */
const greatestExpiry = (now: number) => sql<number>`(select max(e.column1) from (values
  (cast(${Math.floor(now / 1000) + tokenLifetime} as bigint)), (users.last_token_expiry), (users.revoked_token_expiry)) e)`;

/**
 * Revokes every token of a user and ends every session but `kept`. A sign-in that has verified the former password
 * cannot complete. Returns the number of ended sessions.
 */
export const endSessions = async (
  { transaction, tables, now }: Change,
  id: number,
  kept?: number,
): Promise<number> => {
  const revoke = tables
    .updateTable('users')
    .set((eb) => ({
      security_stamp: eb('security_stamp', '+', 1),
      revoked_token_expiry: greatestExpiry(now),
    }))
    .where('id', '=', id);
  await transaction.run(toQuery(revoke));
  const all = tables.deleteFrom('sessions').where('user_id', '=', id);
  return transaction.run(toQuery(kept === undefined ? all : all.where('id', '!=', kept)));
};
