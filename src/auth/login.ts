import { Problem } from '../kernel/problem.ts';
import { canonicalAccount } from './account.ts';
import { bearerChallenge } from './bearer.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Passwords } from './password.ts';
import type { Account, AccountStore } from './ports.ts';

export interface LoginAttempt {
  /** Username or email, as it was typed. */
  readonly account: string;
  readonly password: string;
  /** The client's IP address. */
  readonly address: string;
}

export interface LoginDependencies {
  readonly accounts: AccountStore;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
}

/**
 * Account and password to the user's id, for the login and the administration area's sign-in alike. Throws
 * `login_failed` for an unknown account, a wrong password and a disabled user, all in like time; `too_many_requests`
 * and `overloaded` with Retry-After.
 */
export type AuthenticateAccount = (attempt: LoginAttempt) => Promise<number>;

export const createLogin = ({ accounts, passwords, throttle }: LoginDependencies): AuthenticateAccount => {
  const check = async (canonical: string, password: string): Promise<Account | undefined> => {
    const account = await accounts.byAccount(canonical);
    const good = await passwords.verify(password, account?.passwordHash);
    return good && account?.disabled === false ? account : undefined;
  };

  /** The only moment at which the password is known: what was hashed with older parameters is hashed anew. */
  const renewHash = async (account: Account, password: string): Promise<void> => {
    if (!passwords.needsRehash(account.passwordHash)) return;
    await accounts.replaceHash(account.id, account.passwordHash, await passwords.hash(password));
  };

  return async ({ account, password, address }) => {
    const canonical = canonicalAccount(account);
    const found = await throttle.run(canonical, address, () => check(canonical, password));
    if (found === undefined) {
      throw new Problem('login_failed', { headers: { 'WWW-Authenticate': bearerChallenge } });
    }
    await renewHash(found, password);
    return found.id;
  };
};
