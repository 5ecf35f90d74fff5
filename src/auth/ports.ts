/** What authentication asks of storage. `store/tables` implements it, `server.ts` joins them. */

/** An enabled user as the database knows them at this moment. */
export interface Identity {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly granted: readonly string[];
}

export interface IdentityStore {
  /** The enabled user with this id, with the grants of their roles on `model`; one statement. */
  byUserId(id: number, model: string | undefined): Promise<Identity | undefined>;
  /** The enabled owner of the unexpired key with this SHA-256 (lowercase hex), and the key's id; one statement. */
  byKeyHash(
    hash: string,
    now: number,
    model: string | undefined,
  ): Promise<{ readonly identity: Identity; readonly keyId: number } | undefined>;
  /** The enabled user of the live session with this HMAC (lowercase hex); raises the session's last use. */
  bySession(
    hash: string,
    now: number,
    model: string | undefined,
  ): Promise<{ readonly identity: Identity; readonly sessionId: number } | undefined>;
}

/** What a login needs to know of an account. */
export interface Account {
  readonly id: number;
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  readonly disabled: boolean;
}

export interface AccountStore {
  /** By canonical username or email (see `canonicalAccount`). */
  byAccount(canonical: string): Promise<Account | undefined>;
}

export interface ApplicationSecrets {
  /** All secrets that sign for this application now: the current one and those within their grace. Empty if unknown. */
  secretsOf(appId: string, now: number): readonly string[];
}

/** Told of every successful use; written to the database in batches, never in the request's path. */
export interface UsageRecorder {
  keyUsed(keyId: number, now: number): void;
  applicationUsed(appId: string, now: number): void;
}
