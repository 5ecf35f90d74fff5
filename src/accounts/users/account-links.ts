/** Links by mail in the database: requests, the messages that they cause, and links used once. */

import { canonicalAccount } from '../../auth/account.ts';
import { networkOf } from '../../auth/client-network.ts';
import { accountLinkLifetime, hashLinkToken, linkPaths, newLinkToken } from '../../auth/link-token.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import { anonymous } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { accountLinkJob, type MailLink, type MailQueue, type MailTemplateName } from '../../delivery/mail.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import type { Locale } from '../../kernel/messages.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type Changed, createCommands, insertedId } from '../../ledger/command.ts';
import { type Change, lockSuperAdmins, type TableContext } from '../../ledger/context.ts';
import type { Outbox } from '../../ledger/outbox.ts';
import { freeUsername } from './made-username.ts';
import { TakenError, type UserStore, type UserValues } from './store.ts';
import { isStillVerified, maySetFirstPassword } from './stored-user.ts';

/**
 * Open links of one purpose that one requester can have for an address: a newer one replaces the oldest.
 * @limit Accounts and credentials | open links of one purpose, mailbox and requester | count | a newer one ends the
 *   oldest
 */
const maxOpenLinks = 3;

/**
 * Messages of one purpose to an address within the lifetime of a link, from one requester.
 * @limit Accounts and credentials | messages with links of one purpose to a mailbox within 30 min, by one requester
 *   | count | no further message
 */
const maxMessagesOfRequester = 5;
/**
 * @limit Accounts and credentials | messages with links of one purpose to a mailbox within 30 min, by all requesters
 *   | count | no further message
 */
const maxMessagesOfAll = 20;

/** Tries of a registration whose username the service makes: an administrator may take it at the same moment. */
const maxRegisterTries = 3;

/** The purpose of a link, the message that contains it, and the page that it opens. */
const purposes = {
  password_reset: { template: 'password_reset', path: linkPaths.password_reset },
  email: { template: 'email_change', path: linkPaths.email },
  registration: { template: 'registration', path: linkPaths.register },
} as const satisfies Readonly<Record<string, { readonly template: MailTemplateName; readonly path: string }>>;

export type LinkPurpose = keyof typeof purposes;

/** The values of a new user that were sent with a registration. */
export interface Registration {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly passwordHash?: string | undefined;
}

export interface LinkRequest {
  readonly purpose: LinkPurpose;
  /** The account of a password reset, or the new address. */
  readonly account: string;
  readonly canonical: string;
  /** The user whose address changes, as verified. */
  readonly user?: VerifiedUser;
  readonly registration?: Registration;
  readonly locale: Locale;
  /** Address of the client. */
  readonly address: string;
}

interface LinkRow {
  readonly id: number;
  readonly purpose: LinkPurpose;
  readonly account: string;
  readonly canonical: string;
  readonly user_id: number | null;
  readonly security_stamp: number | null;
  readonly requester: string | null;
  readonly registration: string | null;
  readonly locale: Locale;
  readonly address: string | null;
}

/** In place of a purpose, once the owner of the address has a notice. */
const inUse = 'address_in_use';

const userOfRow = ({
  user_id: id,
  security_stamp: securityStamp,
}: Pick<LinkRow, 'user_id' | 'security_stamp'>): VerifiedUser | undefined =>
  id === null || securityStamp === null ? undefined : { id, securityStamp };

const linkColumns = [
  'id',
  'purpose',
  'account',
  'canonical',
  'user_id',
  'registration',
  'locale',
  'address',
  'security_stamp',
  'requester',
] as const;

/** An open link. */
export interface FoundLink {
  readonly hash: string;
  /** As it was when the link was requested or sent; undefined for a registration. */
  readonly user: VerifiedUser | undefined;
  /** The address to which the link was sent. */
  readonly email: string;
  readonly emailCanonical: string;
  readonly registration: Registration;
  /** Language of the request for the link. */
  readonly locale: Locale;
}

/** The language that a user has chosen. */
interface LanguageRow {
  readonly locale: Locale | null;
}

interface Recipient {
  readonly verified: VerifiedUser | undefined;
  readonly email: string;
  readonly canonical: string;
  readonly user?: { readonly username: string; readonly name: string };
  /** The language that the user has chosen; null for none. */
  readonly chosen: Locale | null;
}

