import { isUtf8 } from 'node:buffer';
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
} from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { columnOf, rowAlias, type Source, storedValue, timesOf } from '../../database/source.ts';
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
  lookAtAll,
  looksBeyond,
  maxAnswerBytes,
  refusingTooMuch,
} from '../relations/include.ts';
import { isFoundByIndex, type RowReach, reachParts } from '../rows/reach.ts';
import { ArrayChunks } from './array-chunks.ts';
import type { ListArguments } from './parameters.ts';
import { maxPieceBytes, maxWholeRows, type PreparedList } from './plan.ts';
import { placeOf } from './sort.ts';
import { type PageRow, streamBetweenStatement } from './statements.ts';
import { Totals } from './totals.ts';

/** Milliseconds for which a counted size is taken as it was. */
const freshness = 1000;

/** Whether a size that was counted at a time still holds. A clock that was set back makes none fresh. */
const isFresh = (countedAt: number, now: number): boolean => now >= countedAt && now - countedAt < freshness;

/** Rows up to which a table is small: whatever a statement does with them, it takes less than a millisecond or two. */
export const smallTable = 5000;

/**
 * Bytes up to which any look at all of a table is brief where such looks have processes of their own: 20 ms or so. Texts
 * that are stored compressed may take longer.
 */
const briefTable = 8 * 1024 * 1024;

interface CountedSize {
  readonly rows: number;
  readonly bytes: number | null;
}

/**
 * Roughly how many rows a source has, exact up to `smallTable` and at most a second old. Counting stops there, so it
 * takes 0.1 ms however large the table is.
 */
