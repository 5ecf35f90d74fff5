import { CompiledQuery } from 'kysely';
import type { ColumnValue, FieldDefinition, RuleViolation } from '../../fields/field.ts';
import type { Json } from '../../kernel/json.ts';
import { compileCheck } from '../../model/check-value.ts';
import type { DialectName } from '../database.ts';
import { quoteName, rowToJson } from '../sql.ts';
import { columnType } from './columns.ts';
import type { MigrationDatabase } from './runner.ts';

/** Rows that are read, converted and written at a time. */
const batch = 500;

/** Two fields are stored alike where both databases have the same column for them and render it alike. */
export const representation = ({ type, options }: FieldDefinition): string =>
  (['sqlite', 'postgres'] as const)
    .map((dialect) => `${type.column[dialect]} ${type.render?.('x', options, dialect) ?? ''}`)
    .join('\n');

/** How the same value may be written as a value of another type: as it is, and as its text. */
const candidates = (value: Json): readonly Json[] => {
  if (typeof value === 'boolean') return [value, String(value), Number(value)];
  return typeof value === 'object' ? [value, JSON.stringify(value)] : [value, String(value)];
};

/**
 * Makes the conversion of values of one field, as they are answered, to the column of another. It answers undefined
 * for a value that the new field does not take: no value is cut, rounded or lost.
 */
const conversion = ({ type, options }: FieldDefinition) => {
  const check = compileCheck({ name: 'value', type, options });
  return (value: Json): ColumnValue | undefined => {
    for (const candidate of candidates(value)) {
      if (check(candidate).length === 0) return type.encode(candidate, options);
      if (typeof candidate !== 'string') continue;
      const parsed = type.parse(candidate, options);
      if (parsed !== undefined) return parsed;
    }
    return undefined;
  };
};

/**
 * The value as the column takes it, where the field's rules allow it as it is or as its text; else the rules that it
 * breaks. Stricter than a conversion: nobody's record is lost where a new value is refused.
 */
export const accept = (
  { type, options }: FieldDefinition,
  value: Json,
): { readonly column: ColumnValue } | { readonly violations: readonly RuleViolation[] } => {
  const check = compileCheck({ name: 'value', type, options });
  const fitting = candidates(value).find((candidate) => check(candidate).length === 0);
  return fitting === undefined ? { violations: check(value) } : { column: type.encode(fitting, options) };
};

interface Row {
  readonly id: number;
  readonly json: string;
}

/**
 * The next values of a column, as JSON. The comment tells the plan, which runs nothing, that rows are converted here.
 */
const readSql = (
  table: string,
  column: string,
  from: FieldDefinition,
  dialect: DialectName,
  after: number,
): string => {
  const name = `t.${quoteName(column)}`;
  const value = from.type.render?.(name, from.options, dialect) ?? name;
  const json = dialect === 'sqlite' ? `json_object('v', ${value})` : rowToJson(`${value} as v`);
  return `/* every value of ${table}.${column} is converted */ select t."id" as id, ${json} as json
  from ${quoteName(table)} as t where t."id" > ${after} and ${name} is not null order by t."id" limit ${batch}`;
};

const writeSql = (
  table: string,
  column: string,
  to: FieldDefinition,
  dialect: DialectName,
  count: number,
): string => {
  const sign = dialect === 'sqlite' ? '?' : '$';
  const values = Array.from({ length: count }, (_, row) => `(${sign}${row * 2 + 1}, ${sign}${row * 2 + 2})`);
  const type = columnType(to, dialect).replace(/ collate .*$/, '');
  const cast = (name: string, as: string): string => (dialect === 'sqlite' ? name : `cast(${name} as ${as})`);
  return `update ${quoteName(table)} set ${quoteName(column)} = ${cast('v.column2', type)}
  from (values ${values.join(', ')}) as v where ${quoteName(table)}."id" = ${cast('v.column1', 'bigint')}`;
};

/**
 * Writes the values of column `source`, converted, to column `target` of the same table.
 * @throws Error that names the first record whose value the new field does not take
 */
export const convertColumn = async (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  source: { readonly column: string; readonly definition: FieldDefinition },
  target: { readonly column: string; readonly definition: FieldDefinition },
): Promise<void> => {
  const convert = conversion(target.definition);
  for (let after = 0; ; ) {
    const { rows } = await db.executeQuery<Row>(
      CompiledQuery.raw(readSql(table, source.column, source.definition, dialect, after)),
    );
    if (rows.length === 0) return;
    const parameters = rows.flatMap(({ id, json }) => {
      const { v } = JSON.parse(json) as { v: Json };
      const value = convert(v);
      if (value === undefined)
        throw new Error(
          `${table}.${source.column} of record ${id} is no value of the new ${target.definition.type.kind}: correct it first`,
        );
      return [String(id), value];
    });
    await db.executeQuery(
      CompiledQuery.raw(writeSql(table, target.column, target.definition, dialect, rows.length), parameters),
    );
    after = Number(rows.at(-1)?.id);
  }
};