export interface AccountLinkParts extends TableContext {
  readonly users: Pick<UserStore, 'create' | 'update'>;
  readonly mail: MailQueue;
  readonly outbox: Pick<Outbox, 'add'>;
  /** Names of the providers whose users set no first password. */
  readonly closedToPasswords: readonly string[];
}

/**
 * Links that are sent by mail at a user's request, each used once within 30 minutes. A request only stores a row and a
 * job, whether or not the account exists, so its duration reveals nothing. The job finds the recipient. Only the hash
 * of a token is stored.
 */
export class AccountLinks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #users: AccountLinkParts['users'];
  readonly #mail: MailQueue;
  readonly #outbox: AccountLinkParts['outbox'];
  readonly #closedToPasswords: readonly string[];
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock, users, mail, outbox, closedToPasswords }: AccountLinkParts) {
    this.#database = database;
    this.#clock = clock;
    this.#users = users;
    this.#mail = mail;
    this.#outbox = outbox;
    this.#closedToPasswords = closedToPasswords;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  /** Stores a request, and a job that sends the link. */
  async request(request: LinkRequest): Promise<void> {
    const { purpose, account, canonical, user, registration, locale, address } = request;
    await this.#change({ principal: anonymous, address }, async (made) => {
      const { transaction, tables, now, at } = made;
      const old = tables
        .deleteFrom('gatewright_account_links')
        .where('created_at', '<', toTimestamp(now - 2 * accountLinkLifetime * 1000));
      await transaction.run(toQuery(old));
      const stored = registration === undefined ? null : JSON.stringify(registration);
      const values = {
        purpose,
        account,
        canonical,
        registration: stored,
        locale,
        address,
        user_id: user?.id ?? null,
        security_stamp: user?.securityStamp ?? null,
        requester: user === undefined ? networkOf(address) : `user ${user.id}`,
      };
      const insert = tables.insertInto('gatewright_account_links').values({ ...values, created_at: at });
      const link = await insertedId(made, insert.returning('id'));
      await this.#outbox.add(
        { name: accountLinkJob, key: null, input: { link }, at: undefined },
        transaction,
      );
      return { result: undefined };
    });
    this.#mail.wake();
  }

  /** Sends the link of a request, if it has a recipient. Called by the job. */
  async resolve(id: number): Promise<void> {
    const query = this.#db.selectFrom('gatewright_account_links').select(linkColumns).where('id', '=', id);
    const row = await this.#database.get<LinkRow>(toQuery(query.where('expires_at', 'is', null)));
    // Sent before, or removed with its user.
    if (row === undefined) return;
    await this.#change(
      { principal: anonymous, address: row.address },
      async (made): Promise<Changed<void>> => {
        // Two requests for one address follow each other, so that neither exceeds what is sent to it.
        await lockSuperAdmins(made);
        const recipient = await this.#recipientOf(made, row);
        if (recipient === undefined) await this.#remove(made, id);
        else if ('inUseBy' in recipient) await this.#notice(made, row, recipient.inUseBy);
        else if (await this.#makeRoom(made, row, recipient.canonical))
          return this.#send(made, row, recipient);
        else await this.#remove(made, id);
        return { result: undefined };
      },
    );
    this.#mail.wake();
  }

  /** The open link with this token. */
  async find(purpose: LinkPurpose, token: string): Promise<FoundLink | undefined> {
    const hash = hashLinkToken(token);
    if (hash === undefined) return undefined;
    const query = this.#db
      .selectFrom('gatewright_account_links')
      .select(linkColumns)
      .where('token_hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', toTimestamp(this.#clock()));
    const row = await this.#database.get<LinkRow>(toQuery(query));
    if (row === undefined) return undefined;
    const { account: email, canonical: emailCanonical, registration } = row;
    const stored = registration === null ? {} : (JSON.parse(registration) as Registration);
    return { hash, user: userOfRow(row), email, emailCanonical, registration: stored, locale: row.locale };
  }

  /** Sets the password and ends all sessions and tokens of the user. Returns false if the link is invalid. */
  resetPassword(link: FoundLink, passwordHash: string, actor: Actor): Promise<boolean> {
    return this.#change(actor, async (made): Promise<Changed<boolean>> => {
      const user = await this.#takeOfUser(made, 'password_reset', link);
      if (user === undefined) return { result: false };
      const changed = { passwordHash, mustChangePassword: false };
      await this.#users.update(user.id, changed, actor, {}, made.transaction);
      return { result: true };
    });
  }

  /** Sets the address. Returns false if the link is invalid. @throws TakenError */
  changeEmail(link: FoundLink, actor: Actor): Promise<boolean> {
    return this.#change(actor, async (made): Promise<Changed<boolean>> => {
      const user = await this.#takeOfUser(made, 'email', link);
      if (user === undefined) return { result: false };
      const { email, emailCanonical } = link;
      await this.#users.update(user.id, { email, emailCanonical }, actor, {}, made.transaction);
      return { result: true };
    });
  }

  /**
   * Makes the user. Returns its id; undefined if the link is invalid. @throws TakenError
   * @param isMade true if the user did not choose the username: it gets an ending where another user has it
   */
  async register(
    link: FoundLink,
    values: UserValues,
    actor: Actor,
    isMade: boolean,
  ): Promise<number | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#register(link, values, actor, isMade);
      } catch (error) {
        const isOvertaken = error instanceof TakenError && error.fields.includes('username');
        if (!isMade || !isOvertaken || tries === maxRegisterTries) throw error;
      }
    }
  }

  #register(link: FoundLink, values: UserValues, actor: Actor, isMade: boolean): Promise<number | undefined> {
    return this.#change(actor, async (made): Promise<Changed<number | undefined>> => {
      if (!(await this.#take(made, 'registration', link))) return { result: undefined };
      const username = isMade ? await freeUsername(made, values.username) : values.username;
      const named = { ...values, username, usernameCanonical: canonicalAccount(username) };
      return { result: await this.#users.create(named, actor, made.transaction) };
    });
  }

  async #remove({ transaction, tables }: Change, id: number): Promise<void> {
    await transaction.run(toQuery(tables.deleteFrom('gatewright_account_links').where('id', '=', id)));
  }

  /**
   * An enabled person with an address who has a password, or may set a first one after a sign-in with a provider: a
   * reset opens no other account, such as that of an invited user.
   */
  async #accountOf({ transaction, tables }: Change, canonical: string) {
    const column = canonical.includes('@') ? ('email_canonical' as const) : ('username_canonical' as const);
    const user = tables
      .selectFrom('users')
      .select(['id', 'username', 'name', 'email', 'email_canonical', 'security_stamp', 'locale'])
      .where(column, '=', canonical)
      .where('disabled', '=', false)
      .where('kind', '=', 'person')
      .where('email', '<>', '')
      .where((eb) =>
        eb.or([eb('password_hash', '<>', ''), maySetFirstPassword(this.#closedToPasswords)(eb)]),
      );
    return transaction.get<
      Record<'username' | 'name' | 'email' | 'email_canonical', string> &
        Record<'id' | 'security_stamp', number> & { locale: Locale | null }
    >(toQuery(user));
  }

  /** The user who has an address. */
  #ownerOf({ transaction, tables }: Change, canonical: string): Promise<LanguageRow | undefined> {
    const user = tables.selectFrom('users').select('locale').where('email_canonical', '=', canonical);
    return transaction.get<LanguageRow>(toQuery(user));
  }

  /** The user of a request or link, if the verification is still valid. */
  #stillOf({ transaction, tables }: Change, user: VerifiedUser): Promise<LanguageRow | undefined> {
    const query = tables.selectFrom('users').select('locale').where(isStillVerified(user));
    return transaction.get<LanguageRow>(toQuery(query));
  }

  /** Undefined if nothing is to be sent. */
  async #recipientOf(
    made: Change,
    row: LinkRow,
  ): Promise<Recipient | { readonly inUseBy: LanguageRow } | undefined> {
    const { purpose, account, canonical } = row;
    if (purpose !== 'password_reset') {
      const verified = userOfRow(row);
      const user = verified && (await this.#stillOf(made, verified));
      if (purpose === 'email' && user === undefined) return undefined;
      const owner = await this.#ownerOf(made, canonical);
      if (owner !== undefined) return { inUseBy: owner };
      return { verified, email: account, canonical, chosen: user?.locale ?? null };
    }
    const user = await this.#accountOf(made, canonical);
    if (user === undefined) return undefined;
    const { id, username, name, email, email_canonical, security_stamp: securityStamp } = user;
    const verified = { id, securityStamp };
    return { verified, email, canonical: email_canonical, user: { username, name }, chosen: user.locale };
  }

  /** The messages of a purpose that were sent to an address within the lifetime of a link, the oldest first. */
  #sentTo({ transaction, tables, at }: Change, purpose: string, canonical: string) {
    const sent = tables
      .selectFrom('gatewright_account_links')
      .select(['id', 'requester', 'token_hash'])
      .where('canonical', '=', canonical)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', at)
      .orderBy('id')
      .limit(maxMessagesOfAll);
    type Row = { id: number; requester: string | null; token_hash: string | null };
    return transaction.all<Row>(toQuery(sent));
  }

  /**
   * Makes room for another message, where a newer link replaces the oldest of its requester. Returns false where enough
   * were sent: links that others asked for stay open, so the owner of the mailbox has some to use.
   */
  async #makeRoom(made: Change, row: LinkRow, canonical: string): Promise<boolean> {
    const sent = await this.#sentTo(made, row.purpose, canonical);
    const own = sent.filter(({ requester }) => requester === row.requester);
    if (sent.length >= maxMessagesOfAll || own.length >= maxMessagesOfRequester) return false;
    const open = own.filter(({ token_hash: hash }) => hash !== null);
    for (const { id } of open.slice(0, Math.max(0, open.length - maxOpenLinks + 1))) {
      const { tables, transaction } = made;
      const close = tables.updateTable('gatewright_account_links').set({ token_hash: null });
      await transaction.run(toQuery(close.where('id', '=', id)));
    }
    return true;
  }

  /** Tells the owner of an account that somebody entered its address, once within the lifetime of a link. */
  async #notice(
    made: Change,
    { id, account, canonical, locale }: LinkRow,
    { locale: chosen }: LanguageRow,
  ): Promise<void> {
    if ((await this.#sentTo(made, inUse, canonical)).length > 0) return this.#remove(made, id);
    const { transaction, tables, now } = made;
    const expiresAt = toTimestamp(now + accountLinkLifetime * 1000);
    const keep = tables
      .updateTable('gatewright_account_links')
      .set({ purpose: inUse, expires_at: expiresAt, registration: null })
      .where('id', '=', id);
    await transaction.run(toQuery(keep));
    await this.#mail.add(transaction, { template: 'address_in_use', to: account, chosen, locale });
  }

  async #send(made: Change, row: LinkRow, recipient: Recipient): Promise<Changed<void>> {
    const { template, path } = purposes[row.purpose];
    const { token, hash } = newLinkToken();
    const expiresAt = toTimestamp(made.now + accountLinkLifetime * 1000);
    const update = made.tables
      .updateTable('gatewright_account_links')
      .set({ token_hash: hash, expires_at: expiresAt })
      .set({ account: recipient.email, canonical: recipient.canonical })
      .set({ user_id: recipient.verified?.id ?? null })
      .set({ security_stamp: recipient.verified?.securityStamp ?? null })
      .where('id', '=', row.id)
      .where('expires_at', 'is', null);
    if ((await made.transaction.run(toQuery(update))) === 0) return { result: undefined };
    const link: MailLink = { path, token, expiresAt };
    const { email, user, chosen } = recipient;
    const message = { template, to: email, chosen, locale: row.locale, link };
    await this.#mail.add(made.transaction, user === undefined ? message : { ...message, user });
    if (user === undefined) return { result: undefined };
    const target = { kind: 'user', id: recipient.verified?.id ?? null, name: user.username };
    return { audit: { action: 'password_reset.send', target }, result: undefined };
  }

  /** Ends a link, in the transaction that uses it. Returns whether it was open. */
  async #take(made: Change, purpose: LinkPurpose, { hash }: FoundLink): Promise<boolean> {
    // First, as every change of a user does: two concurrent changes take their locks in one order.
    await lockSuperAdmins(made);
    const used = made.tables
      .deleteFrom('gatewright_account_links')
      .where('token_hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', made.at);
    return (await made.transaction.run(toQuery(used))) > 0;
  }

  /** As `take`, for a link of a user, who is returned if the security stamp is that of the link. */
  async #takeOfUser(made: Change, purpose: LinkPurpose, link: FoundLink): Promise<VerifiedUser | undefined> {
    if (!(await this.#take(made, purpose, link)) || link.user === undefined) return undefined;
    return (await this.#stillOf(made, link.user)) === undefined ? undefined : link.user;
  }
}

export const createAccountLinks = (parts: AccountLinkParts): AccountLinks => new AccountLinks(parts);
