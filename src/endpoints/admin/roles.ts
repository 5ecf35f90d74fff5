import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { createList } from '../../records/list/list.ts';
import { roleEntity } from '../../service/roles/entity.ts';
import { holderEntity } from '../../service/users/entity.ts';
import { entityPolicy, showEntity } from '../entity.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { answerList } from '../list-endpoint.ts';
import { listFieldsOf } from '../list-fields.ts';
import type { Services } from '../services.ts';
import { actorOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';

export const rolePattern = '^[a-z][a-z0-9_]{0,62}$';

/** The members of a role, for whoever is about to give it more, or to take it away. */
const holders = (services: Services): Endpoint => {
  const { database, clock } = services;
  const origin = new URL(services.baseUrl).origin;
  const list = createList(database, holderEntity, { clock });
  const policy = entityPolicy(holderEntity);
  const reaches = reachesIn(database, roleEntity);
  return {
    operation: 'listRoleUsers',
    method: 'GET',
    path: '/admin/roles/:name/users',
    auth: adminAuth,
    policy,
    accepts: 'nothing',
    csv: true,
    docs: {
      summary: { 'zh-CN': '持有角色的用户', en: 'Users who hold a role' },
      tag: adminTag,
      data: holderEntity.schema,
      list: true,
      listFields: listFieldsOf(holderEntity, policy),
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const { name = '' } = call.params;
      if (!(await services.roles.exists(name))) throw new Problem('record_not_found');
      const grant = call.grant.narrowed({ column: 'role', value: name });
      return answerList(list, call, origin, undefined, { grant });
    },
    reaches,
  };
};

/** Roles, and who holds them. */
export const roleEndpoints = (services: Services): Endpoint[] => {
  const input = createInput(
    { name: field.string({ required: true, max: 63, pattern: rolePattern }) },
    services.locale,
  );
  const show = showEntity(services, roleEntity);
  const path = '/admin/roles';
  return [
    {
      operation: 'createRole',
      method: 'POST',
      path,
      auth: adminAuth,
      policy: entityPolicy(roleEntity),
      accepts: 'json-or-form',
      bodyKey: 'role',
      input: input.schema,
      status: 201,
      docs: {
        summary: { 'zh-CN': '创建角色', en: 'Add a role' },
        description: {
          'zh-CN': '新角色没有任何权限，须另行授予。',
          en: 'A new role has no rights until they are granted.',
        },
        tag: adminTag,
        data: roleEntity.schema,
        problems: ['conflict'],
      },
      handle: async (call) => {
        const { values, errors } = input.read(call.body);
        const name = String(values['name']);
        const taken = errors.length === 0 && (await services.roles.exists(name));
        refuseInvalid(taken ? [input.error('name', { rule: 'unique' })] : errors);
        await services.roles.create(name, actorOf(call));
        return show(call, name);
      },
    },
    {
      operation: 'deleteRole',
      method: 'DELETE',
      path: `${path}/:name`,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '删除角色', en: 'Remove a role' },
        description: {
          'zh-CN': '内置角色与仍有用户持有的角色不可删除；其权限一并删除。',
          en: 'Built-in roles stay, and those that a user still holds. Its rights go with it.',
        },
        tag: adminTag,
        problems: ['record_not_found', 'built_in_role', 'role_in_use'],
      },
      handle: async (call) => {
        await services.roles.remove(call.params['name'] ?? '', actorOf(call));
        return {};
      },
      reaches: reachesIn(services.database, roleEntity),
    },
    holders(services),
  ];
};
