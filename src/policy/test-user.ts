import type { UserPrincipal } from '../auth/principal.ts';

/** A user as authenticated by a token, with these roles and granted permissions (`Model.action`). */
export const testUser = (roles: readonly string[], granted: readonly string[] = []): UserPrincipal => ({
  kind: 'user',
  id: 7,
  username: 'ann',
  email: 'ann@example.com',
  name: 'Ann',
  roles,
  granted,
  mustChangePassword: false,
  secondFactor: 'none',
  method: 'jwt',
});
