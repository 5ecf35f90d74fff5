import type { AuthProvider, UserIdentity } from 'ra-core';
import type { Session } from '../authenticator.ts';
import type { KeptTokens } from '../long-sign-in.ts';
import { signOut } from '../sign-out.ts';
import { createTransport, type TransportOptions } from '../transport.ts';
import type { Credentials, SessionUser } from './auth-provider.ts';
import type { Send } from './data-provider.ts';

/**
 * With `storage`, e.g. `sessionStorage`, the sign-in outlives a reload of the page; `localStorage` shares a long one
 * between tabs. Every script of the page can read it there.
 */
export type TokenAccessOptions = Omit<TransportOptions, 'auth'>;

/** The access of an application whose users sign in with account and password at `/api/v1/auth/login`. */
export interface TokenAccess {
  /** Sends as the signed-in user; for `createDataProvider`. */
  readonly send: Send;
  readonly authProvider: AuthProvider;
}

/** react-admin's authentication by token (JWT), for applications of ordinary users on any origin that CORS allows. */
export const createTokenAccess = (options: TokenAccessOptions): TokenAccess => {
  let user: Promise<SessionUser> | undefined;
  const { send, authenticator, longSignIn } = createTransport(options);

  const keep = (tokens: KeptTokens | undefined): Promise<void> => {
    user = undefined;
    return longSignIn.keep(tokens);
  };

  const demandToken = async (): Promise<void> => {
    if ((await longSignIn.read()) === undefined) throw new Error('not signed in');
  };

  const current = async (): Promise<SessionUser> => {
    await demandToken();
    user ??= send<SessionUser>('GET', '/api/v1/auth/me').then(({ data }) => data);
    user.catch(() => {
      user = undefined;
    });
    return user;
  };

  const authProvider: AuthProvider = {
    login: async ({ username: account, password, otp, remember }: Credentials) => {
      const body = { account, password, otp, remember };
      const { data } = await send<Session>('POST', '/api/v1/auth/login', { body, anonymous: true });
      await keep(data);
    },
    logout: async () => {
      user = undefined;
      // The page has signed out in any case; without the service the tokens stay valid until they expire.
      await signOut(send, authenticator).catch(() => {});
    },
    checkAuth: demandToken,
    checkError: async (error: { readonly status?: number }) => {
      if (error.status !== 401) return;
      await keep(undefined);
      throw error;
    },
    getIdentity: async (): Promise<UserIdentity> => {
      const { id, name, username, roles } = await current();
      return { id, fullName: name === '' ? username : name, username, roles };
    },
    getPermissions: async (): Promise<readonly string[]> => (await current()).roles,
  };
  return { send, authProvider };
};
