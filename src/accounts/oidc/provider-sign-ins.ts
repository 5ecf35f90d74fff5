/** Sign-in by a provider, from the way to the provider until the browser returns with a proved account. */

import { randomBytes } from 'node:crypto';
import {
  canonicalAccount,
  mailboxViolation,
  maxUsernameLength,
  usernameViolation,
} from '../../auth/account.ts';
import { addressOf, isExactAddress, noAddress } from '../../auth/address.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import { asSessionPrincipal } from '../../http/administration.ts';
import type { Call } from '../../http/endpoint.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Languages, languageOfUser } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { SecurityEventStore } from '../security-events.ts';
import type { UserStore, UserValues } from '../users/store.ts';
import {
  claimAt,
  type ProvidedAccount,
  type SignInProvider,
  type SignInSecrets,
  UnprovedAccountError,
} from './client.ts';
import { type BoundCodes, type CodeSignInParts, createBoundCodes } from './code.ts';
import type { ProvedAccount } from './linked-accounts.ts';
import {
  createPendingSignIns,
  type PendingSignIn,
  type PendingSignInParts,
  type PendingSignIns,
} from './pending.ts';
import type { OidcProvider } from './provider-options.ts';
import { returnPathOf } from './return-path.ts';
import { claimTexts, defaultRoles, mappedRoles } from './role-mapping.ts';

/** A text of somebody else with a blank in place of each control character, so that it stays one line. */
const plainText = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** A person's name as it is stored, of at most 200 characters. */
const plainName = (text: string): string => [...plainText(text.toWellFormed())].slice(0, 200).join('');

/**
 * The values of a first sign-in. An address counts only if the provider has verified it, and in the form in which mail
 * is sent to it: another form may have verified the mailbox of another person.
 */
const newUserOf = (
  name: string,
  { claims, subject }: ProvidedAccount,
  roles: readonly string[],
): UserValues => {
  const text = (claim: string): string => (typeof claims[claim] === 'string' ? claims[claim] : '');
  const isProved =
    claims['email_verified'] === true &&
    mailboxViolation(text('email')) === undefined &&
    isExactAddress(text('email'));
  const email = isProved ? addressOf(text('email')) : undefined;
  const address = email === undefined ? noAddress() : { email, emailCanonical: canonicalAccount(email) };
  const wanted = [text('preferred_username').split('@')[0] ?? '', text('email').split('@')[0] ?? '', subject]
    .map((each) => each.slice(0, maxUsernameLength))
    .find((each) => usernameViolation(each) === undefined);
  const username = wanted ?? `${name}-${randomBytes(6).toString('hex')}`;
  return {
    username,
    usernameCanonical: canonicalAccount(username),
    ...address,
    name: plainName(text('name')) || username,
    passwordHash: '',
    disabled: false,
    roles,
  };
};

const provesFactor = ({ secondFactor }: OidcProvider, claims: JsonObject): boolean =>
  secondFactor !== undefined &&
  claimTexts(claims[secondFactor.claim]).some((value) => secondFactor.values.includes(value));

/** Path of the service's own page for users who sign in with a provider. */
export const signInPagePath = '/account/login';

/** The outcome of a sign-in: the fragment for its page, and the cookie that binds a one-time code to the browser. */
export interface Arrival {
  readonly fragment: string;
  readonly cookie?: string | undefined;
}

const provedAccount = (
  { name }: SignInProvider,
  { issuer, subject, sessionId }: ProvidedAccount,
  claimValues: readonly string[] | null,
): ProvedAccount => ({ provider: name, issuer, subject, sessionId, claimValues });

export interface ProviderSignInParts extends PendingSignInParts, CodeSignInParts {
  readonly providers: ReadonlyMap<string, SignInProvider>;
  readonly users: UserStore;
  readonly languages: Languages;
  readonly throttle: LoginThrottle;
  readonly securityEvents: SecurityEventStore;
}

/** Sign-ins by the providers of an application, for users who sign in, and for users who link an account. */
export class ProviderSignIns {
  readonly #services: ProviderSignInParts;
  readonly #pending: PendingSignIns;
  readonly #codes: BoundCodes;
  /** The page to which a browser returns unless the sign-in names another one. */
  readonly defaultReturnPath: string;

  constructor(services: ProviderSignInParts) {
    this.#services = services;
    this.#pending = createPendingSignIns(services);
    this.#codes = createBoundCodes(services.baseUrl);
    this.defaultReturnPath = `${new URL(services.baseUrl).pathname.replace(/\/+$/, '')}${signInPagePath}`;
  }

