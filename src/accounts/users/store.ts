/**
 * Users in the database: creation, changes and deletion, each with its audit line and with the end of rights that it
 * withdraws.
 */

import { loginFailed } from '../../auth/login.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import { ConstraintError, type Database, type Reader, type Transaction } from '../../database/database.ts';
import { recordNumber } from '../../database/record-column.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import type { Locale } from '../../kernel/messages.ts';
import type { Actor, AuditEntry } from '../../ledger/audit.ts';
import { type Changed, type ConstraintMeanings, createCommands, insertedId } from '../../ledger/command.ts';
import {
  actingUserId,
  type Change,
  guardSuperAdmin,
  isOnlySuperAdmin,
  lockSuperAdmins,
  otherUserId,
  requireSuperAdmin,
  type TableContext,
} from '../../ledger/context.ts';
import { administrators, superAdmin } from '../../policy/rule.ts';
import { revokeKeys } from '../api-keys/revoked-keys.ts';
import type { RecordOwner } from './record-owners.ts';
import {
  demandPerson,
  endBegun,
  endInvitations,
  endSessions,
  isStillVerified,
  maySetFirstPassword,
  type StoredUser,
  storedUser,
} from './stored-user.ts';
import type { NotifyUser } from './user-notices.ts';

/** A service account has no password and calls with API keys only. */
export const userKinds = ['person', 'service'] as const;

export type UserKind = (typeof userKinds)[number];

/** A user as it is written; look-ups and uniqueness use the canonical forms. */
export interface UserValues {
  readonly username: string;
  readonly usernameCanonical: string;
  /** Empty if there is none, see `noAddress`. */
  readonly email: string;
  readonly emailCanonical: string;
  readonly name: string;
  /** Empty if the user has no password: invited users. */
  readonly passwordHash: string;
  readonly disabled: boolean;
  /** Requires the user to change the password first; false unless given. */
  readonly mustChangePassword?: boolean | undefined;
  readonly roles: readonly string[];
  /** A person unless given. */
  readonly kind?: UserKind | undefined;
  /** The person who is responsible for a service account. */
  readonly ownerId?: number | undefined;
  /** Language of messages to the user; null for none. */
  readonly locale?: Locale | null | undefined;
  /** The record that owns a service account in place of a person. */
  readonly ownerRecord?: RecordOwner | undefined;
}

/** The values that a change sets; an undefined one stays. */
export type UserChange = {
  readonly [Name in Exclude<keyof UserValues, 'kind' | 'ownerRecord'>]?: UserValues[Name] | undefined;
};

/** The columns of the changed fields; an undefined one is not set. */
export const changedColumns = (change: UserChange) => ({
  username: change.username,
  username_canonical: change.usernameCanonical,
  email: change.email,
  email_canonical: change.emailCanonical,
  name: change.name,
  password_hash: change.passwordHash,
  disabled: change.disabled,
  must_change_password: change.mustChangePassword,
  owner_id: change.ownerId,
  locale: change.locale,
  // A person takes the place of a record.
  owner_model: change.ownerId === undefined ? undefined : null,
  owner_record: change.ownerId === undefined ? undefined : null,
});

/** Names of the changed fields, for the audit log; secrets have names only, no values. */
export const changedFields = (change: UserChange): string[] =>
  Object.keys(
    withoutUndefined<unknown>({
      username: change.username,
      email: change.email,
      name: change.name,
      disabled: change.disabled,
      roles: change.roles,
      password: change.passwordHash,
      must_change_password: change.mustChangePassword,
      owner_id: change.ownerId,
      locale: change.locale,
    }),
  );

/** The changed values in the audit log. */
export const auditDetail = ({ roles, disabled, mustChangePassword, ownerId }: UserChange): JsonObject =>
  withoutUndefined<Json>({
    owner_id: ownerId,
    roles,
    disabled,
    must_change_password: mustChangePassword,
  });

/** The values of a new user in the audit log. */
const createdDetail = (user: UserValues): JsonObject => {
  const { roles, disabled, mustChangePassword, passwordHash, kind, ownerId = null, ownerRecord } = user;
  const isService = kind === 'service';
  return withoutUndefined<Json>({
    roles,
    disabled,
    must_change_password: mustChangePassword || undefined,
    kind: isService ? kind : undefined,
    owner_id: isService ? ownerId : undefined,
    owner: ownerRecord && { ...ownerRecord },
    invited: (!isService && passwordHash === '') || undefined,
  });
};