export class SizeEstimate {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #count: Statement<Record<never, never>>;
  #rows = 0;
  #brief = false;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<number> | undefined;

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    const dialect = dialectOf(database);
    const rows = sql`select 1 from ${source.from(dialect)} as t limit ${literal(smallTable + 1)}`;
    const { table } = source;
    const bytes = (table === undefined ? undefined : dialect.tableBytes?.(table)) ?? sql`null`;
    this.#count = statement(
      dialect,
      () => sql`select count(*) as rows, ${bytes} as bytes from (${rows}) as counted`,
    );
  }

  /** The known size, where it is fresh. */
  known(): number | undefined {
    return isFresh(this.#countedAt, this.#clock()) ? this.#rows : undefined;
  }

  /** Whether looks at all of it were brief when it was last counted. */
  get isBrief(): boolean {
    return this.#brief;
  }

  /** Rows of the source; `smallTable + 1` means that or more. Requests that come together count once. */
  rows(from: ListReader = this.#database): Promise<number> {
    this.#counting ??= this.#ask(from).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #ask(from: ListReader): Promise<number> {
    const countedAt = this.#clock();
    const row = await from.get<CountedSize>(this.#count({}));
    this.#rows = Number(row?.rows ?? 0);
    this.#brief = row?.bytes != null && Number(row.bytes) <= briefTable;
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
 * Roughly how many rows are within the reach of a caller by a rule, up to `smallTable` in each part of it and at most a
 * second old. Where these are few, whatever is asked of them is little work, however large the table is.
 */
export class ReachSizes {
  readonly #database: Database;
  readonly #source: Source;
  readonly #clock: Clock;
  /** By the conditions of the row filter; the source is fixed and values are bound. */
  readonly #counts = new BoundedCache<Statement<ReachArguments>>(200);
  /** By the conditions and values of the row filter; an entry is true for one second. */
  readonly #sizes = new BoundedCache<CountedReach>(1_000);

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#source = source;
    this.#clock = clock;
  }

  /** Whether the rows are few, where that is known without asking the database. */
  knownFew(reach: RowReach): boolean | undefined {
    if (!isFoundByIndex(reach.terms)) return false;
    const known = this.#sizes.get(keyOf(reach));
    if (known === undefined || !isFresh(known.at, this.#clock())) return undefined;
    return known.rows <= smallTable;
  }

  /** Whether the rows are few. Only what indexes find is counted: anything else is taken for many. */
  async areFew(reach: RowReach, from: ListReader = this.#database): Promise<boolean> {
    const known = this.knownFew(reach);
    if (known !== undefined) return known;
    const at = this.#clock();
    const count = this.#counts.getOrMake(reach.key, () => this.#compile(reach));
    const row = await from.get<{ rows: number }>(count({ rows: reach.values }));
    const rows = Number(row?.rows ?? 0);
    this.#sizes.set(keyOf(reach), { rows, at });
    return rows <= smallTable;
  }

  #compile({ terms }: RowReach): Statement<ReachArguments> {
    const dialect = dialectOf(this.#database);
    return statement<ReachArguments>(dialect, (param) => {
      const column = (of: string) => storedValue(columnOf(this.#source, of), dialect);
      const parts = reachParts(terms, column, (index) => param('rows', index), dialect) ?? [];
      const from = sql` from ${this.#source.from(dialect)} as ${identifier(rowAlias)}`;
      const counts = parts.map((part) => {
        const rows = sql`select 1${from}${where(part)} limit ${literal(smallTable + 1)}`;
        return sql`(select count(*) from (${rows}) as counted)`;
      });
      return sql`select ${join(counts, ' + ')} as rows`;
    });
  }
}

/** A JSON array in one piece, or in pieces that are made as they are read. */
export type FoundRows = { readonly json: string | Uint8Array } | { readonly chunks: ArrayChunks };

interface FoundPage {
  readonly row: PageRow;
  /** Absent where a row was too large for one piece. */
  readonly json: string | Uint8Array | undefined;
}

/** Who asks, for the limits of what nothing bounds; and the transaction to which what it wrote itself is shown. */
export interface ListPurpose {
  /** The service itself where absent. */
  readonly by?: DeferredCaller | undefined;
  readonly within?: Transaction | undefined;
  /** Where it is read, outside a transaction; the database where absent. */
  readonly from?: ListReader | undefined;
}

/** Places of a page's first and last row, where cursors that were answered stand for them. */
export interface PageEnds {
  readonly first?: readonly unknown[] | undefined;
  readonly last?: readonly unknown[] | undefined;
}

const isNull = (value: ColumnValue): boolean => value === null;

/** A program that writes to the file beside the service may have left a text that is no UTF-8; no answer is to be. */
const readable = (json: PageRow['json']): string | Uint8Array =>
  typeof json === 'string' || isUtf8(json) ? json : Buffer.from(json).toString();

const found = (row: PageRow, rowBytes: number): FoundPage => ({
  row,
  json: Number(row.widest ?? 0) <= rowBytes ? readable(row.json) : undefined,
});

/** Whether its work goes by the rows of its own table: it looks through no other, and brings few of others along. */
const isOwnWork = ({ plan, parameters, values }: PreparedList): boolean =>
  !plan.looksElsewhere && isLight(values.limit, parameters.included);

/** Runs prepared lists on the database, each where its cost belongs. */
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
   * The page in one row. Where a row is too large for its share of one piece although all of them together are not too
   * much, the page is asked for again with all: that takes less than half of what a stream would (decision 5).
   */
  async page(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<FoundPage> {
    if (list.parameters.included.length > 0) return this.#withRelated(list, rows, purpose);
    const { row, direct } = await this.#pageRow(list, rows, purpose);
    const page = found(row, list.values.rowBytes);
    if (page.json !== undefined || Number(row.bytes) > maxPieceBytes) return page;
    const query = this.#pageQuery(list, rows, { rowBytes: maxPieceBytes });
    return found(await this.#first(query, direct, purpose), maxPieceBytes);
  }

  /** A page whose records bring others: in one piece, or refused. */
  async #withRelated(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<FoundPage> {
    const row = await refusingTooMuch(this.#relatedRow(list, rows, purpose));
    assertNotTooMuch(row.json);
    return { row, json: readable(row.json) };
  }

  /** At once where that looks at few rows; where it turns out to look at more, where nobody waits for it. */
  async #relatedRow(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<PageRow> {
    try {
      return (await this.#pageRow(list, rows, purpose)).row;
    } catch (error) {
      const isAll = list.values.looked === lookAtAll || !looksBeyond(list.parameters.included);
      if (!(error instanceof TooLongError) || isAll) throw error;
      return this.#first(this.#pageQuery(list, rows, { looked: lookAtAll }), false, purpose);
    }
  }

  async #pageRow(
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
  ): Promise<{ row: PageRow; direct: boolean }> {
    const { bounded } = list.plan;
    if (!isOwnWork(list)) return this.#counted(list, rows, purpose, false);
    // Awaited only where the size is needed and not known.
    const small =
      purpose.within !== undefined ||
      bounded ||
      (this.#size.known() ?? (await this.#size.rows(purpose.from))) <= smallTable;
    if (small) return this.#direct(list, rows, purpose);
    const few =
      rows.terms.length > 0 &&
      (this.#reaches.knownFew(rows) ?? (await this.#reaches.areFew(rows, purpose.from)));
    if (few && !list.plan.counted) return this.#direct(list, rows, purpose);
    return this.#counted(list, rows, purpose, few);
  }

  /** The page without counting if a total that is remembered holds for it, else with its total. */
  async #counted(
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
    few: boolean,
  ): Promise<{ row: PageRow; direct: boolean }> {
    const revision = this.#totals.revision(list);
    if (this.#totals.mayHold(revision, list, rows)) {
      const { boundedRows } = list.plan;
      const direct = few || (boundedRows && isOwnWork(list) && list.values.offset <= smallTable);
      const query = this.#query(list.plan.pageUncounted, list, rows);
      const row = await this.#first(query, direct, purpose);
      const total = this.#totals.of(revision, list, rows, row);
      if (total !== undefined) return { row: { ...row, total }, direct };
    }
    const before = this.#totals.revision(list);
    const row = await this.#first(this.#pageQuery(list, rows), few, purpose);
    this.#totals.keep(before, list, rows, row);
    return { row, direct: few };
  }

  /** At once, whatever it is. */
  async #direct(
    list: PreparedList,
    rows: RowReach,
    purpose: ListPurpose,
  ): Promise<{ row: PageRow; direct: boolean }> {
    return { row: await this.#first(this.#pageQuery(list, rows), true, purpose), direct: true };
  }

  /** Every row that matches: in one piece while they are few, else in chunks from one snapshot. */
  async all(list: PreparedList, rows: RowReach, purpose: ListPurpose): Promise<FoundRows> {
    // Asking for a piece of what is known to be too much would only cost time.
    const few =
      purpose.within !== undefined ||
      !list.plan.whole ||
      (this.#size.known() ?? (await this.#size.rows(purpose.from))) <= maxWholeRows;
    if (few) {
      const { row, json } = await this.page(list, rows, purpose);
      if (json !== undefined && Number(row.rows) <= maxWholeRows) return { json };
    }
    return { chunks: await this.stream(list, rows, {}, purpose) };
  }

  /** The rows of a page in chunks: between the places that were told, where they were, so that the two agree. */
  async stream(
    list: PreparedList,
    rows: RowReach,
    ends: PageEnds,
    purpose: ListPurpose,
  ): Promise<ArrayChunks> {
    const query = this.#streamQuery(list, rows, ends);
    return new ArrayChunks(await this.#through(purpose).stream(query, await knownCaller(purpose.by)));
  }

  #through({ within, from = this.#database }: ListPurpose): ListReader {
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
    return this.#size.isBrief && isOwnWork(list) ? { ...query, brief: true } : query;
  }

  #streamQuery(list: PreparedList, rows: RowReach, ends: PageEnds): Query {
    const { plan, parameters } = list;
    const until = ends.last && placeOf(parameters.sort, ends.last);
    const from = ends.first && placeOf(parameters.sort, ends.first);
    if (until === undefined || (ends.first !== undefined && from === undefined))
      return plan.stream(this.#values(list, rows, {}));
    const nulls = { last: until.map(isNull), first: from?.map(isNull) };
    const between = streamBetweenStatement(plan.shape, nulls, dialectOf(this.#database));
    return between(this.#values(list, rows, { until, ...(from && { from }) }));
  }

  /** The row of an aggregate, which is always there. */
  async #first(query: Query, direct: boolean, purpose: ListPurpose): Promise<PageRow> {
    const reader = this.#through(purpose);
    const row = direct
      ? await reader.get<PageRow>(query)
      : (await reader.scan<PageRow>(query, await knownCaller(purpose.by)))[0];
    if (row === undefined) throw new Error(`no row for: ${query.sql}`);
    return row;
  }
}
