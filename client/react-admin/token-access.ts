import type { AuthProvider, UserIdentity } from 'ra-core';
import type { Session } from '../authenticator.ts';
import { bearer } from '../credentials.ts';
import { createTransport, type TransportOptions } from '../transport.ts';
import type { Credentials, SessionUser } from './auth-provider.ts';
import type { Send } from './data-provider.ts';

export interface TokenAccessOptions extends Omit<TransportOptions, 'auth'> {
  /**
   * Storage of the token across reloads of the page, e.g. `sessionStorage`. Every script of the page can read it
   * there; without it the token is known to this page only, and a reload signs out.
   */
  readonly storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/** The access of an application whose users sign in with account and password at `/api/v1/auth/login`. */
export interface TokenAccess {
  /** Sends as the signed-in user; for `createDataProvider`. */
  readonly send: Send;
  readonly authProvider: AuthProvider;
}

const storageKey = 'gatewright.token';

/** react-admin's authentication by token (JWT), for applications of ordinary users on any origin that CORS allows. */
export const createTokenAccess = ({ storage, ...options }: TokenAccessOptions): TokenAccess => {
  let token = storage?.getItem(storageKey) ?? undefined;
  let user: Promise<SessionUser> | undefined;
  const { send } = createTransport({ ...options, auth: { token: () => token } });

  const keep = (next: string | undefined): void => {
    token = next;
    user = undefined;
    if (next === undefined) storage?.removeItem(storageKey);
    else storage?.setItem(storageKey, next);
  };

  const demandToken = (): void => {
    if (token === undefined) throw new Error('not signed in');
  };

  const current = async (): Promise<SessionUser> => {
    demandToken();
    user ??= send<SessionUser>('GET', '/api/v1/auth/me').then(({ data }) => data);
    user.catch(() => {
      user = undefined;
    });
    return user;
  };

  const authProvider: AuthProvider = {
    login: async ({ username, password, otp }: Credentials) => {
      const body = { account: username, password, ...(otp === undefined ? {} : { otp }) };
      const { data } = await send<Session>('POST', '/api/v1/auth/login', { body, anonymous: true });
      keep(data.token);
    },
    logout: async () => {
      const former = token;
      keep(undefined);
      if (former === undefined) return;
      // The page has signed out in any case; without the service the token stays valid until it expires.
      await send('POST', '/api/v1/auth/logout', { headers: bearer(former), anonymous: true }).catch(() => {});
    },
    checkAuth: async () => demandToken(),
    checkError: async (error: { readonly status?: number }) => {
      if (error.status !== 401) return;
      keep(undefined);
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
