/** Runs an aggregate: from a grant and a query string to the groups of a page and their number. */

import { type Database, readerWithin, resolveCaller } from '../../database/database.ts';
import { type Source, timesOf } from '../../database/source.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Json } from '../../kernel/json.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import {
  exactTotal,
  type ListHeaders,
  type ListOptions,
  type ListRequest,
  noAdjacentPages,
  pageHeaders,
} from '../list/list.ts';
import { shapeOf } from '../list/parameters.ts';
import { valuesOf } from '../list/plan.ts';
import { invalidParameter } from '../list/query-string.ts';
import type { ListPurpose } from '../list/run.ts';
import { type RowReach, reachOf } from '../rows/reach.ts';
import { readerOf, type SourceView, SourceViews } from '../view.ts';
import { type AggregateParameters, groupFields, parseAggregateParameters } from './aggregate-parameters.ts';
import { type GroupValues, groupOf, groupsOfNothing } from './groups.ts';
import { aggregateStatement, type GroupsRow } from './statement.ts';
import { zoneValues } from './zone.ts';

/** A group: its keys and measures. */
export type Group = Readonly<Record<string, Json>>;

export interface AggregateAnswer {
  readonly groups: readonly Group[];
  /** Names of a group's values, in their order. */
  readonly fields: readonly string[];
  /** Number of groups on all pages. */
  readonly total: number;
  readonly headers: ListHeaders;
}

/**
 * Groups the records of a grant, and computes measures of each group.
 * @throws Problem `invalid_parameter`, also if an unpaged response has too many groups; `unusable_field`;
 * `invalid_record` for a time zone; errors of the database
 */
export type Aggregate = (
  grant: Grant,
  request: ListRequest,
  extra?: readonly RowCondition[],
) => Promise<AggregateAnswer>;

/** The groups of the page, and the number of all groups. */
interface FoundGroups {
  readonly groups: readonly GroupValues[];
  readonly total: number;
}

/**
 * From a query string to groups. It uses the parts of a list, so that it reveals no more than the list of the same
 * caller:
 *
 *     grant → view (which fields), row filter (which rows)
 *     query string → parameters → shape → one statement, whose single row is the page of groups and their number
 */
export const createAggregate = (database: Database, source: Source, options: ListOptions = {}): Aggregate => {
  const { maxPerPage = 1000, clock = systemClock } = options;
  const views = new SourceViews(source);
  const find = createFind(database, source, clock);

  return async (grant, { query, path, related, ...purpose }, extra = []) => {
    const { view } = views.of(grant);
    const parameters = parseAggregateParameters(view, query, maxPerPage, related);
    const { list } = parameters;
    const rows = reachOf(grant, extra);
    // If no row may be read, no statement is needed.
    const found =
      rows === undefined
        ? noRows(parameters)
        : await find(view, rows, { ...parameters, ...readerOf(grant) }, purpose);
    // Refused, since a sum over a shortened response would be wrong.
    if (list.paging.kind === 'all' && found.total > maxPerPage) throw invalidParameter('per_page');
    return {
      groups: found.groups.map((values) => groupOf(parameters, values)),
      fields: groupFields(parameters),
      total: found.total,
      headers: pageHeaders(list, path, exactTotal(found.total, list), noAdjacentPages),
    };
  };
};

const noRows = (parameters: AggregateParameters): FoundGroups => {
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
    parameters: AggregateParameters & { readonly reader: number | null },
    { by, within, from = database }: ListPurpose,
  ): Promise<FoundGroups> => {
    const { list, zone, reader: readerId } = parameters;
    const shape = shapeOf(view, rows, list);
    const statement = aggregateStatement(shape, parameters, database.dialect);
    const query = statement({
      ...valuesOf(list),
      rows: rows.values,
      reader: readerId,
      ...timesOf(source, clock),
      ...zoneValues(zone),
    });
    // A scan: every matching record is examined.
    const reader = within === undefined ? from : readerWithin(within);
    const [row] = await reader.scan<GroupsRow>(query, await resolveCaller(by));
    if (row === undefined) throw new Error(`no row for: ${query.sql}`);
    return { groups: JSON.parse(row.json), total: Number(row.total) };
  };
