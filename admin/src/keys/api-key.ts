/** API keys and their use as the service returns them. */

/** A key as `/admin/api_keys` returns it. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** Masked key. */
  readonly key: string;
  readonly status: 'active' | 'expired';
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  /** True if it is valid and was not used for 30 days. */
  readonly neglected: boolean;
  /** User who created it; null if the owner did. */
  readonly created_by: number | null;
  readonly user: { readonly id: number; readonly username: string; readonly name: string };
  /** Valid secrets: the current one, then a replaced one during the overlap. */
  readonly secrets: readonly {
    readonly key: string;
    readonly last_used_at: string | null;
    /** Null for the current secret. */
    readonly ends_at: string | null;
  }[];
  /** Null for everything that the owner can do. */
  readonly scopes: readonly string[] | null;
  /** Null for any address. */
  readonly networks: readonly string[] | null;
  /** Null if it has no limit of its own. */
  readonly limit: { readonly max: number; readonly window: string; readonly burst?: number } | null;
  /** Requests per calendar month; null for any number. */
  readonly quota: number | null;
}

/** The use of a key as `/admin/api_keys/:id/usage` returns it. */
export interface KeyUsage {
  /** Days in UTC; the current day is the last. */
  readonly last_30_days: readonly {
    readonly at: string;
    readonly requests: number;
    readonly refused: number;
  }[];
  readonly last_address: string | null;
  /** Routes and statuses of the last 50 requests, newest first. */
  readonly calls: readonly {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly requests: number;
    readonly last_at: string;
  }[];
  /** Scopes that the requests of the last 30 days needed, the most used first. */
  readonly scopes: readonly {
    readonly scope: string;
    readonly requests: number;
    readonly last_day: string;
  }[];
  /** Scopes that would be enough for these requests; null if the key has no more, or too little is known. */
  readonly narrower_scopes: readonly string[] | null;
  readonly networks: readonly { readonly network: string; readonly first_used_at: string }[];
}

/** Path of the page that creates a replacement for a key: same name, user and restrictions. */
export const replacementPath = ({ id }: Pick<ApiKey, 'id'>): string => `/api_keys/create?replaces=${id}`;
