import { type Models, referencedTable } from '../../model/models.ts';
import { tablesAsked } from '../../model/row-expression.ts';

/** Tables of the service that decide which records a caller may read. */
const ownTables = ['users', 'roles', 'user_roles', 'permissions'];

/**
 * Tables whose rows decide which records and fields a caller may read: those of roles, permissions, memberships and
 * other tables of rules, and the tables to which these refer, since a deletion there may cascade.
 */
export const decisiveTables = (models: Models): readonly string[] => {
  const all = [...models.values()];
  const tables = new Set(
    all.flatMap(({ rules: { isolation, viewedWhen } }) => {
      const expressions = viewedWhen.map(({ condition }) => condition.expression);
      if (isolation !== undefined) expressions.unshift(isolation.read.expression);
      return expressions.flatMap(tablesAsked);
    }),
  );
  // Iterating a set includes elements that are added meanwhile.
  for (const table of tables) {
    const model = all.find((each) => each.table === table);
    for (const { reference } of model?.fields.values() ?? [])
      if (reference !== undefined) tables.add(referencedTable(models, reference));
  }
  return [...new Set([...ownTables, ...tables])];
};
