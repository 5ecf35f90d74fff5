import type { ColumnValue } from '../../fields/field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import { columnOf, rowAlias, storedValue } from '../column.ts';
import type { Database, SqlValue, Transaction } from '../database.ts';
import { dialectOf } from '../dialects/registry.ts';
import { projection } from '../projection.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import type { Source } from '../source.ts';
import { name, type Statement, sql, statement, where } from '../statement.ts';
import { type SourceView, SourceViews } from '../view.ts';

export interface ShownRecord {
  readonly json: string;
  /** Present where the source has a version column. */
  readonly version?: number;
}

export interface ShowOptions {
  /** Name of the hidden integer column that every write raises. */
  readonly version?: string;
  readonly clock?: Clock;
}

export interface ShowPurpose {
  /** The transaction to which what it wrote itself is shown. */
  readonly within?: Transaction | undefined;
  /** Keeps others from changing the record until that transaction is over. */
  readonly lock?: boolean;
}

/** The record with this key as a grant lets see it; undefined where there is none or it is out of its rows. */
export type Show = (
  grant: Grant,
  key: ColumnValue,
  extra?: readonly RowCondition[],
  purpose?: ShowPurpose,
) => Promise<ShownRecord | undefined>;

type ShowArguments = { readonly rows: readonly SqlValue[]; readonly key: SqlValue; readonly now: SqlValue };

/** Shows one record of a source, through the same projection and row filter as its list. */
export const createShow = (database: Database, source: Source, options: ShowOptions = {}): Show => {
  const { version, clock = systemClock } = options;
  const dialect = dialectOf(database);
  const views = new SourceViews(source);
  /** By the readable fields and the conditions of the row filter. */
  const statements = new BoundedCache<Statement<ShowArguments>>('showStatements');

  const compile = ({ fields }: SourceView, { terms }: RowReach, lock: boolean): Statement<ShowArguments> =>
    statement<ShowArguments>(dialect, (argument) => {
      const column = (of: string) => storedValue(columnOf(source, of), dialect);
      const conditions = reachConditions(terms, column, (index) => argument('rows', index), 'hold', dialect);
      const key = sql`${column(source.key)} = ${argument('key')}`;
      const json = sql`${projection(source, fields, dialect)} as json`;
      const answer = version === undefined ? json : sql`${json}, ${name(rowAlias, version)} as version`;
      const row = sql`select ${answer} from ${source.from(dialect)} as ${name(rowAlias)}${where([...conditions, key])}`;
      return lock ? sql`${row}${dialect.rowLock}` : row;
    });

  const statementOf = (
    readable: readonly string[],
    rows: RowReach,
    lock: boolean,
  ): Statement<ShowArguments> => {
    const { view, id } = views.of(readable);
    const key = `${id} ${lock} ${rows.key}`;
    return statements.getOrMake(key, () => compile(view, rows, lock));
  };

  return async (grant, key, extra = [], { within, lock = false } = {}) => {
    const rows = reachOf(grant, extra);
    if (rows === undefined) return undefined;
    const now = source.timed === true ? toTimestamp(clock()) : null;
    const query = statementOf(grant.readable, rows, lock)({ rows: rows.values, key, now });
    const row = await (within ?? database).get<{ json: string; version?: number }>(query);
    if (row === undefined) return undefined;
    return row.version === undefined ? { json: row.json } : { json: row.json, version: Number(row.version) };
  };
};
