/**
 * Endpoints by which users change and delete their own account. Each exists only if the configuration opens it: an
 * option of `accounts`, or for the language of their mail the languages of `LOCALE=auto:…`.
 */

import type { Tokens } from '../../auth/jwt.ts';
import { type AuthenticateAccount, loginFailed } from '../../auth/login.ts';
import { field } from '../../fields/define.ts';
import type { FieldDefinition } from '../../fields/field.ts';
import { actorOf, checkedModels, userOf } from '../../http/call.ts';
import { scopeProblems } from '../../http/describe.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Json } from '../../kernel/json.ts';
import type { Catalogue, Label, Languages } from '../../kernel/messages.ts';
import type { ProblemKind } from '../../kernel/problem.ts';
import { apiArea } from '../../resources/area.ts';
import { actingFor, relatedFor } from '../../resources/operations.ts';
import { answerReferences, referencesSchema, referencesWords } from '../../resources/references.ts';
import type { AccountOptions } from '../account-options.ts';
import { type MeParts, meData, mePath } from './endpoints.ts';
import { freshMinutes, freshSignIn, signInTooOld } from './fresh-sign-in.ts';
import { meSchemaIn } from './identity-schemas.ts';
import { verifyOwnPassword } from './own-password.ts';
import { removalSchema, reportData, type UserRemovals } from './removals.ts';
import type { UserChange, UserProof, UserStore } from './store.ts';
import { isStillVerified } from './stored-user.ts';
import { maxName } from './user-input.ts';

export interface OwnAccountParts extends MeParts {
  readonly accountOptions: AccountOptions;
  readonly users: UserStore;
  readonly removals: UserRemovals;
  readonly login: AuthenticateAccount;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
}

/** The parts of the configuration that open members of `user`. */
interface Opening {
  readonly accountOptions: AccountOptions;
  readonly languages: Languages;
}

/** A member of `user` that users change themselves. */
interface OwnMember {
  /** Undefined if the configuration does not open the member. */
  readonly field: (opening: Opening) => FieldDefinition | undefined;
  readonly change: (value: Json) => UserChange;
}

/** The members that `PATCH /api/v1/auth/me` accepts, a line each. */
const ownMembers: Readonly<Record<string, OwnMember>> = {
  name: {
    field: ({ accountOptions: { rename } }) =>
      rename === true ? field.string({ required: true, max: maxName }) : undefined,
    change: (value) => ({ name: String(value) }),
  },
  locale: {
    field: ({ languages: { declared } }) => declared && field.enum(declared),
    change: (value) => ({ locale: typeof value === 'string' ? value : null }),
  },
};

const localeWords: Label = {
  'zh-CN':
    '`locale` 为发给该用户的邮件的语言，须为 `LOCALE` 所列的语言之一；null：以引起邮件的请求的语言为准。',
  en: '`locale` is the language of mail to the user, one of those in `LOCALE`. With null it is that of the request that causes the mail.',
};

const common = { path: mePath, auth: ['jwt'], policy: { kind: 'user' } } as const satisfies Partial<Endpoint>;

/** Undefined if no member is open. */
const changeEndpoint = (services: OwnAccountParts): Endpoint | undefined => {
  const { users, languages, catalogue } = services;
  const fields: Record<string, FieldDefinition> = {};
  for (const [name, member] of Object.entries(ownMembers)) {
    const opened = member.field(services);
    if (opened !== undefined) fields[name] = opened;
  }
  if (Object.keys(fields).length === 0) return undefined;
  const input = createInput(fields, catalogue);
  const { required: _none, ...schema } = input.schema;
  return {
    ...common,
    operation: 'updateMe',
    method: 'PATCH',
    accepts: 'json',
    bodyKey: 'user',
    input: schema,
    docs: {
      summary: { 'zh-CN': '修改自己的资料', en: 'Change your own account' },
      description: languages.declared && localeWords,
      tag: 'Auth',
      data: meSchemaIn(languages),
    },
    handle: async (call) => {
      const user = userOf(call);
      const { values, errors } = input.read(call.body, 'update');
      refuseInvalid(errors);
      const changes = Object.entries(ownMembers).flatMap(([name, { change }]) => {
        const value = values[name];
        return value === undefined ? [] : [change(value)];
      });
      const change: UserChange = Object.assign({}, ...changes);
      if (changes.length > 0) await users.update(user.id, change, actorOf(call));
      const { name = user.name } = change;
      return { data: await meData(services, { ...user, name }) };
    },
  };
};

