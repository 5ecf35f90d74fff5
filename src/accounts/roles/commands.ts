/** Commands that create and delete roles, and grant and revoke the permissions of roles on models. */

import type { Reader } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { isJsonObject, type Json, own } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { AuditEntry } from '../../ledger/audit.ts';
import {
  type Changed,
  defineEntityCommand,
  type EntityCommand,
  type InputViolation,
} from '../../ledger/command.ts';
import type { Change } from '../../ledger/context.ts';
import { always, schemaOf } from '../../records/entity.ts';
import type { PermissionEntry } from './entity.ts';

/** Returns the given names that are roles; all roles if no names are given. */
export const existingRoles = async (
  { tables }: Pick<Change, 'tables'>,
  reader: Reader,
  names?: readonly string[],
): Promise<readonly string[]> => {
  const query = tables.selectFrom('roles').select('name');
  const rows = await reader.all<{ name: string }>(
    toQuery(names === undefined ? query : query.where('name', 'in', [...names])),
  );
  return rows.map(({ name }) => name);
};

const roleTarget = (name: string) => ({ kind: 'role', id: null, name });

/** Adds a role without permissions. */
export const addRole = async ({ transaction, tables, at }: Change, name: string) => {
  const values = { name, built_in: false, created_at: at };
  await transaction.run(toQuery(tables.insertInto('roles').values(values)));
  return { audit: { action: 'role.create', target: roleTarget(name) } };
};

const createRole = defineEntityCommand({
  verb: 'create',
  operation: 'createRole',
  summary: { 'zh-CN': '创建角色', en: 'Add a role' },
  description: {
    'zh-CN': '新角色没有任何权限，须另行授予。',
    en: 'A new role has no permissions until they are granted.',
  },
  bodyKey: 'role',
  form: true,
  input: { name: field.string({ required: true, max: 63, pattern: '^[a-z][a-z0-9_]{0,62}$' }) },
  problems: ['conflict'],
  constraints: { unique: 'conflict' },
  check: async ({ name = '' }, context) =>
    (await existingRoles(context, context.reader, [name])).length > 0
      ? [{ field: 'name', rule: 'unique' }]
      : [],
  run: async (call) => ({ ...(await addRole(call, call.values.name)), key: call.values.name }),
});

/** A role is deleted with its permissions: a later role of the same name does not inherit them. */
const deleteRole = defineEntityCommand({
  verb: 'remove',
  operation: 'deleteRole',
  summary: { 'zh-CN': '删除角色', en: 'Remove a role' },
  description: {
    'zh-CN': '内置角色与仍有用户持有的角色不可删除；其权限一并删除。',
    en: 'Built-in roles, and roles that a user holds, cannot be removed. The permissions of the role are removed with it.',
  },
  problems: ['record_not_found', 'built_in_role', 'role_in_use'],
  constraints: { foreign_key: 'role_in_use' },
  run: async ({ transaction, tables, params }) => {
    const { name = '' } = params;
    const find = tables.selectFrom('roles').select('built_in').where('name', '=', name);
    const role = await transaction.get<{ built_in: boolean | number }>(toQuery(find));
    if (role === undefined) throw new Problem('record_not_found');
    if (role.built_in) throw new Problem('built_in_role');
    await transaction.run(toQuery(tables.deleteFrom('roles').where('name', '=', name)));
    return { audit: { action: 'role.delete', target: roleTarget(name) } };
  },
});

export const roleCommands: readonly EntityCommand[] = [createRole, deleteRole];

/** The requested state of a permission entry. */
export interface PermissionChange {
  readonly role: string;
  readonly model: string;
  readonly action: string;
  readonly allowed: boolean;
}

const nameOf = ({ role, model, action }: PermissionChange): string => `${role} ${model} ${action}`;

const setPermission = ({ tables, at }: Change, { role, model, action, allowed }: PermissionChange) =>
  allowed
    ? tables
        .insertInto('permissions')
        .values({ role, model, action, created_at: at })
        .onConflict((conflict) => conflict.doNothing())
    : tables
        .deleteFrom('permissions')
        .where('role', '=', role)
        .where('model', '=', model)
        .where('action', '=', action);

/** The problem of a violated foreign key: the role was deleted meanwhile. */
export const missingRole = { foreign_key: 'record_not_found' } as const;

/** Grants and revokes permissions. Returns the entries that changed. */
export const changePermissions = async (
  change: Change,
  permissions: readonly PermissionChange[],
): Promise<Changed<readonly PermissionChange[]>> => {
  // In a fixed order, so that concurrent transactions take row locks in one order.
  const ordered = permissions.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const result: PermissionChange[] = [];
  for (const permission of ordered)
    if ((await change.transaction.run(toQuery(setPermission(change, permission)))) > 0)
      result.push(permission);
  const audit = result.map(
    (permission): AuditEntry => ({
      action: permission.allowed ? 'permission.grant' : 'permission.revoke',
      target: { kind: 'permission', id: null, name: nameOf(permission) },
    }),
  );
  return { audit, result };
};

/**
 * Maximum number of entries in a request: a table of 40 models and 15 roles has some 2,400.
 * @limit Accounts and credentials | entries of the permission table in one request | count | 422
 */
const maxPermissions = 2_500;

const permissionFields = {
  role: field.string(always),
  model: field.string(always),
  action: field.string(always),
  allowed: field.boolean(always),
};

