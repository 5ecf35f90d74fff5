import { isUtf8 } from 'node:buffer';
import {
  type Database,
  type DeferredCaller,
  knownCaller,
  type ListReader,
  type Query,
  readerWithin,
  TooLongError,
  type Transaction,
} from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { type Source, timesOf } from '../../database/source.ts';
import type { Statement } from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import type { Clock } from '../../kernel/clock.ts';
import {
  assertNotTooMuch,
  isLight,
  lookAtAll,
  looksBeyond,
  maxAnswerBytes,
  refusingTooMuch,
} from '../relations/bounds.ts';
import type { RowReach } from '../rows/reach.ts';
import { ArrayChunks } from './array-chunks.ts';
import { placeOf } from './cursor.ts';
import { maxPieceBytes, maxWholeRows, type PreparedList } from './plan.ts';
import { ReachSizes } from './reach-sizes.ts';
import type { ListArguments } from './shape.ts';
import { SizeEstimate, smallTable } from './size-estimate.ts';
import { type PageRow, streamBetweenStatement } from './statements.ts';
import { Totals } from './totals.ts';

/** A JSON array in one piece, or in pieces that are made as they are read. */
export type FoundRows = { readonly json: string | Uint8Array } | { readonly chunks: ArrayChunks };

export interface FoundPage {
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
