import type { VerifiedUser } from '../../auth/ports.ts';
import { sessionIdleTime, sessionLifetime } from '../../auth/session.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import { type Actor, recordAudit } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import type { TableContext } from '../context.ts';
import { endSessions, stillVerified } from '../users/security-stamp.ts';

export interface NewSession {
  readonly hash: string;
  readonly address: string;
  readonly userAgent: string;
}

/** Sessions are begun and ended by their own user. */
const ownerOf = ({ principal }: Actor, id: number) => ({
  kind: 'user',
  id,
  name: typeof principal === 'object' && principal.kind === 'user' ? principal.username : null,
});

/** What was proved beside the password, as the audit list tells it. */
export type ProvedBy = 'totp' | 'passkey' | 'recovery_code';

/**
 * Starts a session in a transaction; what has run out, of whomever, is deleted on the way. False where what was verified
 * does not hold any more: then there is none.
 */
export const beginSession = async (
  transaction: Transaction,
  dialect: Database['dialect'],
  now: number,
  user: VerifiedUser,
  session: NewSession,
  actor: Actor,
  provedBy?: ProvedBy,
): Promise<boolean> => {
  const db = tablesOf({ dialect });
  const expired = db
    .deleteFrom('sessions')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', toTimestamp(now - sessionLifetime * 1000)),
        eb('last_used_at', '<=', toTimestamp(now - sessionIdleTime * 1000)),
      ]),
    );
  await transaction.run(toQuery(expired));
  const insert = db
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
      db
        .selectFrom('users')
        .select((eb) => [
          'id',
          eb.val(session.hash).as('session_hash'),
          eb.val(session.address).as('address'),
          eb.val(session.userAgent).as('user_agent'),
          eb.val(provedBy !== undefined).as('second_factor'),
          eb.val(toTimestamp(now)).as('created_at'),
          eb.val(toTimestamp(now)).as('last_used_at'),
        ])
        .where(stillVerified(user)),
    );
  if ((await transaction.run(toQuery(insert))) === 0) return false;
  await recordAudit(transaction, dialect, now, actor, {
    action: 'session.create',
    target: ownerOf(actor, user.id),
    ...(provedBy === undefined ? {} : { detail: { second_factor: provedBy } }),
  });
  return true;
};

/** Sessions of the administration area. A session id is stored as its HMAC only. */
export const createSessionStore = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf({ dialect });
  const command = createCommands({ database, clock });

  return {
    /**
     * Starts a session; what has run out, of whomever, is deleted on the way. False where what was verified does not
     * hold any more: then there is none.
     */
    create: (user: VerifiedUser, session: NewSession, actor: Actor): Promise<boolean> =>
      database.write((transaction) => beginSession(transaction, dialect, clock(), user, session, actor)),

    /** Ends one session of the actor's: signing out, here or on another device. False where they have none with that id. */
    remove: (id: number, userId: number, actor: Actor): Promise<boolean> =>
      command(actor, async ({ transaction }) => {
        const query = db
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

    /** Ends every session of a user. */
    removeAll: (userId: number, actor: Actor): Promise<void> =>
      command(actor, async ({ transaction }) => {
        const ended = await endSessions(transaction, dialect, userId);
        const target = ownerOf(actor, userId);
        const audit = { action: 'session.delete_all', target, detail: { sessions: ended } };
        return { audit, result: undefined };
      }),
  };
};

export type SessionStore = ReturnType<typeof createSessionStore>;
