/**
 * Runs a prepared list: small ones at once, larger ones as scans beside other requests, unbounded ones as a stream.
 */

import { isUtf8 } from 'node:buffer';
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
} from '../../database/database.ts';
import type { Walk } from '../../database/query.ts';
import { columnOf, rowAlias, ruleValue, type Source, timesOf } from '../../database/source.ts';
import {
  identifier,
  join,
  literal,
  type Statement,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Clock } from '../../kernel/clock.ts';
import {
  assertNotTooMuch,
  isLight,
  looksBeyond,
  maxAnswerBytes,
  noRowLimit,
  refusingTooMuch,
} from '../relations/include.ts';
import { isFoundByIndex, type RowReach, reachParts } from '../rows/reach.ts';
import { ArrayChunks } from './array-chunks.ts';
import type { PageStart, PageStarts } from './page-starts.ts';
import type { ListArguments } from './parameters.ts';
import { maxPieceBytes, maxWholeRows, type PreparedList } from './plan.ts';
import { placeOf } from './sort.ts';
import { type CountedRow, type PageRow, streamBetweenStatement } from './statements.ts';
import { type CountedTotal, conditionsKey, Totals } from './totals.ts';

const sizeTtlMs = 1000;

/** True if a counted size is still valid. After the clock was set back, none is. */
const isFresh = (countedAt: number, now: number): boolean => now >= countedAt && now - countedAt < sizeTtlMs;

/** Most rows of a small table: any statement on them takes at most one or two milliseconds. */
export const smallTable = 5000;

/**
 * Most bytes of a table whose full scan is brief, about 20 ms, on a database with processes of its own. Compressed
 * texts may take longer.
 */
const briefTableBytes = 8 * 1024 * 1024;

interface CountedSize {
  readonly rows: number;
  readonly bytes: number | null;
}

/**
 * The number of rows of a source, exact up to `smallTable` and at most a second old. Counting stops there, so it takes
 * 0.1 ms whatever the size of the table.
 */
