import type { AuthProvider, UserIdentity } from 'ra-core';
import { GatewrightError } from '../error.ts';
import type { Send } from './data-provider.ts';

/** The user who is signed in to the administration area. */
export interface SessionUser {
  readonly id: number;
  readonly username: string;
  readonly email: string | null;
  readonly name: string;
  readonly roles: readonly string[];
  /** Present while an administrator requires a new password; every other route is 403 with code 40302 then. */
  readonly must_change_password?: true;
  /**
   * Whether they have a second factor, and whether one has to be set up: every other route is 403 with code 40303
   * then.
   */
  readonly second_factor: { readonly enrolled: boolean; readonly due: boolean };
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Second factor that an application asks for beside the password, at `/api/v1/auth/login`. */
  readonly otp?: string;
  /** Begins a long sign-in at `/api/v1/auth/login`. */
  readonly remember?: boolean;
}

/** The `data` of the refusal with code 40107: the password was right, and a second factor is required. */
export interface SecondFactorQuestion {
  /** Sent back with the answer, within 5 minutes. */
  readonly ticket: string;
  readonly methods: readonly ('totp' | 'passkey' | 'recovery_code')[];
  readonly expires_at: string;
  /** PublicKeyCredentialRequestOptionsJSON, where a passkey is among the methods. */
  readonly passkey_options?: unknown;
}

/** The answer to it: one of the three beside the ticket. */
export interface SecondFactorAnswer {
  readonly ticket: string;
  readonly code?: string;
  readonly recovery_code?: string;
  /** AuthenticationResponseJSON of the browser. */
  readonly passkey?: unknown;
}

/** The one-time code with which a sign-in with a provider returns to the page. */
export interface ProviderCode {
  readonly provider_code: string;
}

const path = '/admin/session';

/**
 * react-admin's authentication by the session cookie of the administration area. The page never sees the cookie: it
 * requests the signed-in user once, caches the response, and discards it with the first 401.
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
    login: async (given: Credentials | SecondFactorAnswer | ProviderCode) => {
      const request = (): ReturnType<typeof send<SessionUser>> => {
        if ('ticket' in given) return send<SessionUser>('POST', `${path}/second-factor`, { body: given });
        if ('provider_code' in given)
          return send<SessionUser>('POST', `${path}/code`, { body: { code: given.provider_code } });
        const { username: account, password } = given;
        return send<SessionUser>('POST', path, { body: { account, password } });
      };
      const { data } = await request();
      session = Promise.resolve(data);
    },
    logout: async () => {
      const known = session;
      session = undefined;
      if (known === undefined) return;
      await send('DELETE', path).catch((error: unknown) => {
        // A user whose session is over need not sign out.
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
