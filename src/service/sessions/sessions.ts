import type { VerifiedUser } from '../../auth/ports.ts';
import { sessionIdleTime, sessionLifetime } from '../../auth/session.ts';
import { toQuery } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Actor } from '../audit/audit.ts';
import { type Changed, createCommands } from '../command.ts';
import type { Change, TableContext } from '../context.ts';
import { endSessions, isStillVerified } from '../users/stored-user.ts';

export interface NewSession {
  readonly hash: string;
  readonly address: string;
  readonly userAgent: string;
}

/** Returns the user as the target of audit lines: users begin and end only their own sessions. */
export const ownerOf = ({ principal }: Actor, id: number) => ({
  kind: 'user',
  id,
  name: typeof principal === 'object' && principal.kind === 'user' ? principal.username : null,
});

/** Second factor of a sign-in, as the audit log names it. */
export type ProvedBy = 'totp' | 'passkey' | 'recovery_code';

/**
 * Begins a session in a transaction, and deletes expired ones of all users. Returns false and begins none if the
 * verification is no longer valid.
 */
export const beginSession = async (
  { transaction, tables, actor, now, at }: Change,
  user: VerifiedUser,
  session: NewSession,
  provedBy?: ProvedBy,
): Promise<Changed<boolean>> => {
  const expired = tables
    .deleteFrom('sessions')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', toTimestamp(now - sessionLifetime * 1000)),
        eb('last_used_at', '<=', toTimestamp(now - sessionIdleTime * 1000)),
      ]),
    );
  await transaction.run(toQuery(expired));
  const insert = tables
    .insertInto('sessions')
    .columns([
      'user_id',
      'session_hash',
      'address',
      'user_agent',
      'second_factor',
      'created_at',
      'last_used_at',
    ])
    .expression(
      tables
        .selectFrom('users')
        .select((eb) => [
          'id',
          eb.val(session.hash).as('session_hash'),
          eb.val(session.address).as('address'),
          eb.val(session.userAgent).as('user_agent'),
          eb.val(provedBy !== undefined).as('second_factor'),
          eb.val(at).as('created_at'),
          eb.val(at).as('last_used_at'),
        ])
        .where(isStillVerified(user)),
    );
  if ((await transaction.run(toQuery(insert))) === 0) return { result: false };
  const audit = {
    action: 'session.create',
    target: ownerOf(actor, user.id),
    ...(provedBy === undefined ? {} : { detail: { second_factor: provedBy } }),
  };
  return { audit, result: true };
};

/** Sessions of the administration area. Only the HMAC of a session id is stored. */
export const createSessionStore = ({ database, clock }: TableContext) => {
  const change = createCommands({ database, clock });

  return {
    /**
     * Begins a session, and deletes expired ones of all users. Returns false and begins none if the verification is
     * no longer valid.
     */
    create: (user: VerifiedUser, session: NewSession, actor: Actor): Promise<boolean> =>
      change(actor, (made) => beginSession(made, user, session)),

    /**
     * Ends one session of the actor, on this device or another one. Returns false if the actor has none with this id.
     */
    remove: (id: number, userId: number, actor: Actor): Promise<boolean> =>
      change(actor, async ({ transaction, tables }) => {
        const query = tables
          .deleteFrom('sessions')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .returning(['address', 'user_agent']);
        const ended = await transaction.get<{ address: string; user_agent: string }>(toQuery(query));
        if (ended === undefined) return { result: false };
        const audit = {
          action: 'session.delete',
          target: ownerOf(actor, userId),
          detail: { session_id: id, address: ended.address, user_agent: ended.user_agent },
        };
        return { audit, result: true };
      }),

    /** Ends all sessions of a user. */
    removeAll: (userId: number, actor: Actor): Promise<void> =>
      change(actor, async (made) => {
        const ended = await endSessions(made, userId);
        const target = ownerOf(actor, userId);
        const audit = { action: 'session.delete_all', target, detail: { sessions: ended } };
        return { audit, result: undefined };
      }),
  };
};

export type SessionStore = ReturnType<typeof createSessionStore>;
