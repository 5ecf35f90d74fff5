/** The SQL of an aggregate: one statement that returns the groups of a page as JSON. */

import type { Dialect } from '../../database/dialect.ts';
import { type SourceColumn, storedValue } from '../../database/source.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  type Statement,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import { clausesOf } from '../list/clauses.ts';
import type { ListArguments, ListShape } from '../list/parameters.ts';
import type { AggregateParameters, GroupKey, GroupMeasure } from './aggregate-parameters.ts';
import { changesOf, shiftAt, type ZoneValues } from './zone.ts';

export type AggregateArguments = ListArguments & ZoneValues;

/** The single row of an aggregating statement. */
export interface GroupsRow {
  /** A JSON array for each group: its keys, its number of records, and the parts of its measures. */
  readonly json: string;
  /** Number of groups on all pages. */
  readonly total: number;
}

/**
 * Integers are added in two parts, the bits above these low bits and the low bits themselves, which are never negative.
 * So no sum of fewer than 8 thousand million integers overflows 64 bits.
 */
export const lowBits = 30;
const lowMask = literal(2 ** lowBits - 1);

/** A column of the groups, and its form in JSON. */
interface GroupColumn {
  /** Over the values of the matching rows. */
  readonly value: Fragment;
  readonly rendered: (of: Fragment) => Fragment;
}

const asItIs = (of: Fragment): Fragment => of;

const asText = (of: Fragment): Fragment => sql`cast(${of} as text)`;

const asBigint = (of: Fragment): Fragment => sql`cast(${of} as bigint)`;

/** The form of a value in lists. */
const listed =
  ({ type, options }: SourceColumn, dialect: Dialect) =>
  (of: Fragment): Fragment =>
    dialect.columns[type.column].render?.(of, type.scale?.(options) ?? 0) ?? of;

/** True if values are integers or decimals, which are added exactly. */
export const isExact = ({ type }: SourceColumn): boolean => type.column !== 'number';

/** The columns of a group for one measure of the values `of`. */
const measureColumns = (
  { measure, column }: GroupMeasure,
  of: Fragment,
  dialect: Dialect,
): readonly GroupColumn[] => {
  if (measure === 'min') return [{ value: sql`min(${of})`, rendered: listed(column, dialect) }];
  if (measure === 'max') return [{ value: sql`max(${of})`, rendered: listed(column, dialect) }];
  const count: GroupColumn = { value: sql`count(${of})`, rendered: asItIs };
  // Decimal addition, if the database has it: its result does not depend on the order of the rows.
  if (!isExact(column)) return [count, { value: sql`sum(cast(${of} as numeric))`, rendered: asItIs }];
  return [
    count,
    { value: asBigint(sql`sum(${of} >> ${literal(lowBits)})`), rendered: asText },
    { value: asBigint(sql`sum(${of} & ${lowMask})`), rendered: asText },
  ];
};

/** The key of a row from its stored value; `shiftOf` gives the difference of local time at a time. */
const keyOf = (
  { column, bucket }: GroupKey,
  value: Fragment,
  dialect: Dialect,
  shiftOf: (time: Fragment) => Fragment,
): Fragment => {
  if (bucket === undefined) return value;
  const kind = column.type.column === 'date' ? 'date' : 'timestamp';
  return dialect.bucket(value, bucket, kind, shiftOf(value));
};

const keyName = (index: number): Fragment => identifier(`key_${index}`);
const valueName = (index: number): Fragment => identifier(`value_${index}`);
const countName = identifier('records');
const measureName = (index: number, part: number): Fragment => identifier(`measure_${index}_${part}`);

/** The terms that order groups by a measure: the parts of its value, compared exactly. */
const measureTerms = ({ measure, column }: GroupMeasure, index: number): readonly Fragment[] => {
  const part = (nth: number): Fragment => measureName(index, nth);
  if (measure === 'min' || measure === 'max') return [part(0)];
  if (!isExact(column)) return [measure === 'sum' ? part(1) : sql`${part(1)} / nullif(${part(0)}, 0)`];
  const high = sql`(${part(1)} + (${part(2)} >> ${literal(lowBits)}))`;
  const low = sql`(${part(2)} & ${lowMask})`;
  if (measure === 'sum') return [high, low];
  // The same steps as in `averageOf`, so that the order agrees with the response to the last bit.
  const sum = sql`(cast(${high} as double precision) * ${literal(2 ** lowBits)} + ${low})`;
  const unit = literal(10 ** (column.type.scale?.(column.options) ?? 0));
  return [sql`${sum} / nullif(${part(0)}, 0) / ${unit}`];
};

