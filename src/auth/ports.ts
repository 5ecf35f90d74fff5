/**
 * The storage that authentication needs: identities, accounts, counted failures, keys of applications, nonces.
 * Rooms below implement it.
 */

import type { Networks } from './client-network.ts';
import type { KeyLimits } from './rate-limit.ts';

/**
 * The second factor of credentials for the administration area. `none`: the user has none and needs none. `due`: the
 * user has to set one up before anything else there. `missing`: the user has one, which these credentials do not
 * prove. `given`: the credentials are of a session in which it was proved.
 */
export type SecondFactorState = 'none' | 'due' | 'missing' | 'given';

/** An enabled user, as currently stored. */
export interface Identity {
  readonly kind: 'user';
  readonly id: number;
  readonly username: string;
  /** Null if the user has none. */
  readonly email: string | null;
  readonly name: string;
  readonly roles: readonly string[];
  /** Set by an administrator: until the password is changed, the policy refuses almost everything. */
  readonly mustChangePassword: boolean;
  /** The second factor of these credentials; the endpoints of the administration area check it. */
  readonly secondFactor: SecondFactorState;
  /**
   * Permission entries that the roles of the user grant, as `Model.action`, of the models in the endpoint's policy
   * only.
   */
  readonly granted: readonly string[];
}

/** A valid key, with its owner. */
export interface IdentifiedKey {
  readonly identity: Identity;
  readonly keyId: number;
  /** Undefined where the key has none: it may do everything that its owner may. */
  readonly scopes?: ReadonlySet<string> | undefined;
  /** Undefined where the key may be used from everywhere. */
  readonly networks?: Networks | undefined;
  /** Undefined where it has neither a limit nor a quota. */
  readonly limits?: KeyLimits | undefined;
}

/** Looks up the users behind credentials, without counting a use. */
export interface Identities {
  /** The enabled user with this id, with the grants of their roles on `models`; one statement. */
  byUserId(id: number, models: readonly string[]): Promise<Identity | undefined>;
  /** As `byUserId`, unless the user's token with this expiry (Unix seconds) is revoked. */
  byToken(id: number, expiry: number, models: readonly string[]): Promise<Identity | undefined>;
  /** As `byUserId` while this session of the user is live; does not count as a use of it. */
  byUserInSession(
    id: number,
    sessionId: number,
    now: number,
    models: readonly string[],
  ): Promise<Identity | undefined>;
  /**
   * The enabled owner of the unexpired key with this SHA-256 (lowercase hex), and the key's id; one statement. A secret
   * that a rotation has replaced counts until its overlap ends.
   */
  byKeyHash(hash: string, now: number, models: readonly string[]): Promise<IdentifiedKey | undefined>;
}

/** The same for the methods of authentication: only they look up a session, which counts as its use. */
export interface IdentityStore extends Identities {
  /** The enabled user of the live session with this HMAC (lowercase hex); raises the session's last use. */
  bySession(
    hash: string,
    now: number,
    models: readonly string[],
  ): Promise<{ readonly identity: Identity; readonly sessionId: number } | undefined>;
}

/** A user whose password was verified, as the account was when it was read. */
export interface VerifiedUser {
  readonly id: number;
  /**
   * Writes that follow from the password demand that the user's stamp still has this value: a new password, a
   * disabling and an end of all sessions raise it, a renewed hash of the same password does not.
   */
  readonly securityStamp: number;
}

/** The data of an account that a login needs. */
export interface Account extends VerifiedUser {
  readonly username: string;
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  readonly disabled: boolean;
}

export interface AccountStore {
  /** Returns the account of a canonical username or email (see `canonicalAccount`). */
  byAccount(canonical: string): Promise<Account | undefined>;
  /** Writes `hash` if the user's password hash still is `from`; ends no session, for the password is the same. */
  replaceHash(id: number, formerHash: string, hash: string): Promise<void>;
}

/** A place for one attempt (`granted`); no place because of unfinished attempts (`busy`); or the limit is reached. */
export type Reservation = 'granted' | 'busy' | { readonly retryAfterMs: number };

/** Milliseconds after which a reservation that was not settled (its process died) no longer counts. */
export const reservationLifetime = 5 * 60 * 1000;

/**
 * Counts the failed logins of a key. Each operation is atomic across all instances, and durable when it resolves.
 * Failures + reservations of a key never exceed its limit.
 */
export interface ThrottleStore {
  /**
   * Opens a window of `windowMs` from now where the key has none or its window has ended (its failures are forgotten,
   * its reservations are not). Where the failures reach the limit: the time until the window ends. Where the sum of
   * failures and live reservations reaches the limit: `busy`, and nothing is written. Else adds a reservation:
   * `granted`.
   */
  reserve(key: string, limit: number, windowMs: number, now: number): Promise<Reservation>;
  /**
   * Takes one reservation back (never below none) and, if the attempt failed, adds a failure to the window, even if
   * it has ended meanwhile. A window without failures and live reservations may be deleted, and so may one that has
   * ended without live reservations; settling a key that is gone changes nothing.
   */
  settle(key: string, failed: boolean, now: number): Promise<void>;
  /** Forgets the failures of these keys; reservations stay. */
  forget(keys: readonly string[]): Promise<void>;
}

/** The keys with which an application may sign now: the current one and those within their grace period. */
export interface ApplicationKeys {
  /** Empty for an unknown application. */
  secretsOf(appId: string, now: number): readonly string[];
  /** Ed25519, SPKI in base64. Empty for an unknown application. */
  publicKeysOf(appId: string, now: number): readonly string[];
}

export interface NonceStore {
  /**
   * Uses up a nonce of an application, for all instances and restarts; durable when it resolves. False where it was
   * used before.
   * @param until Unix seconds: no request with this nonce is accepted later
   */
  use(appId: string, nonce: string, until: number): Promise<boolean>;
}

/** Records every successful use; written to the database in batches, never in the path of a request. */
export interface UsageRecorder {
  /** `address` is the client's, `hash` the SHA-256 of the secret that was used. */
  keyUsed(keyId: number, hash: string, now: number, address: string): void;
  applicationUsed(appId: string, now: number): void;
}
