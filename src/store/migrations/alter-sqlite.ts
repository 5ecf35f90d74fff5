import { quoteName } from '../sql.ts';
import {
  type AlterColumns,
  addColumn,
  type ColumnStep,
  convertAside,
  fillColumn,
  isConverted,
  nextColumn,
  referenceOf,
} from './alter-columns.ts';
import { columnType, isRequired, type ReferenceTables, referenceSql } from './columns.ts';
import { type RebuiltColumn, rebuildTable } from './rebuild.ts';
import { runAll, tableNow } from './statements.ts';

/** SQLite adds a column that may be null in place; every other change of a column is a rebuild. */
const needsRebuild = ({ from, to }: ColumnStep, references: ReferenceTables, key: string): boolean => {
  if (from === undefined) return isRequired(to);
  return (
    from.type.column.sqlite !== to.type.column.sqlite ||
    isRequired(from) !== isRequired(to) ||
    JSON.stringify(referenceOf(key, from, references)) !== JSON.stringify(referenceOf(key, to, references))
  );
};

const rebuiltColumn = (
  column: RebuiltColumn['shape'],
  step: ColumnStep | undefined,
  references: ReferenceTables,
): RebuiltColumn => {
  const { name } = column;
  if (step === undefined) return { shape: column, value: quoteName(name) };
  const reference = referenceOf(step.key, step.to, references);
  return {
    shape: {
      name,
      type: columnType(step.to, 'sqlite'),
      notNull: isRequired(step.to),
      preset: undefined,
      references: reference === undefined ? undefined : { ...reference, name: undefined },
    },
    value: quoteName(isConverted(step) ? nextColumn(name) : name),
  };
};

export const alterColumns: AlterColumns = async (db, table, steps, drop, references) => {
  for (const step of steps.filter(({ from }) => from === undefined)) {
    const reference = referenceOf(step.key, step.to, references);
    const sql = addColumn(table.name, step.column, step.to, 'sqlite');
    await runAll(db, [sql + referenceSql(reference?.table, reference?.onDelete ?? 'no action')]);
  }
  for (const step of steps) {
    if (isConverted(step)) await convertAside(db, 'sqlite', table.name, step);
    await fillColumn(
      db,
      'sqlite',
      table.name,
      isConverted(step) ? nextColumn(step.column) : step.column,
      step,
    );
  }
  const rebuild =
    drop.length > 0 || steps.some((step) => isConverted(step) || needsRebuild(step, references, step.key));
  if (!rebuild) return;
  const now = await tableNow(db, 'sqlite', table.name);
  const asides = new Set(steps.map(({ column }) => nextColumn(column)));
  const columns = [...now.columns.values()].filter(({ name }) => !drop.includes(name) && !asides.has(name));
  await rebuildTable(
    db,
    now,
    columns.map((column) =>
      rebuiltColumn(
        column,
        steps.find((step) => step.column === column.name),
        references,
      ),
    ),
  );
};
