/** Reads the tenant for which a user counts. */

import type { Database } from '../../database/database.ts';
import {
  columnsOfRows,
  type Fragment,
  identifier,
  join,
  literal,
  own,
  rowsOf,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import { isNumeric } from '../../fields/keys.ts';
import type { Tenancy } from '../../model/tenancy.ts';
import { demandedValues } from './expression.ts';

/** The condition that a membership meets one of the rules; none where every membership does. */
const ofRules = ({ demands, stored }: Tenancy, row: string): Fragment[] => {
  if (demands.length === 0) return [];
  const column = columnsOfRows(stored, row);
  const alternatives = demands.map((demanded) => sql`(${join(demandedValues(demanded, column), ' and ')})`);
  return [sql`(${join(alternatives, ' or ')})`];
};

/** True if the database counts: the oldest record has the lowest id. */
const isCounted = ({ givenBy }: RecordKey): boolean => givenBy === 'database';

/** The query of the tenant that the caller's oldest membership names. */
const oldestTenant = (tenancy: Tenancy, caller: Fragment): Fragment => {
  const row = 'm';
  const { membership, tenant: ofTenant } = tenancy.keys;
  const column = columnsOfRows(tenancy.stored, row);
  const tenant = column(tenancy.on);
  const id = column('id');
  const isOfCaller = sql`${column(tenancy.owner)} = ${caller}`;
  const conditions = where([isOfCaller, sql`${tenant} is not null`, ...ofRules(tenancy, row)]);
  const from = sql` from ${rowsOf(tenancy.stored)} as ${identifier(row)}`;
  // Of the expressions there is no index: the planner must not search all memberships from the oldest on.
  const age = isCounted(membership) ? sql`${id} + 0` : sql`cast(${id} as text)`;
  const value = isNumeric(ofTenant) ? tenant : sql`cast(${tenant} as text)`;
  return sql`select ${value}${from}${conditions} order by ${age} limit 1`;
};

/**
 * Returns a function that reads the id of a user's tenant: the record that owns a service account, else what the
 * oldest membership names; undefined without either. One statement that starts at the user.
 */
export const createTenantReader = (
  database: Database,
  tenancy: Tenancy,
): ((user: number) => Promise<RecordId | undefined>) => {
  const owner = isNumeric(tenancy.keys.tenant) ? sql`owner_record` : sql`owner_key`;
  const read = statement<{ user: number }>(
    database.dialect,
    (param) => sql`select coalesce(
      (select ${owner} from ${own('users')} where id = ${param('user')} and owner_model = ${literal(tenancy.tenant)}),
      (${oldestTenant(tenancy, param('user'))})) as tenant`,
  );
  return async (user) => {
    const row = await database.get<{ readonly tenant: RecordId | null }>(read({ user }));
    return row?.tenant ?? undefined;
  };
};
