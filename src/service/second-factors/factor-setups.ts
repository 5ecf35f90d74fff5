import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Actor } from '../audit/audit.ts';
import { type Changed, createCommands, insertedId } from '../command.ts';
import type { Change, TableContext } from '../context.ts';
import { lockUser, settleFactors } from './factor-change.ts';
import { type AddedFactor, factorTarget, replaceRecoveryCodes } from './second-factors.ts';

/** Seconds for setting up a factor. */
export const setupLifetime = 10 * 60;

/** A factor that is being set up, with its session and user. */
export interface Setup {
  readonly sessionId: number;
  readonly userId: number;
  readonly kind: 'totp' | 'passkey';
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
export const createFactorSetups = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const change = createCommands({ database, clock });

  const of = ({ sessionId, kind }: Setup) =>
    db.deleteFrom('gatewright_factor_setups').where('session_id', '=', sessionId).where('kind', '=', kind);

  /** Completes a setup and creates its factor; undefined if the setup no longer exists. */
  const complete = (
    setup: Setup,
    secret: string,
    codes: readonly string[],
    actor: Actor,
    action: string,
    add: (made: Change) => Promise<number>,
  ): Promise<AddedFactor | undefined> => {
    const perform = async (made: Change): Promise<Changed<AddedFactor | undefined>> => {
      const { transaction, at } = made;
      const held = await lockUser(made, { id: setup.userId });
      if (held === undefined) return { result: undefined };
      const ended = of(setup).where('secret', '=', secret).where('expires_at', '>', at);
      if ((await transaction.run(toQuery(ended))) === 0) return { result: undefined };
      const id = await add(made);
      await settleFactors(made, setup.userId, setup.sessionId);
      if (!held.enrolled) await replaceRecoveryCodes(made, setup.userId, codes);
      const target = factorTarget(setup.userId, held);
      return { audit: { action, target }, result: { id, first: !held.enrolled } };
    };
    // A passkey that exists already.
    return change(actor, perform, { unique: 'conflict' });
  };

  return {
    /** Begins a setup, which replaces the previous one. Returns the time of its expiry. */
    begin: (setup: Setup, secret: string): Promise<string> =>
      database.write(async (transaction) => {
        const expiresAt = toTimestamp(clock() + setupLifetime * 1000);
        await transaction.run(toQuery(of(setup)));
        const values = { session_id: setup.sessionId, kind: setup.kind, secret, expires_at: expiresAt };
        await transaction.run(toQuery(db.insertInto('gatewright_factor_setups').values(values)));
        return expiresAt;
      }),

    /** The secret or challenge of a setup; undefined if there is none, or it has expired. */
    secretOf: async ({ sessionId, kind }: Setup): Promise<string | undefined> => {
      const query = db
        .selectFrom('gatewright_factor_setups')
        .select('secret')
        .where('session_id', '=', sessionId)
        .where('kind', '=', kind)
        .where('expires_at', '>', toTimestamp(clock()));
      return (await database.get<{ secret: string }>(toQuery(query)))?.secret;
    },

    /** @param step the time step of the code that confirmed it, which cannot sign in any more */
    completeTotp: (
      setup: Setup,
      sealed: string,
      step: number,
      codes: readonly string[],
      actor: Actor,
    ): Promise<AddedFactor | undefined> =>
      complete(setup, sealed, codes, actor, 'second_factor.totp_add', async ({ transaction, at }) => {
        const { userId } = setup;
        await transaction.run(toQuery(db.deleteFrom('gatewright_totp').where('user_id', '=', userId)));
        const values = { user_id: userId, secret: sealed, last_step: step, created_at: at };
        await transaction.run(
          toQuery(db.insertInto('gatewright_totp').values({ ...values, last_used_at: null })),
        );
        return userId;
      }),

    /** @throws Problem `conflict` if the passkey exists already */
    completePasskey: (
      setup: Setup,
      challenge: string,
      passkey: NewPasskey,
      codes: readonly string[],
      actor: Actor,
    ): Promise<AddedFactor | undefined> =>
      complete(setup, challenge, codes, actor, 'second_factor.passkey_add', (made) => {
        const insert = db
          .insertInto('gatewright_passkeys')
          .values({
            user_id: setup.userId,
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
      }),
  };
};

export type FactorSetups = ReturnType<typeof createFactorSetups>;
