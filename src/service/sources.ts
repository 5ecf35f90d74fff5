import type { Dialect } from '../database/dialect.ts';
import { askingSession, monthAgo, type Source, type SourceColumn, serviceTime } from '../database/source.ts';
import { type Fragment, join, literal, identifier as named, sql } from '../database/statement.ts';
import { field } from '../fields/define.ts';
import type { FieldDefinition } from '../fields/field.ts';
import { toTimestamp } from '../kernel/timestamp.ts';
import { superAdmin } from '../policy/rule.ts';
import { makerStands } from './invitations/invitations.ts';

/** What the service's own lists are made of: the same machinery lists them as lists the resources. */

type Extras = Pick<SourceColumn, 'expression' | 'render' | 'comparable'>;

export const column = (name: string, definition: FieldDefinition, extras: Extras = {}): SourceColumn => ({
  name,
  type: definition.type,
  options: definition.options,
  ...extras,
});

export const source = (
  name: string,
  from: Fragment | ((dialect: Dialect) => Fragment),
  columns: readonly SourceColumn[],
  indexed: readonly string[] = [],
  key = 'id',
): Source => ({
  name,
  from: typeof from === 'function' ? from : () => from,
  columns: new Map(columns.map((each) => [each.name, each])),
  key,
  indexed: new Set([key, ...indexed]),
});

/** `required` says that the column is never null: sorts and cursors are simpler and faster then. */
export const always = { required: true } as const;

const id = column('id', field.integer(always));
const createdAt = column('created_at', field.datetime(always));
const lastUsedAt = column('last_used_at', field.datetime());

const rolesOf = (dialect: Dialect, row: string): Fragment =>
  dialect.arrayOf(
    sql`role`,
    sql`select role from user_roles where user_id = ${named(row, 'id')} order by role`,
  );

export const userSource = source(
  'users',
  named('users'),
  [
    id,
    column('username', field.string(always)),
    column('email', field.string(always)),
    column('name', field.string(always)),
    column('roles', field.text(), { render: rolesOf, comparable: false }),
    column('disabled', field.boolean(always)),
    column('must_change_password', field.boolean(always)),
    createdAt,
    column('updated_at', field.datetime(always)),
  ],
  [],
);

/** Of the open link to a user, which is there once at most. */
const ofInvitation = (column: 'expires_at' | 'made_by'): Fragment => sql`(select ${named('i', column)}
  from "gatewright_invitations" i
  where i."user_id" = t."id" and i."ended_at" is null and ${makerStands('i')})`;

/** What a user may prove beside the password, in the administration area. */
export const heldFactors = ['none', 'totp', 'passkeys', 'totp_and_passkeys'] as const;

/** `second_factor` of the user says whether there is anything to look for. */
const heldFactor = sql`(case when t."second_factor" = false then 'none'
  when not exists (select 1 from "gatewright_totp" f where f."user_id" = t."id") then 'passkeys'
  when not exists (select 1 from "gatewright_passkeys" p where p."user_id" = t."id") then 'totp'
  else 'totp_and_passkeys' end)`;

/** Users as administrators manage them: also how they stand to signing in. */
export const managedUserSource: Source = {
  ...userSource,
  columns: new Map([
    ...userSource.columns,
    ...[
      column('invited', field.boolean(always), { expression: () => sql`(t."password_hash" = '')` }),
      column('invitation_expires_at', field.datetime(), { expression: () => ofInvitation('expires_at') }),
      column('invited_by', field.integer(), { expression: () => ofInvitation('made_by') }),
      column('second_factor', field.enum(heldFactors, always), { expression: () => heldFactor }),
    ].map((each) => [each.name, each] as const),
  ]),
};

/** Users by the roles that they hold; `role` is there for the row filter, no view shows it. */
export const holderSource: Source = source(
  'users',
  sql`(select u.*, h."role" from "users" u join "user_roles" h on h."user_id" = u."id")`,
  [...managedUserSource.columns.values(), column('role', field.string(always))],
  ['role'],
);

