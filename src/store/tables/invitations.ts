import { invitationLifetime } from '../../auth/invitation.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Database, Transaction } from '../database.ts';
import { dialectOf } from '../dialects/registry.ts';
import { sql, statement, toQuery } from '../statement.ts';
import { type Actor, recordAudit } from './audit.ts';
import { guardSuperAdmin, lockSuperAdmins, type TableContext } from './context.ts';
import { endSessions } from './security-stamp.ts';
import { storedUser } from './stored-user.ts';
import { tablesOf } from './tables-of.ts';

/** Milliseconds for which a link that is over can still say why. */
const kept = 30 * 24 * 3_600_000;

/** Whom a link is for, and whether it is good. */
export interface FoundInvitation {
  readonly userId: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly expiresAt: string;
  /** `ended`: its time is over, or another link or password took its place. */
  readonly state: 'open' | 'used' | 'ended';
}

interface InvitationRow {
  readonly user_id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly expires_at: string;
  readonly used_at: string | null;
  readonly ended_at: string | null;
}

/** The link was used or ended by somebody else in the meantime: what was written with it is taken back. */
class OvertakenError extends Error {}

/** Ends the links of a user: whoever set the password, or keeps the user out, wants none to be open. */
export const endInvitations = async (
  transaction: Transaction,
  dialect: Database['dialect'],
  userId: number,
  now: number,
): Promise<number> => {
  const db = tablesOf({ dialect });
  const end = db
    .updateTable('gatewright_invitations')
    .set({ ended_at: toTimestamp(now) })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null);
  return transaction.run(toQuery(end));
};

/** Links by which a user sets a password of their own, once. Only the hash of a link's token is stored. */
export const createInvitationStore = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf({ dialect });

  const find = statement<{ hash: string }>(
    dialectOf(database),
    (value) => sql`select i.user_id, u.username, u.email, u.name, i.expires_at, i.used_at, i.ended_at
      from gatewright_invitations i join users u on u.id = i.user_id
      where i.token_hash = ${value('hash')} and u.disabled = false`,
  );

  const setPassword = async (
    transaction: Transaction,
    { userId, username }: FoundInvitation,
    hash: string,
    passwordHash: string,
    actor: Actor,
  ): Promise<void> => {
    const now = clock();
    // The user's row first, as every change of a user takes it: two that meet wait for each other in one order.
    const change = db
      .updateTable('users')
      .set({ password_hash: passwordHash, must_change_password: false, updated_at: toTimestamp(now) })
      .where('id', '=', userId)
      .where('disabled', '=', false);
    if ((await transaction.run(toQuery(change))) === 0) throw new OvertakenError();
    const use = db
      .updateTable('gatewright_invitations')
      .set({ used_at: toTimestamp(now), ended_at: toTimestamp(now) })
      .where('token_hash', '=', hash)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', toTimestamp(now));
    if ((await transaction.run(toQuery(use))) === 0) throw new OvertakenError();
    await endSessions(transaction, dialect, userId);
    const target = { kind: 'user', id: userId, name: username };
    await recordAudit(transaction, dialect, now, actor, { action: 'invitation.use', target });
  };

  return {
    /**
     * Makes a link for a user; it ends the one before. Answers when it ends by itself.
     * @throws Problem `record_not_found`, `forbidden`, `user_disabled`
     */
    create: (userId: number, hash: string, actor: Actor): Promise<string> =>
      database.write(async (transaction) => {
        await lockSuperAdmins(transaction, dialect);
        const user = await storedUser(transaction, dialect, userId);
        guardSuperAdmin(actor, user.roles);
        if (user.disabled) throw new Problem('user_disabled');
        const now = clock();
        const expiresAt = toTimestamp(now + invitationLifetime * 1000);
        const old = db.deleteFrom('gatewright_invitations').where('expires_at', '<', toTimestamp(now - kept));
        await transaction.run(toQuery(old));
        const replaced = await endInvitations(transaction, dialect, userId, now);
        const times = { created_at: toTimestamp(now), expires_at: expiresAt };
        const values = { user_id: userId, token_hash: hash, ...times };
        await transaction.run(toQuery(db.insertInto('gatewright_invitations').values(values)));
        await recordAudit(transaction, dialect, now, actor, {
          action: 'invitation.create',
          target: { kind: 'user', id: userId, name: user.username },
          detail: { expires_at: expiresAt, ...(replaced > 0 ? { replaced: true } : {}) },
        });
        return expiresAt;
      }),

    /** The link with this hash, unless its user is gone or disabled. */
    find: async (hash: string): Promise<FoundInvitation | undefined> => {
      const row = await database.get<InvitationRow>(find({ hash }));
      if (row === undefined) return undefined;
      // Each database writes times in its own way.
      const expires = Date.parse(row.expires_at);
      const over = row.ended_at !== null || expires <= clock();
      const { user_id: userId, username, email, name } = row;
      const state = row.used_at !== null ? 'used' : over ? 'ended' : 'open';
      return { userId, username, email, name, expiresAt: toTimestamp(expires), state };
    },

    /** Sets the password of a link's user, and ends the link and the user's sessions. False where it is not open. */
    use: async (
      invitation: FoundInvitation,
      hash: string,
      passwordHash: string,
      actor: Actor,
    ): Promise<boolean> => {
      try {
        await database.write((transaction) =>
          setPassword(transaction, invitation, hash, passwordHash, actor),
        );
        return true;
      } catch (error) {
        if (error instanceof OvertakenError) return false;
        throw error;
      }
    },
  };
};

export type InvitationStore = ReturnType<typeof createInvitationStore>;
