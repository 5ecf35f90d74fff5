/** Change of columns on PostgreSQL: a column keeps its place and its indexes while its type changes. */

import type { ColumnAlteration, ColumnStep, SchemaDialect } from '../dialect.ts';
import { addColumn, convertAside, fillColumn, isConverted, nextColumn } from '../migrations/alter-columns.ts';
import { columnType, dropConstraint, isRequired, referenceSql } from '../migrations/columns.ts';
import { foreignKeyName } from '../migrations/names.ts';
import { changesSame, preparedSame } from '../migrations/same-keys.ts';
import { runAll } from '../migrations/statements.ts';
import { quoteName } from '../quote.ts';

/**
 * The column takes its new type empty and gets the converted values then: so it keeps its indexes, and no two values
 * that are only alike in between break a unique one.
 */
const changeType = async (alteration: ColumnAlteration, step: ColumnStep): Promise<void> => {
  await convertAside(alteration, step);
  const column = quoteName(step.column);
  const aside = quoteName(nextColumn(step.column));
  const table = quoteName(alteration.table.name);
  const alter = `alter table ${table}`;
  await runAll(alteration.db, [
    `${alter} alter column ${column} drop not null`,
    `${alter} alter column ${column} drop default`,
    `${alter} alter column ${column} type ${columnType(step.to, alteration.dialect)} using null`,
    `update ${table} set ${column} = ${aside}`,
    `${alter} drop column ${aside}`,
  ]);
};

/** SQL that drops the references of a column that are not as they are to be, and adds the one that is to be. */
const referenceStatements = (
  { table, dialect }: ColumnAlteration,
  { column, referred, refers }: ColumnStep,
) => {
  const alter = `alter table ${quoteName(table.name)}`;
  const name = foreignKeyName(table.name, column);
  if (referred?.table === refers?.table && referred?.onDelete === refers?.onDelete)
    return { drop: [], add: [] };
  const known = table.columns.get(column)?.references?.name ?? name;
  return {
    drop: referred === undefined ? [] : [dropConstraint(table.name, known)],
    add:
      refers === undefined
        ? []
        : [
            `${alter} add constraint ${quoteName(name)} foreign key (${quoteName(column)})${referenceSql(refers, dialect.names)}`,
          ],
  };
};

/** SQL that drops the key of a reference whose `same` changes. */
const droppedSame = ({ table }: ColumnAlteration, step: ColumnStep): readonly string[] => {
  const name = table.columns.get(step.column)?.references?.same?.name;
  return name === undefined || !changesSame(step) ? [] : [dropConstraint(table.name, name)];
};

export const alterColumns: SchemaDialect['alterColumns'] = async (alteration) => {
  const { db, dialect, table, steps, drop } = alteration;
  const alter = `alter table ${quoteName(table.name)}`;
  for (const step of steps) {
    const { drop: dropped, add } = referenceStatements(alteration, step);
    await runAll(db, [...droppedSame(alteration, step), ...dropped]);
    if (step.from === undefined) await runAll(db, [addColumn(table.name, step.column, step.to, dialect)]);
    if (isConverted(step)) await changeType(alteration, step);
    await fillColumn(alteration, step.column, step);
    if (isConverted(step) || isRequired(step.to) !== (step.from !== undefined && isRequired(step.from))) {
      const nullable = isRequired(step.to) ? 'set not null' : 'drop not null';
      await runAll(db, [`${alter} alter column ${quoteName(step.column)} ${nullable}`]);
    }
    await runAll(db, add);
  }
  const same = await preparedSame(alteration);
  await runAll(db, same.flatMap(dialect.schema.sameKeys.add));
  await runAll(
    db,
    drop.map((column) => `${alter} drop column ${quoteName(column)}`),
  );
};
