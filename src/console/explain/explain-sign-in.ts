/** Explains a sign-in with a provider before anybody tries it: account, claim, mapping and roles. */

import {
  defaultRoles,
  explainRoles,
  type LinkedAccounts,
  type OidcProvider,
  rolesOfValue,
  type SignInProvider,
} from '../../accounts/oidc.ts';
import type { UserStore } from '../../accounts/users.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import type { Endpoint, QueryDocs } from '../../http/endpoint.ts';
import type { Json } from '../../kernel/json.ts';
import { type Catalogue, catalogueOf } from '../../kernel/messages.ts';
import { problemTable } from '../../kernel/problem-table.ts';
import { reason } from '../../policy/decide.ts';
import { superAdmin } from '../../policy/rule.ts';
import { invalidParameter, parseQueryString } from '../../records/list.ts';
import { givenIn, idIn, reasonShown } from './explain.ts';
import type { ExplainedStep } from './explained-step.ts';
import { explainedSignInSchema } from './explanation-schemas.ts';

const query: readonly QueryDocs[] = [
  {
    name: 'provider',
    description: { 'zh-CN': '身份提供方的名称', en: 'Name of the provider' },
    schema: { type: 'string' },
    required: true,
  },
  {
    name: 'user_id',
    description: { 'zh-CN': '登录的用户，其账号已关联', en: 'User who signs in with a linked account' },
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'subject',
    description: {
      'zh-CN': '身份提供方的账号（`sub`）；与 `user_id` 都不给出时为首次登录',
      en: 'Account at the provider (`sub`); without it and `user_id` it is a first sign-in',
    },
    schema: { type: 'string' },
  },
  {
    name: 'value',
    description: {
      'zh-CN': '声明的值，可重复；不给出时使用上次登录的值',
      en: 'Value of the claim, repeatable; default: the values of the last sign-in',
    },
    schema: { type: 'string' },
  },
];

interface Question {
  readonly provider: string;
  readonly userId: number | undefined;
  readonly subject: string | undefined;
  /** Undefined for the values of the last sign-in. */
  readonly values: readonly string[] | undefined;
}

/** @throws Problem `invalid_parameter` for one that is unknown, repeated (except `value`) or malformed */
const questionIn = (text: string): Question => {
  const parameters = parseQueryString(text);
  const values = parameters.filter(({ name }) => name === 'value').map(({ value }) => value);
  const single = parameters.filter(({ name }) => name !== 'value');
  const given = givenIn(single, query);
  const id = given.get('user_id');
  const userId = id === undefined ? undefined : idIn('user_id', id);
  const subject = given.get('subject');
  if (userId !== undefined && subject !== undefined) throw invalidParameter('subject');
  const provider = given.get('provider');
  if (provider === undefined) throw invalidParameter('provider');
  return { provider, userId, subject, values: values.length === 0 ? undefined : values };
};

type SignInStep = Pick<ExplainedStep, 'rule' | 'outcome' | 'because'>;

const factorStep = ({ secondFactor }: OidcProvider): SignInStep => {
  const rule = 'second_factor';
  if (secondFactor === undefined) return { rule, outcome: 'off', because: reason('provider_factor_off') };
  const { claim, values } = secondFactor;
  return { rule, outcome: 'narrowed', because: reason('provider_factor', { claim, values }) };
};

export interface SignInExplanationParts {
  readonly providers: ReadonlyMap<string, SignInProvider>;
  readonly linkedAccounts: LinkedAccounts;
  readonly users: UserStore;
}

/** A role of the user after the sign-in, and its origin. */
interface ExplainedRole {
  readonly role: string;
  readonly origin: 'claim' | 'default' | 'kept' | 'last_super_admin';
  /** Values of the claim that grant it. */
  readonly values: readonly string[];
}

type FoundAccount = Awaited<ReturnType<LinkedAccounts['find']>>;

/** A sign-in as the current configuration decides about it. */
interface ForeseenSignIn {
  readonly account: FoundAccount['account'] | undefined;
  readonly user: FoundAccount['user'] | undefined;
  readonly provider: OidcProvider;
  readonly providerName: string;
  /** Values of the claim. */
  readonly values: readonly string[];
  readonly currentRoles: readonly string[];
  readonly roles: readonly ExplainedRole[];
  /** A role that the mapping or the default grants and that does not exist. */
  readonly unknownRole: string | undefined;
}

/** The roles after a sign-in, without the exception for the last super_admin. */
const rolesAfter = (
  { roles: mapping }: OidcProvider,
  values: readonly string[],
  current: readonly string[] | undefined,
): readonly ExplainedRole[] => {
  if (mapping !== undefined) return explainRoles(mapping, values, current ?? []);
  const origin = current === undefined ? 'default' : 'kept';
  return (current ?? defaultRoles).map((role) => ({ role, origin, values: [] }));
};

