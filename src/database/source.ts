/** Source of rows: a table or select with the columns and relations by which lists, details and rules read it. */

import type { CommonOptions, FieldType } from '../fields/field.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import type { Dialect } from './dialect.ts';
import type { PartValue } from './key-words.ts';
import type { SearchIndex } from './search.ts';
import {
  areParts,
  columnOfRow,
  type Fragment,
  identifier,
  idOfParts,
  inLastPlace,
  param,
  sql,
} from './statement.ts';
import type { StoredForm } from './stored-form.ts';

/** Integer column that every write raises; ETag and If-Match go by it. No view has it. */
export const versionColumn = 'version';

/**
 * The moment at which a statement of a source runs, by the service's clock: the one that decides about credentials, so
 * that a key which authentication refuses is never listed as active.
 */
export const serviceTime: Fragment = param('now');

/** Thirty days before that. */
export const monthAgo: Fragment = param('monthAgo');

/** The id of the user for whom a masked source is read; null for other callers. */
export const readerId: Fragment = param('reader');

/** The caller's session; null for other methods of authentication. */
export const callerSession: Fragment = param('credential');

const monthMs = 30 * 24 * 3_600_000;

/** Times that the SQL of a source may use. */
export interface SourceTimes {
  readonly now: string | null;
  readonly monthAgo: string | null;
}

const timeless: SourceTimes = { now: null, monthAgo: null };

export const timesAt = (now: number): SourceTimes => ({
  now: toTimestamp(now),
  monthAgo: toTimestamp(now - monthMs),
});

/** The current times for a source that uses them. */
export const timesOf = ({ timed }: Pick<Source, 'timed'>, clock: Clock): SourceTimes =>
  timed === true ? timesAt(clock()) : timeless;

/** A column of a source: of a resource's table, or of one of the service's own. */
export interface SourceColumn {
  /** Name in the API. */
  readonly name: string;
  /** Name in SQL, where it is another one. */
  readonly column?: string | undefined;
  readonly type: FieldType;
  readonly options: CommonOptions;
  /** SQL of the value, over the alias `t`; the quoted name itself if absent. */
  readonly expression?: ((dialect: Dialect) => Fragment) | undefined;
  /** The columns of which the value is made, for a key of several; each is never null. */
  readonly parts?: readonly SourceColumn[] | undefined;
  /** Places after the point, where the column has numbers with a point: see `StoredTable.scales`. */
  readonly scale?: number | undefined;
  /** The form of the column, where it is one of its own: see `StoredTable.types`. */
  readonly form?: StoredForm | undefined;
  /** True if the table belongs to another program, so that it may be called like one of the service. */
  readonly isForeign?: boolean | undefined;
  /** True if the database may compare the texts of the column in another order than that of code points. */
  readonly isCollated?: boolean | undefined;
  /** True if the column may have parts of a millisecond, or no zone. */
  readonly isFine?: boolean | undefined;
  /** True if the column may hold fewer numbers than a filter can name. */
  readonly isNarrow?: boolean | undefined;
  /** True if an empty text is stored where there is no value. */
  readonly emptyIsNull?: boolean | undefined;
  /** SQL that renders the value of a row as JSON, if the field type's own does not fit (an array of roles). */
  readonly render?: ((dialect: Dialect, row: string) => Fragment) | undefined;
  /** False if the column cannot be filtered, sorted or searched by (a rendered array). */
  readonly comparable?: boolean | undefined;
  /** The rows in which the caller may see the value; every row if absent. */
  readonly shownIf?: ShownIf;
}

/** A condition on rows that are read under a name; columns with the same key have the same one. */
export interface ShownIf {
  readonly key: number;
  readonly condition: (dialect: Dialect, row: string) => Fragment;
}

/** The full-text search of a source, and the names of its columns in the API, in the same order. */
export interface SourceSearch extends SearchIndex {
  readonly fields: readonly string[];
}

/** A relation from a row to rows of another source, or of its own. */
export interface SourceRelation {
  readonly name: string;
  /** True if it leads to any number of rows. */
  readonly many: boolean;
  /** The model whose policy decides which of them a caller reads. */
  readonly model: string;
  readonly target: () => Source;
  /** The fields of related users that everyone sees who reads this row. */
  readonly shows?: readonly string[];
  /** The column of this row, and the column of the others that holds the same value. */
  readonly from: string;
  readonly to: string;
  /** Rows between, where there are any: the column that names this row, and the one that names the other. */
  readonly through?:
    | {
        readonly model: string;
        readonly source: () => Source;
        readonly from: string;
        readonly to: string;
      }
    | undefined;
}

