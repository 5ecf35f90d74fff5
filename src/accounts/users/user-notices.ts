import { toQuery } from '../../database/statement.ts';
import type { AccountChange, MailQueue } from '../../delivery/mail.ts';
import type { Change } from '../../ledger/context.ts';
import { type StoredUser, storedUser } from './stored-user.ts';

/** A message about a change of an account. */
export type UserNotice =
  | { readonly template: 'password_changed' | 'email_changed' }
  /** @property changed name of the provider or of the key; empty if the change concerns neither */
  | { readonly template: 'account_changed'; readonly change: AccountChange; readonly changed: string };

/**
 * Sends a message to a person, in the transaction of the change.
 * @param user the user as stored before the change, whose address is used; read if absent
 */
export type NotifyUser = (
  change: Change,
  userId: number,
  notice: UserNotice,
  user?: StoredUser,
) => Promise<void>;

/** The number of ways to use an account that a new password does not end. */
const countRemainingAccess = async ({ transaction, tables, at }: Change, userId: number) => {
  const keys = tables
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]));
  const accounts = tables.selectFrom('gatewright_linked_accounts').select('id').where('user_id', '=', userId);
  return {
    keys: (await transaction.all(toQuery(keys))).length,
    linkedAccounts: (await transaction.all(toQuery(accounts))).length,
  };
};

/** @param mail undefined where the application sends no mail: then nothing is sent, and nothing is read */
export const createNotifyUser =
  (mail: Pick<MailQueue, 'add'> | undefined): NotifyUser =>
  async (change, userId, notice, user) => {
    if (mail === undefined) return;
    const { kind, email, username, name, locale: chosen } = user ?? (await storedUser(change, userId));
    if (kind === 'service' || email === '') return;
    const kept = notice.template === 'password_changed' ? await countRemainingAccess(change, userId) : {};
    const recipient = { to: email, user: { username, name }, chosen, locale: change.actor.language };
    await mail.add(change.transaction, { ...recipient, ...notice, ...kept });
  };
