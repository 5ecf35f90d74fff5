/** Endpoints by which administrators create, change, sign out and delete users. */

import type { AuthenticateAccount } from '../../auth/login.ts';
import type { Passwords } from '../../auth/password.ts';
import { passwordRules } from '../../auth/password-rules.ts';
import { adminAuth, adminTag } from '../../http/administration.ts';
import { actorOf, idOf, reachesIn, ticketOf, userOf } from '../../http/call.ts';
import { scopeProblems } from '../../http/describe.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { type EntityReadParts, entityPolicy, showEntity } from '../../http/entity-endpoint.ts';
import { refuseInvalid } from '../../http/input.ts';
import { sessionOf } from '../../http/list-endpoint.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem, type ProblemKind } from '../../kernel/problem.ts';
import { ViolationError } from '../../ledger/command.ts';
import { adminArea } from '../../resources/admin-area.ts';
import { actingFor, createUserRemoval, type ServedResource } from '../../resources/operations.ts';
import { managedUserEntity } from './entity.ts';
import { verifyOwnPassword } from './own-password.ts';
import { RecordOwners } from './record-owners.ts';
import type { UserStore, UserValues } from './store.ts';
import { createUserInput, newUserOf, type UserForm } from './user-input.ts';

const mustChange = {
  'zh-CN':
    '`must_change_password: true` 要求该用户先修改密码：在此之前，除登录、`/auth/me` 与修改密码外均为 403（40302）。',
  en: '`must_change_password: true` asks the user to change the password first: until then everything but signing in, `/auth/me` and the change itself is 403 (40302).',
} as const;

export interface AdminUserParts extends EntityReadParts {
  readonly users: UserStore;
  readonly passwords: Passwords;
  readonly login: AuthenticateAccount;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly catalogue: Catalogue;
}

const path = '/admin/users';
const common = { auth: adminAuth, policy: entityPolicy(managedUserEntity) } as const;
const body = { accepts: 'json-or-form', bodyKey: 'user' } as const;

/** Parts of the endpoints that are made once for all of them. */
interface UserAdministration {
  readonly services: AdminUserParts;
  readonly input: UserForm;
  readonly show: ReturnType<typeof showEntity>;
  readonly reaches: NonNullable<Endpoint['reaches']>;
}

/** Adds a user. A record that is to own a service account is locked, and is there when the account is added. */
const addUser = (services: AdminUserParts, call: Call, values: UserValues): Promise<number> => {
  const { database, users, resources } = services;
  const { ownerRecord } = values;
  if (ownerRecord === undefined) return users.create(values, actorOf(call));
  return database.write(async (transaction) => {
    const acting = actingFor(call, adminArea);
    if (!(await new RecordOwners(resources).isThere(acting, ownerRecord, transaction)))
      throw new ViolationError({ field: 'owner', rule: 'reference' });
    return users.create(values, actorOf(call), transaction);
  });
};

const createEndpoint = ({ services, input, show }: UserAdministration): Endpoint => ({
  operation: 'adminCreateUser',
  method: 'POST',
  path,
  ...common,
  ...body,
  input: input.schemas.create,
  status: 201,
  docs: {
    summary: { 'zh-CN': '创建用户', en: 'Create a user' },
    description: {
      'zh-CN': `${passwordRules['zh-CN']}${mustChange['zh-CN']}\`invite: true\` 时可不给密码：该用户在通过链接设置密码之前不能登录，见 \`POST /admin/users/:id/invitation\`。\`kind: 'service'\` 建立服务账号：没有密码，不能登录，须有负责人 \`owner_id\`（可用的个人用户）或 \`owner\`（\`{"model", "id"}\`：由某条记录拥有），邮箱可不给出。`,
      en: `${passwordRules.en} ${mustChange.en} With \`invite: true\` the password may be absent: the user cannot sign in until they have set one by a link, see \`POST /admin/users/:id/invitation\`. \`kind: 'service'\` creates a service account: it has no password, cannot sign in, and needs an \`owner_id\`, an enabled person, or an \`owner\`, a record (\`{"model", "id"}\`). Its email may be absent.`,
    },
    tag: adminTag,
    data: managedUserEntity.schema,
    problems: ['overloaded'],
  },
  handle: async (call) => {
    const read = await input.read(call.body, 'create');
    refuseInvalid(read.errors);
    const { password } = read;
    // An invited user and a service account have none: nothing that is typed is the password of an empty text.
    const passwordHash =
      password === undefined ? '' : await services.passwords.hash(password, ticketOf(call));
    const id = await input.save(() => addUser(services, call, newUserOf(read, passwordHash)));
    return show(call, id);
  },
});

