/**
 * Provider accounts in the database: sign-in by a link, first sign-in, linking, one-time codes, and logout by the
 * provider.
 */

import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { canonicalAccount } from '../../auth/account.ts';
import { noAddress } from '../../auth/address.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import type { Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { providerCodeLifetime } from '../../database/tables.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor, AuditEntry } from '../../ledger/audit.ts';
import { type Changed, createCommands } from '../../ledger/command.ts';
import {
  type Change,
  guardSuperAdmin,
  isOnlySuperAdmin,
  lockSuperAdmins,
  type TableContext,
} from '../../ledger/context.ts';
import { superAdmin } from '../../policy/rule.ts';
import { lockUser } from '../second-factors/factor-change.ts';
import { freeUsername } from '../users/made-username.ts';
import type { UserStore, UserValues } from '../users/store.ts';
import { endSessions, type StoredUser, storedUser } from '../users/stored-user.ts';
import type { NotifyUser } from '../users/user-notices.ts';

/** An account at a provider: its issuer and its subject, never its address. */
export interface LinkedAccountKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface LinkedAccount {
  readonly id: number;
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly created_at: string;
  readonly last_used_at: string;
}

/** An account that the provider has proved. */
export interface ProvedAccount extends LinkedAccountKey {
  readonly provider: string;
  readonly sessionId: string | null;
  /** Values of the claim from which roles follow; null if the provider maps none, and for an account that is linked. */
  readonly claimValues: readonly string[] | null;
}

/** A linked account as an explanation shows it. */
export interface KnownAccount {
  readonly subject: string;
  readonly lastUsedAt: string;
  /** Values of the claim at the last sign-in. */
  readonly claimValues: readonly string[] | null;
}

export interface LinkedUser extends StoredUser {
  readonly id: number;
}

