/** Records of the service: `npm run reference` writes them from its entities. */

/** A user as users see each other. */
export interface User {
  readonly id: number;
  readonly username: string;
  /** null for a user of a provider whose address is not verified, or belongs to another user */
  readonly email: string | null;
  readonly name: string;
  readonly roles: readonly string[];
}

/** Fields by which the list is filtered and sorted. */
export type UserNames = 'id' | 'username' | 'email' | 'name';

/** The times among them. */
export type UserTimes = never;

/** A key as its list returns it: masked. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** 8 hex digits and **** */
  readonly key: string;
  readonly status: 'active' | 'expired';
  /** what the key may do, of all that its owner may (`orders:read`, `articles:*`, `POST /checkout`); null: everything */
  readonly scopes: readonly string[] | null;
  /** networks from which the key may be used (`203.0.113.0/24`); null: everywhere */
  readonly networks: readonly string[] | null;
  /** requests that the key may send in a window; null: any number */
  readonly limit: {
    readonly max: number;
    readonly window: string;
    readonly burst?: number;
  } | null;
  /** requests of the key in a calendar month (UTC); null: any number */
  readonly quota: number | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  /** last use of any of its secrets */
  readonly last_used_at: string | null;
  readonly rotated_at: string | null;
  /** the present secret, and behind it the one that a rotation has replaced while that is still valid */
  readonly secrets: readonly {
    /** 8 hex digits and **** */
    readonly key: string;
    readonly last_used_at: string | null;
    /** end of the overlap; null for the present secret */
    readonly ends_at: string | null;
  }[];
  readonly user: {
    readonly id: number;
    readonly username: string;
    readonly name: string;
  };
}

/** Fields by which the list is filtered and sorted. */
export type ApiKeyNames =
  | 'id'
  | 'name'
  | 'key'
  | 'status'
  | 'quota'
  | 'expires_at'
  | 'created_at'
  | 'last_used_at'
  | 'rotated_at';

/** The times among them. */
export type ApiKeyTimes = 'expires_at' | 'created_at' | 'last_used_at' | 'rotated_at';
