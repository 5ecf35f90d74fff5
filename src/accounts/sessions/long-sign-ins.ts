/** Long sign-ins in the database: begin, renewal by refresh tokens, each of which works once, and theft. */

import { anonymous } from '../../auth/principal.ts';
import { type RefreshClaims, type RefreshTokens, refreshRepeatTime } from '../../auth/refresh-token.ts';
import { toQuery } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { AuditEntry } from '../../ledger/audit.ts';
import { type Changed, createCommands, insertedId } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { endSession } from '../users/stored-user.ts';
import { longSince } from './session-options.ts';
import type { TokenStore } from './tokens.ts';

/** The place where a sign-in began. */
export interface SignInOrigin {
  readonly address: string;
  readonly userAgent: string;
  /** Whether a second factor was given. */
  readonly secondFactor: boolean;
}

/** The user whose sign-in was renewed, and the expiry of the token that they receive. */
export interface Renewal {
  readonly kind: 'renewed';
  readonly userId: number;
  /** Unix seconds. */
  readonly expiry: number;
}

/** A refresh token that was used before: its sign-in has ended. */
export interface Reuse {
  readonly kind: 'reused';
  readonly user: { readonly id: number; readonly username: string };
}

/** A presented token in the database, with its sign-in. */
interface Presented {
  readonly id: number;
  readonly user_id: number;
  readonly username: string;
  readonly address: string;
  readonly user_agent: string;
  /** Number of renewals so far. */
  readonly newest: number;
  /** Whether it was used a moment ago. */
  readonly repeatable: boolean | number | null;
  /** Expiry of the token that was returned with the next refresh token; null if it was never used, or long ago. */
  readonly next_expiry: number | null;
}

export interface LongSignInParts extends TableContext {
  readonly userTokens: TokenStore;
  readonly refreshTokens: RefreshTokens;
  readonly days: number;
}

/**
 * Long sign-ins. Each is a session of its user, and whatever ends sessions ends it. All transitions are units of work,
 * which behave as if one ran after the other: of all processes that receive a token, one renews the sign-in, and a
 * renewal that is overtaken by a revocation finds no session.
 */
export class LongSignIns {
  readonly #change: ReturnType<typeof createCommands>;
  readonly #userTokens: TokenStore;
  readonly #refreshTokens: RefreshTokens;
  readonly #days: number;

  constructor({ database, clock, userTokens, refreshTokens, days }: LongSignInParts) {
    this.#change = createCommands({ database, clock });
    this.#userTokens = userTokens;
    this.#refreshTokens = refreshTokens;
    this.#days = days;
  }

  /**
   * Returns the first refresh token of a new sign-in, and the step that stores it, in the change that issues a token
   * with this expiry.
   */
  begin(userId: number, { address, userAgent, secondFactor }: SignInOrigin) {
    const { hash, token } = this.#refreshTokens.begin();
    const store = async (change: Change, expiry: number): Promise<AuditEntry> => {
      const { tables, actor, at } = change;
      const session = tables
        .insertInto('sessions')
        .values({
          user_id: userId,
          session_hash: hash,
          address,
          user_agent: userAgent,
          second_factor: secondFactor,
          generation: 0,
          created_at: at,
          last_used_at: at,
        })
        .returning('id');
      const id = await insertedId(change, session);
      await this.#addToken(change, id, 0, expiry);
      const { principal } = actor;
      const name = typeof principal === 'object' && principal.kind === 'user' ? principal.username : null;
      const target = { kind: 'user', id: userId, name };
      return { action: 'session.remember', target, detail: { session_id: id } };
    };
    return { refreshToken: token, store };
  }

