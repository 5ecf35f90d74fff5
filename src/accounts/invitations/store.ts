/** Invitation links in the database: a link is found by the hash of its token, and sets a password once. */

import { invitationLifetime, type LinkToken, linkPaths } from '../../auth/link-token.ts';
import type { Database, Transaction } from '../../database/database.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  own,
  type Statement,
  sql,
  statement,
  toQuery,
} from '../../database/statement.ts';
import type { MailQueue } from '../../delivery/mail.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type Changed, createCommands } from '../../ledger/command.ts';
import {
  actingUserId,
  type Change,
  guardSuperAdmin,
  lockSuperAdmins,
  type TableContext,
} from '../../ledger/context.ts';
import { administrators, superAdmin } from '../../policy/rule.ts';
import { demandPerson, endInvitations, endSessions, storedUser } from '../users/stored-user.ts';

/** Milliseconds for which an ended link is kept, so that its page can name the reason. */
const kept = 30 * 24 * 3_600_000;

/** The user of a link, and its state. */
export interface FoundInvitation {
  readonly userId: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly expiresAt: string;
  /**
   * `ended`: it expired, was replaced by another link or password, its user was signed out everywhere or got another
   * address, or its maker lost the right to make it.
   */
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

/** The link was used or ended meanwhile: the transaction is rolled back. */
class OvertakenError extends Error {}

const makerIsAuthorized = (
  link: string,
): Fragment => sql`(${identifier(link, 'by_system')} = true or exists (select 1 from ${own('users')} m
  join ${own('user_roles')} r on r.user_id = m.id and r.role in (${join(administrators.map(literal))})
  where m.id = ${identifier(link, 'made_by')} and m.disabled = false and (r.role = ${literal(superAdmin)}
    or not exists (select 1 from ${own('user_roles')} s
      where s.user_id = ${identifier(link, 'user_id')} and s.role = ${literal(superAdmin)}))))`;

/**
 * SQL condition: a link (a row of `gatewright_invitations`) is as good as when it was made. Its user has the same
 * security stamp. Its maker could still make it, as an enabled administrator, or as a super_admin if its user is one;
 * the system always can. It is part of the statement that uses a link.
 */
export const isStillGood = (
  link: string,
): Fragment => sql`(${identifier(link, 'security_stamp')} = (select b.security_stamp from ${own('users')} b
    where b.id = ${identifier(link, 'user_id')}) and ${makerIsAuthorized(link)})`;

/** A link that was made. */
export interface MadeInvitation {
  readonly expiresAt: string;
  /** Undefined where the application sends no mail. */
  readonly sentTo: string | undefined;
}

/**
 * Links by which a user sets a password once. Only the hash of a link's token is stored.
 * @param mail sends each link to its user; undefined where the application sends no mail
 */
export class InvitationStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #mail: MailQueue | undefined;
  readonly #change: ReturnType<typeof createCommands>;

  readonly #find: Statement<{ hash: string }>;

  readonly #use: Statement<{ hash: string; now: string }>;

