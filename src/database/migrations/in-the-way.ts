import type { Tables } from '../introspection.ts';
import type { Migrations } from './migration.ts';
import { planFromNothing } from './plan.ts';

const made = /^create table (?:if not exists )?"?([a-z0-9_]+)"?/i;

/** Tables that are there already under names that the migrations are about to take, in the order of their names. */
export const tablesInTheWay = async (
  tables: Tables,
  migrations: Migrations,
  tableNames: readonly string[],
): Promise<readonly string[]> => {
  if (tables.size === 0) return [];
  // Of an empty database, whatever the real one holds: which names they take depends on nothing in it.
  const steps = await planFromNothing(migrations);
  const names = steps.flatMap(({ statements }) => statements.flatMap((sql) => made.exec(sql)?.[1] ?? []));
  return [...new Set([...names, ...tableNames])].filter((name) => tables.has(name)).sort();
};
