import type { AuthProvider, UserIdentity } from 'ra-core';
import { GatewrightError } from '../error.ts';
import type { Send } from './data-provider.ts';

/** Who is signed in to the administration area. */
export interface SessionUser {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** There while an administrator asks that the password be changed; every other route is 403 with code 40302 then. */
  readonly must_change_password?: true;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const path = '/admin/session';

/**
 * react-admin's authentication by the session cookie of the administration area. The page never sees the cookie: it
 * asks who is signed in once, remembers the answer, and forgets it with the first 401.
 */
export const createAuthProvider = (send: Send): AuthProvider => {
  let session: Promise<SessionUser> | undefined;

  const current = (): Promise<SessionUser> => {
    session ??= send<SessionUser>('GET', path).then(({ data }) => data);
    session.catch(() => {
      session = undefined;
    });
    return session;
  };

  return {
    login: async ({ username, password }: Credentials) => {
      const body = { account: username, password };
      const { data } = await send<SessionUser>('POST', path, { body });
      session = Promise.resolve(data);
    },
    logout: async () => {
      const known = session;
      session = undefined;
      if (known === undefined) return;
      await send('DELETE', path).catch((error: unknown) => {
        // Whoever is not signed in any more need not sign out.
        if (!(error instanceof GatewrightError && error.status === 401)) throw error;
      });
    },
    checkAuth: async () => {
      await current();
    },
    checkError: async (error: { readonly status?: number }) => {
      if (error.status !== 401) return;
      session = undefined;
      throw error;
    },
    getIdentity: async (): Promise<UserIdentity> => {
      const { id, name, username, roles } = await current();
      return { id, fullName: name === '' ? username : name, username, roles };
    },
    getPermissions: async (): Promise<readonly string[]> => (await current()).roles,
  };
};
