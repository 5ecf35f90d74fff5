/** Sessions of the administration area in the database, and where a user is signed in, long sign-ins included. */

import { sql } from 'kysely';
import type { TokenClaims } from '../../auth/jwt.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import { sessionLimitsAt } from '../../auth/session.ts';
import type { Database } from '../../database/database.ts';
import { timeText } from '../../database/source.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type Changed, createCommands } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { endSession, endSessions, isStillVerified } from '../users/stored-user.ts';
import { longSince } from './session-options.ts';

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
  const { born, idle } = sessionLimitsAt(now);
  const expired = tables
    .deleteFrom('sessions')
    .where('generation', 'is', null)
    .where((eb) => eb.or([eb('created_at', '<=', born), eb('last_used_at', '<=', idle)]));
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
    detail: provedBy === undefined ? {} : { second_factor: provedBy },
  };
  return { audit, result: true };
};

/** Sessions, and revoked tokens, that are listed for a user at most. */
const maxListedSessions = 100;

interface ActiveSession {
  readonly id: number;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
  /** A long sign-in to the API; every other session is one of the administration area. */
  readonly remembered: boolean;
}

/** Sessions and tokens of a user, as far as the service knows: it keeps no list of tokens. */
export interface SignIns {
  readonly sessions: readonly ActiveSession[];
  readonly tokens: {
    /** Latest expiry of a token that the login issued and no revocation of all tokens covers; null: none. */
    readonly latest_expiry: string | null;
    /** Every token that expires by then is revoked; null: none that would still be valid. */
    readonly revoked_up_to: string | null;
    /** Expiries of tokens that were revoked one by one and would still be valid. */
    readonly revoked: readonly string[];
  };
}

/** Long sign-ins of a user that issued a token with this expiry. */
export const sessionsOfToken = (tables: Change['tables'], userId: number, expiry: number) =>
  tables
    .selectFrom('sessions as s')
    .innerJoin('gatewright_session_tokens as t', 't.session_id', 's.id')
    .select('s.id')
    .distinct()
    .where('s.user_id', '=', userId)
    .where('t.expiry', '=', expiry);

/** The line of the audit log for a session that the actor has ended. */
export const endedSession = (
  actor: Actor,
  userId: number,
  sessionId: number,
  { address, user_agent }: { readonly address: string; readonly user_agent: string },
) => ({
  action: 'session.delete',
  target: ownerOf(actor, userId),
  detail: { session_id: sessionId, address, user_agent },
});

export interface SessionStoreParts extends TableContext {
  /** Days without a renewal after which a long sign-in ends; undefined where there are none. */
  readonly days?: number | undefined;
}

/** Sessions of the administration area, and long sign-ins. Only the HMAC of a session id is stored. */
export class SessionStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #days: number | undefined;
  readonly #change: ReturnType<typeof createCommands>;
  readonly #db: Change['tables'];

  constructor({ database, clock, days }: SessionStoreParts) {
    this.#database = database;
    this.#days = days;
    this.#clock = clock;
    this.#change = createCommands({ database, clock });
    this.#db = tablesOf(database);
  }

  /**
   * Begins a session, and deletes expired ones of all users. Returns false and begins none if the verification is
   * no longer valid.
   */
  create(user: VerifiedUser, session: NewSession, actor: Actor): Promise<boolean> {
    return this.#change(actor, (made) => beginSession(made, user, session));
  }

  /**
   * Ends one session of the actor, on this device or another one. Returns false if the actor has none with this id.
   */
  remove(id: number, userId: number, actor: Actor): Promise<boolean> {
    return this.#change(actor, async (change) => {
      const ended = await endSession(change, userId, id);
      return ended === undefined
        ? { result: false }
        : { audit: endedSession(actor, userId, id, ended), result: true };
    });
  }

  /** Ends all sessions of the actor but `kept`, and revokes the tokens. */
  removeAll(userId: number, actor: Actor, kept?: number): Promise<void> {
    return this.#change(actor, async (made) => {
      const sessions = await endSessions(made, userId, kept);
      const target = ownerOf(actor, userId);
      const detail = kept === undefined ? { sessions } : { sessions, kept_session: kept };
      return { audit: { action: 'session.delete_all', target, detail }, result: undefined };
    });
  }

  /** Removes long sign-ins that were not renewed in time. */
  async sweep(now: number): Promise<void> {
    const unused = this.#db
      .deleteFrom('sessions')
      .where('generation', 'is not', null)
      .where('last_used_at', '<=', longSince(now, this.#days));
    await this.#database.execute(toQuery(unused));
  }

  /** Returns the ids of the sessions to which a token of a user belongs. */
  async sessionsOf({ userId, exp, sessionId }: TokenClaims): Promise<readonly number[]> {
    if (sessionId !== undefined) return [sessionId];
    const found = await this.#database.all<{ id: number }>(toQuery(sessionsOfToken(this.#db, userId, exp)));
    return found.map(({ id }) => id);
  }

  /** Returns the valid sessions of a user, the last used first, and the known state of their tokens. */
  async signInsOf(userId: number): Promise<SignIns | undefined> {
    const now = this.#clock();
    const seconds = Math.floor(now / 1000);
    const time = (name: 'created_at' | 'last_used_at') =>
      sql<string>`${timeText(this.#database.dialect, sql`${sql.ref(`s.${name}`)}`)}`.as(name);
    const { born, idle } = sessionLimitsAt(now);
    const active = this.#db
      .selectFrom('sessions as s')
      .select(['s.id', 's.address', 's.user_agent', 's.generation'])
      .select([time('created_at'), time('last_used_at')])
      .where('s.user_id', '=', userId)
      .where((eb) =>
        eb.or([
          eb.and([
            eb('s.generation', 'is', null),
            eb('s.created_at', '>', born),
            eb('s.last_used_at', '>', idle),
          ]),
          eb.and([eb('s.generation', 'is not', null), eb('s.last_used_at', '>', longSince(now, this.#days))]),
        ]),
      )
      .orderBy('s.last_used_at', 'desc')
      .limit(maxListedSessions);
    const expiries = this.#db
      .selectFrom('users')
      .select(['last_token_expiry as last', 'revoked_token_expiry as revoked'])
      .where('id', '=', userId);
    const revoked = this.#db
      .selectFrom('gatewright_revoked_tokens')
      .select('expiry')
      .where('user_id', '=', userId)
      .where('expiry', '>', seconds)
      .orderBy('expiry', 'desc')
      .limit(maxListedSessions);
    const [sessions, expiry, signedOut] = await Promise.all([
      this.#database.all<Omit<ActiveSession, 'remembered'> & { generation: number | null }>(toQuery(active)),
      this.#database.get<{ last: number | null; revoked: number | null }>(toQuery(expiries)),
      this.#database.all<{ expiry: number }>(toQuery(revoked)),
    ]);
    if (expiry === undefined) return undefined;
    const futureExpiry = (time: number | null): string | null =>
      time === null || Number(time) <= seconds ? null : toTimestamp(Number(time) * 1000);
    const isRevoked = Number(expiry.last ?? 0) <= Number(expiry.revoked ?? 0);
    return {
      sessions: sessions.map(({ generation, ...session }) => ({
        ...session,
        remembered: generation !== null,
      })),
      tokens: {
        latest_expiry: isRevoked ? null : futureExpiry(expiry.last),
        revoked_up_to: futureExpiry(expiry.revoked),
        revoked: signedOut.flatMap((each) => futureExpiry(each.expiry) ?? []),
      },
    };
  }
}

export const createSessionStore = (parts: SessionStoreParts): SessionStore => new SessionStore(parts);