/** Unique fields whose values belong to another user. */
export type TakenField = 'username' | 'email';

/** Canonical forms of the unique fields of a write. */
export type CanonicalNames = { readonly [Field in TakenField]?: string | undefined };

/** Returns which of the two belong to a user other than `except`. */
export const takenNames = async (
  database: Database,
  names: CanonicalNames,
  except?: number,
): Promise<readonly TakenField[]> => {
  const db = tablesOf(database);
  const found: TakenField[] = [];
  for (const field of ['username', 'email'] as const) {
    const canonical = names[field];
    if (canonical === undefined) continue;
    const column = field === 'username' ? ('username_canonical' as const) : ('email_canonical' as const);
    const row = await database.get<{ id: number }>(
      toQuery(db.selectFrom('users').select('id').where(column, '=', canonical)),
    );
    if (row !== undefined && row.id !== except) found.push(field);
  }
  return found;
};

/** Thrown if a unique value was taken between the look-up and the write. */
export class TakenError extends Error {
  readonly fields: readonly TakenField[];
  constructor(fields: readonly TakenField[], cause?: unknown) {
    super(`taken: ${fields.join(', ')}`, { cause });
    this.name = 'TakenError';
    this.fields = fields;
  }
}

/** Returns `TakenError` in place of a violated unique constraint, any other error unchanged. */
export const takenBy = (error: unknown): unknown => {
  if (!(error instanceof ConstraintError) || error.kind !== 'unique') return error;
  const field = error.columns.some((column) => column.startsWith('username')) ? 'username' : 'email';
  return new TakenError([field], error);
};

export interface UpdateOptions {
  /** Ends the user's sessions, even if nothing else changes. */
  readonly sessionsEnd?: boolean;
  /** The verification of the user's password for this change; if it is no longer valid, nothing changes. */
  readonly verified?: VerifiedUser | undefined;
  /** The session by which users change themselves: a new password ends all others. */
  readonly keptSession?: number | undefined;
}

/** Work in the transaction that deletes a user. */
export interface PartOfRemoval {
  /** The transaction; one of its own unless given. */
  readonly transaction?: Transaction | undefined;
  readonly before?: (made: Change) => Promise<void>;
  readonly after?: (made: Change, user: StoredUser) => Promise<void>;
  /** The proof by which users delete themselves; if it is no longer valid, nothing is deleted. */
  readonly proof?: UserProof | undefined;
}

/** SQL condition of the user who may do something, which is part of the statement that does it. */
export type UserProof = ReturnType<typeof isStillVerified>;

/** A user's names, as they were entered, and its kind. */
export interface StoredUserFacts {
  readonly id: number;
  readonly username: string;
  /** Empty if there is none. */
  readonly email: string;
  readonly name: string;
  readonly kind: UserKind;
}

/** The owner of a service account may be deleted between the look-up and the write. */
const ownerGone = ({ ownerId }: Pick<UserChange, 'ownerId'>): ConstraintMeanings =>
  ownerId === undefined ? {} : { foreign_key: { field: 'owner_id', rule: 'reference' } };

/**
 * A withdrawal of rights is in effect when the promise resolves.
 * @param notify tells users of a new password or address; undefined where no mail is sent
 */
