import { accountLinkLifetime, hashLinkToken, newLinkToken } from '../../auth/link-token.ts';
import { anonymous } from '../../auth/principal.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Locale } from '../../kernel/messages/catalogue.ts';
import type { Actor } from '../audit/audit.ts';
import { type Changed, createCommands, insertedId } from '../command.ts';
import { type Change, lockSuperAdmins, type TableContext } from '../context.ts';
import type { Outbox } from '../jobs/outbox.ts';
import type { MailLink, MailQueue, MailTemplateName } from '../mail/mail-queue.ts';
import type { UserStore, UserValues } from './users.ts';

/** Name of the job that finds the recipient of a requested link. */
export const accountLinkJob = 'account-link';

/** Open links that one recipient can have: further requests send nothing until one expires. */
const maxOpenLinks = 3;

/** The purpose of a link, the message that contains it, and the page that it opens. */
const purposes = {
  password_reset: { template: 'password_reset', path: '/admin/password_reset' },
  email: { template: 'email_change', path: '/admin/email' },
  registration: { template: 'registration', path: '/admin/register' },
} as const satisfies Readonly<Record<string, { readonly template: MailTemplateName; readonly path: string }>>;

export type LinkPurpose = keyof typeof purposes;

/** The values of a new user that were sent with a registration. */
export interface Registration {
  readonly username?: string;
  readonly name?: string;
  readonly passwordHash?: string;
}

export interface LinkRequest {
  readonly purpose: LinkPurpose;
  /** The account of a password reset, or the new address. */
  readonly account: string;
  readonly canonical: string;
  /** The user whose address changes. */
  readonly userId?: number;
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
  readonly registration: string | null;
  readonly locale: Locale;
  readonly address: string | null;
}

const linkColumns = [
  ...(['id', 'purpose', 'account', 'canonical', 'user_id', 'registration', 'locale', 'address'] as const),
];

/** An open link. */
export interface FoundLink {
  readonly hash: string;
  /** 0 for a registration. */
  readonly userId: number;
  /** The address to which the link was sent. */
  readonly email: string;
  readonly emailCanonical: string;
  readonly registration: Registration;
}

interface Recipient {
  readonly id: number | null;
  readonly email: string;
  readonly canonical: string;
  readonly user?: { readonly username: string; readonly name: string };
}

export interface AccountLinkParts extends TableContext {
  readonly users: Pick<UserStore, 'create' | 'update'>;
  readonly mail: MailQueue;
  readonly outbox: Pick<Outbox, 'add'>;
}

/**
 * Links that are sent by mail at a user's request, each used once within 30 minutes. A request only stores a row and a
 * job, whether or not the account exists, so its duration reveals nothing. The job finds the recipient. Only the hash
 * of a token is stored.
 */
