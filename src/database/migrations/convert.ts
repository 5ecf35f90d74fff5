/** Conversion of stored values from one field type to another, without a value that is cut, rounded or lost. */

import type { ColumnKind, ColumnValue, FieldDefinition, RuleViolation } from '../../fields/field.ts';
import type { Json } from '../../kernel/json.ts';
import { compileCheck } from '../../model/validate.ts';
import type { SqlValue } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import type { TableShape } from '../introspection.ts';
import { identifier, join, literal, type Statement, sql, statement } from '../statement.ts';
import type { MigrationDatabase } from './migration.ts';
import { runQuery } from './statements.ts';

/** Kinds of columns that ids have, numbers as their digits. */
const idKinds = ['bigint', 'text', 'uuid'] as const satisfies readonly ColumnKind[];
type IdKind = (typeof idKinds)[number];

/** Rows that are read, converted and written at a time. */
const batch = 500;

const scaleOf = ({ type, options }: FieldDefinition): number => type.scale?.(options) ?? 0;

/** True if values of both fields are kept in the same way, so that one's may stay where the other's come. */
export const isStoredAlike = (a: FieldDefinition, b: FieldDefinition): boolean =>
  a.type.column === b.type.column && scaleOf(a) === scaleOf(b);

/** How the same value may be written as a value of another type: as it is, and as its text. */
const candidates = (value: Json): readonly Json[] => {
  if (typeof value === 'boolean') return [value, String(value), Number(value)];
  return typeof value === 'object' ? [value, JSON.stringify(value)] : [value, String(value)];
};

/**
 * Makes the conversion of values of one field, as they are answered, to the column of another. It returns undefined
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
 * breaks. Stricter than a conversion: no record is lost where a new value is refused.
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
  readonly id: string;
  readonly json: string;
}

/** A column of a table, and the field that its values are of. */
interface FieldColumn {
  readonly column: string;
  readonly definition: FieldDefinition;
}

/**
 * The next values of a column, as JSON. The comment tells the plan, which runs nothing, that rows are converted here.
 */
const readStatement = (
  dialect: Dialect,
  table: string,
  { column, definition }: FieldColumn,
  kind: IdKind,
  isFirst: boolean,
) =>
  statement<{ readonly after: string }>(dialect, (param) => {
    const [id, stored] = [identifier('t', 'id'), identifier('t', column)];
    const { render } = dialect.columns[definition.type.column];
    const value = render?.(stored, scaleOf(definition)) ?? stored;
    const behind = isFirst ? sql`` : sql`${id} > ${dialect.cast(param('after'), kind)} and `;
    return sql`${sql.raw(`/* every value of ${table}.${column} is converted */`)} select ${dialect.columns[kind].render?.(id, 0) ?? id} as id, ${dialect.objectText([{ name: 'v', value }])} as json
  from ${identifier(table)} as t where ${behind}${stored} is not null order by ${id} limit ${literal(batch)}`;
  });

interface Converted {
  readonly [name: string]: readonly SqlValue[];
  readonly ids: readonly string[];
  readonly values: readonly ColumnValue[];
}

/** Writes as many values. */
const writeStatement = (
  dialect: Dialect,
  table: string,
  { column, definition }: FieldColumn,
  count: number,
  kind: ColumnKind,
) =>
  statement<Converted>(dialect, (param) => {
    const rows = Array.from(
      { length: count },
      (_, index) => sql`(${param('ids', index)}, ${param('values', index)})`,
    );
    const [id, value] = [sql.raw('v.column1'), sql.raw('v.column2')];
    return sql`update ${identifier(table)} set ${identifier(column)} = ${dialect.cast(value, definition.type.column)}
  from (values ${join(rows)}) as v where ${identifier(table, 'id')} = ${dialect.cast(id, kind)}`;
  });

/**
 * Writes the values of column `source`, converted, to column `target` of the same table.
 * @throws Error that names the first record whose value the new field does not take
 */
export const convertColumn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  { name: table, columns }: TableShape,
  source: FieldColumn,
  target: FieldColumn,
): Promise<void> => {
  const { holds } = dialect.schema.introspection;
  const kind = idKinds.find((each) => holds(columns.get('id')?.type ?? '', dialect.columns[each].type));
  if (kind === undefined) throw new Error(`the ids of ${table} have a type that is not known`);
  const convert = conversion(target.definition);
  const converted = ({ id, json }: Row): ColumnValue => {
    const value = convert((JSON.parse(json) as { v: Json }).v);
    if (value !== undefined) return value;
    const { kind } = target.definition.type;
    throw new Error(
      `${table}.${source.column} of record ${id} is not a value of the new ${kind}: correct it first`,
    );
  };
  const writes = new Map<number, Statement<Converted>>();
  const first = readStatement(dialect, table, source, kind, true)({ after: '' });
  const read = readStatement(dialect, table, source, kind, false);
  for (let next = first; ; ) {
    const rows = await runQuery<Row>(db, next);
    if (rows.length === 0) return;
    const write = writes.get(rows.length) ?? writeStatement(dialect, table, target, rows.length, kind);
    writes.set(rows.length, write);
    const ids = rows.map(({ id }) => id);
    await runQuery(db, write({ ids, values: rows.map(converted) }));
    next = read({ after: ids.at(-1) ?? '' });
  }
};
