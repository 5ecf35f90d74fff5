import type { CommonOptions, FieldType } from '../fields/field.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import type { Dialect } from './dialect.ts';
import { type Fragment, identifier, param } from './statement.ts';

/** Hidden integer column that every write raises; ETag and If-Match go by it. */
export const versionColumn = 'version';

/**
 * The moment at which a statement of a source runs, by the service's clock: the one that decides about credentials, so
 * that a key which authentication refuses is never listed as active.
 */
export const serviceTime: Fragment = param('now');

/** Thirty days before that. */
export const monthAgo: Fragment = param('monthAgo');

/** The session by which a list is asked for; null where it is asked for otherwise. */
export const askingSession: Fragment = param('credential');

const month = 30 * 24 * 3_600_000;

/** Moments that SQL of a source may ask for. */
export interface SourceTimes {
  readonly now: string | null;
  readonly monthAgo: string | null;
}

const timeless: SourceTimes = { now: null, monthAgo: null };

export const timesAt = (now: number): SourceTimes => ({
  now: toTimestamp(now),
  monthAgo: toTimestamp(now - month),
});

/** Those of this moment, for a source that asks for them. */
export const timesOf = ({ timed }: Pick<Source, 'timed'>, clock: Clock): SourceTimes =>
  timed === true ? timesAt(clock()) : timeless;

/** A column of something that can be listed and shown: a resource's table or one of the service's own. */
export interface SourceColumn {
  /** Name in the API. */
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
  /** SQL of the value, over the alias `t`; the quoted name itself where absent. */
  readonly expression?: (dialect: Dialect) => Fragment;
  /** SQL that renders the value of a row as JSON, where the field type's own is not right (an array of roles). */
  readonly render?: (dialect: Dialect, row: string) => Fragment;
  /** False where the column cannot be filtered, sorted or searched by (a rendered array). */
  readonly comparable?: boolean;
}

/** How a row leads to rows of another source, or of its own. */
export interface SourceRelation {
  readonly name: string;
  /** Whether it leads to any number of rows. */
  readonly many: boolean;
  /** By whose policy it is decided which of them a caller reads. */
  readonly model: string;
  readonly target: () => Source;
  /** The column of this row, and the column of the others that holds the same value. */
  readonly from: string;
  readonly to: string;
  /** Rows between, where there are any: the column that names this row, and the one that names the other. */
  readonly through?: {
    readonly model: string;
    readonly table: string;
    readonly from: string;
    readonly to: string;
  };
}

/** Where rows come from. Everything that lists or shows rows works on a source, whatever stands behind it. */
export interface Source {
  readonly name: string;
  /** A quoted table name or a parenthesised select; it gets the alias `t`. */
  readonly from: (dialect: Dialect) => Fragment;
  /** The table, where it is one: its size tells how long a look at all of it takes. */
  readonly table?: string;
  readonly columns: ReadonlyMap<string, SourceColumn>;
  /** Unique, never null: breaks ties of every sort. */
  readonly key: string;
  /** Columns by which an index leads, the key included: a sort or an equality by another one scans. */
  readonly indexed: ReadonlySet<string>;
  readonly relations?: ReadonlyMap<string, SourceRelation>;
  /** Whether its SQL asks for `serviceTime` or `monthAgo`. */
  readonly timed?: boolean;
  /** Whether its SQL asks for `askingSession`. */
  readonly personal?: boolean;
}

/** How a source's rows are called in every statement that lists or shows them. */
export const rowAlias = 't';

/** The column of a source; asking for one that it does not have is a mistake of this program. */
export const columnOf = (source: Source, of: string): SourceColumn => {
  const column = source.columns.get(of);
  if (column === undefined) throw new Error(`source ${source.name} has no column ${of}`);
  return column;
};

const computed = (column: SourceColumn, row: string): Error =>
  new Error(`column ${column.name} is computed, so it is no column of ${row}`);

/**
 * The value of a column. `row` names the row where it is not the alias `t`: SQLite's RETURNING knows the table's own
 * name only. A computed column is written over `t`, so it cannot be had there.
 */
export const storedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  if (column.expression === undefined) return identifier(row, column.name);
  if (row !== rowAlias) throw computed(column, row);
  return column.expression(dialect);
};

/** Whether a column's value is rendered as JSON as it is. */
export const isPlain = ({ type }: SourceColumn, dialect: Dialect): boolean =>
  dialect.columns[type.column].render === undefined;

/** The value of a column that is compared, rendered as JSON in the form that its type parses. */
export const comparedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  const value = storedValue(column, dialect, row);
  const { type, options } = column;
  return dialect.columns[type.column].render?.(value, type.scale?.(options) ?? 0) ?? value;
};

/** A timestamp as text, in the form of the API, whatever the database keeps it as. */
export const timeText = ({ columns }: Dialect, value: Fragment): Fragment =>
  columns.timestamp.render?.(value, 0) ?? value;

/** A column rendered as JSON for the answer. */
export const renderedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  return column.render === undefined ? comparedValue(column, dialect, row) : column.render(dialect, row);
};
