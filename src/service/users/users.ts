import type { VerifiedUser } from '../../auth/ports.ts';
import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { administrators, superAdmin } from '../../policy/rule.ts';
import { revokeKeys } from '../api-keys/revoked-keys.ts';
import type { Actor, AuditEntry } from '../audit/audit.ts';
import { type Changed, createCommands, insertedId } from '../command.ts';
import {
  actingUserId,
  type Change,
  demandSuperAdmin,
  guardSuperAdmin,
  isOnlySuperAdmin,
  lockSuperAdmins,
  otherUserId,
  type TableContext,
} from '../context.ts';
import { endInvitations } from '../invitations/invitations.ts';
import { endSessions, stillVerified } from './security-stamp.ts';
import { storedUser } from './stored-user.ts';
import { type CanonicalNames, type TakenField, takenBy, takenNames } from './taken-names.ts';
import {
  auditDetail,
  changedColumns,
  changedFields,
  type UserChange,
  type UserValues,
} from './user-change.ts';

export interface UpdateOptions {
  /** Ends the user's sessions, whatever else changes. */
  readonly sessionsEnd?: boolean;
  /** Whose password was verified for this change; where that does not hold any more nothing is changed. */
  readonly verified?: VerifiedUser | undefined;
  /** The session by which users change themselves: a new password ends their others, and this one goes on. */
  readonly keptSession?: number | undefined;
}

/** A transaction that a user is deleted in, and what happens in it before. */
export interface PartOfRemoval {
  readonly transaction: Transaction;
  readonly before: () => Promise<void>;
}

/** Names of a user as they were entered. */
export interface StoredNames {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
}

