/** Interfaces of full-text search: a search within rows, its ranked matches, and the SQL of each database for both. */

import type { Fragment } from './statement.ts';

/** The full-text search of a table: a table of its own with the words, which triggers keep up to date. */
export interface SearchIndex {
  /** The table with the records. */
  readonly of: string;
  /** Columns whose texts are searched, one to four, by falling weight. */
  readonly columns: readonly string[];
}

/** A search within the rows `t` of a source. */
export interface SearchRequest {
  readonly index: SearchIndex;
  /** Columns in which words may be found: the caller reads them. */
  readonly columns: readonly string[];
  /** The words of `searchWords`, separated by spaces. */
  readonly words: Fragment;
}

/** A search whose matches are ranked. */
export interface RankedSearch extends SearchRequest {
  /** The source of the rows, `"orders" as "t"`, and their key. */
  readonly source: Fragment;
  readonly key: Fragment;
  /** Conditions of the row filter. */
  readonly reach: readonly Fragment[];
  /**
   * The row filter in parts, each of which an index finds, and which have no row in common; undefined if no index finds
   * the rows.
   */
  readonly parts: readonly (readonly Fragment[])[] | undefined;
  /** Conditions of the request. */
  readonly filters: readonly Fragment[];
  /** The number of rows up to the first one after the page. */
  readonly until: Fragment;
}

/** The parts of a statement with ranked matches. */
export interface RankedMatches {
  /**
   * Common table expressions. `_matches (id, whole)`: the first matches, at least `until` and `rankedMatches`. Those
   * with `whole = 1`, which have each word itself, come before those with `whole = 0`, which have only a beginning of
   * the last one; of each kind the newest come first. `_ranked (id, score)`: the first `rankedMatches` of these; a
   * better match has a greater score among those of its kind.
   */
  readonly tables: readonly Fragment[];
  /** Number of matches, at most the greater of `until` and `rankedMatches`. */
  readonly count: Fragment;
}

/**
 * Matches that are ranked, and counted for a total: those with the words themselves before those with a beginning, of
 * each kind the newest.
 * @limit Lists | ranked and counted matches of a search | count | follow, those with the words themselves first, of
 *   each kind the newest
 */
export const rankedMatches = 1000;

/** Weights of the fields in their order. */
export const fieldWeights = [1, 0.25, 0.12, 0.06] as const;

/** The SQL of full-text search. */
export interface SearchDialect {
  /** The condition that a record with this key matches. */
  matches(key: Fragment, request: SearchRequest): Fragment;
  ranked(search: RankedSearch): RankedMatches;
}

/** The SQL of migrations for full-text search. */
export interface SearchSchema {
  /** Statements that create the index, without words, and keep it up to date from then on. */
  create(index: SearchIndex): readonly string[];
  /** Statement that makes the words of the records with keys from `lowest` to below `below` that have none. */
  fill(index: SearchIndex, lowest: number, below: number): string;
  /** Statements that follow the last of these. */
  complete(index: SearchIndex): readonly string[];
  /** Statements that begin a transaction beside writes of the service. */
  readonly begin: readonly string[];
  /**
   * Statements that replace what an earlier release has made to keep it up to date, and leave the words as they are.
   */
  renew(index: SearchIndex): readonly string[];
  /** Statements that drop it. */
  drop(table: string): readonly string[];
  /** Statements that make the words of all records again. */
  refill(index: SearchIndex): readonly string[];
}