/** A table, or a select, with its columns and relations: everything that lists or shows rows works on a source. */
export interface Source {
  readonly name: string;
  /** A quoted table name or a parenthesised select; it gets the alias `t`. */
  readonly from: (dialect: Dialect) => Fragment;
  /** The table, if it is one: its size bounds the time of a scan. */
  readonly table?: string | undefined;
  readonly columns: ReadonlyMap<string, SourceColumn>;
  /** Columns that no view has, and that a list returns if its `fields` name them. */
  readonly further?: ReadonlyMap<string, SourceColumn>;
  /** Unique, never null: breaks ties of every sort. */
  readonly key: string;
  /** First columns of indexes, the key included: a sort or an equality by another column scans. */
  readonly indexed: ReadonlySet<string>;
  readonly relations?: ReadonlyMap<string, SourceRelation>;
  /** The full-text search of `q`; without one `q` finds a part of any text. */
  readonly search?: SourceSearch | undefined;
  /** Identifies the conditions of its columns among those of the same table; absent if they have none. */
  readonly mask?: string;
  /** True if its SQL uses `serviceTime` or `monthAgo`. */
  readonly timed?: boolean;
  /** True if its SQL uses `callerSession`. */
  readonly personal?: boolean;
}

/** The alias of a source's rows in every statement that lists or shows them. */
export const rowAlias = 't';

/** Returns a column of a source. @throws Error if it has none of this name, which is a bug of the service */
export const columnOf = (source: Source, of: string): SourceColumn => {
  const column = source.columns.get(of) ?? source.further?.get(of);
  if (column === undefined) throw new Error(`source ${source.name} has no column ${of}`);
  return column;
};

/** The columns of the key, by which rows are in order. */
export const keyColumnsOf = (source: Source): readonly SourceColumn[] => {
  const key = columnOf(source, source.key);
  return key.parts ?? [key];
};

/** The values of the columns of which a value is made, in a row. */
export const partValues = (
  parts: readonly SourceColumn[],
  dialect: Dialect,
  row?: string,
): readonly PartValue[] =>
  parts.map((part) => ({ value: ruleValue(part, dialect, row), kind: part.type.column }));

const computed = (column: SourceColumn, row: string): Error =>
  new Error(`column ${column.name} is computed, so it is not a column of ${row}`);

/**
 * The value of a column, also where the caller may not see it: for row rules. `row` is the name of the row if it is not
 * the alias `t`: SQLite's RETURNING accepts only the name of the table. A computed column is written over `t`, so it is
 * not available there.
 */
export const ruleValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  if (column.parts !== undefined) return idOfParts(partValues(column.parts, dialect, row));
  if (column.expression === undefined) {
    const named = column.isForeign === true ? columnOfRow : identifier;
    const stored = named(row, column.column ?? column.name);
    if (column.scale !== undefined) return inLastPlace(stored, column.scale);
    if (column.form !== undefined) return column.form.read(stored);
    if (column.isFine === true) return dialect.milliseconds(stored);
    return column.emptyIsNull === true ? sql`nullif(${stored}, '')` : stored;
  }
  if (row !== rowAlias) throw computed(column, row);
  return column.expression(dialect);
};

/** The value of a column as the caller sees it: null in rows in which they do not see it. */
export const storedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  const value = ruleValue(column, dialect, row);
  const condition = column.shownIf?.condition(dialect, row);
  return condition === undefined ? value : sql`case when ${condition} then ${value} end`;
};

/**
 * The conditions that a column has a value. The column itself is compared, so that its index serves; a masked one also
 * has to be visible.
 */
export const hasValue = (
  column: SourceColumn,
  value: Fragment,
  dialect: Dialect,
  row = rowAlias,
): readonly Fragment[] => {
  const equal =
    column.parts === undefined
      ? sql`${ruleValue(column, dialect, row)} = ${value}`
      : areParts(partValues(column.parts, dialect, row), value);
  return column.shownIf === undefined ? [equal] : [equal, column.shownIf.condition(dialect, row)];
};

/** True if the column of the table itself is its value, in every row. */
export const isBare = ({
  expression,
  parts,
  emptyIsNull,
  shownIf,
  scale,
  form,
  isFine,
}: SourceColumn): boolean =>
  expression === undefined &&
  parts === undefined &&
  emptyIsNull !== true &&
  shownIf === undefined &&
  scale === undefined &&
  form === undefined &&
  isFine !== true;

/** True if JSON has the column's value as it is stored. */
export const isPlain = ({ type }: SourceColumn, dialect: Dialect): boolean =>
  dialect.columns[type.column].render === undefined;

/** The value of a column for cursors: rendered as JSON in the form that its type parses. */
export const comparedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment =>
  rendered(column, storedValue(column, dialect, row), dialect);

const rendered = ({ type, options }: SourceColumn, value: Fragment, dialect: Dialect): Fragment =>
  dialect.columns[type.column].render?.(value, type.scale?.(options) ?? 0) ?? value;

/** A timestamp as text in the form of the API. */
export const timeText = ({ columns }: Dialect, value: Fragment): Fragment =>
  columns.timestamp.render?.(value, 0) ?? value;

/** A column rendered as JSON for responses, for rows in which the caller may see it. */
export const renderedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment =>
  column.render === undefined
    ? rendered(column, ruleValue(column, dialect, row), dialect)
    : column.render(dialect, row);