/** The example of a change names a role that the service begins with, and a permission of the application. */
const changesSchema = (entries: readonly PermissionEntry[]): JsonSchema => ({
  type: 'object',
  properties: {
    permissions: {
      type: 'array',
      maxItems: maxPermissions,
      items: schemaOf('PermissionChange', permissionFields),
    },
  },
  required: ['permissions'],
  examples: entries
    .slice(0, 1)
    .map(({ model, action }) => ({ permissions: [{ role: 'viewer', model, action, allowed: true }] })),
});

const changedSchema: JsonSchema = {
  type: 'object',
  title: 'PermissionChanges',
  properties: {
    changed: {
      type: 'array',
      items: schemaOf('ChangedPermission', permissionFields),
      description: 'the changed entries',
    },
  },
  required: ['changed'],
};

const names = ['role', 'model', 'action'] as const;

/** Returns the invalid member of an entry, with the rule that it violates. */
const entryViolation = (
  entry: Json,
  roles: ReadonlySet<string>,
  entries: readonly PermissionEntry[],
): InputViolation | undefined => {
  const wrongType = (name: string, type: string) =>
    ({ field: name, rule: 'type', params: { type } }) as const;
  if (!isJsonObject(entry)) return wrongType('', 'object');
  for (const name of names) if (typeof own(entry, name) !== 'string') return wrongType(name, 'string');
  if (typeof own(entry, 'allowed') !== 'boolean') return wrongType('allowed', 'boolean');
  if (!roles.has(String(entry['role']))) return { field: 'role', rule: 'reference' };
  const { model, action } = entry;
  const isRegistered = entries.some((each) => each.model === model && each.action === action);
  return isRegistered ? undefined : { field: 'action', rule: 'reference' };
};

/** Grants and revokes several permissions in one request. */
const changeMany = (entries: readonly PermissionEntry[]): EntityCommand =>
  defineEntityCommand({
    verb: 'change',
    method: 'PUT',
    path: '',
    operation: 'changePermissions',
    summary: { 'zh-CN': '批量授予与收回权限', en: 'Grant and revoke several permissions' },
    description: {
      'zh-CN': '全部成功或全部不变；返回实际改变的各项，每一项各有一条审计记录。',
      en: 'In one transaction. Returns the changed entries; each has a line in the audit log.',
    },
    input: { permissions: field.json({ required: true }) },
    refine: () => changesSchema(entries),
    data: changedSchema,
    problems: ['invalid_record', 'batch_too_large', 'record_not_found'],
    constraints: missingRole,
    check: async ({ permissions }, context) => {
      const wrongType = { rule: 'type', params: { type: 'array' } } as const;
      if (!Array.isArray(permissions)) return [{ field: 'permissions', ...wrongType }];
      if (permissions.length > maxPermissions)
        throw new Problem('batch_too_large', { params: { records: maxPermissions } });
      const roles = new Set(await existingRoles(context, context.reader));
      return permissions.flatMap((entry: Json, index) => {
        const found = entryViolation(entry, roles, entries);
        const place = found?.field === '' ? '' : `.${found?.field}`;
        return found === undefined ? [] : [{ ...found, field: `permissions.${index}${place}` }];
      });
    },
    run: async (call) => {
      // `check` has validated the entries. The last of several for the same entry wins.
      const sent = call.values.permissions as unknown as readonly PermissionChange[];
      const last = new Map(sent.map((each) => [nameOf(each), each]));
      const permissions = [...last.values()].map(({ role, model, action, allowed }) => ({
        role,
        model,
        action,
        allowed,
      }));
      const { audit, result } = await changePermissions(call, permissions);
      return { audit, data: { changed: result.map((each) => ({ ...each })) } };
    },
  });

/** Sets the entry in the path. @throws Problem `record_not_found` for an unregistered one */
const setOne = (
  entries: readonly PermissionEntry[],
  allowed: boolean,
  words: Pick<EntityCommand, 'verb' | 'method' | 'operation' | 'summary' | 'description'>,
) =>
  defineEntityCommand({
    ...words,
    path: '/:role/:model/:action',
    problems: ['record_not_found'],
    constraints: missingRole,
    run: async (call) => {
      const { role = '', model = '', action = '' } = call.params;
      const isRegistered = entries.some((each) => each.model === model && each.action === action);
      if (!isRegistered || (await existingRoles(call, call.transaction, [role])).length === 0)
        throw new Problem('record_not_found');
      return { audit: (await changePermissions(call, [{ role, model, action, allowed }])).audit };
    },
  });

/** Commands on the permission entries of the application's models. */
export const permissionCommands = (entries: readonly PermissionEntry[]): readonly EntityCommand[] => [
  changeMany(entries),
  setOne(entries, true, {
    verb: 'grant',
    method: 'PUT',
    operation: 'grantPermission',
    summary: { 'zh-CN': '授予权限', en: 'Grant a permission' },
    description: {
      'zh-CN': '自下一个请求起生效；已授予则不变。',
      en: 'It takes effect on the next request. A permission that is already granted stays granted.',
    },
  }),
  setOne(entries, false, {
    verb: 'revoke',
    method: 'DELETE',
    operation: 'revokePermission',
    summary: { 'zh-CN': '收回权限', en: 'Revoke a permission' },
    description: {
      'zh-CN': '自下一个请求起生效；未授予则不变。',
      en: 'It takes effect on the next request. A permission that is not granted stays that way.',
    },
  }),
];
