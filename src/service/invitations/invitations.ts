import { invitationLifetime } from '../../auth/invitation.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  sql,
  statement,
  toQuery,
} from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import { administrators, superAdmin } from '../../policy/rule.ts';
import { type Actor, recordAudit } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import { actingUserId, guardSuperAdmin, lockSuperAdmins, type TableContext } from '../context.ts';
import { endSessions } from '../users/security-stamp.ts';
import { storedUser } from '../users/stored-user.ts';

/** Milliseconds for which a link that is over can still say why. */
const kept = 30 * 24 * 3_600_000;

/** Whom a link is for, and whether it is good. */
export interface FoundInvitation {
  readonly userId: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly expiresAt: string;
  /** `ended`: its time is over, another link or password took its place, or its maker could not make it any more. */
  readonly state: 'open' | 'used' | 'ended';
}

interface InvitationRow {
  readonly user_id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly expires_at: string;
  readonly used_at: string | null;
  readonly ended: boolean | number;
}

/** The link was used or ended by somebody else in the meantime: what was written with it is taken back. */
class OvertakenError extends Error {}

/**
 * Whether the maker of a link (a row of `gatewright_invitations`) could make it now: an enabled administrator, and where
 * its user is a super_admin, a super_admin. Part of the very statement that uses a link.
 */
export const makerStands = (link: string): Fragment => sql`exists (select 1 from users m
  join user_roles r on r.user_id = m.id and r.role in (${join(administrators.map(literal))})
  where m.id = ${identifier(link, 'made_by')} and m.disabled = false and (r.role = ${literal(superAdmin)}
    or not exists (select 1 from user_roles s
      where s.user_id = ${identifier(link, 'user_id')} and s.role = ${literal(superAdmin)})))`;

/** Ends the open links for a user (`user_id`), or those that a user made (`made_by`); returns how many there were. */
export const endInvitations = async (
  transaction: Transaction,
  dialect: Database['dialect'],
  column: 'user_id' | 'made_by',
  userId: number,
  now: number,
): Promise<number> => {
  const db = tablesOf({ dialect });
  const end = db
    .updateTable('gatewright_invitations')
    .set({ ended_at: toTimestamp(now) })
    .where(column, '=', userId)
    .where('ended_at', 'is', null);
  return transaction.run(toQuery(end));
};

/** Links by which a user sets a password of their own, once. Only the hash of a link's token is stored. */
export const createInvitationStore = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf({ dialect });
  const command = createCommands({ database, clock });

  const find = statement<{ hash: string }>(
    dialectOf(database),
    (value) => sql`select i.user_id, u.username, u.email, u.name, i.expires_at, i.used_at,
        (i.ended_at is not null or not ${makerStands('i')}) as ended
      from gatewright_invitations i join users u on u.id = i.user_id
      where i.token_hash = ${value('hash')} and u.disabled = false`,
  );

  const use = statement<{ hash: string; now: string }>(
    dialectOf(database),
    (value) => sql`update gatewright_invitations set used_at = ${value('now')}, ended_at = ${value('now')}
      where token_hash = ${value('hash')} and ended_at is null and expires_at > ${value('now')}
        and ${makerStands('gatewright_invitations')}`,
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
      .set({ password_hash: passwordHash, must_change_password: false, password_set_by: null })
      .set({ updated_at: toTimestamp(now) })
      .where('id', '=', userId)
      .where('disabled', '=', false);
    if ((await transaction.run(toQuery(change))) === 0) throw new OvertakenError();
    if ((await transaction.run(use({ hash, now: toTimestamp(now) }))) === 0) throw new OvertakenError();
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
      command(actor, async ({ transaction, now }) => {
        await lockSuperAdmins(transaction, dialect);
        const user = await storedUser(transaction, dialect, userId);
        guardSuperAdmin(actor, user.roles);
        if (user.disabled) throw new Problem('user_disabled');
        const expiresAt = toTimestamp(now + invitationLifetime * 1000);
        const old = db.deleteFrom('gatewright_invitations').where('expires_at', '<', toTimestamp(now - kept));
        await transaction.run(toQuery(old));
        const replaced = await endInvitations(transaction, dialect, 'user_id', userId, now);
        const times = { created_at: toTimestamp(now), expires_at: expiresAt };
        const values = { user_id: userId, made_by: actingUserId(actor), token_hash: hash, ...times };
        await transaction.run(toQuery(db.insertInto('gatewright_invitations').values(values)));
        const audit = {
          action: 'invitation.create',
          target: { kind: 'user', id: userId, name: user.username },
          detail: { expires_at: expiresAt, ...(replaced > 0 ? { replaced: true } : {}) },
        };
        return { audit, result: expiresAt };
      }),

    /** The link with this hash, unless its user is gone or disabled. */
    find: async (hash: string): Promise<FoundInvitation | undefined> => {
      const row = await database.get<InvitationRow>(find({ hash }));
      if (row === undefined) return undefined;
      // Each database writes times in its own way.
      const expires = Date.parse(row.expires_at);
      const over = Boolean(row.ended) || expires <= clock();
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
