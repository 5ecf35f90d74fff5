import { type Database, knownCaller, readerWithin } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { type Source, timesOf } from '../../database/source.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Json } from '../../kernel/json.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import { alone, type ListHeaders, type ListOptions, type ListRequest, pageHeaders } from '../list/list.ts';
import { shapeOf } from '../list/parameters.ts';
import { valuesOf } from '../list/plan.ts';
import { invalidParameter } from '../list/query-string.ts';
import type { ListPurpose } from '../list/run.ts';
import { type RowReach, reachOf } from '../rows/reach.ts';
import { type SourceView, SourceViews } from '../view.ts';
import { type GroupValues, groupOf, groupsOfNothing } from './groups.ts';
import { type AggregateParameters, groupFields, parseAggregateParameters } from './parameters.ts';
import { aggregateStatement, type GroupsRow } from './statement.ts';

/** A group: its keys, and what was computed of its records. */
export type Group = Readonly<Record<string, Json>>;

export interface AggregateAnswer {
  readonly groups: readonly Group[];
  /** What a group has, in its order. */
  readonly fields: readonly string[];
  /** Groups on all pages. */
  readonly total: number;
  readonly headers: ListHeaders;
}

/**
 * Groups the records that a grant lets see, and computes over them. Throws the problems `invalid_parameter` and
 * `unusable_field` for a query that it does not take, `invalid_parameter` where there are more groups than one answer
 * holds and no page was asked for, and what the database throws.
 */
export type Aggregate = (
  grant: Grant,
  request: ListRequest,
  extra?: readonly RowCondition[],
) => Promise<AggregateAnswer>;

/** What was found: values of the groups of the page, and how many there are in all. */
interface FoundGroups {
  readonly groups: readonly GroupValues[];
  readonly total: number;
}

/**
 * The way from a query string to groups, built of what a list is built of, so that it tells nothing that the list of
 * the same caller would not:
 *
 *     grant → view (which fields), row filter (which rows)
 *     query string → parameters → shape → one statement, whose single row is the page of groups and their number
 */
export const createAggregate = (database: Database, source: Source, options: ListOptions = {}): Aggregate => {
  const { maxPerPage = 1000, clock = systemClock } = options;
  const views = new SourceViews(source);
  const find = createFind(database, source, clock);

  return async (grant, { query, path, related, ...purpose }, extra = []) => {
    const { view } = views.of(grant.readable);
    const parameters = parseAggregateParameters(view, query, maxPerPage, related);
    const { list } = parameters;
    const rows = reachOf(grant, extra);
    // Who may see no row is answered without the database.
    const found = rows === undefined ? nothing(parameters) : await find(view, rows, parameters, purpose);
    // What is left out silently would be missing from every sum over the answer.
    if (list.paging.kind === 'all' && found.total > maxPerPage) throw invalidParameter('per_page');
    return {
      groups: found.groups.map((values) => groupOf(parameters, values)),
      fields: groupFields(parameters),
      total: found.total,
      headers: pageHeaders(list, path, found.total, alone),
    };
  };
};

const nothing = (parameters: AggregateParameters): FoundGroups => {
  const groups = groupsOfNothing(parameters);
  const { paging } = parameters.list;
  const skipped = paging.kind === 'page' && paging.page > 1;
  return { groups: skipped ? [] : groups, total: groups.length };
};

const createFind =
  (database: Database, source: Source, clock: Clock) =>
  async (
    view: SourceView,
    rows: RowReach,
    parameters: AggregateParameters,
    { by, within, from = database }: ListPurpose,
  ): Promise<FoundGroups> => {
    const { list, shift } = parameters;
    const shape = shapeOf(view, rows, list);
    const statement = aggregateStatement(shape, parameters, dialectOf(database));
    const query = statement({ ...valuesOf(list), rows: rows.values, ...timesOf(source, clock), shift });
    // Nothing bounds it: every record that matches is looked at.
    const reader = within === undefined ? from : readerWithin(within);
    const [row] = await reader.scan<GroupsRow>(query, await knownCaller(by));
    if (row === undefined) throw new Error(`no row for: ${query.sql}`);
    return { groups: JSON.parse(row.json), total: Number(row.total) };
  };