  /**
   * Renews the sign-in of a refresh token that was not used before. One that was used a moment ago has the same result
   * again; one that was used earlier ends its sign-in, since two hold it. Undefined for every other token.
   */
  renew(claims: RefreshClaims, address: string): Promise<Renewal | Reuse | undefined> {
    const { generation } = claims;
    return this.#change(
      { principal: anonymous, address },
      async (change): Promise<Changed<Renewal | Reuse | undefined>> => {
        const found = await this.#find(change, claims);
        // A database that was restored from a backup knows no later tokens.
        if (found === undefined || generation > found.newest) return { result: undefined };
        const { user_id: userId, next_expiry: next } = found;
        if (generation === found.newest) {
          const expiry = await this.#advance(change, found);
          return { result: expiry === undefined ? undefined : { kind: 'renewed', userId, expiry } };
        }
        if (next !== null && found.repeatable)
          return { result: { kind: 'renewed', userId, expiry: Number(next) } };
        return this.#endReused(change, found);
      },
    );
  }

  async #find({ transaction, tables, now }: Change, { hash, generation }: RefreshClaims) {
    const query = tables
      .selectFrom('sessions as s')
      .innerJoin('users as u', 'u.id', 's.user_id')
      .leftJoin('gatewright_session_tokens as t', (join) =>
        join.onRef('t.session_id', '=', 's.id').on('t.generation', '=', generation),
      )
      .leftJoin('gatewright_session_tokens as n', (join) =>
        join.onRef('n.session_id', '=', 's.id').on('n.generation', '=', generation + 1),
      )
      .select(['s.id', 's.user_id', 'u.username', 's.address', 's.user_agent', 's.generation as newest'])
      .select((eb) => [
        'n.expiry as next_expiry',
        eb('t.used_at', '>', toTimestamp(now - refreshRepeatTime)).as('repeatable'),
      ])
      .where('s.session_hash', '=', hash)
      .where('s.generation', 'is not', null)
      .where('s.last_used_at', '>', longSince(now, this.#days))
      .where('u.disabled', '=', false)
      .where('u.kind', '=', 'person')
      // As for the cookie of a session: a sign-in without the second factor does not count for a user who has one.
      .where((eb) => eb.or([eb('u.second_factor', '=', false), eb('s.second_factor', '=', true)]));
    return transaction.get<Presented>(toQuery(query));
  }

  /**
   * Makes the next refresh token and its token valid in place of the newest. Returns the expiry of the token; undefined
   * if the user was disabled or deleted meanwhile. Tokens that have expired need no row any more.
   */
  async #advance(change: Change, { id, user_id: userId, newest }: Presented): Promise<number | undefined> {
    const { transaction, tables, now, at } = change;
    const expiry = await this.#userTokens.raiseExpiry(change, (eb) =>
      eb.and([eb('id', '=', userId), eb('disabled', '=', false)]),
    );
    if (expiry === undefined) return undefined;
    const renew = tables
      .updateTable('sessions')
      .set({ generation: newest + 1, last_used_at: at })
      .where('id', '=', id)
      .where('generation', '=', newest);
    if ((await transaction.run(toQuery(renew))) === 0) return undefined;
    const tokens = 'gatewright_session_tokens';
    const use = tables.updateTable(tokens).set({ used_at: at }).where('session_id', '=', id);
    await transaction.run(toQuery(use.where('generation', '=', newest)));
    await this.#addToken(change, id, newest + 1, expiry);
    const expired = tables
      .deleteFrom(tokens)
      .where('session_id', '=', id)
      .where('generation', '<', newest)
      .where('expiry', '<=', Math.floor(now / 1000));
    await transaction.run(toQuery(expired));
    return expiry;
  }

  async #addToken({ transaction, tables }: Change, id: number, generation: number, expiry: number) {
    const row = { session_id: id, generation, expiry };
    await transaction.run(toQuery(tables.insertInto('gatewright_session_tokens').values(row)));
  }

  async #endReused(change: Change, found: Presented): Promise<Changed<Reuse>> {
    const user = { id: found.user_id, username: found.username };
    await endSession(change, user.id, found.id);
    const audit = {
      action: 'sign_in.reused',
      target: { kind: 'user', id: user.id, name: user.username },
      detail: { session_id: found.id, address: found.address, user_agent: found.user_agent },
    };
    return { audit, result: { kind: 'reused', user } };
  }
}
