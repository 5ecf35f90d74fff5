/** `createShow`: reads one record of a source as JSON text, with its related records. */

import {
  type Database,
  type DeferredCaller,
  type ListReader,
  type Query,
  readerWithin,
  resolveCaller,
  type SqlValue,
  TooLongError,
  type Transaction,
} from '../database/database.ts';
import { columnOf, hasValue, rowAlias, ruleValue, type Source, timesOf } from '../database/source.ts';
import { identifier, type Statement, sql, statement, where } from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Grant, RowCondition } from '../policy/grant.ts';
import {
  assertNotTooMuch,
  type Included,
  isLight,
  looksBeyond,
  maxAnswerBytes,
  noRowLimit,
  nothingIncluded,
  refusingTooMuch,
  rowsExaminedInline,
} from './relations/include.ts';
import { recordText } from './relations/record-text.ts';
import type { Joining } from './relations/related.ts';
import { everyRow, type RowReach, reachConditions, reachOf } from './rows/reach.ts';
import { readerOf, type SourceView, SourceViews } from './view.ts';

export interface ShownRecord {
  readonly json: string;
  /** Present if the source has a version column. */
  readonly version?: number;
}

type ShownRow = { readonly json: string; readonly version?: number };

export interface ShowOptions {
  /** Name of the hidden integer column that every write increments. */
  readonly version?: string;
  readonly clock?: Clock;
}

export interface ShowPurpose {
  /** Caller to whose share an expensive read is counted; the service itself if absent. */
  readonly by?: DeferredCaller | undefined;
  /** Transaction in which the record is read. */
  readonly within?: Transaction | undefined;
  /** Reader outside of a transaction; the database if absent. */
  readonly from?: ListReader | undefined;
  /** Locks the record until the end of the transaction. */
  readonly lock?: boolean;
  /** Related records of the response. */
  readonly included?: Included;
  /** The caller has just written the record: it is returned even if they do not reach it any more. */
  readonly written?: boolean;
}

/**
 * Reads a record with related ones: inline if that examines few rows, else as a scan, beside other requests. Refused if
 * there are too many.
 */
const withRelated = async (
  reader: ListReader,
  query: (maxRowsExamined: number) => Query,
  { included }: Included,
  by: DeferredCaller | undefined,
): Promise<ShownRow | undefined> => {
  const limited = (maxRowsExamined: number): Query => ({
    ...query(maxRowsExamined),
    longest: maxAnswerBytes,
  });
  const read = async (): Promise<ShownRow | undefined> => {
    if (isLight(1, included)) {
      try {
        return await reader.get<ShownRow>(limited(rowsExaminedInline(1)));
      } catch (error) {
        if (!(error instanceof TooLongError) || !looksBeyond(included)) throw error;
      }
    }
    return (await reader.scan<ShownRow>(limited(noRowLimit), await resolveCaller(by)))[0];
  };
  const row = await refusingTooMuch(read());
  if (row !== undefined) assertNotTooMuch(row.json);
  return row;
};

/** Returns the record with this key within a grant; undefined if there is none, or the grant does not reach it. */
export type Show = (
  grant: Grant,
  key: ColumnValue,
  extra?: readonly RowCondition[],
  purpose?: ShowPurpose,
) => Promise<ShownRecord | undefined>;

type ShowArguments = {
  readonly rows: readonly SqlValue[];
  readonly related: readonly SqlValue[];
  /** Most rows that a relation may examine. */
  readonly maxRowsExamined: number;
  readonly key: SqlValue;
  readonly reader: SqlValue;
  readonly now: SqlValue;
  readonly monthAgo: SqlValue;
};

/** Shows one record of a source, through the same projection and row filter as its list. */
export const createShow = (database: Database, source: Source, options: ShowOptions = {}): Show => {
  const { version, clock = systemClock } = options;
  const { dialect } = database;
  const views = new SourceViews(source);
  /** Compiled statements, by the readable fields and the conditions of the row filter. */
  const statements = new BoundedCache<Statement<ShowArguments>>(200);

  const compile = (
    { source: seen, fields }: SourceView,
    { terms }: RowReach,
    { included }: Included,
    lock: boolean,
  ): Statement<ShowArguments> =>
    statement<ShowArguments>(dialect, (param) => {
      const column = (of: string) => ruleValue(columnOf(source, of), dialect);
      const conditions = reachConditions(terms, column, (index) => param('rows', index), 'hold', dialect);
      const key = hasValue(columnOf(source, source.key), param('key'), dialect);
      const value = (index: number) => param('related', index);
      const joining: Joining = { dialect, value, maxRowsExamined: param('maxRowsExamined') };
      const json = sql`${recordText(seen, fields, included, joining, rowAlias)} as json`;
      const answer =
        version === undefined
          ? json
          : sql`${json}, ${ruleValue(columnOf(source, version), dialect)} as version`;
      const row = sql`select ${answer} from ${source.from(dialect)} as ${identifier(rowAlias)}${where([...conditions, ...key])}`;
      return lock ? sql`${row}${dialect.updateLock}` : row;
    });

  const statementOf = (
    grant: Grant,
    rows: RowReach,
    included: Included,
    lock: boolean,
  ): Statement<ShowArguments> => {
    const { view, id } = views.of(grant);
    const key = `${id} ${lock} ${rows.key}${included.key}`;
    return statements.getOrMake(key, () => compile(view, rows, included, lock));
  };

  return async (grant, key, extra = [], purpose = {}) => {
    const {
      by,
      within,
      from = database,
      lock = false,
      included = nothingIncluded,
      written = false,
    } = purpose;
    const rows = written ? everyRow : reachOf(grant, extra);
    if (rows === undefined) return undefined;
    const values = {
      rows: rows.values,
      related: included.values,
      key,
      ...readerOf(grant),
      ...timesOf(source, clock),
    };
    const show = statementOf(grant, rows, included, lock);
    const query = (maxRowsExamined: number): Query => show({ ...values, maxRowsExamined });
    const reader = within === undefined ? from : readerWithin(within);
    const row = await (included === nothingIncluded
      ? reader.get<ShownRow>(query(noRowLimit))
      : withRelated(reader, query, included, by));
    if (row === undefined) return undefined;
    return row.version === undefined ? { json: row.json } : { json: row.json, version: Number(row.version) };
  };
};