/** The proof of the password, or of a sign-in some minutes ago. @throws Problem */
const proofOf = async (
  services: OwnAccountParts,
  call: Call,
  password: Json | undefined,
): Promise<UserProof> => {
  if (typeof password === 'string') {
    const verified = await verifyOwnPassword(services, call, userOf(call), password);
    if (verified === undefined) throw loginFailed();
    return isStillVerified(verified);
  }
  const fresh = freshSignIn(services, call);
  if (fresh === undefined) throw signInTooOld();
  return fresh;
};

const removeEndpoint = (services: OwnAccountParts): Endpoint => {
  const { removals, catalogue } = services;
  const { takesOthers, runsHooks } = removals.effects;
  const input = createInput({ password: field.text() }, catalogue);
  const problems: ProblemKind[] = [
    'login_failed',
    'recent_sign_in_required',
    'last_super_admin',
    'still_referenced',
    'held_by_records',
    'too_many_requests',
    'overloaded',
  ];
  if (takesOthers) problems.push('cascade_too_large');
  if (runsHooks) problems.push(...scopeProblems);
  return {
    ...common,
    operation: 'deleteMe',
    method: 'DELETE',
    accepts: 'json',
    bodyOptional: true,
    input: input.schema,
    grantsOn: checkedModels(removals.models.values()),
    docs: {
      summary: { 'zh-CN': '删除自己的账号', en: 'Delete your own account' },
      description: {
        'zh-CN': `须附当前密码 \`password\`（错误为 401，并计入登录限制），或在登录后 ${freshMinutes} 分钟内请求，否则为 403（40306）。会话、令牌、密钥、两步验证、已关联账号与邀请随之结束；引用按其 \`onDelete\` 处理，有记录阻止时为 409，\`message\` 列出其模型。返回移除与保留的内容及原因。`,
        en: `Send the current \`password\` (a wrong one returns 401 and counts as a failed login), or send the request within ${freshMinutes} minutes after a sign-in; otherwise 403 (40306). Sessions, tokens, keys, second factors, linked accounts and invitations end with it. References follow their \`onDelete\`: records that prevent the deletion are 409, and \`message\` names their models. Returns what was removed, what stays, and why.`,
      },
      tag: 'Auth',
      data: removalSchema,
      problems,
    },
    handle: async (call) => {
      const { values, errors } = input.read(call.body);
      refuseInvalid(errors);
      const { id } = userOf(call);
      const proof = await proofOf(services, call, values['password']);
      const report = await removals.remove(id, actingFor(call, apiArea), proof);
      return { data: reportData(id, report, call.language) };
    },
  };
};

const forecastEndpoint = ({ removals, users }: OwnAccountParts): Endpoint => ({
  ...common,
  operation: 'foreseeDeletionMe',
  method: 'GET',
  path: `${mePath}/references`,
  accepts: 'nothing',
  grantsOn: checkedModels(removals.models.values()),
  docs: {
    summary: { 'zh-CN': '删除自己账号的后果', en: 'Preview the deletion of your own account' },
    description: referencesWords,
    tag: 'Auth',
    data: referencesSchema,
  },
  handle: async (call) => {
    const { id } = userOf(call);
    const { refused, references } = await removals.foresee(id);
    const last = (await users.isLastSuperAdmin(id)) ? [{ id, problem: 'last_super_admin' as const }] : [];
    const related = relatedFor({ models: removals.models }, actingFor(call, apiArea));
    return { data: answerReferences({ refused: [...last, ...refused], references }, related) };
  },
});

/** The endpoints that the options of `accounts` open. */
export const ownAccountEndpoints = (services: OwnAccountParts): Endpoint[] => {
  const change = changeEndpoint(services);
  const opened = change === undefined ? [] : [change];
  if (services.accountOptions.remove === true)
    opened.push(forecastEndpoint(services), removeEndpoint(services));
  return opened;
};
