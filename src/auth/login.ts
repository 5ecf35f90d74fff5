/**
 * The check of an account and its password, with equal work for unknown accounts, and the login that issues a
 * token.
 */

import { Problem } from '../kernel/problem.ts';
import { canonicalAccount } from './account.ts';
import { networkOf } from './client-network.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { jwt } from './methods/jwt.ts';
import type { Passwords } from './password.ts';
import type { Account, AccountStore, VerifiedUser } from './ports.ts';
import type { SecurityEvents } from './security-events.ts';
import type { Ticket } from './work-queue.ts';

export interface LoginAttempt {
  /** Username or email, as typed. */
  readonly account: string;
  readonly password: string;
  /** The client's IP address. */
  readonly address: string;
  /** Aborted when the caller hangs up: a password that is not hashed by then never is, and does not count. */
  readonly signal?: AbortSignal | undefined;
}

/** The same problem for an unknown account, a wrong password and a disabled user. */
export const loginFailed = (): Problem =>
  new Problem('login_failed', { headers: { 'WWW-Authenticate': jwt.challenge } });

export interface LoginDependencies {
  readonly accounts: AccountStore;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  /** Receives every failure; a sign-in is recorded by the endpoint that completes it. */
  readonly events: SecurityEvents;
}

/**
 * Finds the user of an account and password, for the login and the administration area's sign-in alike. Throws
 * `login_failed` for an unknown account, a wrong password and a disabled user, all after similar time;
 * `too_many_requests` and `overloaded` with Retry-After.
 */
export type AuthenticateAccount = (attempt: LoginAttempt) => Promise<VerifiedUser>;

export const createLogin = ({
  accounts,
  passwords,
  throttle,
  events,
}: LoginDependencies): AuthenticateAccount => {
  const check = async (
    canonical: string,
    password: string,
    address: string,
    ticket: Ticket,
  ): Promise<Account | undefined> => {
    const account = await accounts.byAccount(canonical);
    const good = await passwords.verify(password, account?.passwordHash, ticket);
    if (good && account?.disabled === false) return account;
    const detail = good ? { disabled: true } : {};
    const knownUser = account === undefined ? undefined : { id: account.id, username: account.username };
    events.record({ action: 'sign_in.failed', address, account: knownUser, detail });
    return undefined;
  };

  /** The response does not wait for the look-up of the name, so unknown accounts take the same time. */
  const recordLocked = (error: unknown, canonical: string, address: string): void => {
    if (error instanceof Problem && error.problem === 'too_many_requests')
      events.record({ action: 'sign_in.locked', address }, () => accounts.byAccount(canonical));
  };

  /** Hashes the password again if its hash has older parameters; only now is the password available. */
  const renewHash = async (account: Account, password: string, ticket: Ticket): Promise<void> => {
    if (!passwords.needsRehash(account.passwordHash)) return;
    await accounts.replaceHash(account.id, account.passwordHash, await passwords.hash(password, ticket));
  };

  return async ({ account, password, address, signal }) => {
    const canonical = canonicalAccount(account);
    const ticket = { line: networkOf(address), signal };
    const attempt = () => check(canonical, password, address, ticket);
    const found = await throttle.run(canonical, address, attempt, signal).catch((error: unknown) => {
      recordLocked(error, canonical, address);
      throw error;
    });
    if (found === undefined) throw loginFailed();
    await renewHash(found, password, ticket);
    return { id: found.id, securityStamp: found.securityStamp };
  };
};
