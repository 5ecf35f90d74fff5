import { identifiedUser } from '../../auth/identified-user.ts';
import type { Principal } from '../../auth/principal.ts';
import { nobody } from '../../auth/principal.ts';
import { type AuthMethodName, authMethod, isOfApplications } from '../../auth/registry.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { ExplainedRule } from '../../kernel/messages/catalogue.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import { problemText } from '../../kernel/problem-text.ts';
import { decide } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { grantsAsked } from '../../policy/references.ts';
import type { Step } from '../../policy/step.ts';
import type { CallerUser, KnownKey } from '../../store/tables/callers.ts';
import type { Services } from '../services.ts';

/** Whom an explanation is about. A user calls with a token or a session, a key with itself, an application signs. */
export type Subject =
  | { readonly kind: 'user'; readonly user: CallerUser }
  | { readonly kind: 'api_key'; readonly key: KnownKey }
  | { readonly kind: 'application'; readonly appId: string }
  | { readonly kind: 'nobody' };

/** A step of the policy, or one of those around it: the route before, authentication, the record after. */
export type ExplainedStep = Omit<Step, 'rule'> & { readonly rule: ExplainedRule };

export interface Explanation {
  /** 0 where the request would be let through. */
  readonly code: number;
  readonly status: number;
  readonly endpoint: Endpoint | undefined;
  readonly steps: readonly ExplainedStep[];
}

type Authenticated =
  | { readonly step: ExplainedStep; readonly principal: Principal }
  | { readonly step: ExplainedStep; readonly problem: ProblemName };

const refused = (because: string, problem: ProblemName): Authenticated => ({
  step: { rule: 'authentication', outcome: 'refused', because },
  problem,
});

const passed = (because: string, principal: Principal): Authenticated => ({
  step: { rule: 'authentication', outcome: 'passed', because },
  principal,
});

const disabled = ({ username }: CallerUser): string => `user ${username} is disabled`;

/** What an explanation asks. */
export type Explainer = Pick<Services, 'routes' | 'clock' | 'catalogue' | 'identities'>;

/** Looks the subject up with the statements that authenticate a request, so that what they refuse is refused here. */
const identify = async (
  { identities, clock }: Explainer,
  subject: Subject,
  name: AuthMethodName,
  models: readonly string[],
): Promise<Authenticated> => {
  const { refusals } = authMethod(name);
  if (subject.kind === 'user') {
    const identity = await identities.byUserId(subject.user.id, models);
    return identity === undefined
      ? refused(disabled(subject.user), refusals[0])
      : passed(name, identifiedUser(identity, name));
  }
  if (subject.kind === 'api_key') {
    const { key } = subject;
    const found = await identities.byKeyHash(key.hash, clock(), models);
    if (found === undefined)
      return refused(key.expired ? `key ${key.id} has expired` : disabled(key.user), refusals[0]);
    return passed(name, identifiedUser(found.identity, name, found.keyId));
  }
  return subject.kind === 'application' && isOfApplications(name)
    ? passed(name, { kind: 'application', appId: subject.appId, method: name })
    : passed(name, nobody);
};

/** What the guard would make of the subject's credentials. An endpoint that accepts none looks at none. */
const authenticate = (
  explainer: Explainer,
  { auth, policy }: Endpoint,
  subject: Subject,
): Promise<Authenticated> | Authenticated => {
  if (auth.length === 0)
    return { step: { rule: 'authentication', outcome: 'off', because: 'open' }, principal: nobody };
  const method = auth.find((name) => authMethod(name).holder === subject.kind);
  if (method === undefined)
    return refused(`${subject.kind}, but the endpoint takes ${auth.join(', ')}`, 'unauthenticated');
  return identify(explainer, subject, method, grantsAsked(policy));
};

/** Why the subject does not reach a record, as far as the administrator who asks may know whether it is there. */
const absence = async (
  { policy, reaches }: Endpoint,
  params: Call['params'],
  asker: Principal,
): Promise<string> => {
  if (policy.kind !== 'resource' || reaches === undefined) return 'missing or out of scope';
  const asked = decide({ ...policy, action: 'detail', area: 'admin' }, asker);
  if (!asked.allowed) return 'missing or out of scope';
  return (await reaches(asked.grant, params)) ? 'out of scope' : 'missing';
};

const recordStep = async (
  endpoint: Endpoint,
  grant: Grant,
  params: Call['params'],
  asker: Principal,
): Promise<ExplainedStep | undefined> => {
  if (endpoint.reaches === undefined) return undefined;
  const name = Object.values(params).join(' ');
  if (await endpoint.reaches(grant, params)) return { rule: 'record', outcome: 'passed', because: name };
  const why = await absence(endpoint, params, asker);
  return { rule: 'record', outcome: 'refused', because: `${name}: ${why}` };
};

/**
 * Goes the way of a request up to the operation: the router's own answer, the accepted credentials, the steps of
 * `decide`, the record. Nothing is written, no use is recorded.
 */
export const explain = async (
  explainer: Explainer,
  subject: Subject,
  { method, path }: { readonly method: string; readonly path: string },
  asker: Principal,
): Promise<Explanation> => {
  const destination = explainer.routes.find(method, path);
  if (destination.endpoint === undefined) {
    const { code, status } = destination.problem;
    const because = problemText(explainer.catalogue, destination.problem);
    return { code, status, endpoint: undefined, steps: [{ rule: 'route', outcome: 'refused', because }] };
  }
  const { endpoint, params } = destination;
  const steps: ExplainedStep[] = [
    { rule: 'route', outcome: 'passed', because: `${endpoint.method} ${endpoint.path}` },
  ];
  const ended = (problem: Problem): Explanation => ({
    code: problem.code,
    status: problem.status,
    endpoint,
    steps,
  });
  const authenticated = await authenticate(explainer, endpoint, subject);
  steps.push(authenticated.step);
  if ('problem' in authenticated) return ended(new Problem(authenticated.problem));
  const decision = decide(endpoint.policy, authenticated.principal);
  steps.push(...decision.steps);
  if (!decision.allowed) return ended(decision.problem);
  const record = await recordStep(endpoint, decision.grant, params, asker);
  if (record !== undefined) steps.push(record);
  if (record?.outcome === 'refused') return ended(new Problem('record_not_found'));
  return { code: 0, status: endpoint.status ?? 200, endpoint, steps };
};

/** Rules that shape the rows and fields of an answer and refuse nobody: none of them decides. */
const shaping: ReadonlySet<ExplainedRule> = new Set(['isolation', 'ownership', 'restricted_fields']);

/** The step that refused; where none did, the last that could have and let the caller in. */
export const decisiveStep = (steps: readonly ExplainedStep[]): ExplainedStep | undefined =>
  steps.find(({ outcome }) => outcome === 'refused') ??
  steps.findLast(({ rule, outcome }) => outcome !== 'off' && !shaping.has(rule) && rule !== 'record') ??
  steps.at(0);
