/** Tickets of sign-ins that wait for their second factor, each used once. */

import type { VerifiedUser } from '../../auth/ports.ts';
import { ticketLifetime, ticketTries } from '../../auth/sign-in-ticket.ts';
import type { Database } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type Changed, createCommands } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { beginSession, type NewSession } from '../sessions/store.ts';
import { lockUser } from './factor-change.ts';
import { consumeProof, type Proof } from './proof.ts';

/** A sign-in whose password was correct, and the expected second factor. */
export interface SignInTicket {
  readonly hash: string;
  readonly user: VerifiedUser;
  /** Challenge that a passkey must sign; null if the user had none. */
  readonly challenge: string | null;
}

/** The authenticator application of the signing-in user. */
export interface UsedTotp {
  /** Sealed. */
  readonly secret: string;
}

export interface UsedPasskey {
  readonly id: number;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** `wrong`: the proof is no longer valid. `over`: the ticket is no longer valid. */
export type TicketOutcome = 'opened' | 'wrong' | 'over';

/** Rolls the transaction back: ticket and proof stay valid. */
class UnprovedError extends Error {}

/** Sign-ins that wait for the second factor, which may arrive at any process. */
export class SignInTickets {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #db: Change['tables'];
  readonly #change: ReturnType<typeof createCommands>;

  constructor({ database, clock }: TableContext) {
    this.#database = database;
    this.#clock = clock;
    this.#db = tablesOf(database);
    this.#change = createCommands({ database, clock });
  }

  /** Returns the time of its expiry. */
  create({ hash, user, challenge }: SignInTicket): Promise<string> {
    return this.#database.write(async (transaction) => {
      const now = this.#clock();
      const over = this.#db
        .deleteFrom('gatewright_sign_in_tickets')
        .where('expires_at', '<=', toTimestamp(now));
      await transaction.run(toQuery(over));
      const expiresAt = toTimestamp(now + ticketLifetime * 1000);
      const values = { token_hash: hash, user_id: user.id, security_stamp: user.securityStamp, challenge };
      const insert = this.#db
        .insertInto('gatewright_sign_in_tickets')
        .values({ ...values, expires_at: expiresAt });
      await transaction.run(toQuery(insert));
      return expiresAt;
    });
  }

  /** The user of a ticket; undefined if it has expired. It stays valid until it is used. */
  async find(hash: string): Promise<SignInTicket | undefined> {
    const query = this.#db
      .selectFrom('gatewright_sign_in_tickets')
      .select(['user_id', 'security_stamp', 'challenge'])
      .where('token_hash', '=', hash)
      .where('tries', '<', ticketTries)
      .where('expires_at', '>', toTimestamp(this.#clock()));
    type Row = { user_id: number; security_stamp: number; challenge: string | null };
    const row = await this.#database.get<Row>(toQuery(query));
    if (row === undefined) return undefined;
    const user = { id: row.user_id, securityStamp: row.security_stamp };
    return { hash, user, challenge: row.challenge };
  }

  /** Counts a try of the ticket before any check. Returns false if none is left, or it has expired. */
  tryOne(hash: string): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      const update = this.#db
        .updateTable('gatewright_sign_in_tickets')
        .set((eb) => ({ tries: eb('tries', '+', 1) }))
        .where('token_hash', '=', hash)
        .where('tries', '<', ticketTries)
        .where('expires_at', '>', toTimestamp(this.#clock()));
      return (await transaction.run(toQuery(update))) > 0;
    });
  }

  totpOf(userId: number): Promise<UsedTotp | undefined> {
    return this.#database.get<UsedTotp>(
      toQuery(this.#db.selectFrom('gatewright_totp').select('secret').where('user_id', '=', userId)),
    );
  }

  /** A passkey of this user, by the id that its authenticator gave it. */
  async passkeyOf(userId: number, credential: string): Promise<UsedPasskey | undefined> {
    const query = this.#db
      .selectFrom('gatewright_passkeys')
      .select(['id', 'public_key', 'counter', 'transports'])
      .where('user_id', '=', userId)
      .where('credential', '=', credential);
    type Row = { id: number; public_key: string; counter: number; transports: string };
    const row = await this.#database.get<Row>(toQuery(query));
    if (row === undefined) return undefined;
    const transports = JSON.parse(row.transports) as string[];
    return { id: row.id, publicKey: row.public_key, counter: row.counter, transports };
  }

  /** Begins the session, and uses ticket and proof up: all of it or nothing. */
  async open(
    { hash, user }: SignInTicket,
    proof: Proof,
    session: NewSession,
    actor: Actor,
  ): Promise<TicketOutcome> {
    try {
      return await this.#change(actor, async (made): Promise<Changed<TicketOutcome>> => {
        const { transaction, tables } = made;
        // Locks the user's row first, as every change of a user does.
        if ((await lockUser(made, user)) === undefined) return { result: 'over' };
        const ticket = tables.deleteFrom('gatewright_sign_in_tickets').where('token_hash', '=', hash);
        if ((await transaction.run(toQuery(ticket))) === 0) return { result: 'over' };
        if (!(await consumeProof(made, user.id, proof))) throw new UnprovedError();
        const begun = await beginSession(made, user, session, proof.by);
        return { ...begun, result: begun.result ? 'opened' : 'over' };
      });
    } catch (error) {
      if (error instanceof UnprovedError) return 'wrong';
      throw error;
    }
  }
}

export const createSignInTickets = (parts: TableContext): SignInTickets => new SignInTickets(parts);
