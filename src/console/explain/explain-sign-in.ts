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
import { schemas } from '../../http/schemas.ts';
import { type Catalogue, catalogueOf } from '../../kernel/messages.ts';
import { problemTable } from '../../kernel/problem-table.ts';
import { reason } from '../../policy/decide.ts';
import { superAdmin } from '../../policy/rule.ts';
import { invalidParameter, parseQueryString } from '../../records/list.ts';
import { givenIn, idIn, reasonShown } from './explain.ts';
import type { ExplainedStep } from './explanation.ts';

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
      en: 'Value of the claim, repeatable; without one the values of the last sign-in count',
    },
    schema: { type: 'string' },
  },
];

interface Question {
  readonly provider: string;
  readonly userId: number | undefined;
  readonly subject: string | undefined;
  /** Undefined: those of the last sign-in. */
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

const factorStep = ({ secondFactor }: OidcProvider): SignInStep => ({
  rule: 'second_factor',
  ...(secondFactor === undefined
    ? { outcome: 'off', because: reason('provider_factor_off') }
    : {
        outcome: 'narrowed',
        because: reason('provider_factor', { claim: secondFactor.claim, values: secondFactor.values }),
      }),
});

export interface SignInExplanationParts {
  readonly providers: ReadonlyMap<string, SignInProvider>;
  readonly linkedAccounts: LinkedAccounts;
  readonly users: UserStore;
}

/** Explains a sign-in with a provider: the account, the claim, the mapping and the roles. Changes nothing. */
export const explainSignInEndpoints = (services: SignInExplanationParts): Endpoint[] => {
  const { providers, linkedAccounts, users } = services;
  if (providers.size === 0) return [];

  const explain = async (
    { provider: name, userId, subject, values: given }: Question,
    catalogue: Catalogue,
  ) => {
    const part = providers.get(name);
    if (part === undefined) throw invalidParameter('provider');
    const { roles: mapping, create } = part.provider;
    const { account, user } = await linkedAccounts.find(name, { userId, subject });
    const values = given ?? account?.claimValues ?? [];
    const current = user?.roles ?? [];
    const mapped =
      mapping === undefined
        ? (user === undefined ? defaultRoles : current).map((role) => ({
            role,
            values: [] as readonly string[],
            origin: user === undefined ? ('default' as const) : ('kept' as const),
          }))
        : explainRoles(mapping, values, current);
    const keepsLast =
      user !== undefined &&
      mapped.every(({ role }) => role !== superAdmin) &&
      (await users.isLastSuperAdmin(user.id));
    const roles = [
      ...mapped,
      ...(keepsLast ? [{ role: superAdmin, origin: 'last_super_admin' as const, values: [] }] : []),
    ];
    const [unknown] = await users.unknownRoles(
      roles.filter(({ origin }) => origin === 'claim' || origin === 'default').map(({ role }) => role),
    );

    const accountStep = (): SignInStep => {
      const rule = 'authentication';
      if (user?.disabled)
        return { rule, outcome: 'refused', because: reason('user_disabled', { user: user.username }) };
      if (account !== undefined)
        return { rule, outcome: 'passed', because: reason('account_linked', { user: user?.username ?? '' }) };
      if (user !== undefined)
        return {
          rule,
          outcome: 'refused',
          because: reason('account_not_linked', { user: user.username, provider: name }),
        };
      return create === false
        ? { rule, outcome: 'refused', because: reason('account_unknown') }
        : { rule, outcome: 'passed', because: reason('account_created') };
    };
    const roleStep = (): SignInStep => {
      const rule = 'role';
      if (unknown !== undefined)
        return { rule, outcome: 'refused', because: reason('role_unknown', { role: unknown }) };
      if (mapping === undefined) return { rule, outcome: 'off', because: reason('roles_not_mapped') };
      const granted = roles.filter(({ origin }) => origin === 'claim').map(({ role }) => role);
      return {
        rule,
        outcome: 'passed',
        because:
          granted.length === 0
            ? reason('claim_not_mapped', { claim: mapping.claim })
            : reason('claim_grants', { claim: mapping.claim, roles: granted }),
      };
    };
    const steps = [accountStep(), roleStep(), factorStep(part.provider)];
    const decisive = steps.find(({ outcome }) => outcome === 'refused');
    const source = given !== undefined ? 'query' : account?.claimValues ? 'last_sign_in' : 'none';
    return {
      provider: name,
      subject: account?.subject ?? subject ?? null,
      user: user === undefined ? null : { id: user.id, name: user.username },
      last_sign_in_at: account?.lastUsedAt ?? null,
      allowed: decisive === undefined,
      code: decisive === undefined ? 0 : problemTable.provider_refused,
      claim:
        mapping === undefined
          ? null
          : {
              name: mapping.claim,
              source,
              values: values.map((value) => ({ value, roles: [...rolesOfValue(mapping, value)] })),
            },
      roles: roles.map(({ role, origin, values: from }) => ({
        role,
        origin,
        values: [...from],
        held: current.includes(role),
      })),
      lost_roles: current.filter((role) => roles.every((each) => each.role !== role)),
      steps: steps.map(({ because, rule, outcome }) => ({
        rule,
        outcome,
        label: catalogue.explained[rule],
        ...reasonShown(catalogue, because),
      })),
      decided_by: decisive?.rule ?? null,
    };
  };

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
        data: schemas.explainedSignIn,
        query,
        problems: ['invalid_parameter', 'record_not_found'],
      },
      handle: async ({ query: text, language }) => ({
        data: await explain(questionIn(text), catalogueOf(language)),
      }),
    },
  ];
};