  /** @throws Problem `invalid_parameter` */
  readReturnPath(sent: string | null): string {
    const path = sent === null ? this.defaultReturnPath : returnPathOf(sent, this.#services.baseUrl);
    if (path === undefined) throw new Problem('invalid_parameter', { params: { name: 'return' } });
    return path;
  }

  /** The provider that the path of a request names. @throws Problem `path_not_found` */
  providerOf(call: Call): SignInProvider {
    const part = this.#services.providers.get(call.params['provider'] ?? '');
    if (part === undefined) throw new Problem('path_not_found');
    return part;
  }

  /** Begins a sign-in. Returns the address at the provider, and the cookie that binds the sign-in to the browser. */
  async begin({ name, client }: SignInProvider, returnPath: string, linking: VerifiedUser | null) {
    const secrets = await client.newSecrets();
    const url = await client.authorizationUrl(secrets);
    return { url: url.href, cookie: this.#pending.set({ ...secrets, provider: name, returnPath, linking }) };
  }

  /** The cookie that ends the sign-in of a state in its browser. */
  clear(state: string): string {
    return this.#pending.clear(state);
  }

  /**
   * Completes the sign-in of a browser that returns from the provider. A failure counts as a failed login, by network,
   * and by state and network.
   * @param onFound called with the path to return to, once the sign-in of this browser is found
   */
  arrive(
    part: SignInProvider,
    state: string,
    call: Call,
    onFound: (returnPath: string) => void,
  ): Promise<Arrival | undefined> {
    return this.#runCounted(part, state, call, async () => {
      const signIn = await this.#pending.take(call, part.name, state);
      if (signIn === undefined)
        return this.recordFailure(part, call, 'no sign-in of this browser has this state');
      onFound(signIn.returnPath);
      return this.#complete(part, call, signIn);
    });
  }

  /** Records a failed sign-in as a security event. */
  recordFailure(part: SignInProvider, { address }: Call, reason: string): undefined {
    this.#services.securityEvents.record({
      action: 'sign_in.failed',
      address,
      detail: { provider: part.name, reason: plainText(reason).slice(0, 300).toWellFormed() },
    });
    return undefined;
  }

  /** Runs a counted attempt. Its result undefined is a failure. */
  #runCounted<Result>(
    { name }: SignInProvider,
    subject: string,
    { address, signal }: Call,
    attempt: () => Promise<Result | undefined>,
  ) {
    const account = `${name} ${subject.slice(0, 64)}`;
    return this.#services.throttle.run(account, address, attempt, signal, 'provider');
  }

  /** The account that the provider proves; undefined where it proves none. */
  async #verifyAccount(
    part: SignInProvider,
    call: Call,
    secrets: SignInSecrets,
  ): Promise<ProvidedAccount | undefined> {
    try {
      return await part.client.account(call.query, secrets);
    } catch (error) {
      if (error instanceof UnprovedAccountError) return this.recordFailure(part, call, error.message);
      throw error;
    }
  }

  /** Ends a sign-in: with a linked account, or with a one-time code. */
  async #complete(part: SignInProvider, call: Call, signIn: PendingSignIn): Promise<Arrival | undefined> {
    const account = await this.#verifyAccount(part, call, signIn);
    if (account === undefined) return undefined;
    const { linking } = signIn;
    if (linking !== null) return this.#link(part, call, account, linking);
    return this.#signIn(part, call, account);
  }

  async #link(
    part: SignInProvider,
    call: Call,
    account: ProvidedAccount,
    linking: VerifiedUser,
  ): Promise<Arrival | undefined> {
    const { identities, linkedAccounts } = this.#services;
    const identity = await identities.byUserId(linking.id, []);
    if (identity === undefined) return this.recordFailure(part, call, 'the user is disabled');
    const actor = { principal: asSessionPrincipal(identity), address: call.address, language: call.language };
    if (!(await linkedAccounts.link(linking, provedAccount(part, account, null), actor)))
      return this.recordFailure(part, call, 'the user was signed out after the link began');
    return { fragment: 'linked=1' };
  }

  async #signIn(part: SignInProvider, call: Call, account: ProvidedAccount): Promise<Arrival | undefined> {
    const { users, linkedAccounts, languages } = this.#services;
    const { name, provider } = part;
    const { roles } = provider;
    const values = roles === undefined ? [] : claimTexts(claimAt(account.claims, roles.claim));
    const rolesOf =
      roles === undefined ? undefined : (current: readonly string[]) => mappedRoles(roles, values, current);
    const [unknown] = await users.unknownRoles(rolesOf?.([]) ?? []);
    if (unknown !== undefined) return this.recordFailure(part, call, `the role ${unknown} does not exist`);
    const locale = languageOfUser(languages, call.language);
    const created =
      provider.create === false
        ? undefined
        : { ...newUserOf(name, account, rolesOf?.([]) ?? defaultRoles), locale };
    const actor: Actor = { principal: 'service', address: call.address };
    const proved = provedAccount(part, account, roles === undefined ? null : values);
    const user = await linkedAccounts.signIn(proved, created, rolesOf, actor);
    if (user === undefined) return this.recordFailure(part, call, 'no enabled user has this account');
    const { code, stored, cookie } = this.#codes.create();
    await linkedAccounts.storeCode(stored, user, provesFactor(provider, account.claims));
    return { fragment: `code=${code}`, cookie };
  }
}
