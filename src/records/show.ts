import {
  type Database,
  type DeferredCaller,
  knownCaller,
  type ListReader,
  type Query,
  readerWithin,
  type SqlValue,
  TooLongError,
  type Transaction,
} from '../database/database.ts';
import { dialectOf } from '../database/registry.ts';
import { columnOf, rowAlias, type Source, storedValue, timesOf } from '../database/source.ts';
import { identifier, type Statement, sql, statement, where } from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Grant, RowCondition } from '../policy/grant.ts';
import {
  assertNotTooMuch,
  type Included,
  isLight,
  lookAtAll,
  lookAtOnce,
  looksBeyond,
  maxAnswerBytes,
  nothingIncluded,
  refusingTooMuch,
} from './relations/include.ts';
import { recordText } from './relations/record-text.ts';
import type { Joining } from './relations/related.ts';
import { type RowReach, reachConditions, reachOf } from './rows/reach.ts';
import { type SourceView, SourceViews } from './view.ts';

export interface ShownRecord {
  readonly json: string;
  /** Present where the source has a version column. */
  readonly version?: number;
}

type ShownRow = { readonly json: string; readonly version?: number };

export interface ShowOptions {
  /** Name of the hidden integer column that every write raises. */
  readonly version?: string;
  readonly clock?: Clock;
}

export interface ShowPurpose {
  /** Who asks, for the limits of an answer with many related records; the service itself where absent. */
  readonly by?: DeferredCaller | undefined;
  /** The transaction to which what it wrote itself is shown. */
  readonly within?: Transaction | undefined;
  /** Where it is read, outside a transaction; the database where absent. */
  readonly from?: ListReader | undefined;
  /** Keeps others from changing the record until that transaction is over. */
  readonly lock?: boolean;
  /** Related records in the answer. */
  readonly included?: Included;
  /** The caller has just written the record: they are answered it, wherever it is now. */
  readonly written?: boolean;
}

/**
 * A record with others: at once where few rows are looked at for it, where nobody waits for it otherwise, and refused
 * where they are too many.
 */
const withRelated = async (
  reader: ListReader,
  query: (looked: number) => Query,
  { included }: Included,
  by: DeferredCaller | undefined,
): Promise<ShownRow | undefined> => {
  const limited = (looked: number): Query => ({ ...query(looked), longest: maxAnswerBytes });
  const ask = async (): Promise<ShownRow | undefined> => {
    if (isLight(1, included)) {
      try {
        return await reader.get<ShownRow>(limited(lookAtOnce(1)));
      } catch (error) {
        if (!(error instanceof TooLongError) || !looksBeyond(included)) throw error;
      }
    }
    return (await reader.scan<ShownRow>(limited(lookAtAll), await knownCaller(by)))[0];
  };
  const row = await refusingTooMuch(ask());
  if (row !== undefined) assertNotTooMuch(row.json);
  return row;
};

/** The record with this key as a grant lets see it; undefined where there is none or it is out of its rows. */
export type Show = (
  grant: Grant,
  key: ColumnValue,
  extra?: readonly RowCondition[],
  purpose?: ShowPurpose,
) => Promise<ShownRecord | undefined>;

type ShowArguments = {
  readonly rows: readonly SqlValue[];
  readonly related: readonly SqlValue[];
  /** Rows that a relation may look at. */
  readonly looked: number;
  readonly key: SqlValue;
  readonly now: SqlValue;
  readonly monthAgo: SqlValue;
};

const everyRow: RowReach = { terms: [], values: [], key: '' };

/** Shows one record of a source, through the same projection and row filter as its list. */
export const createShow = (database: Database, source: Source, options: ShowOptions = {}): Show => {
  const { version, clock = systemClock } = options;
  const dialect = dialectOf(database);
  const views = new SourceViews(source);
  /** By the readable fields and the conditions of the row filter; the source is fixed and values are bound. */
  const statements = new BoundedCache<Statement<ShowArguments>>(200);

  const compile = (
    { fields }: SourceView,
    { terms }: RowReach,
    { included }: Included,
    lock: boolean,
  ): Statement<ShowArguments> =>
    statement<ShowArguments>(dialect, (param) => {
      const column = (of: string) => storedValue(columnOf(source, of), dialect);
      const conditions = reachConditions(terms, column, (index) => param('rows', index), 'hold', dialect);
      const key = sql`${column(source.key)} = ${param('key')}`;
      const value = (index: number) => param('related', index);
      const joining: Joining = { dialect, value, looked: param('looked') };
      const json = sql`${recordText(source, fields, included, joining, rowAlias)} as json`;
      const answer = version === undefined ? json : sql`${json}, ${identifier(rowAlias, version)} as version`;
      const row = sql`select ${answer} from ${source.from(dialect)} as ${identifier(rowAlias)}${where([...conditions, key])}`;
      return lock ? sql`${row}${dialect.updateLock}` : row;
    });

  const statementOf = (
    readable: readonly string[],
    rows: RowReach,
    included: Included,
    lock: boolean,
  ): Statement<ShowArguments> => {
    const { view, id } = views.of(readable);
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
    const values = { rows: rows.values, related: included.values, key, ...timesOf(source, clock) };
    const asked = statementOf(grant.readable, rows, included, lock);
    const query = (looked: number): Query => asked({ ...values, looked });
    const reader = within === undefined ? from : readerWithin(within);
    const row = await (included === nothingIncluded
      ? reader.get<ShownRow>(query(lookAtAll))
      : withRelated(reader, query, included, by));
    if (row === undefined) return undefined;
    return row.version === undefined ? { json: row.json } : { json: row.json, version: Number(row.version) };
  };
};