/** Fields per view, frozen: lists recognise a view by its very array. */

/** Fields of a user that users themselves see, and those that administrators see. */
export const publicUserFields = Object.freeze(['id', 'username', 'email', 'name', 'roles'] as const);
export const userFields = Object.freeze([
  ...publicUserFields,
  'disabled',
  'must_change_password',
  'created_at',
  'updated_at',
] as const);
export const managedUserFields = Object.freeze([
  ...userFields,
  'invited',
  'invitation_expires_at',
  'invited_by',
  'second_factor',
] as const);

const keyColumns = [
  id,
  column('name', field.string(always)),
  column('key', field.string(), { expression: () => sql`(t."key_prefix" || '****')` }),
  column('status', field.enum(['active', 'expired']), {
    expression: () =>
      sql`(case when t."expires_at" is null or t."expires_at" > ${serviceTime} then 'active' else 'expired' end)`,
  }),
  column('expires_at', field.datetime()),
  createdAt,
  lastUsedAt,
];

/** `user_id` is there for the row filter; no view shows it. */
export const keySource: Source = {
  ...source(
    'api_keys',
    named('api_keys'),
    [...keyColumns, column('user_id', field.integer(always))],
    ['user_id'],
  ),
  timed: true,
};
export const keyFields = Object.freeze([
  'id',
  'name',
  'key',
  'status',
  'expires_at',
  'created_at',
  'last_used_at',
] as const);

const ownerOf = (dialect: Dialect, row: string): Fragment =>
  dialect.object([
    { name: 'id', value: named(row, 'user_id') },
    { name: 'username', value: named(row, 'username') },
    { name: 'name', value: named(row, 'user_name') },
  ]);

/**
 * Keys that still work and that nobody has used for thirty days, or ever since they were made: whoever holds one that was
 * forgotten has all the time in the world. The one definition of it; `t` is the table of keys.
 */
export const neglectedKey: Fragment = sql`(coalesce(t."last_used_at", t."created_at") <= ${monthAgo}
  and (t."expires_at" is null or t."expires_at" > ${serviceTime}))`;

/** Keys of everybody, each with its owner; `user` filters and sorts by the owner's username. */
export const everyKeySource: Source = {
  ...source(
    'api_keys',
    sql`(select k.*, u."username", u."name" as "user_name" from "api_keys" k join "users" u on u."id" = k."user_id")`,
    [
      ...keyColumns,
      column('neglected', field.boolean(always), { expression: () => neglectedKey }),
      column('user', field.string(), {
        expression: () => sql`t."username"`,
        render: ownerOf,
      }),
      column('created_by', field.integer()),
    ],
    ['created_by'],
  ),
  timed: true,
};
export const everyKeyFields = Object.freeze([...keyFields, 'neglected', 'user', 'created_by'] as const);

export const roleSource = source(
  'roles',
  named('roles'),
  [
    column('name', field.string(always)),
    column('built_in', field.boolean(always)),
    column('users', field.integer(), {
      expression: () => sql`(select count(*) from "user_roles" ur where ur."role" = t."name")`,
    }),
    createdAt,
  ],
  [],
  'name',
);
export const roleFields = Object.freeze(['name', 'built_in', 'users', 'created_at'] as const);

/** A permission entry of this instance's models. */
export interface PermissionEntry {
  readonly model: string;
  readonly action: string;
  /** Whether requests ask for it: the resource's permission check is on for this action. */
  readonly checked: boolean;
}

