/** Expiries and revocations of tokens in the database; tokens themselves are not stored. */

import { sql } from 'kysely';
import { type TokenClaims, tokenLifetime } from '../../auth/jwt.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { own, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor, AuditEntry } from '../../ledger/audit.ts';
import { type Changed, createCommands } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { lockUser } from '../second-factors/factor-change.ts';
import { consumeProof, type Proof } from '../second-factors/proof.ts';
import { demandPerson, endSession, endSessions, isStillVerified, storedUser } from '../users/stored-user.ts';
import { endedSession, ownerOf, sessionsOfToken } from './store.ts';

/** `unverified`: the password is no longer valid. `unproved`: the second factor was used before. */
export type TokenOutcome = { readonly expiry: number } | 'unverified' | 'unproved';

/** A further step of the change that issues a token, with its line of the audit log. */
export type IssueStep = (change: Change, expiry: number) => Promise<AuditEntry>;

/** Seconds by which the expiries of the tokens of one user may be moved apart. */
const maxExpiryShift = 60;

export interface TokenStoreParts extends TableContext {
  /** Whether each token of a user has its own expiry, so that a sign-out ends one sign-in. */
  readonly distinct: boolean;
}

/** Rolls back: the proof stays unused. */
class UnprovedLoginError extends Error {}

/**
 * Expiries (Unix seconds) of the tokens that users receive, and revocations of tokens. A token is its user and its
 * expiry. So that a new token differs from every revoked one, its expiry is later than theirs: by a second when it is
 * issued in the second of a revocation.
 */
export class TokenStore {
  readonly #database: Database;
  readonly #distinct: boolean;
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock, distinct }: TokenStoreParts) {
    this.#database = database;
    this.#distinct = distinct;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  /**
   * Expiry of a new token for a user whose password, and second factor if they have one, were verified.
   * @param more a further step of the same change
   */
  async issue(
    user: VerifiedUser,
    proof: Proof | undefined,
    actor: Actor,
    more?: IssueStep,
  ): Promise<TokenOutcome> {
    try {
      return await this.#change(actor, async (made): Promise<Changed<TokenOutcome>> => {
        if (proof !== undefined) {
          if ((await lockUser(made, user)) === undefined) return { result: 'unverified' };
          if (!(await consumeProof(made, user.id, proof))) throw new UnprovedLoginError();
        }
        const expiry = await this.raiseExpiry(made, isStillVerified(user), true);
        if (expiry === undefined) return { result: 'unverified' };
        return { audit: await more?.(made, expiry), result: { expiry } };
      });
    } catch (error) {
      if (error instanceof UnprovedLoginError) return 'unproved';
      throw error;
    }
  }

  /**
   * Expiry (Unix seconds) of a new token that code of the application issues for a user.
   * @throws Problem `record_not_found`, `service_account`, `user_disabled`
   */
  issueFor(id: number, actor: Actor, within?: Transaction): Promise<number> {
    return this.#change(
      actor,
      async (made) => {
        const user = await storedUser(made, id);
        demandPerson(user);
        if (user.disabled) throw new Problem('user_disabled');
        const expiry = await this.raiseExpiry(made, (eb) => eb('id', '=', id));
        if (expiry === undefined) throw new Problem('record_not_found');
        const target = { kind: 'user', id, name: user.username };
        return { audit: { action: 'token.issue', target }, result: expiry };
      },
      {},
      within,
    );
  }

  /** Revokes one token of the actor, and ends the long sign-in that it belongs to. */
  revoke({ userId, exp }: TokenClaims, actor: Actor): Promise<void> {
    return this.#change(actor, async (change) => {
      const { transaction, tables } = change;
      const insert = tables
        .insertInto('gatewright_revoked_tokens')
        .values({ user_id: userId, expiry: exp })
        .onConflict((conflict) => conflict.doNothing());
      await transaction.run(toQuery(insert));
      const audit: AuditEntry[] = [{ action: 'token.revoke', target: ownerOf(actor, userId) }];
      const query = sessionsOfToken(tables, userId, exp);
      for (const { id } of await transaction.all<{ id: number }>(toQuery(query))) {
        const ended = await endSession(change, userId, id);
        if (ended !== undefined) audit.push(endedSession(actor, userId, id, ended));
      }
      return { audit, result: undefined };
    });
  }

  /** Revokes every token and ends every session of the actor. */
  revokeAll(userId: number, actor: Actor): Promise<void> {
    return this.#change(actor, async (made) => {
      const sessions = await endSessions(made, userId);
      const audit = { action: 'token.revoke_all', target: ownerOf(actor, userId), detail: { sessions } };
      return { audit, result: undefined };
    });
  }

  /** Removes rows of tokens that have expired. */
  async sweep(now: number): Promise<void> {
    const expired = this.#db
      .deleteFrom('gatewright_revoked_tokens')
      .where('expiry', '<=', Math.floor(now / 1000));
    await this.#database.execute(toQuery(expired));
  }

  /**
   * Greatest of 24 hours from now, the second after each revoked token of the user, and, if tokens have their own
   * expiries, the second after the last one.
   */
  #nextExpiry(now: number) {
    const next = Math.floor(now / 1000) + tokenLifetime;
    const distinct = this.#distinct
      ? sql`, (case when ${own('users')}.last_token_expiry < ${next + maxExpiryShift} then ${own('users')}.last_token_expiry + 1 end)`
      : sql``;
    return sql<number>`(select max(e.column1) from (values
    (cast(${next} as bigint)), (${own('users')}.revoked_token_expiry + 1),
    ((select max(r.expiry) + 1 from ${own('gatewright_revoked_tokens')} r where r.user_id = ${own('users')}.id))${distinct}) e)`;
  }

  /**
   * Stores and returns the expiry of a new token of the user of the condition; undefined where there is none.
   * @param isSignIn true if the user has just proved to be there, which `freshSignIn` asks
   */
  async raiseExpiry(
    { tables, transaction, now }: Change,
    condition: ReturnType<typeof isStillVerified>,
    isSignIn = false,
  ): Promise<number | undefined> {
    const update = tables
      .updateTable('users')
      .set({ last_token_expiry: this.#nextExpiry(now) })
      .$if(isSignIn, (set) => set.set({ sign_in_expiry: this.#nextExpiry(now) }))
      .where(condition)
      .returning('last_token_expiry as expiry');
    const row = await transaction.get<{ expiry: number }>(toQuery(update));
    return row && Number(row.expiry);
  }
}

export const createTokenStore = (parts: TokenStoreParts): TokenStore => new TokenStore(parts);
