import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
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

/**
 * Ends every session of a user but `kept`, also those that a sign-in under way would begin: the password that it
 * verified does not hold any more. Returns how many there were.
 */
export const endSessions = async (
  { transaction, tables }: Change,
  id: number,
  kept?: number,
): Promise<number> => {
  const raise = tables
    .updateTable('users')
    .set((eb) => ({ security_stamp: eb('security_stamp', '+', 1) }))
    .where('id', '=', id);
  await transaction.run(toQuery(raise));
  const all = tables.deleteFrom('sessions').where('user_id', '=', id);
  return transaction.run(toQuery(kept === undefined ? all : all.where('id', '!=', kept)));
};
