/** Second factors in the database: authenticator applications, passkeys and recovery codes of a user. */

import type { VerifiedUser } from '../../auth/ports.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type Changed, createCommands } from '../../ledger/command.ts';
import { type Change, isSuperior, lockSuperAdmins, type TableContext } from '../../ledger/context.ts';
import { countFactors, type LockedUser, lockUser, settleFactors } from './factor-change.ts';

/** A passkey, as it is named to an authenticator and to its user. */
interface StoredPasskey {
  readonly id: number;
  readonly name: string;
  /** The id that the authenticator gave it, base64url. */
  readonly credential: string;
  readonly transports: readonly string[];
}

/** Times of a factor's creation and last use. */
export interface FactorTimes {
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** The second factors of a user. */
export interface SecondFactors {
  readonly totp: FactorTimes | undefined;
  readonly passkeys: readonly (FactorTimes & StoredPasskey)[];
  readonly recoveryCodes: number;
}

/**
 * `overtaken`: nothing was changed, since the verification is no longer valid, or the setup was not begun or has
 * expired.
 */
export type FactorChange = 'changed' | 'overtaken';

/** A new factor. With the first one, the user gets recovery codes. */
export interface AddedFactor {
  readonly id: number;
  readonly first: boolean;
}

interface TimesRow {
  readonly created_at: string;
  readonly last_used_at: string | null;
}

// Each database formats times differently.
const time = (text: string): string => toTimestamp(Date.parse(text));
const timesOf = ({ created_at, last_used_at }: TimesRow): FactorTimes => ({
  createdAt: time(created_at),
  lastUsedAt: last_used_at === null ? null : time(last_used_at),
});

/** A user as the target of a line in the audit log. */
export const factorTarget = (id: number, { username }: LockedUser) => ({ kind: 'user', id, name: username });

/** Replaces the recovery codes of a user, given as hashes. */
export const replaceRecoveryCodes = async (
  { transaction, tables, at }: Change,
  userId: number,
  hashes: readonly string[],
): Promise<void> => {
  const before = tables.deleteFrom('gatewright_recovery_codes').where('user_id', '=', userId);
  await transaction.run(toQuery(before));
  const rows = hashes.map((hash) => ({ user_id: userId, code_hash: hash, created_at: at }));
  await transaction.run(toQuery(tables.insertInto('gatewright_recovery_codes').values(rows)));
};

export class SecondFactorStore {
  readonly #database: Database;
  readonly #required: boolean;
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock }: TableContext, required: boolean) {
    this.#database = database;
    this.#required = required;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  async of(userId: number): Promise<SecondFactors> {
    const totp = this.#db
      .selectFrom('gatewright_totp')
      .select(['created_at', 'last_used_at'])
      .where('user_id', '=', userId);
    const passkeys = this.#db
      .selectFrom('gatewright_passkeys')
      .select(['id', 'name', 'credential', 'transports', 'created_at', 'last_used_at'])
      .where('user_id', '=', userId)
      .orderBy('id');
    const codes = this.#db
      .selectFrom('gatewright_recovery_codes')
      .select('code_hash')
      .where('user_id', '=', userId);
    type PasskeyRow = TimesRow & { id: number; name: string; credential: string; transports: string };
    const [application, keys, left] = await Promise.all([
      this.#database.get<TimesRow>(toQuery(totp)),
      this.#database.all<PasskeyRow>(toQuery(passkeys)),
      this.#database.all(toQuery(codes)),
    ]);
    return {
      totp: application === undefined ? undefined : timesOf(application),
      passkeys: keys.map((row) => ({
        id: row.id,
        name: row.name,
        credential: row.credential,
        transports: JSON.parse(row.transports) as string[],
        ...timesOf(row),
      })),
      recoveryCodes: left.length,
    };
  }

  removeTotp(user: VerifiedUser, sessionId: number, actor: Actor): Promise<FactorChange> {
    return this.#remove(user, sessionId, actor, 'second_factor.totp_remove', (transaction) =>
      transaction.run(toQuery(this.#db.deleteFrom('gatewright_totp').where('user_id', '=', user.id))),
    );
  }

  removePasskey(id: number, user: VerifiedUser, sessionId: number, actor: Actor): Promise<FactorChange> {
    return this.#remove(user, sessionId, actor, 'second_factor.passkey_remove', (transaction) => {
      const own = this.#db
        .deleteFrom('gatewright_passkeys')
        .where('id', '=', id)
        .where('user_id', '=', user.id);
      return transaction.run(toQuery(own));
    });
  }

  /**
   * Replaces the recovery codes. @throws Problem `second_factor_none` if the user has no factor that they could
   * replace
   */
  renewRecoveryCodes(user: VerifiedUser, hashes: readonly string[], actor: Actor): Promise<FactorChange> {
    return this.#change(actor, async (made): Promise<Changed<FactorChange>> => {
      const held = await lockUser(made, user);
      if (held === undefined) return { result: 'overtaken' };
      if (!held.enrolled) throw new Problem('second_factor_none');
      await replaceRecoveryCodes(made, user.id, hashes);
      const audit = { action: 'second_factor.recovery_codes', target: factorTarget(user.id, held) };
      return { audit, result: 'changed' };
    });
  }

  /**
   * Removes all second factors of a user who lost them, and ends the user's sessions.
   * @throws Problem `record_not_found`; `forbidden` unless the actor is a super_admin or the command line
   */
  reset(userId: number, actor: Actor): Promise<void> {
    return this.#change(actor, async (made) => {
      const { transaction } = made;
      if (!isSuperior(actor)) throw new Problem('forbidden');
      await lockSuperAdmins(made);
      // Locks the user's row first, as every change of a user does.
      const hold = this.#db
        .updateTable('users')
        .set((eb) => ({ second_factor: eb.ref('second_factor') }))
        .where('id', '=', userId)
        .returning('username');
      const user = await transaction.get<{ username: string }>(toQuery(hold));
      if (user === undefined) throw new Problem('record_not_found');
      const removed = await countFactors(made, userId);
      for (const table of ['gatewright_totp', 'gatewright_passkeys'] as const)
        await transaction.run(toQuery(this.#db.deleteFrom(table).where('user_id', '=', userId)));
      await settleFactors(made, userId, undefined);
      const target = { kind: 'user', id: userId, name: user.username };
      return { audit: { action: 'second_factor.reset', target, detail: { removed } }, result: undefined };
    });
  }

  /** Seals secrets again that only a previous server secret opens. Returns their number. */
  async renewSecrets(renew: (sealed: string) => string | undefined): Promise<number> {
    const rows = await this.#database.all<{ user_id: number; secret: string }>(
      toQuery(this.#db.selectFrom('gatewright_totp').select(['user_id', 'secret'])),
    );
    let count = 0;
    for (const { user_id: id, secret } of rows) {
      const renewed = renew(secret);
      if (renewed === undefined) continue;
      const update = this.#db
        .updateTable('gatewright_totp')
        .set({ secret: renewed })
        .where('user_id', '=', id)
        .where('secret', '=', secret);
      count += await this.#database.write((transaction) => transaction.run(toQuery(update)));
    }
    return count;
  }

  /** Runs a statement that removes a factor, unless that leaves none and one is required. */
  #remove(
    owner: VerifiedUser,
    sessionId: number,
    actor: Actor,
    action: string,
    removing: (transaction: Transaction) => Promise<number>,
  ): Promise<FactorChange> {
    return this.#change(actor, async (made): Promise<Changed<FactorChange>> => {
      const held = await lockUser(made, owner);
      if (held === undefined) return { result: 'overtaken' };
      if ((await removing(made.transaction)) === 0) throw new Problem('record_not_found');
      const left = await countFactors(made, owner.id);
      if (left === 0 && this.#required) throw new Problem('second_factor_last');
      await settleFactors(made, owner.id, sessionId);
      const target = factorTarget(owner.id, held);
      return { audit: { action, target, detail: { left } }, result: 'changed' };
    });
  }
}

export const createSecondFactorStore = (parts: TableContext, required: boolean): SecondFactorStore =>
  new SecondFactorStore(parts, required);
