/** A passkey as it is named to an authenticator, and to its user. */
export interface StoredPasskey {
  readonly id: number;
  readonly name: string;
  /** Id that the authenticator gave it, base64url. */
  readonly credential: string;
  readonly transports: readonly string[];
}
