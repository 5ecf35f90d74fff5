/** Reads the tenant for which a user counts. */

import type { Database } from '../../database/database.ts';
import { literal, sql, statement } from '../../database/statement.ts';
import type { TenantMemberships } from '../../model/row-expression.ts';
import { oldestMemberValue } from './expression.ts';

/**
 * Returns a function that reads the id of a user's tenant: the record that owns a service account, else what the
 * oldest membership names; undefined without either. One statement that starts at the user.
 */
export const createTenantReader = (
  database: Database,
  memberships: TenantMemberships,
): ((user: number) => Promise<number | undefined>) => {
  const read = statement<{ user: number }>(
    database.dialect,
    (param) => sql`select coalesce(
      (select owner_record from users where id = ${param('user')} and owner_model = ${literal(memberships.tenant)}),
      (${oldestMemberValue(memberships, param('user'))})) as tenant`,
  );
  return async (user) => {
    const row = await database.get<{ readonly tenant: number | null }>(read({ user }));
    return row?.tenant ?? undefined;
  };
};
