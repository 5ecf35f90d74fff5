/** Steps that every change of a user's factors shares: the lock of the user's row, and the state afterwards. */

import type { VerifiedUser } from '../../auth/ports.ts';
import { toQuery } from '../../database/statement.ts';
import type { Change } from '../../ledger/context.ts';
import { endBegun, isStillVerified } from '../users/stored-user.ts';

/** The user of a change, whose row the transaction has locked. */
export interface LockedUser {
  readonly username: string;
  /** True if the user had an authenticator application or a passkey before. */
  readonly enrolled: boolean;
}

/**
 * Locks the user's row, as every change of a user does first; undefined if the user is disabled, or the verification
 * is no longer valid.
 */
export const lockUser = async (
  { transaction, tables }: Change,
  user: VerifiedUser,
): Promise<LockedUser | undefined> => {
  const hold = tables
    .updateTable('users')
    .set((eb) => ({ second_factor: eb.ref('second_factor') }))
    .where(isStillVerified(user))
    .returning(['username', 'second_factor']);
  const row = await transaction.get<{ username: string; second_factor: boolean | number }>(toQuery(hold));
  return row === undefined ? undefined : { username: row.username, enrolled: Boolean(row.second_factor) };
};

/** The number of a user's authenticator applications and passkeys. */
export const countFactors = async ({ transaction, tables }: Change, userId: number): Promise<number> => {
  const totp = tables.selectFrom('gatewright_totp').select('user_id').where('user_id', '=', userId);
  const passkeys = tables.selectFrom('gatewright_passkeys').select('id').where('user_id', '=', userId);
  const found = [await transaction.all(toQuery(totp)), await transaction.all(toQuery(passkeys))];
  return found.flat().length;
};

/**
 * Updates the user after a factor was added or removed: whether there is one, no recovery codes if there is none, and
 * no other sessions and verifications. The session of the change stays and counts as verified.
 */
export const settleFactors = async (
  change: Change,
  userId: number,
  sessionId: number | undefined,
): Promise<void> => {
  const { transaction, tables } = change;
  const enrolled = (await countFactors(change, userId)) > 0;
  const update = tables.updateTable('users').set({ second_factor: enrolled }).where('id', '=', userId);
  await transaction.run(toQuery(update));
  await endBegun(change, userId);
  if (!enrolled)
    await transaction.run(
      toQuery(tables.deleteFrom('gatewright_recovery_codes').where('user_id', '=', userId)),
    );
  const others = tables.deleteFrom('sessions').where('user_id', '=', userId);
  await transaction.run(toQuery(sessionId === undefined ? others : others.where('id', '!=', sessionId)));
  if (sessionId === undefined) return;
  const kept = tables
    .updateTable('sessions')
    .set({ second_factor: enrolled })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId);
  await transaction.run(toQuery(kept));
};
