import type { ApiKey } from './api-key.ts';

/** Where a key is made in the place of another one: of the same name, for the same user. */
export const replacing = ({
  id,
  name,
  user,
}: Pick<ApiKey, 'id' | 'name'> & { readonly user: { readonly id: number } }): string =>
  `/api_keys/create?${new URLSearchParams({ user_id: String(user.id), name, replaces: String(id) })}`;