  constructor({ database, clock }: TableContext, mail?: MailQueue) {
    this.#database = database;
    this.#clock = clock;
    this.#mail = mail;
    this.#change = createCommands({ database, clock });
    this.#find = statement<{ hash: string }>(
      database.dialect,
      (value) => sql`select i.user_id, u.username, u.email, u.name, i.expires_at, i.used_at,
        (i.ended_at is not null or not ${isStillGood('i')}) as ended
      from ${own('gatewright_invitations')} i join ${own('users')} u on u.id = i.user_id
      where i.token_hash = ${value('hash')} and u.disabled = false`,
    );
    this.#use = statement<{ hash: string; now: string }>(
      database.dialect,
      (
        value,
      ) => sql`update ${own('gatewright_invitations')} set used_at = ${value('now')}, ended_at = ${value('now')}
      where token_hash = ${value('hash')} and ended_at is null and expires_at > ${value('now')}
        and ${isStillGood('gatewright_invitations')}`,
    );
  }

  /**
   * Makes a link for a user, which replaces the previous one, and sends it where the application sends mail. Returns
   * the time of its expiry, and the address to which it is sent.
   * @throws Problem `record_not_found`, `forbidden`, `service_account`, `user_disabled`
   */
  create(
    userId: number,
    { token, hash }: LinkToken,
    actor: Actor,
    within?: Transaction,
  ): Promise<MadeInvitation> {
    const makeLink = async (made: Change): Promise<Changed<MadeInvitation>> => {
      const { transaction, tables, now, at } = made;
      await lockSuperAdmins(made);
      const user = await storedUser(made, userId);
      guardSuperAdmin(actor, user.roles);
      demandPerson(user);
      if (user.disabled) throw new Problem('user_disabled');
      const expiresAt = toTimestamp(now + invitationLifetime * 1000);
      const old = tables
        .deleteFrom('gatewright_invitations')
        .where('expires_at', '<', toTimestamp(now - kept));
      await transaction.run(toQuery(old));
      const replaced = await endInvitations(made, 'user_id', userId);
      const times = { created_at: at, expires_at: expiresAt };
      const maker = { made_by: actingUserId(actor), by_system: actor.reason !== undefined };
      const { securityStamp: security_stamp } = user;
      const values = { user_id: userId, ...maker, token_hash: hash, ...times, security_stamp };
      await transaction.run(toQuery(tables.insertInto('gatewright_invitations').values(values)));
      const { email, username, name, locale: chosen } = user;
      const link = { path: linkPaths.invitation, token, expiresAt };
      const message = { to: email, user: { username, name }, chosen, locale: actor.language, link };
      await this.#mail?.add(transaction, { template: 'invitation', ...message });
      const audit = {
        action: 'invitation.create',
        target: { kind: 'user', id: userId, name: user.username },
        detail: replaced > 0 ? { expires_at: expiresAt, replaced: true } : { expires_at: expiresAt },
      };
      return { audit, result: { expiresAt, sentTo: this.#mail === undefined ? undefined : email } };
    };
    return this.#change(actor, makeLink, {}, within);
  }

  /** The link with this hash; undefined if its user was deleted or disabled. */
  async find(hash: string): Promise<FoundInvitation | undefined> {
    const row = await this.#database.get<InvitationRow>(this.#find({ hash }));
    if (row === undefined) return undefined;
    // Each database formats times differently.
    const expires = Date.parse(row.expires_at);
    const over = Boolean(row.ended) || expires <= this.#clock();
    const { user_id: userId, username, email, name } = row;
    const state = row.used_at !== null ? 'used' : over ? 'ended' : 'open';
    return { userId, username, email, name, expiresAt: toTimestamp(expires), state };
  }

  /**
   * Sets the password of a link's user; ends the link and the user's sessions. Returns false if the link is not
   * open.
   */
  async use(invitation: FoundInvitation, hash: string, passwordHash: string, actor: Actor): Promise<boolean> {
    try {
      await this.#change(actor, (made) => this.#setPassword(made, invitation, hash, passwordHash));
      return true;
    } catch (error) {
      if (error instanceof OvertakenError) return false;
      throw error;
    }
  }

  async #setPassword(
    made: Change,
    { userId, username }: FoundInvitation,
    hash: string,
    passwordHash: string,
  ): Promise<Changed<void>> {
    const { transaction, tables, at } = made;
    // Locks the user's row first, as every change of a user does: two concurrent changes take their locks in one
    // order.
    const update = tables
      .updateTable('users')
      .set({ password_hash: passwordHash, must_change_password: false, password_set_by: null })
      .set({ updated_at: at })
      .where('id', '=', userId)
      .where('disabled', '=', false);
    if ((await transaction.run(toQuery(update))) === 0) throw new OvertakenError();
    if ((await transaction.run(this.#use({ hash, now: at }))) === 0) throw new OvertakenError();
    await endSessions(made, userId);
    const target = { kind: 'user', id: userId, name: username };
    return { audit: { action: 'invitation.use', target }, result: undefined };
  }
}

export const createInvitationStore = (parts: TableContext, mail?: MailQueue): InvitationStore =>
  new InvitationStore(parts, mail);
