import type { VerifiedUser } from '../../auth/ports.ts';
import { ConstraintError, type Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import { administrators, superAdmin } from '../../policy/rule.ts';
import { revokeKeys } from '../api-keys/revoked-keys.ts';
import { type Actor, recordAudit } from '../audit/audit.ts';
import {
  actingUserId,
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
  const { dialect } = database;
  const db = tablesOf({ dialect });

  const setRoles = async (transaction: Transaction, id: number, roles: readonly string[]): Promise<void> => {
    await transaction.run(toQuery(db.deleteFrom('user_roles').where('user_id', '=', id)));
    for (const role of new Set(roles))
      await transaction.run(toQuery(db.insertInto('user_roles').values({ user_id: id, role })));
  };

  /**
   * Asks a user who becomes a super_admin for a new password where another user set the present one who is no
   * super_admin, and so could not set it now. Returns whether it does.
   */
  const askForPassword = async (transaction: Transaction, id: number): Promise<boolean> => {
    const leaders = db.selectFrom('user_roles').select('user_id').where('role', '=', superAdmin);
    const ask = db
      .updateTable('users')
      .set({ must_change_password: true })
      .where('id', '=', id)
      .where('password_set_by', 'is not', null)
      .where('password_set_by', 'not in', leaders);
    return (await transaction.run(toQuery(ask))) > 0;
  };

  const insert = async (
    transaction: Transaction,
    values: UserValues,
    actor: Actor,
    now: string,
  ): Promise<number> => {
    const query = db
      .insertInto('users')
      .values({
        username: values.username,
        username_canonical: values.usernameCanonical,
        email: values.email,
        email_canonical: values.emailCanonical,
        name: values.name,
        password_hash: values.passwordHash,
        password_set_by: values.passwordHash === '' ? null : actingUserId(actor),
        disabled: values.disabled,
        must_change_password: values.mustChangePassword ?? false,
        created_at: now,
        updated_at: now,
      })
      .returning('id');
    const row = await transaction.get<{ id: number }>(toQuery(query));
    if (row === undefined) throw new Error('an insert answered no id');
    return row.id;
  };

  const create = async (transaction: Transaction, values: UserValues, actor: Actor): Promise<number> => {
    guardSuperAdmin(actor, values.roles);
    const now = clock();
    const id = await insert(transaction, values, actor, toTimestamp(now));
    await setRoles(transaction, id, values.roles);
    await recordAudit(transaction, dialect, now, actor, {
      action: 'user.create',
      target: { kind: 'user', id, name: values.username },
      detail: {
        roles: values.roles,
        disabled: values.disabled,
        ...(values.mustChangePassword === true ? { must_change_password: true } : {}),
        ...(values.passwordHash === '' ? { invited: true } : {}),
      },
    });
    return id;
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
      database
        .write((transaction) => create(transaction, values, actor))
        .catch((error: unknown) => {
          throw takenBy(error);
        }),

    /** Creates the very first user; undefined where there is one, also where another instance is making it just now. */
    createFirst: (values: UserValues, actor: Actor): Promise<number | undefined> =>
      database.write(async (transaction) => {
        await lockSuperAdmins(transaction, dialect);
        const there = await transaction.get(toQuery(db.selectFrom('users').select('id').limit(1)));
        return there === undefined ? create(transaction, values, actor) : undefined;
      }),

    /**
     * Changes a user; a new password, a disabling and `sessionsEnd` end their sessions, the last with a line of its own
     * in the audit list; but `keptSession`, where it is the password alone that ends them. False where what was
     * verified does not hold any more: then nothing has changed.
     * @throws TakenError, Problem `record_not_found`, `forbidden`, `last_super_admin`
     */
    update: (
      id: number,
      change: UserChange,
      actor: Actor,
      { sessionsEnd = false, verified, keptSession }: UpdateOptions = {},
    ): Promise<boolean> =>
      database
        .write(async (transaction) => {
          await lockSuperAdmins(transaction, dialect);
          const before = await storedUser(transaction, dialect, id);
          guardSuperAdmin(actor, before.roles, change.roles ?? []);
          const now = clock();
          const { roles = before.roles } = change;
          const gained = roles.filter((role) => !before.roles.includes(role));
          const lost = before.roles.filter((role) => !roles.includes(role));
          const target = { kind: 'user', id, name: change.username ?? before.username };
          // Sessions ended and nothing else sent: the user is as before.
          if (!sessionsEnd || Object.keys(change).length > 0) {
            const update = db
              .updateTable('users')
              .set({ ...changedColumns(change), updated_at: toTimestamp(now) })
              .$if(change.passwordHash !== undefined, (set) =>
                set.set({ password_set_by: otherUserId(actor, id) }),
              )
              .where(verified === undefined ? (eb) => eb('id', '=', id) : stillVerified(verified));
            if ((await transaction.run(toQuery(update))) === 0) return false;
            if (change.roles !== undefined) await setRoles(transaction, id, change.roles);
            if (before.roles.includes(superAdmin)) await demandSuperAdmin(transaction, dialect);
            const asked = gained.includes(superAdmin) && (await askForPassword(transaction, id));
            const detail = {
              ...{ fields: changedFields(change), ...auditDetail(change) },
              ...(asked ? { must_change_password: true } : {}),
            };
            await recordAudit(transaction, dialect, now, actor, { action: 'user.update', target, detail });
          }
          // At the end of the disabling too: an instance of an older version may have let a sign-in under way through.
          const enabled = before.disabled && change.disabled === false;
          const shuts = change.disabled === true || enabled;
          const ends = change.passwordHash !== undefined || shuts;
          if (ends || gained.includes(superAdmin))
            await endInvitations(transaction, dialect, 'user_id', id, now);
          if (shuts || lost.some((role) => administrators.some((each) => each === role)))
            await endInvitations(transaction, dialect, 'made_by', id, now);
          if (!ends && !sessionsEnd) return true;
          const kept = sessionsEnd || shuts ? undefined : keptSession;
          const sessions = await endSessions(transaction, dialect, id, kept);
          if (!sessionsEnd) return true;
          const ended = { action: 'session.delete_all', target, detail: { sessions } };
          await recordAudit(transaction, dialect, now, actor, ended);
          return true;
        })
        .catch((error: unknown) => {
          throw takenBy(error);
        }),

    /** Whether the service would be without an enabled super_admin if this user were not there. */
    isLastSuperAdmin: (id: number): Promise<boolean> => isOnlySuperAdmin(database, dialect, id),

    /**
     * Deletes a user with their keys, sessions and roles; references to them go as they say.
     * @throws Problem `record_not_found`, `forbidden`, `last_super_admin`, `still_referenced`
     */
    remove: async (id: number, actor: Actor, part?: PartOfRemoval): Promise<void> => {
      const removing = async (transaction: Transaction): Promise<void> => {
        await lockSuperAdmins(transaction, dialect);
        const before = await storedUser(transaction, dialect, id);
        guardSuperAdmin(actor, before.roles);
        await part?.before();
        const now = clock();
        await revokeKeys(transaction, dialect, [{ column: 'user_id', value: id }], actor, now);
        await transaction.run(toQuery(db.deleteFrom('users').where('id', '=', id)));
        if (before.roles.includes(superAdmin)) await demandSuperAdmin(transaction, dialect);
        await recordAudit(transaction, dialect, now, actor, {
          action: 'user.delete',
          target: { kind: 'user', id, name: before.username },
        });
      };
      try {
        await (part === undefined ? database.write(removing) : removing(part.transaction));
      } catch (error) {
        if (error instanceof ConstraintError && error.kind === 'foreign_key')
          throw new Problem('still_referenced', { cause: error });
        throw error;
      }
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
      database.write(async (transaction) => {
        const { id } = verified;
        const now = clock();
        const update = db
          .updateTable('users')
          .set({ password_hash: passwordHash, must_change_password: false, password_set_by: null })
          .set({ updated_at: toTimestamp(now) })
          .where(stillVerified(verified))
          .returning('username');
        const changed = await transaction.get<{ username: string }>(toQuery(update));
        if (changed === undefined) return false;
        await endInvitations(transaction, dialect, 'user_id', id, now);
        await endSessions(transaction, dialect, id, session);
        await recordAudit(transaction, dialect, now, actor, {
          action: 'user.password',
          target: { kind: 'user', id, name: changed.username },
        });
        return true;
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