const accountStep = ({ account, user, provider, providerName }: ForeseenSignIn): SignInStep => {
  const rule = 'authentication';
  if (user?.disabled)
    return { rule, outcome: 'refused', because: reason('user_disabled', { user: user.username }) };
  if (account !== undefined)
    return { rule, outcome: 'passed', because: reason('account_linked', { user: user?.username ?? '' }) };
  if (user !== undefined) {
    const because = reason('account_not_linked', { user: user.username, provider: providerName });
    return { rule, outcome: 'refused', because };
  }
  return provider.create === false
    ? { rule, outcome: 'refused', because: reason('account_unknown') }
    : { rule, outcome: 'passed', because: reason('account_created') };
};

const roleStep = ({ provider: { roles: mapping }, roles, unknownRole }: ForeseenSignIn): SignInStep => {
  const rule = 'role';
  if (unknownRole !== undefined)
    return { rule, outcome: 'refused', because: reason('role_unknown', { role: unknownRole }) };
  if (mapping === undefined) return { rule, outcome: 'off', because: reason('roles_not_mapped') };
  const granted = roles.filter(({ origin }) => origin === 'claim').map(({ role }) => role);
  const because =
    granted.length === 0
      ? reason('claim_not_mapped', { claim: mapping.claim })
      : reason('claim_grants', { claim: mapping.claim, roles: granted });
  return { rule, outcome: 'passed', because };
};

const claimOf = (
  { provider: { roles: mapping }, account, values }: ForeseenSignIn,
  given: readonly string[] | undefined,
) => {
  if (mapping === undefined) return null;
  return {
    name: mapping.claim,
    source: given !== undefined ? 'query' : account?.claimValues ? 'last_sign_in' : 'none',
    values: values.map((value) => ({ value, roles: [...rolesOfValue(mapping, value)] })),
  };
};

/** The response to a question. */
const answerOf = (
  foreseen: ForeseenSignIn,
  { subject, values: given }: Question,
  catalogue: Catalogue,
): { readonly [name: string]: Json } => {
  const { account, user, currentRoles, roles } = foreseen;
  const steps = [accountStep(foreseen), roleStep(foreseen), factorStep(foreseen.provider)];
  const decisive = steps.find(({ outcome }) => outcome === 'refused');
  return {
    provider: foreseen.providerName,
    subject: account?.subject ?? subject ?? null,
    user: user === undefined ? null : { id: user.id, name: user.username },
    last_sign_in_at: account?.lastUsedAt ?? null,
    allowed: decisive === undefined,
    code: decisive === undefined ? 0 : problemTable.provider_refused,
    claim: claimOf(foreseen, given),
    roles: roles.map(({ role, origin, values }) => ({
      role,
      origin,
      values: [...values],
      held: currentRoles.includes(role),
    })),
    lost_roles: currentRoles.filter((role) => roles.every((each) => each.role !== role)),
    steps: steps.map(({ because, rule, outcome }) => ({
      rule,
      outcome,
      label: catalogue.explained[rule],
      ...reasonShown(catalogue, because),
    })),
    decided_by: decisive?.rule ?? null,
  };
};

/** Looks up the account and the changes of a sign-in with a provider. Changes nothing. */
const foresee = async (
  { providers, linkedAccounts, users }: SignInExplanationParts,
  { provider: name, userId, subject, values: given }: Question,
): Promise<ForeseenSignIn> => {
  const provider = providers.get(name)?.provider;
  if (provider === undefined) throw invalidParameter('provider');
  const { account, user } = await linkedAccounts.find(name, { userId, subject });
  const values = given ?? account?.claimValues ?? [];
  const mapped = rolesAfter(provider, values, user?.roles);
  const keepsLast =
    user !== undefined &&
    mapped.every(({ role }) => role !== superAdmin) &&
    (await users.isLastSuperAdmin(user.id));
  const last: ExplainedRole = { role: superAdmin, origin: 'last_super_admin', values: [] };
  const roles = keepsLast ? [...mapped, last] : mapped;
  const [unknownRole] = await users.unknownRoles(
    roles.filter(({ origin }) => origin === 'claim' || origin === 'default').map(({ role }) => role),
  );
  return {
    provider,
    providerName: name,
    account,
    user,
    values,
    currentRoles: user?.roles ?? [],
    roles,
    unknownRole,
  };
};

export const explainSignInEndpoints = (services: SignInExplanationParts): Endpoint[] => {
  if (services.providers.size === 0) return [];
  return [
    {
      operation: 'explainSignIn',
      method: 'GET',
      path: '/admin/explain/sign_in',
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '解释身份提供方登录', en: 'Explain a sign-in with a provider' },
        description: {
          'zh-CN':
            '按当前配置说明一次登录：关联的账号、声明的值、映射授予的角色、保留与失去的角色，以及第二因素。不改变任何数据。',
          en: 'A sign-in under the current configuration: the linked account, the values of the claim, the roles that the mapping grants, those that stay and those that are lost, and the second factor. It changes nothing.',
        },
        tag: adminTag,
        data: explainedSignInSchema,
        query,
        problems: ['invalid_parameter', 'record_not_found'],
      },
      handle: async ({ query: text, language }) => {
        const question = questionIn(text);
        const foreseen = await foresee(services, question);
        return { data: answerOf(foreseen, question, catalogueOf(language)) };
      },
    },
  ];
};