const updateEndpoint = ({ services, input, show, reaches }: UserAdministration): Endpoint => {
  const { users, passwords } = services;
  return {
    operation: 'adminUpdateUser',
    method: 'PATCH',
    path: `${path}/:id`,
    ...common,
    ...body,
    input: input.schemas.update,
    docs: {
      summary: { 'zh-CN': '修改用户', en: 'Change a user' },
      description: {
        'zh-CN': `${passwordRules['zh-CN']}${mustChange['zh-CN']}修改自己的密码须附 \`current_password\`，错误为 422 并计入登录限制。新密码、停用以及 \`end_sessions: true\` 会结束该用户的全部会话。`,
        en: `${passwordRules.en} ${mustChange.en} To change your own password, send \`current_password\`; a wrong one returns 422 and counts as a failed login. A new password, disabling the user and \`end_sessions: true\` end all sessions of the user. If you change only your own password, your current session stays.`,
      },
      tag: adminTag,
      data: managedUserEntity.schema,
      problems: [
        'record_not_found',
        'last_super_admin',
        'too_many_requests',
        'overloaded',
        'service_account',
      ],
    },
    handle: async (call) => {
      const id = idOf(call);
      const stored = await users.factsOf(id);
      if (stored === undefined) throw new Problem('record_not_found');
      const self = userOf(call);
      const read = await input.read(call.body, 'update', { ...stored, own: self.id === id });
      refuseInvalid(read.errors);
      const { change, password, currentPassword, sessionsEnd } = read;
      const refuseWrong = () => refuseInvalid([input.wrongPassword()]);
      const isOwnPassword = self.id === id && password !== undefined;
      const verified = isOwnPassword
        ? await verifyOwnPassword(services, call, self, currentPassword ?? '')
        : undefined;
      if (isOwnPassword && verified === undefined) refuseWrong();
      const passwordHash =
        password === undefined ? undefined : await passwords.hash(password, ticketOf(call));
      const options = { sessionsEnd, verified, keptSession: isOwnPassword ? sessionOf(call) : undefined };
      if (!(await input.save(() => users.update(id, { ...change, passwordHash }, actorOf(call), options))))
        refuseWrong();
      return show(call, id);
    },
    reaches,
  };
};

const logOutEndpoint = ({ services: { users }, show, reaches }: UserAdministration): Endpoint => ({
  operation: 'adminLogOutUser',
  method: 'POST',
  path: `${path}/:id/logout`,
  ...common,
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '强制退出用户', en: 'Sign a user out' },
    description: {
      'zh-CN': '立即吊销该用户的全部令牌，并结束其全部会话。API 密钥不受影响。',
      en: 'Revokes all tokens of the user and ends all their sessions at once. API keys stay valid.',
    },
    tag: adminTag,
    data: managedUserEntity.schema,
    problems: ['record_not_found'],
  },
  handle: async (call) => {
    const id = idOf(call);
    await users.update(id, {}, actorOf(call), { sessionsEnd: true });
    return show(call, id);
  },
  reaches,
});

const deleteEndpoint = ({ services, reaches }: UserAdministration): Endpoint => {
  const { database, users, resources } = services;
  const removal = createUserRemoval(
    database,
    { remove: (id, actor, part) => users.remove(id, actor, part) },
    resources,
  );
  const problems: ProblemKind[] = ['record_not_found', 'last_super_admin', 'still_referenced'];
  if (removal.takesOthers) problems.push('cascade_too_large');
  if (removal.runsHooks) problems.push(...scopeProblems);
  return {
    operation: 'adminDeleteUser',
    method: 'DELETE',
    path: `${path}/:id`,
    ...common,
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '删除用户', en: 'Delete a user' },
      description: {
        'zh-CN': '连同其 API 密钥与会话一并删除。最后一名可用的 super_admin 不可删除。',
        en: 'Deleted with API keys and sessions. The last enabled super_admin stays.',
      },
      tag: adminTag,
      problems,
    },
    handle: async (call) => {
      await removal.remove(idOf(call), actingFor(call, adminArea));
      return {};
    },
    reaches,
  };
};

/** A change of a super_admin by an admin is 403; the last super_admin stays. */
export const adminUserEndpoints = (services: AdminUserParts): Endpoint[] => {
  const administration: UserAdministration = {
    services,
    input: createUserInput(services.users, services.catalogue),
    show: showEntity(services, managedUserEntity),
    reaches: reachesIn(services.database, managedUserEntity),
  };
  return [
    createEndpoint(administration),
    updateEndpoint(administration),
    logOutEndpoint(administration),
    deleteEndpoint(administration),
  ];
};