/** Every role with every entry. The names are those of models, which are identifiers; they are quoted all the same. */
export const permissionSource = (entries: readonly PermissionEntry[]): Source => {
  const rows = entries.map(
    ({ model, action, checked }) =>
      sql`select ${literal(model)} as "model", ${literal(action)} as "action", ${literal(checked)} as "checked"`,
  );
  const none = sql`select '' as "model", '' as "action", null as "checked" where 1 = 0`;
  return source(
    'permissions',
    sql`(select r."name" as "role", e."model", e."action", e."checked",
      (r."name" = ${literal(superAdmin)} or p."role" is not null) as "allowed",
      r."name" || ' ' || e."model" || ' ' || e."action" as "id"
      from "roles" r cross join (${rows.length === 0 ? none : join(rows, ' union all ')}) e
      left join "permissions" p on p."role" = r."name" and p."model" = e."model" and p."action" = e."action")`,
    [
      column('id', field.string()),
      column('role', field.string(always)),
      column('model', field.string(always)),
      column('action', field.string(always)),
      column('allowed', field.boolean()),
      column('checked', field.boolean()),
    ],
  );
};
export const permissionFields = Object.freeze(['role', 'model', 'action', 'allowed', 'checked'] as const);

/** Applications stand in the encrypted credentials; their last use stands in the database. */
export const applicationSource = (
  applications: readonly { readonly app_id: string; readonly rotated_at: string }[],
): Source => {
  const rows = applications.map(({ app_id, rotated_at }) => {
    const at = literal(toTimestamp(Date.parse(rotated_at)));
    return sql`select ${literal(app_id)} as "app_id", ${at} as "rotated_at"`;
  });
  const none = sql`select '' as "app_id", '0001-01-01T00:00:00.000Z' as "rotated_at" where 1 = 0`;
  return source(
    'applications',
    (dialect) =>
      sql`(select a."app_id", ${dialect.cast(sql`a."rotated_at"`, 'timestamp')} as "rotated_at", l."last_used_at"
      from (${rows.length === 0 ? none : join(rows, ' union all ')}) a left join "application_usage" l on l."app_id" = a."app_id")`,
    [column('app_id', field.string(always)), column('rotated_at', field.datetime()), lastUsedAt],
    [],
    'app_id',
  );
};
export const applicationFields = Object.freeze(['app_id', 'rotated_at', 'last_used_at'] as const);

export const paymentSource = source(
  'payments',
  named('payments'),
  [
    id,
    column('app_id', field.string(always)),
    column('order_no', field.json()),
    column('amount', field.json()),
    column('currency', field.json()),
    column('status', field.string()),
    column('body', field.json(), { comparable: false }),
    createdAt,
  ],
  ['app_id'],
);
export const paymentFields = Object.freeze([
  'id',
  'app_id',
  'order_no',
  'amount',
  'currency',
  'status',
  'body',
  'created_at',
] as const);

export const sessionSource: Source = {
  ...source(
    'sessions',
    named('sessions'),
    [
      id,
      column('current', field.boolean(always), {
        expression: () => sql`(case when t."id" = ${askingSession} then 1 = 1 else 1 = 0 end)`,
      }),
      column('address', field.string()),
      column('user_agent', field.string(always)),
      createdAt,
      lastUsedAt,
      column('user_id', field.integer(always)),
    ],
    ['user_id'],
  ),
  personal: true,
};
export const sessionFields = Object.freeze([
  'id',
  'current',
  'address',
  'user_agent',
  'created_at',
  'last_used_at',
] as const);

export const auditSource = source(
  'audit',
  named('audit'),
  [
    id,
    createdAt,
    column('actor_kind', field.string(always)),
    column('actor_id', field.string()),
    column('actor_name', field.string()),
    column('action', field.string(always)),
    column('target_kind', field.string(always)),
    column('target_id', field.string()),
    column('target_name', field.string()),
    column('detail', field.json(), { comparable: false }),
    column('address', field.string()),
  ],
  ['created_at'],
);
export const auditFields = Object.freeze([
  'id',
  'created_at',
  ...['actor_kind', 'actor_id', 'actor_name', 'action'],
  ...['target_kind', 'target_id', 'target_name', 'detail', 'address'],
] as const);
