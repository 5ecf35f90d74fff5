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
  readonly networks: readonly { readonly network: string; readonly first_used_at: string }[];
}

/** Where a key is made in the place of another one: of the same name, for the same user. */
export const replacing = ({
  id,
  name,
  user,
}: Pick<ApiKey, 'id' | 'name'> & { readonly user: { readonly id: number } }): string =>
  `/api_keys/create?${new URLSearchParams({ user_id: String(user.id), name, replaces: String(id) })}`;