/** A one-time code that was exchanged. */
export interface ExchangedCode {
  readonly user: VerifiedUser;
  /** True if the provider has verified a second factor. */
  readonly secondFactor: boolean;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Bounds of the values of a claim that are stored. */
const maxClaimValues = 500;
const maxClaimValueLength = 200;

const storedClaim = (values: readonly string[] | null): string | null =>
  values &&
  JSON.stringify(values.slice(0, maxClaimValues).map((value) => value.slice(0, maxClaimValueLength)));

export interface LinkedAccountParts extends TableContext {
  readonly users: Pick<UserStore, 'create' | 'update'>;
  readonly notify: NotifyUser;
}

export class LinkedAccounts {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #users: LinkedAccountParts['users'];
  readonly #notify: NotifyUser;
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock, users, notify }: LinkedAccountParts) {
    this.#database = database;
    this.#clock = clock;
    this.#users = users;
    this.#notify = notify;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  /**
   * Signs in the user of an account, or creates one. Returns the verified user; undefined if there is none and none
   * is to be created, or the user is disabled.
   */
  signIn(
    account: ProvedAccount,
    created: UserValues | undefined,
    rolesOf: ((current: readonly string[]) => readonly string[]) | undefined,
    actor: Actor,
  ): Promise<VerifiedUser | undefined> {
    return this.#change(actor, async (made): Promise<Changed<VerifiedUser | undefined>> => {
      // First, as every change of a user does; it also makes two first sign-ins of one account follow each other.
      await lockSuperAdmins(made);
      const found = await this.#userOf(made, account);
      if (found === undefined && created === undefined) return { result: undefined };
      const audit: AuditEntry[] = [];
      let id = found?.user_id;
      if (id === undefined) {
        const { values, isAddressTaken } = await this.#free(made, created as UserValues);
        id = await this.#users.create(values, actor, made.transaction);
        audit.push(await this.#insertLink(made, id, account, isAddressTaken));
      } else {
        const used = made.tables
          .updateTable('gatewright_linked_accounts')
          .set({
            last_used_at: made.at,
            session_id: account.sessionId,
            claim_values: storedClaim(account.claimValues),
          })
          .where('issuer', '=', account.issuer)
          .where('subject', '=', account.subject);
        await made.transaction.run(toQuery(used));
        if ((await storedUser(made, id)).disabled) return { result: undefined };
        if (rolesOf !== undefined) await this.#setRoles(made, id, rolesOf);
      }
      const stamp = made.tables
        .selectFrom('users')
        .select('security_stamp')
        .where('id', '=', id)
        .where('disabled', '=', false);
      const row = await made.transaction.get<{ security_stamp: number }>(toQuery(stamp));
      return { audit, result: row && { id, securityStamp: row.security_stamp } };
    });
  }

  /**
   * Links an account to a user, as verified when the link began. Returns false if the verification is no longer
   * valid.
   * @throws Problem `identity_taken`
   */
  link(user: VerifiedUser, account: ProvedAccount, actor: Actor): Promise<boolean> {
    return this.#change(
      actor,
      async (made): Promise<Changed<boolean>> => {
        await lockSuperAdmins(made);
        if ((await lockUser(made, user)) === undefined) return { result: false };
        const found = await this.#userOf(made, account);
        if (found !== undefined && found.user_id !== user.id) throw new Problem('identity_taken');
        if (found !== undefined) return { result: true };
        const audit = await this.#insertLink(made, user.id, account);
        const changed = account.provider;
        const notice = { template: 'account_changed', change: 'identity_linked', changed } as const;
        await this.#notify(made, user.id, notice);
        return { audit, result: true };
      },
      { unique: 'identity_taken' },
    );
  }

  /** Stores a one-time code for a user who has signed in. */
  storeCode(code: string, user: VerifiedUser, secondFactor: boolean): Promise<void> {
    return this.#database.write(async (transaction) => {
      const now = this.#clock();
      const over = this.#db
        .deleteFrom('gatewright_sign_in_codes')
        .where('expires_at', '<=', toTimestamp(now));
      await transaction.run(toQuery(over));
      const values = { code_hash: hashOf(code), user_id: user.id, security_stamp: user.securityStamp };
      const insert = this.#db.insertInto('gatewright_sign_in_codes').values({
        ...values,
        second_factor: secondFactor,
        expires_at: toTimestamp(now + providerCodeLifetime * 1000),
      });
      await transaction.run(toQuery(insert));
    });
  }

  /** The user of a code, which stays valid. */
  async findCode(code: string): Promise<ExchangedCode | undefined> {
    const query = this.#db
      .selectFrom('gatewright_sign_in_codes')
      .select(['user_id', 'security_stamp', 'second_factor'])
      .where('code_hash', '=', hashOf(code))
      .where('expires_at', '>', toTimestamp(this.#clock()));
    type Row = { user_id: number; security_stamp: number; second_factor: boolean | number };
    const row = await this.#database.get<Row>(toQuery(query));
    return (
      row && {
        user: { id: row.user_id, securityStamp: row.security_stamp },
        secondFactor: Boolean(row.second_factor),
      }
    );
  }

  /** Uses a code up. Returns false if it was used, or is over. */
  async useCode(code: string): Promise<boolean> {
    const remove = this.#db
      .deleteFrom('gatewright_sign_in_codes')
      .where('code_hash', '=', hashOf(code))
      .where('expires_at', '>', toTimestamp(this.#clock()))
      .returning('user_id');
    return (await this.#database.execute(toQuery(remove))).length > 0;
  }

  /**
   * The account at a provider that a user has linked or that has a subject, and its user.
   * @throws Problem `record_not_found` for an unknown user
   */
  async find(
    provider: string,
    { userId, subject }: { readonly userId?: number | undefined; readonly subject?: string | undefined },
  ): Promise<{ readonly account?: KnownAccount; readonly user?: LinkedUser }> {
    let query = this.#db
      .selectFrom('gatewright_linked_accounts')
      .select(['user_id', 'subject', 'last_used_at', 'claim_values'])
      .where('provider', '=', provider)
      .orderBy('last_used_at', 'desc');
    if (userId !== undefined) query = query.where('user_id', '=', userId);
    if (subject !== undefined) query = query.where('subject', '=', subject);
    type Row = { user_id: number; subject: string; last_used_at: string; claim_values: string | null };
    const row =
      userId === undefined && subject === undefined
        ? undefined
        : await this.#database.get<Row>(toQuery(query.limit(1)));
    const id = row?.user_id ?? userId;
    if (id === undefined) return {};
    const user = { ...(await storedUser({ transaction: this.#database, tables: this.#db }, id)), id };
    if (row === undefined) return { user };
    const lastUsedAt = toTimestamp(Date.parse(row.last_used_at));
    const claimValues = row.claim_values === null ? null : (JSON.parse(row.claim_values) as string[]);
    return { user, account: { subject: row.subject, lastUsedAt, claimValues } };
  }

  /** Returns whether another user had the address of the account when its first sign-in made this user. */
  async isAddressTaken(userId: number): Promise<boolean> {
    const query = this.#db
      .selectFrom('gatewright_linked_accounts')
      .select('id')
      .where('user_id', '=', userId)
      .where('email_taken', '=', sql<boolean>`true`);
    return (await this.#database.get(toQuery(query))) !== undefined;
  }

  /** The accounts of a user, the first one first. */
  async listOf(userId: number): Promise<LinkedAccount[]> {
    const rows = await this.#database.all<LinkedAccount>(
      toQuery(
        this.#db
          .selectFrom('gatewright_linked_accounts')
          .select(['id', 'provider', 'issuer', 'subject', 'created_at', 'last_used_at'])
          .where('user_id', '=', userId)
          .orderBy('id'),
      ),
    );
    // Each database formats times differently.
    const time = (text: string): string => toTimestamp(Date.parse(text));
    return rows.map((row) => ({
      ...row,
      created_at: time(row.created_at),
      last_used_at: time(row.last_used_at),
    }));
  }

  /**
   * Removes an account of a user, by the user or an administrator.
   * @throws Problem `record_not_found`, `forbidden`; `identity_last` if no other way to sign in is left
   */
  remove(userId: number, id: number, actor: Actor): Promise<void> {
    return this.#change(actor, async (made): Promise<Changed<void>> => {
      const { transaction, tables } = made;
      await lockSuperAdmins(made);
      const user = await storedUser(made, userId);
      guardSuperAdmin(actor, user.roles);
      const remove = tables
        .deleteFrom('gatewright_linked_accounts')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning(['provider', 'issuer']);
      const removed = await transaction.get<{ provider: string; issuer: string }>(toQuery(remove));
      if (removed === undefined) throw new Problem('record_not_found');
      const ways = tables
        .selectFrom('users')
        .select('id')
        .where('id', '=', userId)
        .where((eb) =>
          eb.or([
            eb('password_hash', '<>', ''),
            eb.exists(
              eb.selectFrom('gatewright_linked_accounts as l').select('l.id').where('l.user_id', '=', userId),
            ),
          ]),
        );
      if ((await transaction.get(toQuery(ways))) === undefined) throw new Problem('identity_last');
      const changed = removed.provider;
      const notice = { template: 'account_changed', change: 'identity_removed', changed } as const;
      await this.#notify(made, userId, notice, user);
      const target = { kind: 'user', id: userId, name: user.username };
      return { audit: { action: 'identity.unlink', target, detail: { ...removed } }, result: undefined };
    });
  }

  /** Ends everything that the user of an account, or of a session at the provider, has signed in with. */
  signOut(
    account: {
      readonly issuer: string;
      readonly subject?: string | undefined;
      readonly sessionId?: string | undefined;
    },
    actor: Actor,
  ): Promise<void> {
    return this.#change(actor, async (made): Promise<Changed<void>> => {
      await lockSuperAdmins(made);
      const { issuer, subject, sessionId } = account;
      const query = made.tables
        .selectFrom('gatewright_linked_accounts')
        .select('user_id')
        .where('issuer', '=', issuer);
      const rows = await made.transaction.all<{ user_id: number }>(
        toQuery(
          subject === undefined
            ? query.where('session_id', '=', sessionId ?? '')
            : query.where('subject', '=', subject),
        ),
      );
      const audit: AuditEntry[] = [];
      for (const { user_id: id } of rows) {
        const { username } = await storedUser(made, id);
        const sessions = await endSessions(made, id);
        audit.push({
          action: 'session.delete_all',
          target: { kind: 'user', id, name: username },
          detail: { sessions, issuer },
        });
      }
      return { audit, result: undefined };
    });
  }

  async #userOf({ transaction, tables }: Change, { issuer, subject }: LinkedAccountKey) {
    const linked = tables
      .selectFrom('gatewright_linked_accounts')
      .select(['id', 'user_id'])
      .where('issuer', '=', issuer)
      .where('subject', '=', subject);
    return transaction.get<{ id: number; user_id: number }>(toQuery(linked));
  }

  async #insertLink(
    made: Change,
    userId: number,
    account: ProvedAccount,
    isAddressTaken = false,
  ): Promise<AuditEntry> {
    const { transaction, tables, at } = made;
    const { provider, issuer, subject, sessionId, claimValues } = account;
    const values = {
      user_id: userId,
      provider,
      issuer,
      subject,
      session_id: sessionId,
      claim_values: storedClaim(claimValues),
      email_taken: isAddressTaken,
    };
    const insert = tables
      .insertInto('gatewright_linked_accounts')
      .values({ ...values, created_at: at, last_used_at: at });
    await transaction.run(toQuery(insert));
    const { username } = await storedUser(made, userId);
    return {
      action: 'identity.link',
      target: { kind: 'user', id: userId, name: username },
      detail: isAddressTaken ? { provider, issuer, email_taken: true } : { provider, issuer },
    };
  }

  /** The same values with a username that no user has, and without an address that another user has. */
  async #free(
    { transaction, tables }: Change,
    values: UserValues,
  ): Promise<{ readonly values: UserValues; readonly isAddressTaken: boolean }> {
    const username = await freeUsername({ transaction, tables }, values.username);
    const holder = tables
      .selectFrom('users')
      .select('id')
      .where('email_canonical', '=', values.emailCanonical);
    const isAddressTaken = values.email !== '' && (await transaction.get(toQuery(holder))) !== undefined;
    const named = { ...values, username, usernameCanonical: canonicalAccount(username) };
    return { values: isAddressTaken ? { ...named, ...noAddress() } : named, isAddressTaken };
  }

  /** Applies the roles of a sign-in. The last super_admin keeps the role. */
  async #setRoles(made: Change, id: number, rolesOf: (current: readonly string[]) => readonly string[]) {
    const { roles: current } = await storedUser(made, id);
    let next = [...new Set(rolesOf(current))].sort();
    if (!next.includes(superAdmin) && (await isOnlySuperAdmin(made.transaction, made.tables, id)))
      next = [...next, superAdmin];
    if (next.join() === [...current].sort().join()) return;
    await this.#users.update(id, { roles: next }, made.actor, {}, made.transaction);
  }
}

export const createLinkedAccounts = (parts: LinkedAccountParts): LinkedAccounts => new LinkedAccounts(parts);
