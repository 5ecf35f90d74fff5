import { field } from '../../fields/define.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { JsonText } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { createShow } from '../../store/records/show.ts';
import type { PermissionName } from '../../store/tables/roles.ts';
import { permissionFields, permissionSource, roleFields, roleSource } from '../../store/tables/sources.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { listEndpoint } from '../list-endpoint.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, administratorReads, adminTag } from './area.ts';

export const rolePattern = '^[a-z][a-z0-9_]{0,62}$';

/** Roles, and what is granted to them. */
export const roleEndpoints = (services: Services): Endpoint[] => [
  ...roles(services),
  ...permissions(services),
];

const roles = (services: Services): Endpoint[] => {
  const input = createInput(
    { name: field.string({ required: true, max: 63, pattern: rolePattern }) },
    services.locale,
  );
  const show = createShow(services.database, roleSource);
  const path = '/admin/roles';
  const common = { auth: adminAuth, policy: administratorReads(roleFields) } as const;
  return [
    listEndpoint(services, roleSource, {
      operation: 'listRoles',
      path,
      ...common,
      docs: { summary: { 'zh-CN': '角色列表', en: 'List roles' }, tag: adminTag, data: schemas.role },
    }),
    {
      operation: 'createRole',
      method: 'POST',
      path,
      ...common,
      accepts: 'json-or-form',
      bodyKey: 'role',
      input: input.schema,
      status: 201,
      docs: {
        summary: { 'zh-CN': '创建角色', en: 'Add a role' },
        tag: adminTag,
        data: schemas.role,
        problems: ['conflict'],
      },
      handle: async (call) => {
        const { values, errors } = input.read(call.body);
        const name = String(values['name']);
        const taken = errors.length === 0 && (await services.roles.exists(name));
        refuseInvalid(taken ? [input.error('name', { rule: 'unique' })] : errors);
        await services.roles.create(name, actorOf(call));
        const shown = await show(call.grant, name);
        return shown === undefined ? {} : { data: new JsonText(shown.json) };
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
        tag: adminTag,
        problems: ['record_not_found', 'built_in_role', 'role_in_use'],
      },
      handle: async (call) => {
        await services.roles.remove(call.params['name'] ?? '', actorOf(call));
        return {};
      },
      reaches: reachesIn(services.database, roleSource),
    },
  ];
};

const permissions = (services: Services): Endpoint[] => {
  const path = '/admin/permissions';
  const entry = { auth: adminAuth, policy: administratorOnly, accepts: 'nothing' } as const;

  /** The permission that a path names. @throws Problem `record_not_found` for a name that nobody registered */
  const named = async (call: Call): Promise<PermissionName> => {
    const { role = '', model = '', action = '' } = call.params;
    const known = services.permissionEntries.some((one) => one.model === model && one.action === action);
    if (!known || !(await services.roles.exists(role))) throw new Problem('record_not_found');
    return { role, model, action };
  };

  return [
    listEndpoint(services, permissionSource(services.permissionEntries), {
      operation: 'listPermissions',
      path,
      auth: adminAuth,
      policy: administratorReads(permissionFields),
      docs: {
        summary: { 'zh-CN': '权限表', en: 'The permission table' },
        tag: adminTag,
        data: schemas.permission,
      },
    }),
    {
      operation: 'grantPermission',
      method: 'PUT',
      path: `${path}/:role/:model/:action`,
      ...entry,
      docs: {
        summary: { 'zh-CN': '授予权限', en: 'Grant a permission' },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.roles.grant(await named(call), actorOf(call));
        return {};
      },
    },
    {
      operation: 'revokePermission',
      method: 'DELETE',
      path: `${path}/:role/:model/:action`,
      ...entry,
      docs: {
        summary: { 'zh-CN': '收回权限', en: 'Revoke a permission' },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.roles.revoke(await named(call), actorOf(call));
        return {};
      },
    },
  ];
};