export const createAccountLinks = ({ database, clock, users, mail, outbox }: AccountLinkParts) => {
  const db = tablesOf(database);
  const change = createCommands({ database, clock });

  const remove = (made: Change, id: number) =>
    made.transaction.run(toQuery(made.tables.deleteFrom('gatewright_account_links').where('id', '=', id)));

  const openLinks = async ({ transaction, tables, at }: Change, canonical: string): Promise<number> => {
    const open = tables
      .selectFrom('gatewright_account_links')
      .select('id')
      .where('canonical', '=', canonical)
      .where('token_hash', 'is not', null)
      .where('expires_at', '>', at)
      .limit(maxOpenLinks);
    return (await transaction.all(toQuery(open))).length;
  };

  /** An enabled person with an address and a password: other users sign in by other means, which a reset must not open. */
  const accountOf = async ({ transaction, tables }: Change, canonical: string) => {
    const column = canonical.includes('@') ? ('email_canonical' as const) : ('username_canonical' as const);
    const user = tables
      .selectFrom('users')
      .select(['id', 'username', 'name', 'email', 'email_canonical'])
      .where(column, '=', canonical)
      .where('disabled', '=', false)
      .where('kind', '=', 'person')
      .where('email', '<>', '')
      .where('password_hash', '<>', '');
    return transaction.get<
      Record<'username' | 'name' | 'email' | 'email_canonical', string> & { id: number }
    >(toQuery(user));
  };

  const isAddressTaken = async ({ transaction, tables }: Change, canonical: string): Promise<boolean> => {
    const user = tables.selectFrom('users').select('id').where('email_canonical', '=', canonical);
    return (await transaction.get(toQuery(user))) !== undefined;
  };

  /** Undefined if nothing is to be sent. */
  const recipientOf = async (made: Change, row: LinkRow): Promise<Recipient | 'in use' | undefined> => {
    const { purpose, account, canonical, user_id: userId } = row;
    if (purpose !== 'password_reset')
      return (await isAddressTaken(made, canonical)) ? 'in use' : { id: userId, email: account, canonical };
    const user = await accountOf(made, canonical);
    if (user === undefined) return undefined;
    const { id, username, name, email, email_canonical } = user;
    return { id, email, canonical: email_canonical, user: { username, name } };
  };

  const send = async (made: Change, row: LinkRow, recipient: Recipient): Promise<Changed<void>> => {
    const { template, path } = purposes[row.purpose];
    const { token, hash } = newLinkToken();
    const expiresAt = toTimestamp(made.now + accountLinkLifetime * 1000);
    const update = made.tables
      .updateTable('gatewright_account_links')
      .set({ token_hash: hash, expires_at: expiresAt })
      .set({ user_id: recipient.id, account: recipient.email, canonical: recipient.canonical })
      .where('id', '=', row.id)
      .where('token_hash', 'is', null);
    if ((await made.transaction.run(toQuery(update))) === 0) return { result: undefined };
    const link: MailLink = { path, token, expiresAt };
    const { email: to, user } = recipient;
    const addressed = user === undefined ? {} : { user };
    await mail.add(made.transaction, { template, to, locale: row.locale, link, ...addressed });
    if (user === undefined) return { result: undefined };
    const target = { kind: 'user', id: recipient.id, name: user.username };
    return { audit: { action: 'password_reset.send', target }, result: undefined };
  };

  /** Ends a link, in the transaction that uses it. Returns whether it was open. */
  const take = async (made: Change, purpose: LinkPurpose, { hash }: FoundLink): Promise<boolean> => {
    // First, as every change of a user does: two concurrent changes take their locks in one order.
    await lockSuperAdmins(made);
    const used = made.tables
      .deleteFrom('gatewright_account_links')
      .where('token_hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', made.at);
    return (await made.transaction.run(toQuery(used))) > 0;
  };

  /** Whether the user is enabled and still has the address to which the link was sent. */
  const isBound = async ({ transaction, tables }: Change, link: FoundLink): Promise<boolean> => {
    const user = tables
      .selectFrom('users')
      .select('id')
      .where('id', '=', link.userId)
      .where('email_canonical', '=', link.emailCanonical)
      .where('disabled', '=', false);
    return (await transaction.get(toQuery(user))) !== undefined;
  };

  return {
    /** Stores a request, and a job that sends the link. */
    request: async (request: LinkRequest): Promise<void> => {
      const { purpose, account, canonical, userId = null, registration, locale, address } = request;
      await change({ principal: anonymous, address }, async (made) => {
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
          user_id: userId,
          registration: stored,
          locale,
          address,
        };
        const insert = tables.insertInto('gatewright_account_links').values({ ...values, created_at: at });
        const link = await insertedId(made, insert.returning('id'));
        await outbox.add({ name: accountLinkJob, key: null, input: { link }, at: undefined }, transaction);
        return { result: undefined };
      });
      mail.wake();
    },

    /** Sends the link of a request, if it has a recipient. Called by the job. */
    resolve: async (id: number): Promise<void> => {
      const query = db.selectFrom('gatewright_account_links').select(linkColumns).where('id', '=', id);
      const row = await database.get<LinkRow>(toQuery(query.where('token_hash', 'is', null)));
      // Sent before, or removed with its user.
      if (row === undefined) return;
      await change({ principal: anonymous, address: row.address }, async (made): Promise<Changed<void>> => {
        const recipient = await recipientOf(made, row);
        if (recipient === 'in use' || recipient === undefined) {
          await remove(made, id);
          if (recipient !== undefined)
            await mail.add(made.transaction, {
              template: 'address_in_use',
              to: row.account,
              locale: row.locale,
            });
          return { result: undefined };
        }
        if ((await openLinks(made, recipient.canonical)) < maxOpenLinks) return send(made, row, recipient);
        await remove(made, id);
        return { result: undefined };
      });
      mail.wake();
    },

    /** The open link with this token. */
    find: async (purpose: LinkPurpose, token: string): Promise<FoundLink | undefined> => {
      const hash = hashLinkToken(token);
      if (hash === undefined) return undefined;
      const query = db
        .selectFrom('gatewright_account_links')
        .select(linkColumns)
        .where('token_hash', '=', hash)
        .where('purpose', '=', purpose)
        .where('expires_at', '>', toTimestamp(clock()));
      const row = await database.get<LinkRow>(toQuery(query));
      if (row === undefined) return undefined;
      const { user_id: userId, account: email, canonical: emailCanonical, registration } = row;
      const stored = registration === null ? {} : (JSON.parse(registration) as Registration);
      return { hash, userId: userId ?? 0, email, emailCanonical, registration: stored };
    },

    /** Sets the password, which ends everything that the user has signed in with. Returns false if the link is over. */
    resetPassword: (link: FoundLink, passwordHash: string, actor: Actor): Promise<boolean> =>
      change(actor, async (made): Promise<Changed<boolean>> => {
        if (!(await take(made, 'password_reset', link)) || !(await isBound(made, link)))
          return { result: false };
        const changed = { passwordHash, mustChangePassword: false };
        await users.update(link.userId, changed, actor, {}, made.transaction);
        return { result: true };
      }),

    /** Sets the address. Returns false if the link is over. @throws TakenError */
    changeEmail: (link: FoundLink, actor: Actor): Promise<boolean> =>
      change(actor, async (made): Promise<Changed<boolean>> => {
        if (!(await take(made, 'email', link))) return { result: false };
        const { userId, email, emailCanonical } = link;
        await users.update(userId, { email, emailCanonical }, actor, {}, made.transaction);
        return { result: true };
      }),

    /** Makes the user. Returns its id; undefined if the link is over. @throws TakenError */
    register: (link: FoundLink, values: UserValues, actor: Actor): Promise<number | undefined> =>
      change(actor, async (made): Promise<Changed<number | undefined>> => {
        if (!(await take(made, 'registration', link))) return { result: undefined };
        return { result: await users.create(values, actor, made.transaction) };
      }),
  };
};

export type AccountLinks = ReturnType<typeof createAccountLinks>;
