/** Authenticates the caller that is explained, by the guard of requests and the statements that identify them. */

import type { CallerUser, KnownKey } from '../../accounts/users.ts';
import { networksOf } from '../../auth/client-network.ts';
import { type AuthOutcome, type AuthRequest, absent, type Verifier } from '../../auth/method.ts';
import type { ApplicationKeys, Identities } from '../../auth/ports.ts';
import { anonymous, guard, type Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethod, isOfApplications, optionalMethods } from '../../auth/registry.ts';
import { grantModelsOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Reason } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { named, readsOwn, reason } from '../../policy/decide.ts';
import { namesRelations } from '../../records/list.ts';
import type { ExplainedStep } from './explained-step.ts';

/** The caller that is explained. A user calls with a token or a session, a key with itself, an application signs. */
export type Subject =
  | { readonly kind: 'user'; readonly user: CallerUser }
  | { readonly kind: 'api_key'; readonly key: KnownKey }
  | { readonly kind: 'application'; readonly appId: string }
  | { readonly kind: 'nobody' };

/** The caller that the guard accepts, or its refusal, with the steps that explain it. */
type Authenticated = { readonly steps: readonly ExplainedStep[] } & (
  | { readonly principal: Principal }
  | { readonly problem: Problem }
);

type AcceptedCaller = Exclude<Principal, { readonly kind: 'nobody' }>;

type CallerOutcome = AuthOutcome<AcceptedCaller>;

export interface CallerParts {
  readonly identities: Identities;
  readonly applications: ApplicationKeys;
  readonly clock: Clock;
}

const refusedStep = (because: Reason): ExplainedStep => ({
  rule: 'authentication',
  outcome: 'refused',
  because,
});

const passedStep = (name: AuthMethodName): ExplainedStep => ({
  rule: 'authentication',
  outcome: 'passed',
  because: named(name),
});

const disabled = ({ username }: CallerUser): Reason => reason('user_disabled', { user: username });

/** The reason why a known key is no longer accepted. */
const keyOver = ({ id, name, expired, revoked, user }: KnownKey): Reason => {
  if (revoked !== undefined) {
    const ended = { key: name, user: user.username, at: revoked.at };
    return revoked.by === null
      ? reason('key_revoked', ended)
      : reason('key_revoked_by', { ...ended, by: revoked.by });
  }
  return expired ? reason('key_expired', { key: id }) : disabled(user);
};

/** The step for the networks of a key: without an address they are named, with one they are checked. */
const networkStep = (held: readonly string[], address: string | undefined): ExplainedStep => {
  const rule = 'key_network';
  const networks = held.join(', ');
  const key = { needed: address ?? null, held };
  if (address === undefined) return { rule, outcome: 'narrowed', because: named(networks), key };
  const outcome = networksOf(held).has(address) ? 'passed' : 'refused';
  return { rule, outcome, because: named(`${address}: ${networks}`), key };
};

/** The cause of a rejection, which the guard passes on with the refusal that it chooses. */
class Rejection {
  readonly steps: readonly ExplainedStep[];

  constructor(steps: readonly ExplainedStep[]) {
    this.steps = steps;
  }
}

/** One named caller: it is looked up where a request would present its credentials. */
class NamedCaller {
  readonly #parts: CallerParts;
  readonly #subject: Subject;
  readonly #address: string | undefined;
  /** Steps of the method that has accepted the caller. */
  #accepted: readonly ExplainedStep[] = [];

  constructor(parts: CallerParts, subject: Subject, address: string | undefined) {
    this.#parts = parts;
    this.#subject = subject;
    this.#address = address;
  }

