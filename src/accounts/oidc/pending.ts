/** Sign-ins on their way to a provider and back, each kept in an encrypted cookie of the browser. */

import type { VerifiedUser } from '../../auth/ports.ts';
import type { SecretBox } from '../../auth/secret-box.ts';
import { cookieValues } from '../../auth/session.ts';
import type { Call } from '../../http/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Nonces } from '../applications/nonces.ts';
import type { SignInSecrets } from './client.ts';

/**
 * Seconds for the sign-in at the provider.
 * @limit Accounts and credentials | a sign-in at a provider | s | 401
 */
export const providerSignInLifetime = 600;

/** A sign-in whose browser is at the provider. */
export interface PendingSignIn extends SignInSecrets {
  readonly provider: string;
  /** Path to which the browser returns. */
  readonly returnPath: string;
  /** The user to whom the account is to be linked, as verified when the link began; null for a sign-in. */
  readonly linking: VerifiedUser | null;
}

interface SealedSignIn extends PendingSignIn {
  /** Unix seconds. */
  readonly until: number;
}

/** 32 bytes in base64url. */
const stateForm = /^[A-Za-z0-9_-]{43}$/;

/** Each sign-in has a cookie of its own, so that two tabs can sign in at the same time. */
const nameOf = (state: string): string => `gatewright_sign_in_${state.slice(0, 8)}`;

export interface PendingSignInParts {
  /** Seals the secrets of sign-ins that are at a provider. */
  readonly providerSecrets: SecretBox;
  readonly nonces: Nonces;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/**
 * Sign-ins that are at a provider, each in an encrypted cookie of the browser that began it. The database stores only
 * the states that were used, so a flood of sign-ins that never end stores nothing.
 */
export const createPendingSignIns = ({ providerSecrets, nonces, clock, baseUrl }: PendingSignInParts) => {
  const { pathname, protocol } = new URL(baseUrl);
  const path = `${pathname.replace(/\/+$/, '')}/api/v1/auth/oidc`;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`;
  const now = (): number => Math.floor(clock() / 1000);

  const open = (sealed: string): SealedSignIn | undefined => {
    const text = providerSecrets.open(sealed);
    return text === undefined ? undefined : (JSON.parse(text) as SealedSignIn);
  };

  return {
    /** Set-Cookie of a sign-in that begins. */
    set: (pending: PendingSignIn): string => {
      const until = now() + providerSignInLifetime;
      const sealed = providerSecrets.seal(JSON.stringify({ ...pending, until } satisfies SealedSignIn));
      return `${nameOf(pending.state)}=${sealed}; Max-Age=${providerSignInLifetime}; ${attributes}`;
    },

    /** Set-Cookie that removes it. */
    clear: (state: string): string => `${nameOf(state)}=; Max-Age=0; ${attributes}`,

    /**
     * Takes a sign-in whose browser has returned, once on all instances. Undefined if it is of another browser or
     * provider, or over.
     */
    take: async (call: Call, provider: string, state: string): Promise<PendingSignIn | undefined> => {
      if (!stateForm.test(state)) return undefined;
      const found = cookieValues(call.header('cookie') ?? '', nameOf(state))
        .map(open)
        .find((each) => each?.state === state && each.provider === provider && now() < each.until);
      if (found === undefined || !(await nonces.use(` ${provider}`, state, found.until))) return undefined;
      return found;
    },
  };
};

export type PendingSignIns = ReturnType<typeof createPendingSignIns>;
