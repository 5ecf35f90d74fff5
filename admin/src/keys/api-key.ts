/** A key as `/admin/api_keys` returns it. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** Masked. */
  readonly key: string;
  readonly status: 'active' | 'expired';
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  /** Active, and not used for 30 days. */
  readonly neglected: boolean;
  /** User who made it; null where the owner did. */
  readonly created_by: number | null;
  readonly user: { readonly id: number; readonly username: string; readonly name: string };
  /** Those that work: the present secret, and behind it one that was replaced and is still good. */
  readonly secrets: readonly {
    readonly key: string;
    readonly last_used_at: string | null;
    /** Null: it is the present one. */
    readonly ends_at: string | null;
  }[];
  /** Null: everything that the owner may do. */
  readonly scopes: readonly string[] | null;
  /** Null: from everywhere. */
  readonly networks: readonly string[] | null;
  /** Null: it has none of its own. */
  readonly limit: { readonly max: number; readonly window: string; readonly burst?: number } | null;
  /** Requests of a calendar month; null: any number. */
  readonly quota: number | null;
}

/** The use of a key as `/admin/api_keys/:id/usage` returns it. */
export interface KeyUsage {
  /** Days of UTC, the one that goes on last. */
  readonly last_30_days: readonly {
    readonly at: string;
    readonly requests: number;
    readonly refused: number;
  }[];
  readonly last_address: string | null;
  /** Routes and statuses of its requests, the last 50, the newest first. */
  readonly calls: readonly {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly requests: number;
    readonly last_at: string;
  }[];
  /** Scopes that its requests of the last 30 days needed, the most used first. */
  readonly scopes: readonly {
    readonly scope: string;
    readonly requests: number;
    readonly last_day: string;
  }[];
  /** Scopes that would be enough for them; null: it has no more, or too little is known. */
  readonly narrower_scopes: readonly string[] | null;
  readonly networks: readonly { readonly network: string; readonly first_used_at: string }[];
}

/** Where a key is made in the place of another one: of the same name, for the same user, with its restrictions. */
export const replacing = ({ id }: Pick<ApiKey, 'id'>): string => `/api_keys/create?replaces=${id}`;