  /** The guard's result for endpoints with these methods. `models`: those whose grants the principal needs. */
  async authenticate(methods: readonly AuthMethodName[], models: readonly string[]): Promise<Authenticated> {
    const own = methods.filter((name) => authMethod(name).holder === this.#subject.kind);
    const verifiers = methods.map(
      (name): Verifier<AcceptedCaller> => ({
        challenge: authMethod(name).challenge,
        authenticate: (request) => (own.includes(name) ? this.#verify(name, own, request.models) : absent),
      }),
    );
    try {
      return { principal: await guard(verifiers, this.#request(models)), steps: this.#accepted };
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const { cause } = problem;
      if (cause instanceof Rejection) return { problem, steps: cause.steps };
      return {
        problem,
        steps: [refusedStep(reason('wrong_caller', { caller: this.#subject.kind, methods }))],
      };
    }
  }

  /** A request without credentials: the verifiers know the caller. */
  #request(models: readonly string[]): AuthRequest {
    return {
      method: 'GET',
      target: '/',
      address: this.#address ?? '',
      header: () => undefined,
      proxyHeader: () => undefined,
      readBody: () => new Uint8Array(),
      models,
    };
  }

  #accept(
    name: AuthMethodName,
    principal: AcceptedCaller,
    ...further: readonly ExplainedStep[]
  ): CallerOutcome {
    this.#accepted = [passedStep(name), ...further];
    return { kind: 'principal', principal };
  }

  #reject(name: AuthMethodName, ...steps: readonly ExplainedStep[]): CallerOutcome {
    const [refusal] = authMethod(name).refusals;
    return { kind: 'rejected', problem: new Problem(refusal, { cause: new Rejection(steps) }) };
  }

  /** The outcome of one method. `own`: the methods of the endpoint that callers of this kind can use. */
  #verify(
    name: AuthMethodName,
    own: readonly AuthMethodName[],
    models: readonly string[],
  ): Promise<CallerOutcome> | CallerOutcome {
    const subject = this.#subject;
    if (subject.kind === 'user') return this.#verifyUser(name, subject.user, models);
    if (subject.kind === 'api_key') return this.#verifyKey(name, subject.key, models);
    if (subject.kind === 'nobody' || !isOfApplications(name)) return absent;
    const { applications, clock } = this.#parts;
    const { appId } = subject;
    // An application has a secret or a public key, and not both.
    const isHeld = authMethod(name).isHeldBy?.(applications, appId, clock()) ?? true;
    return isHeld
      ? this.#accept(name, { kind: 'application', appId, method: name })
      : this.#reject(name, refusedStep(reason('no_application_key', { methods: own })));
  }

  async #verifyUser(
    name: AuthMethodName,
    user: CallerUser,
    models: readonly string[],
  ): Promise<CallerOutcome> {
    if (user.service)
      return this.#reject(name, refusedStep(reason('service_account', { user: user.username })));
    const identity = await this.#parts.identities.byUserId(user.id, models);
    if (identity === undefined) return this.#reject(name, refusedStep(disabled(user)));
    // A session is not begun without the second factor.
    const isGiven = identity.secondFactor === 'missing' && authMethod(name).area === 'admin';
    const secondFactor = isGiven ? 'given' : identity.secondFactor;
    return this.#accept(name, { ...identity, secondFactor, method: name });
  }

  async #verifyKey(name: AuthMethodName, key: KnownKey, models: readonly string[]): Promise<CallerOutcome> {
    const { identities, clock } = this.#parts;
    const found = await identities.byKeyHash(key.hash, clock(), models);
    if (found === undefined) return this.#reject(name, refusedStep(keyOver(key)));
    const { identity, keyId: credential, scopes, limits } = found;
    const principal = { ...identity, method: name, credential, scopes, limits };
    if (key.networks === null) return this.#accept(name, principal);
    const network = networkStep(key.networks, this.#address);
    return network.outcome === 'refused'
      ? this.#reject(name, passedStep(name), network)
      : this.#accept(name, principal, network);
  }
}

/**
 * Authenticates the subject for an endpoint. An endpoint that lists no methods looks the caller up only where they may
 * read more than others, as the pipeline does.
 */
export const authenticate = async (
  parts: CallerParts,
  endpoint: Endpoint,
  subject: Subject,
  { query, address }: { readonly query: string; readonly address: string | undefined },
): Promise<Authenticated> => {
  const { auth, accepts, policy } = endpoint;
  const { models, related } = grantModelsOf(endpoint);
  const relates = related !== undefined && namesRelations(query);
  const asked = relates ? related : models;
  const caller = new NamedCaller(parts, subject, address);
  if (auth.length > 0) return caller.authenticate(auth, asked);
  const steps: readonly ExplainedStep[] = [
    { rule: 'authentication', outcome: 'off', because: reason('anybody') },
  ];
  if (!relates && !readsOwn(policy)) return { steps, principal: anonymous };
  const optional = optionalMethods(accepts !== 'nothing').map(({ name }) => name);
  const found = await caller.authenticate(optional, asked);
  return { steps, principal: 'problem' in found ? anonymous : found.principal };
};