export class SizeEstimate {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #count: Statement<Record<never, never>>;
  #rows = 0;
  #isBrief = false;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<number> | undefined;

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    const { dialect } = database;
    const rows = sql`select 1 from ${source.from(dialect)} as t limit ${literal(smallTable + 1)}`;
    const { table } = source;
    const bytes = (table === undefined ? undefined : dialect.tableBytes?.(table)) ?? sql`null`;
    this.#count = statement(
      dialect,
      () => sql`select count(*) as rows, ${bytes} as bytes from (${rows}) as counted`,
    );
  }

  /** The last size; undefined unless it is fresh. */
  recent(): number | undefined {
    return isFresh(this.#countedAt, this.#clock()) ? this.#rows : undefined;
  }

  /** True if a full scan was brief when the size was last counted. */
  get isBrief(): boolean {
    return this.#isBrief;
  }

  /** Counts the rows of the source; `smallTable + 1` means that many or more. Concurrent requests share one count. */
  rows(from: ListReader = this.#database): Promise<number> {
    this.#counting ??= this.#countRows(from).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countRows(from: ListReader): Promise<number> {
    const countedAt = this.#clock();
    const row = await from.get<CountedSize>(this.#count({}));
    this.#rows = Number(row?.rows ?? 0);
    this.#isBrief = row?.bytes != null && Number(row.bytes) <= briefTableBytes;
    this.#countedAt = countedAt;
    return this.#rows;
  }
}

interface CountedReach {
  readonly rows: number;
  readonly at: number;
}

type ReachArguments = { readonly rows: readonly SqlValue[] };

const keyOf = ({ key, values }: RowReach): string => `${key}\n${JSON.stringify(values)}`;

/**
 * The number of rows that a rule lets a caller reach, up to `smallTable` in each part of the rule and at most a second
 * old. If these are few, any list of them is little work, whatever the size of the table.
 */
export class ReachSizes {
  readonly #database: Database;
  readonly #source: Source;
  readonly #clock: Clock;
  /** Compiled counts, by the conditions of the row filter. */
  readonly #counts = new BoundedCache<Statement<ReachArguments>>(200);
  /** Sizes, by the conditions and values of the row filter; an entry is valid for one second. */
  readonly #sizes = new BoundedCache<CountedReach>(1_000);

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#source = source;
    this.#clock = clock;
  }

  /** True if the rows are few; undefined if the database has to count them first. */
  wereFew(reach: RowReach): boolean | undefined {
    if (!isFoundByIndex(reach.terms)) return false;
    const counted = this.#sizes.get(keyOf(reach));
    if (counted === undefined || !isFresh(counted.at, this.#clock())) return undefined;
    return counted.rows <= smallTable;
  }

  /** True if the rows are few. Rows that no index finds are not counted, and taken for many. */
  async areFew(reach: RowReach, from: ListReader = this.#database): Promise<boolean> {
    const recent = this.wereFew(reach);
    if (recent !== undefined) return recent;
    const at = this.#clock();
    const count = this.#counts.getOrMake(reach.key, () => this.#compile(reach));
    const row = await from.get<{ rows: number }>(count({ rows: reach.values }));
    const rows = Number(row?.rows ?? 0);
    this.#sizes.set(keyOf(reach), { rows, at });
    return rows <= smallTable;
  }

  #compile({ terms }: RowReach): Statement<ReachArguments> {
    const { dialect } = this.#database;
    return statement<ReachArguments>(dialect, (param) => {
      const column = (of: string) => ruleValue(columnOf(this.#source, of), dialect);
      const parts = reachParts(terms, column, (index) => param('rows', index), dialect) ?? [];
      const from = sql` from ${this.#source.from(dialect)} as ${identifier(rowAlias)}`;
      const counts = parts.map(({ conditions }) => {
        const rows = sql`select 1${from}${where(conditions)} limit ${literal(smallTable + 1)}`;
        return sql`(select count(*) from (${rows}) as counted)`;
      });
      return sql`select ${join(counts, ' + ')} as rows`;
    });
  }
}

/** A JSON array in one piece, or in chunks that are made as they are read. */
export type FoundRows = { readonly json: string | Uint8Array } | { readonly chunks: ArrayChunks };

interface FoundPage {
  readonly row: PageRow;
  /** Undefined if a row was too large for one piece. */
  readonly json: string | Uint8Array | undefined;
}

/** Where and for whom a list is read. */
export interface ListPurpose {
  /** Caller to whose share an expensive read is counted; the service itself if absent. */
  readonly by?: DeferredCaller | undefined;
  /** Transaction in which the list is read. */
  readonly within?: Transaction | undefined;
  /** Reader outside of a transaction; the database if absent. */
  readonly from?: ListReader | undefined;
}

/** Sort values of a page's first and last row, if the response has cursors for them. */
export interface PageEnds {
  readonly first?: readonly unknown[] | undefined;
  readonly last?: readonly unknown[] | undefined;
}

const isNull = (value: ColumnValue): boolean => value === null;

/** The JSON in valid UTF-8: another program that writes to a SQLite file may have stored invalid text. */
const validUtf8 = (json: PageRow['json']): string | Uint8Array =>
  typeof json === 'string' || isUtf8(json) ? json : Buffer.from(json).toString();

const found = (row: PageRow, rowBytes: number): FoundPage => ({
  row,
  json: Number(row.widest ?? 0) <= rowBytes ? validUtf8(row.json) : undefined,
});

/** True if the list examines only its own table, except for few related records. */
const isOwnTable = ({ plan, parameters, values }: PreparedList): boolean =>
  !plan.filtersOnRelations && isLight(values.limit, parameters.included);

/** True if an index bounds the rows of the page, and skips few before it. */
const isNearByIndex = ({ plan, values }: PreparedList): boolean =>
  plan.boundedRows && values.offset <= smallTable;

/** True if the statement of a page counts by a scan of its own: the page itself is a walk along an index. */
const countsApart = ({ plan, parameters }: PreparedList): boolean =>
  plan.boundedRows && plan.shape.total === 'exact' && parameters.included.length === 0;

/** The rows that a page without its total passes. */
const walkOf = ({ sql }: Query, list: PreparedList, rows: RowReach): Walk => {
  const { limit, offset } = list.values;
  return { key: `${sql} ${limit} ${conditionsKey(list, rows)}`, rows: offset + limit };
};

const startsOf = ({ starts }: CountedTotal, { parameters }: PreparedList): PageStarts =>
  parameters.sort[0]?.descending === true ? starts.descending : starts.ascending;

/** The list with the values that read the page behind a start. */
const behindStart = (list: PreparedList, { offset, key }: PageStart): PreparedList => {
  const { values } = list;
  return { ...list, values: { ...values, from: [key], offset: values.offset - offset } };
};

/** Keeps the end of a full page as the start of the one that follows. */
const keepStart = (cached: CountedTotal, list: PreparedList, { last_key: key }: PageRow): void => {
  const { offset, limit } = list.values;
  if (key != null) startsOf(cached, list).keep({ offset: offset + limit, key });
};

/** Runs prepared lists: small ones directly, larger ones as scans beside other requests, all rows as a stream. */
export class ListRun {
  readonly #database: Database;
  readonly #source: Source;
  readonly #clock: Clock;
  readonly #size: SizeEstimate;
  readonly #reaches: ReachSizes;
  readonly #totals: Totals;

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#source = source;
    this.#clock = clock;
    this.#size = new SizeEstimate(database, source, clock);
    this.#reaches = new ReachSizes(database, source, clock);
    this.#totals = new Totals(database);
  }

  /**
   * Reads the page as one row. If a row exceeds its share of one piece, but the page as a whole does not, the page is
   * read again with all rows: that takes less than half of the time of a stream.
   */
  async page(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<FoundPage> {
    if (list.parameters.included.length > 0) return this.#withRelated(list, rows, purpose);
    const { row, direct } = await this.#pageRow(list, rows, purpose);
    const page = found(row, list.values.rowBytes);
    if (page.json !== undefined || Number(row.bytes) > maxPieceBytes) return page;
    const query = this.#pageQuery(list, rows, { rowBytes: maxPieceBytes });
    return found(await this.#first(query, direct, purpose), maxPieceBytes);
  }

  /** Reads a page with related records: in one piece, or refused. */
  async #withRelated(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<FoundPage> {
    const row = await refusingTooMuch(this.#relatedRow(list, rows, purpose));
    assertNotTooMuch(row.json);
    return { row, json: validUtf8(row.json) };
  }

  /** Reads the row directly if that examines few rows; if it turns out to examine more, as a scan. */
  async #relatedRow(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<PageRow> {
    try {
      return (await this.#pageRow(list, rows, purpose)).row;
    } catch (error) {
      const isAll = list.values.maxRowsExamined === noRowLimit || !looksBeyond(list.parameters.included);
      if (!(error instanceof TooLongError) || isAll) throw error;
      return this.#first(this.#pageQuery(list, rows, { maxRowsExamined: noRowLimit }), false, purpose);
    }
  }

  async #pageRow(
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
  ): Promise<{ row: PageRow; direct: boolean }> {
    if (!isOwnTable(list)) return this.#counted(list, rows, purpose, false);
    const bounded = list.plan.bounded || (!list.plan.counted && isNearByIndex(list));
    // Awaited only if the size is needed and not recent.
    const isSmall =
      purpose.within !== undefined ||
      bounded ||
      (this.#size.recent() ?? (await this.#size.rows(purpose.from))) <= smallTable;
    if (isSmall) return this.#direct(list, rows, purpose);
    const isFew =
      rows.terms.length > 0 &&
      (this.#reaches.wereFew(rows) ?? (await this.#reaches.areFew(rows, purpose.from)));
    if (isFew && !list.plan.counted) return this.#direct(list, rows, purpose);
    return this.#counted(list, rows, purpose, isFew);
  }

  /**
   * Reads the page without counting if its total is known, else with its total. Where an index finds the page and the
   * database has revisions, the total is counted first.
   */
  async #counted(
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
    isFew: boolean,
  ): Promise<{ row: PageRow; direct: boolean }> {
    const revision = this.#totals.revision(list);
    let cached = this.#totals.cached(revision, list, rows);
    if (cached === undefined && revision !== undefined && countsApart(list)) {
      await this.#count(revision, list, rows, purpose, isFew);
      cached = this.#totals.cached(revision, list, rows);
    }
    if (cached !== undefined) {
      const { query, passesFew } = this.#uncounted(list, rows, cached);
      const direct = isFew || (passesFew && isOwnTable(list));
      const row = await this.#first<PageRow>(query, direct, purpose);
      if (this.#totals.holds(cached, revision, list, row)) {
        keepStart(cached, list, row);
        return { row: { ...row, total: cached.total }, direct };
      }
    }
    const before = this.#totals.revision(list);
    const row = await this.#first(this.#pageQuery(list, rows), isFew, purpose);
    const counted = this.#totals.keep(before, list, rows, row);
    if (counted !== undefined) keepStart(counted, list, row);
    return { row, direct: isFew };
  }

  /** The page without its total: from its beginning, or behind the last known key before it. */
  #uncounted(list: PreparedList, rows: RowReach, cached: CountedTotal): { query: Query; passesFew: boolean } {
    const { pageBehind, pageUncounted } = list.plan;
    const start = startsOf(cached, list).before(list.values.offset);
    if (start === undefined || pageBehind === undefined)
      return { query: this.#query(pageUncounted, list, rows), passesFew: isNearByIndex(list) };
    const behind = behindStart(list, start);
    return { query: this.#query(pageBehind, behind, rows), passesFew: isNearByIndex(behind) };
  }

  /** Counts the rows for all pages of the list that are read until the database changes. */
  #count(
    revision: number,
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
    direct: boolean,
  ): Promise<void> {
    const query = this.#query(list.plan.count, list, rows);
    return this.#totals.count(revision, list, rows, () => this.#first<CountedRow>(query, direct, purpose));
  }

  /** Reads the page directly. */
  async #direct(
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
  ): Promise<{ row: PageRow; direct: boolean }> {
    return { row: await this.#first(this.#pageQuery(list, rows), true, purpose), direct: true };
  }

  /** Reads every matching row: in one piece if they are few, else in chunks from one snapshot. */
  async all(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<FoundRows> {
    // A large table is streamed at once: reading it in one piece first would only take time.
    const mayBeFew =
      purpose.within !== undefined ||
      !list.plan.unfiltered ||
      (this.#size.recent() ?? (await this.#size.rows(purpose.from))) <= maxWholeRows;
    if (mayBeFew) {
      const { row, json } = await this.page(list, rows, purpose);
      if (json !== undefined && Number(row.rows) <= maxWholeRows) return { json };
    }
    return { chunks: await this.stream(list, rows, {}, purpose) };
  }

  /** Streams the rows of a page in chunks, between its ends if given, so that they agree with its cursors. */
  async stream(
    list: PreparedList,
    rows: RowReach,
    ends: PageEnds,
    purpose: ListPurpose,
  ): Promise<ArrayChunks> {
    const query = this.#streamQuery(list, rows, ends);
    return new ArrayChunks(await this.#readerFor(purpose).stream(query, await resolveCaller(purpose.by)));
  }

  #readerFor({ within, from = this.#database }: ListPurpose): ListReader {
    return within === undefined ? from : readerWithin(within);
  }

  /** The values of a request and its caller. */
  #values({ values }: PreparedList, rows: RowReach, more: Partial<ListArguments>): ListArguments {
    return { ...values, rows: rows.values, ...timesOf(this.#source, this.#clock), ...more };
  }

  #pageQuery(list: PreparedList, rows: RowReach, more: Partial<ListArguments> = {}): Query {
    const { page, pageKept } = list.plan;
    return this.#query(this.#size.isBrief ? (pageKept ?? page) : page, list, rows, more);
  }

  #query(
    statement: Statement<ListArguments>,
    list: PreparedList,
    rows: RowReach,
    more: Partial<ListArguments> = {},
  ): Query {
    const query = statement(this.#values(list, rows, more));
    if (list.parameters.included.length > 0) return { ...query, longest: maxAnswerBytes };
    if (!isOwnTable(list)) return query;
    const { boundedRows, counted, pageUncounted, pageBehind } = list.plan;
    // A page with few rows before it is read directly.
    const isUncounted = !counted || statement === pageUncounted || statement === pageBehind;
    const walks = boundedRows && list.values.offset > smallTable && isUncounted;
    return { ...query, brief: this.#size.isBrief, walk: walks ? walkOf(query, list, rows) : undefined };
  }

  #streamQuery(list: PreparedList, rows: RowReach, ends: PageEnds): Query {
    const { plan, parameters } = list;
    const until = ends.last && placeOf(parameters.sort, ends.last);
    const from = ends.first && placeOf(parameters.sort, ends.first);
    if (until === undefined || (ends.first !== undefined && from === undefined))
      return plan.stream(this.#values(list, rows, {}));
    const nulls = { last: until.map(isNull), first: from?.map(isNull) };
    const between = streamBetweenStatement(plan.shape, nulls, this.#database.dialect);
    return between(this.#values(list, rows, { until, from: from ?? [] }));
  }

  /** Reads the single row of an aggregating statement. */
  async #first<Row = PageRow>(query: Query, direct: boolean, purpose: ListPurpose): Promise<Row> {
    const reader = this.#readerFor(purpose);
    const row = direct
      ? await reader.get<Row>(query)
      : (await reader.scan<Row>(query, await resolveCaller(purpose.by)))[0];
    if (row === undefined) throw new Error(`no row for: ${query.sql}`);
    return row;
  }
}
