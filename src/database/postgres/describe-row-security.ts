/** Policies of row security as the catalogue of PostgreSQL describes them, and the roles to which they apply. */

import type {
  DescribedPolicy,
  DescribedRights,
  DescribedRole,
  DescribedRowSecurity,
} from '../described-tables.ts';
import type { Ask } from '../introspection.ts';

interface PolicyRow {
  readonly table: string;
  readonly name: string;
  readonly command: string;
  readonly permissive: boolean;
  readonly everyone: boolean;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

interface RoleRow {
  readonly name: string;
  readonly bypasses: boolean;
  readonly has: readonly string[];
}

interface RightRow {
  readonly role: string;
  readonly table: string;
  readonly column: string;
  readonly selects: boolean;
  readonly inserts: boolean;
  readonly updates: boolean;
  readonly deletes: boolean;
}

const inSchema = (schema: string): string =>
  `c.relnamespace = (select oid from pg_namespace where nspname = ${schema})`;

const policiesSql = (schema: string): string => `select c.relname::text as "table", p.polname::text as name,
    p.polcmd::text as command, p.polpermissive as permissive, p.polroles = '{0}'::oid[] as everyone,
    array(select r.rolname::text from pg_roles r where r.oid = any(p.polroles) order by r.rolname) as roles,
    pg_get_expr(p.polqual, p.polrelid) as "using", pg_get_expr(p.polwithcheck, p.polrelid) as "check"
  from pg_policy p join pg_class c on c.oid = p.polrelid
  where ${inSchema(schema)} order by c.relname collate "C", p.polname collate "C"`;

/** The roles that policies name, and those by which Supabase serves requests. */
const namedRoles = (
  schema: string,
): string => `(r.rolname in ('anon', 'authenticated', 'service_role') or r.oid in
    (select unnest(p.polroles) from pg_policy p join pg_class c on c.oid = p.polrelid where ${inSchema(schema)}))`;

const rolesSql = (schema: string): string => `select r.rolname::text as name,
    r.rolsuper or r.rolbypassrls as bypasses,
    array(select o.rolname::text from pg_roles o where pg_has_role(r.oid, o.oid, 'usage')) as has
  from pg_roles r where ${namedRoles(schema)} order by r.rolname collate "C"`;

const rightsSql = (schema: string): string => `select r.rolname::text as role, c.relname::text as "table",
    a.attname::text as "column",
    has_column_privilege(r.oid, c.oid, a.attnum, 'select') as selects,
    has_column_privilege(r.oid, c.oid, a.attnum, 'insert') as inserts,
    has_column_privilege(r.oid, c.oid, a.attnum, 'update') as updates,
    has_table_privilege(r.oid, c.oid, 'delete') as deletes
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_roles r on ${namedRoles(schema)}
  where ${inSchema(schema)} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and has_schema_privilege(r.oid, c.relnamespace, 'usage')
  order by r.rolname, c.relname, a.attnum`;

const commands: Readonly<Record<string, DescribedPolicy['command']>> = {
  r: 'select',
  a: 'insert',
  w: 'update',
  d: 'delete',
};

const policyOf = ({ command, everyone, roles, using, check, ...row }: PolicyRow): DescribedPolicy => ({
  ...row,
  command: commands[command] ?? 'all',
  roles: everyone ? undefined : roles,
  using: using ?? undefined,
  check: check ?? undefined,
});

const rightsOf = (rows: readonly RightRow[]): DescribedRights => {
  const columns = (may: 'selects' | 'inserts' | 'updates') =>
    new Set(rows.filter((row) => row[may]).map(({ column }) => column));
  return {
    select: columns('selects'),
    insert: columns('inserts'),
    update: columns('updates'),
    delete: rows[0]?.deletes === true,
  };
};

/** The policies of a schema; undefined where there are none. Expressions are spelt for the path of the connection. */
export const describeRowSecurity = async (
  ask: Ask,
  schema: string,
): Promise<DescribedRowSecurity | undefined> => {
  const policies = await ask<PolicyRow>(policiesSql(schema));
  if (policies.length === 0) return undefined;
  const rights = Map.groupBy(await ask<RightRow>(rightsSql(schema)), ({ role }) => role);
  const roles = await ask<RoleRow>(rolesSql(schema));
  return {
    policies: policies.map(policyOf),
    roles: roles.map(
      (role): DescribedRole => ({
        ...role,
        rights: new Map(
          [...Map.groupBy(rights.get(role.name) ?? [], ({ table }) => table)].map(([table, rows]) => [
            table,
            rightsOf(rows),
          ]),
        ),
      }),
    ),
  };
};