/** The requested order, with the keys as last terms. */
const orderOf = ({ keys, measured, sort }: AggregateParameters, dialect: Dialect): Fragment => {
  const termsOf = (of: string): readonly Fragment[] => {
    const key = keys.findIndex(({ name: each }) => each === of);
    if (key >= 0) return [keyName(key)];
    const index = measured.findIndex(({ name: each }) => each === of);
    const measure = measured[index];
    return measure === undefined ? [countName] : measureTerms(measure, index);
  };
  const terms = [...sort, ...keys.map(({ name: of }) => ({ name: of, descending: false }))];
  const fragments = terms.flatMap(({ name: of, descending }) =>
    termsOf(of).map((term) => dialect.ordered(term, descending, true)),
  );
  return fragments.length === 0 ? sql`` : sql` order by ${join(fragments)}`;
};

/** No table has more rows. */
const everyRow = sql.raw('9223372036854775807');

/** The keys of the matching rows, and the values of their measures. */
const matchingRows = (
  { keys, measured, zone }: AggregateParameters,
  source: Fragment,
  dialect: Dialect,
  shiftOf: (time: Fragment) => Fragment,
): Fragment => {
  const storedOf = ({ column }: GroupKey | GroupMeasure): Fragment => storedValue(column, dialect);
  const measures = measured.map((each, index) => sql`${storedOf(each)} as ${valueName(index)}`);
  const selected = (of: (key: GroupKey, index: number) => Fragment, from: Fragment): Fragment => {
    const all = [...keys.map((key, index) => sql`${of(key, index)} as ${keyName(index)}`), ...measures];
    return sql`select ${all.length === 0 ? literal(1) : join(all)}${from}`;
  };
  const isSearched = zone.changes.length > 0 && keys.some(({ bucket }) => bucket !== undefined);
  if (!isSearched) return selected((key) => keyOf(key, storedOf(key), dialect, shiftOf), source);
  // The offset is found by comparing the value several times: LIMIT makes both databases compute it once.
  const values = sql`(${selected(storedOf, source)} limit ${everyRow}) as valued`;
  const found = keys.map((key, index) => keyOf(key, keyName(index), dialect, shiftOf));
  const names = [
    ...found.map((value, index) => sql`${value} as ${keyName(index)}`),
    ...measured.map((_, index) => valueName(index)),
  ];
  return sql`select ${join(names)} from ${values}`;
};

/**
 * The statement whose single row is the response: it groups the rows that a list would return, and selects a page of
 * groups and their number.
 */
export const aggregateStatement = (
  shape: ListShape,
  parameters: AggregateParameters,
  dialect: Dialect,
): Statement<AggregateArguments> =>
  statement<AggregateArguments>(dialect, (param) => {
    const { keys, measured, zone } = parameters;
    const { from, matching } = clausesOf(shape, dialect, param);
    const rows = matchingRows(parameters, sql`${from}${where(matching)}`, dialect, (time) =>
      shiftAt(time, changesOf(zone), (of, index) => param(of, index)),
    );
    const parts = measured.map((measure, index) => measureColumns(measure, valueName(index), dialect));
    const columns = [
      ...keys.map((_, index) => keyName(index)),
      sql`count(*) as ${countName}`,
      ...parts.flatMap((of, index) =>
        of.map(({ value }, nth) => sql`${value} as ${measureName(index, nth)}`),
      ),
    ];
    const by = keys.length === 0 ? sql`` : sql` group by ${join(keys.map((_, index) => keyName(index)))}`;
    const groups = sql`select ${join(columns)} from (${rows}) as matching${by}`;
    const rendered = [
      ...keys.map(({ column, bucket }, index) =>
        bucket === undefined ? listed(column, dialect)(keyName(index)) : keyName(index),
      ),
      countName,
      ...parts.flatMap((of, index) => of.map((column, nth) => column.rendered(measureName(index, nth)))),
    ];
    const window = sql` limit ${dialect.rows(param('limit'))} offset ${dialect.rows(param('offset'))}`;
    const page = sql`select ${dialect.arrayText(rendered)} as row_json from grouped${orderOf(parameters, dialect)}${window}`;
    const joined = sql`'[' || coalesce(${dialect.joined(sql`row_json`, literal(','))}, '') || ']'`;
    return sql`with grouped as materialized (${groups}) select ${joined} as json, (select count(*) from grouped) as total from (${page}) as page`;
  });
