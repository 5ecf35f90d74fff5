import { isUtf8 } from 'node:buffer';
import type { ColumnValue } from '../fields/field.ts';
import type { Clock } from '../kernel/clock.ts';
import { ArrayChunks } from './array-chunks.ts';
import { parsePlace, placeOf } from './cursor.ts';
import type { Asker, Caller, Database, Query } from './database.ts';
import { maxPieceBytes, maxWholeRows, type PreparedList } from './list-plan.ts';
import { anchorStatement, type PageRow, streamBetweenStatement, toQuery, weightStatement } from './query.ts';
import type { Scope } from './scope.ts';
import { skippedRows } from './shape.ts';
import { SizeEstimate, smallTable } from './size-estimate.ts';
import type { Sort } from './sort.ts';
import type { Source } from './source.ts';
import { Totals } from './totals.ts';

/** A JSON array in one piece, or in pieces that are made as they are read. */
export type FoundRows =
  | { readonly json: string | Uint8Array }
  | { readonly chunks: AsyncIterableIterator<string> };

export interface FoundPage {
  readonly row: PageRow;
  /** Absent where a row was too large for one piece. */
  readonly json: string | Uint8Array | undefined;
}

/** Places of a page's first and last row, where cursors that were answered stand for them. */
export interface PageEnds {
  readonly first?: readonly unknown[] | undefined;
  readonly last?: readonly unknown[] | undefined;
}

const isNull = (value: ColumnValue): boolean => value === null;

const pageQuery = (list: PreparedList, scope: Scope): Query =>
  list.query ?? toQuery(list.page, [...scope.values, ...list.values]);

/** The same page with a total that is known, or with other bytes up to which a row is answered at once. */
const pageQueryWith = (
  list: PreparedList,
  scope: Scope,
  total: number | null,
  rowBytes: number = list.rowBytes,
): Query => toQuery(list.page, [...scope.values, ...list.values.slice(0, -2), total, rowBytes]);

/** A program that writes to the file beside the service may have left a text that is no UTF-8; no answer is to be. */
const readable = (json: PageRow['json']): string | Uint8Array =>
  typeof json === 'string' || isUtf8(json) ? json : Buffer.from(json).toString();

const found = (row: PageRow, rowBytes: number): FoundPage => ({
  row,
  json: Number(row.widest ?? 0) <= rowBytes ? readable(row.json) : undefined,
});

/** Who it is, asked where work begins that callers share; pages of which an index bounds the work ask nobody. */
const known = async (by: Asker | undefined): Promise<Caller | undefined> =>
  by && { caller: await by.caller, signal: by.signal, cut: (reason) => by.cut(reason) };