export class UserStore {
  readonly #database: Database;
  readonly #notify: NotifyUser | undefined;
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock }: TableContext, notify?: NotifyUser) {
    this.#database = database;
    this.#notify = notify;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  /** Returns which of the two belong to a user other than `except`. */
  findTaken(names: CanonicalNames, except?: number): Promise<readonly TakenField[]> {
    return takenNames(this.#database, names, except);
  }

  /** Returns the names that are no role. */
  async unknownRoles(roles: readonly string[]): Promise<readonly string[]> {
    if (roles.length === 0) return [];
    const rows = await this.#database.all<{ name: string }>(
      toQuery(
        this.#db
          .selectFrom('roles')
          .select('name')
          .where('name', 'in', [...roles]),
      ),
    );
    return roles.filter((role) => !rows.some(({ name }) => name === role));
  }

  /** @throws TakenError, Problem `forbidden` */
  create(values: UserValues, actor: Actor, within?: Transaction): Promise<number> {
    return this.#change(actor, (made) => this.#add(made, values), ownerGone(values), within).catch(
      (error: unknown) => {
        throw takenBy(error);
      },
    );
  }

  /** Creates the very first user; undefined if there is one, or another process is creating it now. */
  createFirst(values: UserValues, actor: Actor): Promise<number | undefined> {
    return this.#change(actor, async (made): Promise<Changed<number | undefined>> => {
      await lockSuperAdmins(made);
      const first = await made.transaction.get(toQuery(this.#db.selectFrom('users').select('id').limit(1)));
      return first === undefined ? this.#add(made, values) : { result: undefined };
    });
  }

  /**
   * Changes a user. A new password, disabling and `sessionsEnd` end the user's sessions, the last of them with a line
   * of its own in the audit log; a new password alone keeps `keptSession`. Returns false and changes nothing if the
   * verification is no longer valid.
   * @throws TakenError, ViolationError, Problem `record_not_found`, `forbidden`, `last_super_admin`,
   * `service_account`
   */
  update(
    id: number,
    changed: UserChange,
    actor: Actor,
    { sessionsEnd = false, verified, keptSession }: UpdateOptions = {},
    within?: Transaction,
  ): Promise<boolean> {
    return this.#change(
      actor,
      async (made) => {
        const { transaction, tables, at } = made;
        await lockSuperAdmins(made);
        const before = await storedUser(made, id);
        guardSuperAdmin(actor, before.roles, changed.roles ?? []);
        if (changed.passwordHash !== undefined || changed.mustChangePassword === true) demandPerson(before);
        const { roles = before.roles } = changed;
        const gained = roles.filter((role) => !before.roles.includes(role));
        const lost = before.roles.filter((role) => !roles.includes(role));
        const target = { kind: 'user', id, name: changed.username ?? before.username };
        const audit: AuditEntry[] = [];
        // Only the end of the sessions was requested: the user itself does not change.
        if (!sessionsEnd || changedFields(changed).length > 0) {
          const update = tables
            .updateTable('users')
            .set({ ...changedColumns(changed), updated_at: at })
            .$if(changed.passwordHash !== undefined, (set) =>
              set.set({ password_set_by: otherUserId(actor, id) }),
            )
            .where(verified === undefined ? (eb) => eb('id', '=', id) : isStillVerified(verified));
          if ((await transaction.run(toQuery(update))) === 0) return { result: false };
          if (changed.roles !== undefined) await this.#setRoles(made, id, changed.roles);
          if (before.roles.includes(superAdmin)) await requireSuperAdmin(made);
          const needsNewPassword = gained.includes(superAdmin) && (await this.#requireNewPassword(made, id));
          const noted = needsNewPassword ? { ...changed, mustChangePassword: true } : changed;
          const detail = { fields: changedFields(changed), ...auditDetail(noted) };
          audit.push({ action: 'user.update', target, detail });
        }
        // Also when a user is enabled again: a process of an older version may have admitted a sign-in in progress.
        const enabled = before.disabled && changed.disabled === false;
        const shuts = changed.disabled === true || enabled;
        const ends = changed.passwordHash !== undefined || shuts;
        if (gained.includes(superAdmin)) await endInvitations(made, 'user_id', id);
        if (shuts || lost.some((role) => administrators.some((each) => each === role)))
          await endInvitations(made, 'made_by', id);
        if (changed.passwordHash !== undefined)
          await this.#notify?.(made, id, { template: 'password_changed' }, before);
        if (changed.email !== undefined && changed.email !== before.email)
          await this.#notify?.(made, id, { template: 'email_changed' }, before);
        // A link to the former address opens nothing.
        if (changed.email !== undefined && changed.email !== before.email) await endBegun(made, id);
        if (!ends && !sessionsEnd) return { audit, result: true };
        const kept = sessionsEnd || shuts ? undefined : keptSession;
        const sessions = await endSessions(made, id, kept);
        if (sessionsEnd) audit.push({ action: 'session.delete_all', target, detail: { sessions } });
        return { audit, result: true };
      },
      ownerGone(changed),
      within,
    ).catch((error: unknown) => {
      throw takenBy(error);
    });
  }

  /** Returns whether this user is the only enabled super_admin. */
  isLastSuperAdmin(id: number): Promise<boolean> {
    return isOnlySuperAdmin(this.#database, this.#db, id);
  }

  /**
   * Deletes a user with their keys, sessions and roles; references to the user follow their `onDelete` rule.
   * @throws Problem `record_not_found`, `forbidden`, `last_super_admin`, `still_referenced`, and `login_failed` for a
   * proof that is no longer valid
   */
  remove(id: number, actor: Actor, part: PartOfRemoval = {}): Promise<void> {
    const { proof = (eb) => eb('id', '=', id) } = part;
    const removeUser = async (made: Change): Promise<Changed<void>> => {
      await lockSuperAdmins(made);
      const before = await storedUser(made, id);
      guardSuperAdmin(actor, before.roles);
      await part.before?.(made);
      await revokeKeys(made, [{ column: 'user_id', value: id }]);
      const removed = await made.transaction.run(toQuery(this.#db.deleteFrom('users').where(proof)));
      if (removed === 0) throw loginFailed();
      await part.after?.(made, before);
      if (before.roles.includes(superAdmin)) await requireSuperAdmin(made);
      const target = { kind: 'user', id, name: before.username };
      return { audit: { action: 'user.delete', target }, result: undefined };
    };
    return this.#change(actor, removeUser, { foreign_key: 'still_referenced' }, part.transaction);
  }

  /**
   * Sets a new password by the user, which ends the requirement of one and all sessions except the current one.
   * Returns false and changes nothing if the verification is no longer valid.
   */
  changePassword(
    verified: VerifiedUser,
    passwordHash: string,
    actor: Actor,
    session?: number,
  ): Promise<boolean> {
    return this.#setOwnPassword(verified.id, isStillVerified(verified), passwordHash, actor, session);
  }

  /**
   * Sets the password of a user who has none, by the user. Returns false and changes nothing if there is one by now, or
   * the proof is no longer valid.
   * @param closed names of the providers whose users do not do this
   */
  setFirstPassword(
    id: number,
    proof: UserProof,
    closed: readonly string[],
    passwordHash: string,
    actor: Actor,
  ): Promise<boolean> {
    const isFirst: UserProof = (eb) => eb.and([proof(eb), maySetFirstPassword(closed)(eb)]);
    return this.#setOwnPassword(id, isFirst, passwordHash, actor);
  }

  /** Returns whether the user has no password, and may set one after a sign-in. */
  async maySetFirstPassword(id: number, closed: readonly string[]): Promise<boolean> {
    const query = this.#db.selectFrom('users').select('id').where('id', '=', id);
    return (await this.#database.get(toQuery(query.where(maySetFirstPassword(closed))))) !== undefined;
  }

  async exists(id: number): Promise<boolean> {
    return (
      (await this.#database.get(toQuery(this.#db.selectFrom('users').select('id').where('id', '=', id)))) !==
      undefined
    );
  }

  /** The language of messages to the user with this id; null for none. */
  async localeOf(id: number): Promise<Locale | null> {
    const query = this.#db.selectFrom('users').select('locale').where('id', '=', id);
    return (await this.#database.get<{ locale: Locale | null }>(toQuery(query)))?.locale ?? null;
  }

  /** The language of messages to the user with this canonical address; null for none. */
  async localeOfAddress(canonical: string, reader: Pick<Reader, 'get'>): Promise<Locale | null> {
    const query = this.#db.selectFrom('users').select('locale').where('email_canonical', '=', canonical);
    return (await reader.get<{ locale: Locale | null }>(toQuery(query)))?.locale ?? null;
  }

  /** The names and the kind of the user with this id. */
  factsOf(id: number, reader: Pick<Reader, 'get'> = this.#database): Promise<StoredUserFacts | undefined> {
    return reader.get<StoredUserFacts>(
      toQuery(
        this.#db.selectFrom('users').select(['id', 'username', 'email', 'name', 'kind']).where('id', '=', id),
      ),
    );
  }

  /** Returns whether this is an enabled person, who may own a service account. */
  async isEnabledPerson(id: number): Promise<boolean> {
    const users = this.#db.selectFrom('users').select('id').where('id', '=', id);
    const query = users.where('kind', '=', 'person').where('disabled', '=', false);
    return (await this.#database.get(toQuery(query))) !== undefined;
  }

  /** Returns whether there is any user; the first start creates one otherwise. */
  async any(): Promise<boolean> {
    return (
      (await this.#database.get(toQuery(this.#db.selectFrom('users').select('id').limit(1)))) !== undefined
    );
  }

  /** Id of the first enabled super_admin. */
  async firstSuperAdmin(): Promise<number | undefined> {
    return (
      await this.#database.get<{ id: number }>(
        toQuery(
          this.#db
            .selectFrom('users')
            .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
            .select('users.id')
            .where('user_roles.role', '=', superAdmin)
            .where('users.disabled', '=', false)
            .orderBy('users.id')
            .limit(1),
        ),
      )
    )?.id;
  }

  /** Id of the user with this canonical username or address. */
  async idByAccount(
    canonical: string,
    reader: Pick<Reader, 'get'> = this.#database,
  ): Promise<number | undefined> {
    const column = canonical.includes('@') ? 'email_canonical' : 'username_canonical';
    const query = this.#db.selectFrom('users').select('id').where(column, '=', canonical);
    return (await reader.get<{ id: number }>(toQuery(query)))?.id;
  }

  #setOwnPassword(
    id: number,
    proof: UserProof,
    passwordHash: string,
    actor: Actor,
    session?: number,
  ): Promise<boolean> {
    return this.#change(actor, async (made) => {
      const update = this.#db
        .updateTable('users')
        .set({ password_hash: passwordHash, must_change_password: false, password_set_by: null })
        .set({ updated_at: made.at })
        .where(proof)
        .returning('id');
      if ((await made.transaction.get(toQuery(update))) === undefined) return { result: false };
      const user = await storedUser(made, id);
      await endSessions(made, id, session);
      await this.#notify?.(made, id, { template: 'password_changed' }, user);
      const target = { kind: 'user', id, name: user.username };
      return { audit: { action: 'user.password', target }, result: true };
    });
  }

  async #setRoles({ transaction, tables }: Change, id: number, roles: readonly string[]): Promise<void> {
    if (roles.length === 0) throw new Error('a user has at least one role');
    await transaction.run(toQuery(tables.deleteFrom('user_roles').where('user_id', '=', id)));
    for (const role of new Set(roles))
      await transaction.run(toQuery(tables.insertInto('user_roles').values({ user_id: id, role })));
  }

  /**
   * Requires a new password of a user who becomes a super_admin, if the present one was set by a user who is no
   * super_admin and could not set it now. Returns whether it does.
   */
  async #requireNewPassword({ transaction, tables }: Change, id: number): Promise<boolean> {
    const leaders = tables.selectFrom('user_roles').select('user_id').where('role', '=', superAdmin);
    const ask = tables
      .updateTable('users')
      .set({ must_change_password: true })
      .where('id', '=', id)
      .where('password_set_by', 'is not', null)
      .where('password_set_by', 'not in', leaders);
    return (await transaction.run(toQuery(ask))) > 0;
  }

  async #add(made: Change, values: UserValues): Promise<Changed<number>> {
    const { tables, actor, at } = made;
    guardSuperAdmin(actor, values.roles);
    const { username, email, name, disabled, passwordHash, mustChangePassword = false } = values;
    const { kind = 'person', ownerId = null, locale = null, ownerRecord } = values;
    const insert = tables
      .insertInto('users')
      .values({
        username,
        username_canonical: values.usernameCanonical,
        email,
        email_canonical: values.emailCanonical,
        name,
        disabled,
        must_change_password: mustChangePassword,
        created_at: at,
        updated_at: at,
        password_hash: passwordHash,
        password_set_by: passwordHash === '' ? null : actingUserId(actor),
        kind,
        owner_id: ownerId,
        locale,
        owner_model: ownerRecord?.model ?? null,
        owner_record: ownerRecord === undefined ? null : recordNumber(ownerRecord.id),
      })
      .returning('id');
    const id = await insertedId(made, insert);
    await this.#setRoles(made, id, values.roles);
    const audit = {
      action: 'user.create',
      target: { kind: 'user', id, name: username },
      detail: createdDetail(values),
    };
    return { audit, result: id };
  }
}

export const createUserStore = (parts: TableContext, notify?: NotifyUser): UserStore =>
  new UserStore(parts, notify);
