/** Change of columns on SQLite: what it cannot change in place is a rebuild of the table. */

import type { ColumnStep, Dialect, SchemaDialect } from '../dialect.ts';
import type { ColumnShape } from '../introspection.ts';
import { addColumn, convertAside, fillColumn, isConverted, nextColumn } from '../migrations/alter-columns.ts';
import { columnType, isRequired, referenceSql } from '../migrations/columns.ts';
import { changesSame, preparedSame, sameReference } from '../migrations/same-keys.ts';
import { runAll, tableNow } from '../migrations/statements.ts';
import { quoteName } from '../quote.ts';
import { type RebuiltColumn, rebuildTable } from './rebuild.ts';

/** SQLite adds a column that may be null in place; every other change of a column is a rebuild. */
const needsRebuild = (step: ColumnStep): boolean => {
  const { from, to, referred, refers } = step;
  if (changesSame(step)) return true;
  if (from === undefined) return isRequired(to);
  return (
    isConverted(step) ||
    isRequired(from) !== isRequired(to) ||
    referred?.table !== refers?.table ||
    referred?.onDelete !== refers?.onDelete
  );
};

const rebuiltColumn = (
  column: ColumnShape,
  step: ColumnStep | undefined,
  dialect: Dialect,
): RebuiltColumn => {
  const { name } = column;
  if (step === undefined) return { shape: column, value: quoteName(name) };
  const { to, refers } = step;
  const same = sameReference('', name, refers);
  return {
    shape: {
      name,
      type: columnType(to, dialect),
      notNull: isRequired(to),
      preset: undefined,
      references: refers && {
        ...refers,
        name: undefined,
        same: same && { ...same.key, onDelete: same.onDelete, name: undefined },
      },
    },
    value: quoteName(isConverted(step) ? nextColumn(name) : name),
  };
};

export const alterColumns: SchemaDialect['alterColumns'] = async (alteration) => {
  const { db, dialect, table, steps, drop } = alteration;
  for (const { column, to, refers } of steps.filter(({ from }) => from === undefined))
    await runAll(db, [addColumn(table.name, column, to, dialect) + referenceSql(refers, dialect.names)]);
  for (const step of steps) {
    if (isConverted(step)) await convertAside(alteration, step);
    await fillColumn(alteration, isConverted(step) ? nextColumn(step.column) : step.column, step);
  }
  await preparedSame(alteration, (step) => (isConverted(step) ? nextColumn(step.column) : step.column));
  if (drop.length === 0 && !steps.some(needsRebuild)) return;
  const now = await tableNow(db, dialect, table.name);
  const asides = new Set(steps.map(({ column }) => nextColumn(column)));
  const columns = [...now.columns.values()].filter(({ name }) => !drop.includes(name) && !asides.has(name));
  const stepOf = (name: string) => steps.find(({ column }) => column === name);
  await rebuildTable(
    db,
    now,
    columns.map((column) => rebuiltColumn(column, stepOf(column.name), dialect)),
  );
};
