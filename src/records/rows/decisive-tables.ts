import { type Models, referencedTable } from '../../model/models.ts';
import type { RowExpression } from '../../model/row-expression.ts';

/** Tables by which the service itself decides what a caller may read. */
const ownTables = ['users', 'roles', 'user_roles', 'permissions'];

/** Tables whose rows an expression looks at, beside those that it is about. */
const lookedAt = (expression: RowExpression): readonly string[] => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
      return [];
    case 'member':
      return [expression.table];
    case 'via':
      return [expression.table, ...lookedAt(expression.rule)];
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap(lookedAt);
  }
};

/**
 * Tables whose content decides which records of others a caller sees: of roles and permissions, of memberships and what
 * else rules look at, and those whose rows these go with when they are deleted.
 */
export const decisiveTables = (models: Models): readonly string[] => {
  const all = [...models.values()];
  const tables = new Set(
    all.flatMap(({ rules }) =>
      rules.isolation === undefined ? [] : lookedAt(rules.isolation.read.expression),
    ),
  );
  // A set goes on with what is added while it is gone through.
  for (const table of tables) {
    const model = all.find((each) => each.table === table);
    for (const { reference } of model?.fields.values() ?? [])
      if (reference !== undefined) tables.add(referencedTable(models, reference));
  }
  return [...new Set([...ownTables, ...tables])];
};