/** Users and the roles that they hold. Whatever takes rights away has happened when the promise resolves. */
export const createUserStore = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const change = createCommands({ database, clock });

  const setRoles = async (
    { transaction, tables }: Change,
    id: number,
    roles: readonly string[],
  ): Promise<void> => {
    await transaction.run(toQuery(tables.deleteFrom('user_roles').where('user_id', '=', id)));
    for (const role of new Set(roles))
      await transaction.run(toQuery(tables.insertInto('user_roles').values({ user_id: id, role })));
  };

  /**
   * Asks a user who becomes a super_admin for a new password where another user set the present one who is no
   * super_admin, and so could not set it now. Returns whether it does.
   */
  const askForPassword = async ({ transaction, tables }: Change, id: number): Promise<boolean> => {
    const leaders = tables.selectFrom('user_roles').select('user_id').where('role', '=', superAdmin);
    const ask = tables
      .updateTable('users')
      .set({ must_change_password: true })
      .where('id', '=', id)
      .where('password_set_by', 'is not', null)
      .where('password_set_by', 'not in', leaders);
    return (await transaction.run(toQuery(ask))) > 0;
  };

  const add = async (made: Change, values: UserValues): Promise<Changed<number>> => {
    const { tables, actor, at } = made;
    guardSuperAdmin(actor, values.roles);
    const { username, email, name, disabled, passwordHash, mustChangePassword = false } = values;
    const insert = tables
      .insertInto('users')
      .values({
        ...{ username, username_canonical: values.usernameCanonical },
        ...{ email, email_canonical: values.emailCanonical },
        ...{ name, disabled, must_change_password: mustChangePassword, created_at: at, updated_at: at },
        password_hash: passwordHash,
        password_set_by: passwordHash === '' ? null : actingUserId(actor),
      })
      .returning('id');
    const id = await insertedId(made, insert);
    await setRoles(made, id, values.roles);
    const audit = {
      action: 'user.create',
      target: { kind: 'user', id, name: username },
      detail: {
        roles: values.roles,
        disabled,
        ...(mustChangePassword ? { must_change_password: true } : {}),
        ...(passwordHash === '' ? { invited: true } : {}),
      },
    };
    return { audit, result: id };
  };

  return {
    /** Which of the two are held by a user other than `except`. */
    taken: (names: CanonicalNames, except?: number): Promise<readonly TakenField[]> =>
      takenNames(database, names, except),

    /** Names among these that are no role. */
    unknownRoles: async (roles: readonly string[]): Promise<readonly string[]> => {
      if (roles.length === 0) return [];
      const rows = await database.all<{ name: string }>(
        toQuery(
          db
            .selectFrom('roles')
            .select('name')
            .where('name', 'in', [...roles]),
        ),
      );
      return roles.filter((role) => !rows.some(({ name }) => name === role));
    },

    /** @throws TakenError, Problem `forbidden` */
    create: (values: UserValues, actor: Actor): Promise<number> =>
      change(actor, (made) => add(made, values)).catch((error: unknown) => {
        throw takenBy(error);
      }),

    /** Creates the very first user; undefined where there is one, also where another instance is making it just now. */
    createFirst: (values: UserValues, actor: Actor): Promise<number | undefined> =>
      change(actor, async (made): Promise<Changed<number | undefined>> => {
        await lockSuperAdmins(made);
        const first = await made.transaction.get(toQuery(db.selectFrom('users').select('id').limit(1)));
        return first === undefined ? add(made, values) : { result: undefined };
      }),

    /**
     * Changes a user; a new password, a disabling and `sessionsEnd` end their sessions, the last with a line of its own
     * in the audit log; but `keptSession`, where it is the password alone that ends them. False where what was
     * verified does not hold any more: then nothing has changed.
     * @throws TakenError, Problem `record_not_found`, `forbidden`, `last_super_admin`
     */
    update: (
      id: number,
      changed: UserChange,
      actor: Actor,
      { sessionsEnd = false, verified, keptSession }: UpdateOptions = {},
    ): Promise<boolean> =>
      change(actor, async (made) => {
        const { transaction, tables, at } = made;
        await lockSuperAdmins(made);
        const before = await storedUser(made, id);
        guardSuperAdmin(actor, before.roles, changed.roles ?? []);
        const { roles = before.roles } = changed;
        const gained = roles.filter((role) => !before.roles.includes(role));
        const lost = before.roles.filter((role) => !roles.includes(role));
        const target = { kind: 'user', id, name: changed.username ?? before.username };
        const audit: AuditEntry[] = [];
        // Sessions ended and nothing else sent: the user is as before.
        if (!sessionsEnd || Object.keys(changed).length > 0) {
          const update = tables
            .updateTable('users')
            .set({ ...changedColumns(changed), updated_at: at })
            .$if(changed.passwordHash !== undefined, (set) =>
              set.set({ password_set_by: otherUserId(actor, id) }),
            )
            .where(verified === undefined ? (eb) => eb('id', '=', id) : stillVerified(verified));
          if ((await transaction.run(toQuery(update))) === 0) return { result: false };
          if (changed.roles !== undefined) await setRoles(made, id, changed.roles);
          if (before.roles.includes(superAdmin)) await demandSuperAdmin(made);
          const asked = gained.includes(superAdmin) && (await askForPassword(made, id));
          const detail = {
            ...{ fields: changedFields(changed), ...auditDetail(changed) },
            ...(asked ? { must_change_password: true } : {}),
          };
          audit.push({ action: 'user.update', target, detail });
        }
        // At the end of the disabling too: an instance of an older version may have let a sign-in under way through.
        const enabled = before.disabled && changed.disabled === false;
        const shuts = changed.disabled === true || enabled;
        const ends = changed.passwordHash !== undefined || shuts;
        if (ends || gained.includes(superAdmin)) await endInvitations(made, 'user_id', id);
        if (shuts || lost.some((role) => administrators.some((each) => each === role)))
          await endInvitations(made, 'made_by', id);
        if (!ends && !sessionsEnd) return { audit, result: true };
        const kept = sessionsEnd || shuts ? undefined : keptSession;
        const sessions = await endSessions(made, id, kept);
        if (sessionsEnd) audit.push({ action: 'session.delete_all', target, detail: { sessions } });
        return { audit, result: true };
      }).catch((error: unknown) => {
        throw takenBy(error);
      }),

    /** Whether the service would be without an enabled super_admin if this user were not there. */
    isLastSuperAdmin: (id: number): Promise<boolean> => isOnlySuperAdmin(database, id),

    /**
     * Deletes a user with their keys, sessions and roles; references to them go as they say.
     * @throws Problem `record_not_found`, `forbidden`, `last_super_admin`, `still_referenced`
     */
    remove: (id: number, actor: Actor, part?: PartOfRemoval): Promise<void> => {
      const removing = async (made: Change): Promise<Changed<void>> => {
        await lockSuperAdmins(made);
        const before = await storedUser(made, id);
        guardSuperAdmin(actor, before.roles);
        await part?.before();
        await revokeKeys(made, [{ column: 'user_id', value: id }]);
        await made.transaction.run(toQuery(db.deleteFrom('users').where('id', '=', id)));
        if (before.roles.includes(superAdmin)) await demandSuperAdmin(made);
        const target = { kind: 'user', id, name: before.username };
        return { audit: { action: 'user.delete', target }, result: undefined };
      };
      return change(actor, removing, { foreign_key: 'still_referenced' }, part?.transaction);
    },

    /**
     * A user's own new password, which ends what asked for it, and their sessions but the one that changes it. False
     * where what was verified does not hold any more: then nothing has changed.
     */
    changePassword: (
      verified: VerifiedUser,
      passwordHash: string,
      actor: Actor,
      session?: number,
    ): Promise<boolean> =>
      change(actor, async (made) => {
        const { id } = verified;
        const update = db
          .updateTable('users')
          .set({ password_hash: passwordHash, must_change_password: false, password_set_by: null })
          .set({ updated_at: made.at })
          .where(stillVerified(verified))
          .returning('username');
        const user = await made.transaction.get<{ username: string }>(toQuery(update));
        if (user === undefined) return { result: false };
        await endInvitations(made, 'user_id', id);
        await endSessions(made, id, session);
        const target = { kind: 'user', id, name: user.username };
        return { audit: { action: 'user.password', target }, result: true };
      }),

    exists: async (id: number): Promise<boolean> =>
      (await database.get(toQuery(db.selectFrom('users').select('id').where('id', '=', id)))) !== undefined,

    /** The names of the user with this id. */
    namesOf: (id: number): Promise<StoredNames | undefined> =>
      database.get<StoredNames>(
        toQuery(db.selectFrom('users').select(['id', 'username', 'email', 'name']).where('id', '=', id)),
      ),

    /** Whether there is any user at all; the first start makes one where there is none. */
    any: async (): Promise<boolean> =>
      (await database.get(toQuery(db.selectFrom('users').select('id').limit(1)))) !== undefined,

    /** Id of the first enabled super_admin. */
    firstSuperAdmin: async (): Promise<number | undefined> =>
      (
        await database.get<{ id: number }>(
          toQuery(
            db
              .selectFrom('users')
              .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
              .select('users.id')
              .where('user_roles.role', '=', superAdmin)
              .where('users.disabled', '=', false)
              .orderBy('users.id')
              .limit(1),
          ),
        )
      )?.id,

    /** Id of the user with this canonical username. */
    idByUsername: async (canonical: string): Promise<number | undefined> =>
      (
        await database.get<{ id: number }>(
          toQuery(db.selectFrom('users').select('id').where('username_canonical', '=', canonical)),
        )
      )?.id,
  };
};

export type UserStore = ReturnType<typeof createUserStore>;
