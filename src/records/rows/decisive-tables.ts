import { type Models, referencedRows } from '../../model/models.ts';
import { rowsAsked } from '../../model/row-expression.ts';
import type { StoredTable } from '../../model/stored-table.ts';

/** Tables of the service that decide which records a caller may read. */
const ownTables = ['users', 'roles', 'user_roles', 'permissions'];

/**
 * Tables whose rows decide which records and fields a caller may read: those of roles, permissions, memberships and
 * other tables of rules, and the tables to which these refer, since a deletion there may cascade.
 */
export const decisiveTables = (models: Models): readonly string[] => {
  const all = [...models.values()];
  const tables = new Set<StoredTable>(
    all.flatMap(({ rules: { isolation, viewedWhen } }) => {
      const expressions = viewedWhen.map(({ condition }) => condition.expression);
      if (isolation !== undefined) expressions.unshift(isolation.read.expression);
      return expressions.flatMap(rowsAsked);
    }),
  );
  // Iterating a set includes elements that are added meanwhile.
  for (const table of tables) {
    const model = all.find((each) => each.stored === table);
    for (const { reference } of model?.fields.values() ?? [])
      if (reference !== undefined) tables.add(referencedRows(models, reference));
  }
  return [...new Set([...ownTables, ...[...tables].map(({ name }) => name)])];
};
