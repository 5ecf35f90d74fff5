/** Factors that a session has begun to set up, up to their confirmation. */

import type { VerifiedUser } from '../../auth/ports.ts';
import type { Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { setupLifetime } from '../../database/tables.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type Changed, createCommands, insertedId } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import type { NotifyUser } from '../users/user-notices.ts';
import { lockUser, settleFactors } from './factor-change.ts';
import { type AddedFactor, factorTarget, replaceRecoveryCodes } from './store.ts';

/** The place of a factor that is being set up. */
export interface Setup {
  readonly sessionId: number;
  readonly kind: 'totp' | 'passkey';
}

/** A setup that has begun. */
export interface BegunSetup extends Setup {
  /** As verified when it began. */
  readonly user: VerifiedUser;
  /** The sealed secret of the application, or the challenge that the authenticator has to sign. */
  readonly secret: string;
}

/** A new passkey, as its authenticator reports it. */
export interface NewPasskey {
  readonly name: string;
  readonly credential: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** Setups of factors that sessions have begun; a factor exists only once its setup is confirmed. */
export class FactorSetups {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #notify: NotifyUser;
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock }: TableContext, notify: NotifyUser) {
    this.#database = database;
    this.#clock = clock;
    this.#notify = notify;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  /** Begins a setup, which replaces the previous one. Returns the time of its expiry. */
  begin(setup: BegunSetup): Promise<string> {
    return this.#database.write(async (transaction) => {
      const expiresAt = toTimestamp(this.#clock() + setupLifetime * 1000);
      await transaction.run(toQuery(this.#of(setup)));
      const { sessionId, kind, secret, user } = setup;
      const values = { session_id: sessionId, kind, secret, security_stamp: user.securityStamp };
      const insert = this.#db
        .insertInto('gatewright_factor_setups')
        .values({ ...values, expires_at: expiresAt });
      await transaction.run(toQuery(insert));
      return expiresAt;
    });
  }

  /** The setup that a session has begun; undefined if there is none, or it has expired. */
  async find({ sessionId, kind }: Setup): Promise<BegunSetup | undefined> {
    const query = this.#db
      .selectFrom('gatewright_factor_setups as f')
      .innerJoin('sessions as s', 's.id', 'f.session_id')
      .select(['f.secret', 'f.security_stamp', 's.user_id'])
      .where('f.session_id', '=', sessionId)
      .where('f.kind', '=', kind)
      .where('f.expires_at', '>', toTimestamp(this.#clock()));
    type Row = { secret: string; security_stamp: number | null; user_id: number };
    const row = await this.#database.get<Row>(toQuery(query));
    if (row === undefined || row.security_stamp === null) return undefined;
    const user = { id: row.user_id, securityStamp: row.security_stamp };
    return { sessionId, kind, user, secret: row.secret };
  }

  /** @param step the time step of the code that confirmed it, which cannot sign in any more */
  completeTotp(
    setup: BegunSetup,
    step: number,
    codes: readonly string[],
    actor: Actor,
  ): Promise<AddedFactor | undefined> {
    return this.#complete(setup, codes, actor, 'second_factor.totp_add', async ({ transaction, at }) => {
      const { secret, user } = setup;
      const { id: userId } = user;
      await transaction.run(toQuery(this.#db.deleteFrom('gatewright_totp').where('user_id', '=', userId)));
      const values = { user_id: userId, secret, last_step: step, created_at: at };
      await transaction.run(
        toQuery(this.#db.insertInto('gatewright_totp').values({ ...values, last_used_at: null })),
      );
      return userId;
    });
  }

  /** @throws Problem `conflict` if the passkey exists already */
  completePasskey(
    setup: BegunSetup,
    passkey: NewPasskey,
    codes: readonly string[],
    actor: Actor,
  ): Promise<AddedFactor | undefined> {
    return this.#complete(setup, codes, actor, 'second_factor.passkey_add', (made) => {
      const insert = this.#db
        .insertInto('gatewright_passkeys')
        .values({
          user_id: setup.user.id,
          name: passkey.name,
          credential: passkey.credential,
          public_key: passkey.publicKey,
          counter: passkey.counter,
          transports: JSON.stringify(passkey.transports),
          created_at: made.at,
          last_used_at: null,
        })
        .returning('id');
      return insertedId(made, insert);
    });
  }

  #of({ sessionId, kind }: Setup) {
    return this.#db
      .deleteFrom('gatewright_factor_setups')
      .where('session_id', '=', sessionId)
      .where('kind', '=', kind);
  }

  /** Completes a setup and creates its factor; undefined if the setup no longer exists. */
  #complete(
    setup: BegunSetup,
    codes: readonly string[],
    actor: Actor,
    action: string,
    add: (made: Change) => Promise<number>,
  ): Promise<AddedFactor | undefined> {
    const perform = async (made: Change): Promise<Changed<AddedFactor | undefined>> => {
      const { transaction, at } = made;
      const { user, secret } = setup;
      const held = await lockUser(made, user);
      if (held === undefined) return { result: undefined };
      const ended = this.#of(setup).where('secret', '=', secret).where('expires_at', '>', at);
      if ((await transaction.run(toQuery(ended))) === 0) return { result: undefined };
      const id = await add(made);
      await settleFactors(made, user.id, setup.sessionId);
      if (!held.enrolled) {
        await replaceRecoveryCodes(made, user.id, codes);
        const notice = { template: 'account_changed', change: 'second_factor_added', changed: '' } as const;
        await this.#notify(made, user.id, notice);
      }
      const target = factorTarget(user.id, held);
      return { audit: { action, target }, result: { id, first: !held.enrolled } };
    };
    // A passkey that exists already.
    return this.#change(actor, perform, { unique: 'conflict' });
  }
}

export const createFactorSetups = (parts: TableContext, notify: NotifyUser): FactorSetups =>
  new FactorSetups(parts, notify);
