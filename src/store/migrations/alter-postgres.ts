import type { TableShape } from '../introspection.ts';
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
import { foreignKeyName } from './names.ts';
import type { MigrationDatabase } from './runner.ts';
import { runAll } from './statements.ts';

/**
 * The column takes its new type empty and gets the converted values then: so it keeps its indexes, and no two values
 * that are only alike in between break a unique one.
 */
const changeType = async (db: MigrationDatabase, table: string, step: ColumnStep): Promise<void> => {
  await convertAside(db, 'postgres', table, step);
  const column = quoteName(step.column);
  const aside = quoteName(nextColumn(step.column));
  const alter = `alter table ${quoteName(table)}`;
  await runAll(db, [
    `${alter} alter column ${column} drop not null`,
    `${alter} alter column ${column} drop default`,
    `${alter} alter column ${column} type ${columnType(step.to, 'postgres')} using null`,
    `update ${quoteName(table)} set ${column} = ${aside}`,
    `${alter} drop column ${aside}`,
  ]);
};

/** SQL that drops the references of a column that are not as they are to be, and adds the one that is to be. */
const referenceStatements = (table: TableShape, step: ColumnStep, references: ReferenceTables) => {
  const alter = `alter table ${quoteName(table.name)}`;
  const name = quoteName(foreignKeyName(table.name, step.column));
  const before = referenceOf(step.key, step.from, references);
  const after = referenceOf(step.key, step.to, references);
  const known = table.columns.get(step.column)?.references;
  const same = before?.table === after?.table && before?.onDelete === after?.onDelete;
  return {
    drop:
      same || before === undefined
        ? []
        : [`${alter} drop constraint ${known?.name === undefined ? name : quoteName(known.name)}`],
    add:
      same || after === undefined
        ? []
        : [
            `${alter} add constraint ${name} foreign key (${quoteName(step.column)})${referenceSql(after.table, after.onDelete)}`,
          ],
  };
};

export const alterColumns: AlterColumns = async (db, table, steps, drop, references) => {
  const alter = `alter table ${quoteName(table.name)}`;
  for (const step of steps) {
    const { drop: dropped, add } = referenceStatements(table, step, references);
    await runAll(db, dropped);
    if (step.from === undefined) await runAll(db, [addColumn(table.name, step.column, step.to, 'postgres')]);
    if (isConverted(step)) await changeType(db, table.name, step);
    await fillColumn(db, 'postgres', table.name, step.column, step);
    if (isConverted(step) || isRequired(step.to) !== (step.from !== undefined && isRequired(step.from))) {
      const nullable = isRequired(step.to) ? 'set not null' : 'drop not null';
      await runAll(db, [`${alter} alter column ${quoteName(step.column)} ${nullable}`]);
    }
    await runAll(db, add);
  }
  await runAll(
    db,
    drop.map((column) => `${alter} drop column ${quoteName(column)}`),
  );
};
