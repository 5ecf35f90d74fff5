/** One-time codes that carry a finished sign-in by a provider to the sign-in page of the same browser. */

import { createHash, randomBytes } from 'node:crypto';
import { loginFailed } from '../../auth/login.ts';
import type { Identities } from '../../auth/ports.ts';
import { cookieValues } from '../../auth/session.ts';
import { providerCodeLifetime } from '../../database/tables.ts';
import type { Call } from '../../http/endpoint.ts';
import type { SignedIn } from '../sessions/sign-in.ts';
import type { LinkedAccounts } from './linked-accounts.ts';

/** A new code: for the page, for the database, and the Set-Cookie that binds it to the browser. */
interface NewCode {
  readonly code: string;
  readonly stored: string;
  readonly cookie: string;
}

/**
 * One-time codes, each bound to the browser that began the sign-in. A cookie holds the other half of the code, which no
 * page can read: a code that is sent to another browser is unknown there.
 */
export const createBoundCodes = (baseUrl: string) => {
  const secure = new URL(baseUrl).protocol === 'https:';
  // Each code has a cookie of its own, so that two tabs can sign in at the same time.
  const nameOf = (code: string): string => {
    const digest = createHash('sha256').update(code).digest('hex').slice(0, 12);
    return `${secure ? '__Host-' : ''}gatewright_code_${digest}`;
  };
  const join = (code: string, half: string): string => `${code}.${half}`;
  const random = (): string => randomBytes(32).toString('base64url');

  return {
    create: (): NewCode => {
      const [code, half] = [random(), random()];
      const attributes = `Max-Age=${providerCodeLifetime}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
      return { code, stored: join(code, half), cookie: `${nameOf(code)}=${half}; ${attributes}` };
    },

    /** The code as it is stored, from the code that a page sends and the cookie of its browser. */
    read: (call: Pick<Call, 'header'>, code: string): string => {
      const [half = ''] = cookieValues(call.header('cookie') ?? '', nameOf(code));
      return join(code, half);
    },
  };
};

export type BoundCodes = ReturnType<typeof createBoundCodes>;

export interface CodeSignInParts {
  readonly linkedAccounts: LinkedAccounts;
  readonly identities: Identities;
}

/**
 * The user of a one-time code, which stays valid until it is used. A second factor that the provider has proved counts
 * as given. @throws Problem `login_failed`
 */
export const signInByCode = async (
  { linkedAccounts, identities }: CodeSignInParts,
  code: string,
): Promise<Pick<SignedIn, 'verified' | 'user'>> => {
  const found = await linkedAccounts.findCode(code);
  const user = found && (await identities.byUserId(found.user.id, []));
  if (found === undefined || user === undefined) throw loginFailed();
  return { verified: found.user, user: found.secondFactor ? { ...user, secondFactor: 'given' } : user };
};