/** Runs prepared lists on the database, each where its cost belongs. */
export class ListRows {
  readonly #database: Database;
  readonly #source: Source;
  readonly #size: SizeEstimate;
  readonly #totals: Totals;

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#source = source;
    this.#size = new SizeEstimate(database, source, clock);
    this.#totals = new Totals(database);
  }

  /**
   * The page in one row. Where a row is too large for its share of one piece although all of them together are not too
   * much, the page is asked for again with all.
   */
  async page(list: PreparedList, scope: Scope, by?: Asker): Promise<FoundPage> {
    const { row, direct } = await this.#pageRow(list, scope, by);
    const page = found(row, list.rowBytes);
    if (page.json !== undefined) return page;
    const weight = weightStatement(list.shape, this.#database.dialect);
    const values = [...scope.values, ...list.values];
    const { bytes } = await this.#first<{ bytes: number | null }>(toQuery(weight, values), direct, by);
    if (Number(bytes) > maxPieceBytes) return page;
    const again = await this.#first<PageRow>(pageQueryWith(list, scope, null, maxPieceBytes), direct, by);
    return found(again, maxPieceBytes);
  }

  async #pageRow(
    list: PreparedList,
    scope: Scope,
    by: Asker | undefined,
  ): Promise<{ row: PageRow; direct: boolean }> {
    // Awaited only where the size is needed and not known.
    const small = list.bounded || (this.#size.known() ?? (await this.#size.rows())) <= smallTable;
    if (small) return { row: await this.#first<PageRow>(pageQuery(list, scope), true, by), direct: true };
    const revision = this.#totals.revision();
    const total = this.#totals.at(revision, list, scope);
    if (total !== undefined) {
      const direct = list.boundedRows && skippedRows(list.parameters) <= smallTable;
      const row = await this.#first<PageRow>(pageQueryWith(list, scope, total), direct, by);
      // Somebody may have written between the two.
      if (this.#totals.revision() === revision) return { row, direct };
    }
    const row = await this.#first<PageRow>(pageQuery(list, scope), false, by);
    if (row.total != null) this.#totals.keep(revision, list, scope, Number(row.total));
    return { row, direct: false };
  }

  /** Every row that matches: in one piece while they are few, else in chunks from one snapshot. */
  async all(list: PreparedList, scope: Scope, by?: Asker): Promise<FoundRows> {
    // Asking for a piece of what is known to be too much would only cost time.
    const few = !list.whole || (this.#size.known() ?? (await this.#size.rows())) <= maxWholeRows;
    if (few) {
      const { row, json } = await this.page(list, scope, by);
      if (json !== undefined && Number(row.rows) <= maxWholeRows) return { json };
    }
    return { chunks: await this.stream(list, scope, {}, by) };
  }

  /** The rows of a page in chunks: between the places that were told, where they were, so that the two agree. */
  async stream(
    list: PreparedList,
    scope: Scope,
    ends: PageEnds,
    by: Asker | undefined,
  ): Promise<AsyncIterableIterator<string>> {
    const query = await this.#streamQuery(list, scope, ends);
    return new ArrayChunks(await this.#database.stream(query, await known(by)));
  }

  /** The sort values of the row with a key; undefined where the caller sees no such row (any more). */
  async anchor(sort: Sort, scope: Scope, key: ColumnValue): Promise<readonly ColumnValue[] | undefined> {
    const statement = anchorStatement(this.#source, scope.columns, sort, this.#database.dialect);
    const row = await this.#database.get<{ place: string }>(toQuery(statement, [...scope.values, key]));
    const place = row === undefined ? undefined : placeOf(sort, parsePlace(row.place));
    return place?.kind === 'values' ? place.values : undefined;
  }

  /** The row of an aggregate, which is always there. */
  async #first<Row>(query: Query, direct: boolean, by: Asker | undefined): Promise<Row> {
    const row = direct
      ? await this.#database.get<Row>(query)
      : (await this.#database.scan<Row>(query, await known(by)))[0];
    if (row === undefined) throw new Error(`no row for: ${query.sql}`);
    return row;
  }

  async #streamQuery(list: PreparedList, scope: Scope, ends: PageEnds): Promise<Query> {
    const values = [...scope.values, ...list.values];
    const { sort } = list.parameters;
    const last = ends.last && (await this.#valuesOf(sort, scope, ends.last));
    const first = ends.first && (await this.#valuesOf(sort, scope, ends.first));
    // A row that went meanwhile tells no place any more.
    if (last === undefined || (ends.first !== undefined && first === undefined))
      return toQuery(list.stream, values);
    const nulls = { last: last.map(isNull), first: first?.map(isNull) };
    const statement = streamBetweenStatement(list.shape, nulls, this.#database.dialect);
    return toQuery(statement, [...values, ...last, ...(first ?? [])]);
  }

  async #valuesOf(
    sort: Sort,
    scope: Scope,
    values: readonly unknown[],
  ): Promise<readonly ColumnValue[] | undefined> {
    const place = placeOf(sort, values);
    return place?.kind === 'anchor' ? this.anchor(sort, scope, place.key) : place?.values;
  }
}
