import type { VerifiedUser } from '../../auth/ports.ts';
import { toQuery } from '../../database/statement.ts';
import type { Change } from '../context.ts';
import { stillVerified } from '../users/security-stamp.ts';

/** Whose factors are changed: with the password that was verified for it, or as a session of theirs has begun it. */
export type FactorOwner = VerifiedUser | { readonly id: number; readonly securityStamp?: undefined };

/** The user of a change, whose row the transaction holds. */
export interface HeldUser {
  readonly username: string;
  /** Whether there was an authenticator application or a passkey before. */
  readonly enrolled: boolean;
}

/**
 * Holds the user's row, as every change of a user does first: two that meet wait for each other. Undefined where the
 * user is disabled, or what was verified does not hold any more.
 */
export const holdUser = async (
  { transaction, tables }: Change,
  owner: FactorOwner,
): Promise<HeldUser | undefined> => {
  const { id, securityStamp } = owner;
  const hold = tables
    .updateTable('users')
    .set((eb) => ({ second_factor: eb.ref('second_factor') }))
    .where(
      securityStamp === undefined
        ? (eb) => eb.and([eb('id', '=', id), eb('disabled', '=', false)])
        : stillVerified({ id, securityStamp }),
    )
    .returning(['username', 'second_factor']);
  const row = await transaction.get<{ username: string; second_factor: boolean | number }>(toQuery(hold));
  return row === undefined ? undefined : { username: row.username, enrolled: Boolean(row.second_factor) };
};

/** Authenticator applications and passkeys of a user. */
export const countFactors = async ({ transaction, tables }: Change, userId: number): Promise<number> => {
  const totp = tables.selectFrom('gatewright_totp').select('user_id').where('user_id', '=', userId);
  const passkeys = tables.selectFrom('gatewright_passkeys').select('id').where('user_id', '=', userId);
  const found = [await transaction.all(toQuery(totp)), await transaction.all(toQuery(passkeys))];
  return found.flat().length;
};

/**
 * After a factor came or went: says with the user whether there is one, voids the codes where there is none, and ends
 * the user's other sessions and whatever was verified before. The session that asked goes on, and counts as proved.
 */
export const settleFactors = async (
  change: Change,
  userId: number,
  sessionId: number | undefined,
): Promise<void> => {
  const { transaction, tables } = change;
  const enrolled = (await countFactors(change, userId)) > 0;
  const said = tables
    .updateTable('users')
    .set((eb) => ({ second_factor: enrolled, security_stamp: eb('security_stamp', '+', 1) }))
    .where('id', '=', userId);
  await transaction.run(toQuery(said));
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
