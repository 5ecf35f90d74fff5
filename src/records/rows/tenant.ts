/** Reads the tenant for which a user counts. */

import type { Database } from '../../database/database.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  own,
  sql,
  statement,
  tableName,
  where,
} from '../../database/statement.ts';
import type { Tenancy } from '../../model/tenancy.ts';
import { demandedValues } from './expression.ts';

/** The condition that a membership meets one of the rules; none where every membership does. */
const ofRules = ({ demands }: Tenancy, row: string): Fragment[] => {
  if (demands.length === 0) return [];
  const alternatives = demands.map((demanded) => sql`(${join(demandedValues(demanded, row), ' and ')})`);
  return [sql`(${join(alternatives, ' or ')})`];
};

/** The query of the tenant that the caller's oldest membership names. */
const oldestTenant = (tenancy: Tenancy, caller: Fragment): Fragment => {
  const row = 'm';
  const tenant = identifier(row, tenancy.on);
  const isOfCaller = sql`${identifier(row, tenancy.owner)} = ${caller}`;
  const conditions = where([isOfCaller, sql`${tenant} is not null`, ...ofRules(tenancy, row)]);
  const from = sql` from ${tableName(tenancy.table)} as ${identifier(row)}`;
  // Of the sum there is no index: the planner must not search all memberships from the oldest on.
  return sql`select ${tenant}${from}${conditions} order by ${identifier(row, 'id')} + 0 limit 1`;
};

/**
 * Returns a function that reads the id of a user's tenant: the record that owns a service account, else what the
 * oldest membership names; undefined without either. One statement that starts at the user.
 */
export const createTenantReader = (
  database: Database,
  tenancy: Tenancy,
): ((user: number) => Promise<number | undefined>) => {
  const read = statement<{ user: number }>(
    database.dialect,
    (param) => sql`select coalesce(
      (select owner_record from ${own('users')} where id = ${param('user')} and owner_model = ${literal(tenancy.tenant)}),
      (${oldestTenant(tenancy, param('user'))})) as tenant`,
  );
  return async (user) => {
    const row = await database.get<{ readonly tenant: number | null }>(read({ user }));
    return row?.tenant ?? undefined;
  };
};
