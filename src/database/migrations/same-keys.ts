/**
 * The second key of a reference with `same`: over the reference and the column that both rows share. It needs a unique
 * index over the id and that column of the referenced table, which comes with the first such reference and goes with
 * the last one.
 */

import type { ColumnAlteration, ColumnStep, Dialect, Reference, SameReference } from '../dialect.ts';
import type { TableShape } from '../introspection.ts';
import { quoteName } from '../quote.ts';
import { askThrough } from './ask-through.ts';
import { dropConstraint } from './columns.ts';
import type { MigrationDatabase } from './migration.ts';
import { indexName } from './names.ts';
import { readTables } from './read-tables.ts';
import { runAll } from './statements.ts';

/** Records that an error names. */
const mostNamed = 10;

/** The key of a column's reference; undefined where it has none. */
export const sameReference = (
  table: string,
  column: string,
  reference: Reference | undefined,
): SameReference | undefined => {
  if (reference?.same === undefined) return undefined;
  const { table: to, same, onDelete } = reference;
  return { table, column, to, key: same, onDelete };
};

/** True if a step adds, drops or changes the key. */
export const changesSame = ({ referred, refers }: ColumnStep): boolean =>
  (referred?.same !== undefined || refers?.same !== undefined) &&
  (referred?.same?.column !== refers?.same?.column ||
    referred?.same?.to !== refers?.same?.to ||
    referred?.table !== refers?.table ||
    referred?.onDelete !== refers?.onDelete);

/** The clause of the foreign key, without an effect of a deletion. */
export const sameKeySql = ({ column, to, key }: SameReference): string =>
  `foreign key (${quoteName(column)}, ${quoteName(key.column)}) references ${quoteName(to)} ("id", ${quoteName(key.to)})`;

/** The unique index that the key needs on the referenced table. */
export const sameIndexSql = ({ to, key }: SameReference): string =>
  `create unique index if not exists ${quoteName(indexName(to, ['id', key.to], true))} on ${quoteName(to)} ("id", ${quoteName(key.to)})`;

/** Refuses rows that refer to a row with another value. @throws Error that names field, number and rows */
const assertSame = async (db: MigrationDatabase, reference: SameReference, values: string): Promise<void> => {
  const { table, column, to, key } = reference;
  const has = `select 1 from ${quoteName(to)} t where t."id" = r.${quoteName(values)} and t.${quoteName(key.to)} = r.${quoteName(key.column)}`;
  const rows = await askThrough(db)<{ id: number; total: number }>(
    `/* ${table}.${column} must refer to rows of the same ${key.column} */ select r."id" as id, count(*) over () as total
  from ${quoteName(table)} r where r.${quoteName(values)} is not null and not exists (${has}) order by r."id" limit ${mostNamed}`,
  );
  const [first] = rows;
  if (first === undefined) return;
  const total = Number(first.total);
  const [refer, are] = total === 1 ? ['record refers', 'its id is'] : ['records refer', 'their ids are'];
  const more = total > rows.length ? ` and ${total - rows.length} more` : '';
  throw new Error(
    `${table}.${column}: ${total} ${refer} to ${to} of another ${key.column}, which same forbids: correct this first (${are} ${rows.map(({ id }) => id).join(', ')}${more})`,
  );
};

/**
 * The keys that an alteration adds, once their columns have their values: no row breaks them, and their indexes exist.
 * `valuesOf`: the column with the values of a step's reference.
 */
export const preparedSame = async (
  { db, table, steps }: ColumnAlteration,
  valuesOf: (step: ColumnStep) => string = ({ column }) => column,
): Promise<readonly SameReference[]> => {
  const added: SameReference[] = [];
  for (const step of steps.filter(changesSame)) {
    const reference = sameReference(table.name, step.column, step.refers);
    if (reference === undefined) continue;
    await assertSame(db, reference, valuesOf(step));
    await runAll(db, [sameIndexSql(reference)]);
    added.push(reference);
  }
  return added;
};

/** Drops the keys of other tables that need a column which goes. */
export const dropSameInto = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: string,
  gone: readonly string[],
): Promise<void> => {
  if (gone.length === 0) return;
  const tables = await readTables(askThrough(db), dialect);
  const keys = [...tables.values()].flatMap(({ name: of, columns }) =>
    [...columns.values()].flatMap(({ references: to }): string[] => {
      const name = to?.table === table && gone.includes(to.same?.to ?? '') ? to.same?.name : undefined;
      return name === undefined ? [] : [dropConstraint(of, name)];
    }),
  );
  await runAll(db, keys);
};

/** True if some reference of a table has `same`. */
export const hasSame = ({ columns }: TableShape): boolean =>
  [...columns.values()].some(({ references }) => references?.same !== undefined);

/** Drops the indexes that no key needs any more. */
export const dropUnusedSameIndexes = async (db: MigrationDatabase, dialect: Dialect): Promise<void> => {
  const tables = await readTables(askThrough(db), dialect);
  const used = new Set(
    [...tables.values()].flatMap(({ columns }) =>
      [...columns.values()].flatMap(({ references: to }) =>
        to?.same === undefined ? [] : indexName(to.table, ['id', to.same.to], true),
      ),
    ),
  );
  const unused = [...tables.values()].flatMap((table) =>
    table.indexes.filter(
      ({ name, columns, unique }) =>
        unique &&
        columns.length === 2 &&
        columns[0] === 'id' &&
        name === indexName(table.name, columns, true) &&
        !used.has(name),
    ),
  );
  await runAll(
    db,
    unused.map(({ name }) => `drop index ${quoteName(name)}`),
  );
};
