/** The endpoint of explanations: it reads the question, and writes the steps in the language of the caller. */

import { isIP } from 'node:net';
import type { CallerStore } from '../../accounts/users.ts';
import { defaultKey } from '../../fields/keys.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import { checkedModels } from '../../http/call.ts';
import type { Call, Endpoint, QueryDocs } from '../../http/endpoint.ts';
import { type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import { type Catalogue, catalogueOf, type Reason, reasonText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { invalidParameter, parseQueryString, type QueryParameter } from '../../records/list.ts';
import type { ApplicationSummary } from '../../vault/vault.ts';
import type { Subject } from './explained-caller.ts';
import type { ExplainedStep } from './explained-step.ts';
import { decisiveStep, type Explanation, type ExplanationParts, explain } from './explanation.ts';
import { explanationSchema } from './explanation-schemas.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const query: readonly QueryDocs[] = [
  {
    name: 'user_id',
    description: { 'zh-CN': '以该用户的令牌或会话调用', en: "The caller is this user's token or session" },
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'api_key_id',
    description: { 'zh-CN': '以该 API 密钥调用', en: 'The caller is this API key' },
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'app_id',
    description: {
      'zh-CN': '以该应用的签名调用；三者都不给出时为匿名调用',
      en: "The caller is this application's signature; without any of the three it is anonymous",
    },
    schema: { type: 'string' },
  },
  {
    name: 'address',
    description: {
      'zh-CN': '请求来自的地址，用于判断密钥的网段',
      en: 'Address from which the request comes, for the networks of a key',
    },
    schema: { type: 'string' },
  },
  {
    name: 'method',
    description: { 'zh-CN': '请求方法', en: 'Method of the request' },
    schema: { type: 'string', enum: methods },
    required: true,
  },
  {
    name: 'path',
    description: { 'zh-CN': '请求路径，包含基础路径', en: 'Path of the request, base path included' },
    schema: { type: 'string', pattern: '^/', examples: ['/api/v1/health'] },
    required: true,
  },
];

/** Each parameter at most once, and none that is not known: a misspelt caller must not pass for an anonymous one. */
export const givenIn = (
  parameters: readonly QueryParameter[],
  known: readonly QueryDocs[],
): ReadonlyMap<string, string> => {
  const given = new Map<string, string>();
  for (const { name, value } of parameters) {
    if (given.has(name) || !known.some((each) => each.name === name)) throw invalidParameter(name);
    given.set(name, value);
  }
  return given;
};

export const idIn = (name: string, text: string): number => {
  const id = defaultKey.parse(text);
  if (id === undefined) throw invalidParameter(name);
  return id;
};

const found = <T>(subject: T | undefined): T => {
  if (subject === undefined) throw new Problem('record_not_found');
  return subject;
};

interface ListedApplications {
  applications(): readonly ApplicationSummary[];
}

export type ExplainParts = ExplanationParts & { readonly applications: ListedApplications };

const subjectOf = async (
  callers: CallerStore,
  { applications }: { readonly applications: ListedApplications },
  given: ReadonlyMap<string, string>,
): Promise<Subject> => {
  const [name, second] = ['user_id', 'api_key_id', 'app_id'].filter((each) => given.has(each));
  if (name === undefined) return { kind: 'nobody' };
  if (second !== undefined) throw invalidParameter(second);
  const value = given.get(name) ?? '';
  if (name === 'user_id') return { kind: 'user', user: found(await callers.user(idIn(name, value))) };
  if (name === 'api_key_id') return { kind: 'api_key', key: found(await callers.key(idIn(name, value))) };
  const known = applications.applications().some(({ app_id }) => app_id === value);
  return { kind: 'application', appId: found(known ? value : undefined) };
};

const requestOf = (given: ReadonlyMap<string, string>) => {
  const method = given.get('method') ?? '';
  const path = given.get('path') ?? '';
  if (!methods.some((known) => known === method)) throw invalidParameter('method');
  // Characters that a request line can hold; others never reach the router.
  if (!/^\/[!-~]*$/.test(path)) throw invalidParameter('path');
  const address = given.get('address');
  if (address !== undefined && isIP(address) === 0) throw invalidParameter('address');
  return { method, path, address };
};

const describeSubject = (subject: Subject): Json => {
  switch (subject.kind) {
    case 'user':
      return { kind: 'user', id: subject.user.id, name: subject.user.username };
    case 'api_key': {
      const { id, name, revoked } = subject.key;
      const known = { kind: 'api_key', id, name };
      return revoked === undefined ? known : { ...known, revoked_at: revoked.at };
    }
    case 'application':
      return { kind: 'application', id: subject.appId, name: subject.appId };
    case 'nobody':
      return { kind: 'nobody', id: null, name: null };
  }
};

/** A reason as text, and as its name and values, from which a page writes it in a language of its own. */
export const reasonShown = (catalogue: Catalogue, { name, params }: Reason) => ({
  because: reasonText(catalogue, { name, params }),
  reason: {
    name,
    params: Object.fromEntries(
      Object.entries(params).map(([key, value]) => [
        key,
        typeof value === 'object' ? value.join(', ') : value,
      ]),
    ),
  },
});

const stepOf = (
  catalogue: Catalogue,
  { rule, outcome, because, conditions, grants, key, record }: ExplainedStep,
): Json =>
  withoutUndefined<Json>({
    rule,
    label: catalogue.explained[rule],
    outcome,
    ...reasonShown(catalogue, because),
    grants: grants && { ...grants, roles: grants.roles.map((each) => ({ ...each })) },
    key: key && { needed: key.needed, held: [...key.held] },
    record: record && { ...record, owner: record.owner && { ...record.owner } },
    conditions: conditions && { about: conditions.about, rule: conditions.rule },
  });

const answerOf = (catalogue: Catalogue, explanation: Explanation): { readonly [name: string]: Json } => {
  const { code, status, endpoint, steps } = explanation;
  return {
    allowed: code === 0,
    status,
    code,
    endpoint:
      endpoint === undefined
        ? null
        : {
            operation: endpoint.operation,
            method: endpoint.method,
            path: endpoint.path,
            authentication: [...endpoint.auth],
          },
    steps: steps.map((step) => stepOf(catalogue, step)),
    decided_by: decisiveStep(explanation)?.rule ?? null,
  };
};

/**
 * Explains a request, as the query of the endpoint names it.
 * @throws Problem `invalid_parameter`, `record_not_found`
 */
export const explainRequest = async (
  services: ExplainParts,
  { query: text, principal, language }: Pick<Call, 'query' | 'principal' | 'language'>,
): Promise<JsonObject> => {
  const given = givenIn(parseQueryString(text), query);
  const { method, path, address } = requestOf(given);
  const subject = await subjectOf(services.callers, services, given);
  const explanation = await explain(services, subject, { method, path, address }, principal, language);
  const said = answerOf(catalogueOf(language), explanation);
  return { method, path, caller: describeSubject(subject), ...said };
};

/** Explains the decision of the pipeline about a request of a named caller, rule by rule. */
export const explainEndpoint = (services: ExplainParts): Endpoint => ({
  operation: 'explain',
  method: 'GET',
  path: '/admin/explain',
  auth: adminAuth,
  policy: administratorOnly,
  // The caller learns only of records that they may read.
  grantsOn: checkedModels([...services.resources.values()].map(({ model }) => model)),
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '解释访问判定', en: 'Explain an access decision' },
    description: {
      'zh-CN':
        '按顺序列出路由、认证、策略与记录各步，以及起决定作用的一步；行规则给出条件树，每个条件附对该调用者与记录的结果。不预判请求体与条件请求（400、409、412、422，以及写入后的记录不再满足写规则时的 403）。',
      en: 'The steps in their order: route, authentication, policy, record; and the one that decides. A row rule comes with the tree of its conditions, each with its outcome for this caller and record. Results that depend on the body or on conditions are not predicted: 400, 409, 412, 422, and 403 if the caller could not write the changed record.',
    },
    tag: adminTag,
    data: explanationSchema,
    query,
    problems: ['invalid_parameter', 'record_not_found'],
  },
  handle: async (call: Call) => ({ data: await explainRequest(services, call) }),
});
