import type { Database, SqlValue } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  type Statement,
  sql,
  statement,
} from '../../database/statement.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import type { Grant } from '../../policy/grant.ts';
import { keptColumn } from '../../records/history/recorded.ts';
import type { ColumnSql, ConditionPurpose } from '../../records/rows/expression.ts';
import { type ReachTerm, type RowReach, reachConditions, reachOf } from '../../records/rows/reach.ts';
import type { RecordedEvent } from './event-log.ts';

/** Values of a record by column; of a deleted record, the values that its event keeps. */
export type RecordValues = Readonly<Record<string, unknown>>;

const ownIn = (expression: RowExpression): readonly string[] => {
  if ('rules' in expression) return expression.rules.flatMap(ownIn);
  return expression.kind === 'own' ? [expression.column] : [];
};

/** Returns the columns that contain the id of the user who may read the record, by the row rule of reading. */
export const readerColumns = ({ rules: { isolation }, owner }: ResourceModel): readonly string[] => {
  if (isolation === undefined) return [];
  if (isolation.byOwner === true) return owner === undefined ? [] : [owner];
  return [...new Set(ownIn(isolation.read.expression))];
};

const isSame = (one: unknown, other: unknown): boolean =>
  one !== null && one !== undefined && Number(one) === Number(other);

/**
 * Events with values of their records, which are read once for many callers. It removes events that a caller
 * certainly may not receive; a statement decides about the rest.
 */
export class Narrowing {
  readonly #events: readonly RecordedEvent[];
  readonly #columns: readonly string[];
  readonly #values: ReadonlyMap<number, RecordValues>;
  /** Events by the value of a column of their records. */
  readonly #indexes = new Map<string, ReadonlyMap<number, readonly RecordedEvent[]>>();

  /** @param values by id of the record */
  constructor(
    events: readonly RecordedEvent[],
    columns: readonly string[],
    values: ReadonlyMap<number, RecordValues>,
  ) {
    this.#events = events;
    this.#columns = columns;
    this.#values = values;
  }

  /** Returns the events that a caller with the reach may possibly receive. */
  left({ terms, values }: RowReach): readonly RecordedEvent[] {
    const own = terms.findIndex((term) => typeof term === 'string' && this.#columns.includes(term));
    const column = terms[own];
    const events = typeof column === 'string' ? this.#with(column, Number(values[own])) : this.#events;
    if (terms.length === (column === undefined ? 0 : 1)) return events;
    return events.filter((event) => {
      const record = this.#valuesOf(event);
      return record !== undefined && terms.every((term, index) => this.#holds(term, record, values[index]));
    });
  }

  #valuesOf({ action, reach, record }: RecordedEvent): RecordValues | undefined {
    return action === 'destroy' ? (reach ?? undefined) : this.#values.get(record);
  }

  #with(column: string, value: number): readonly RecordedEvent[] {
    let index = this.#indexes.get(column);
    if (index === undefined) {
      index = Map.groupBy(this.#events, (event) => {
        const held = this.#valuesOf(event)?.[column];
        return held === null || held === undefined ? Number.NaN : Number(held);
      });
      this.#indexes.set(column, index);
    }
    return index.get(value) ?? [];
  }

  /** Whether a condition may hold; true if that cannot be decided here. */
  #holds(term: ReachTerm, record: RecordValues, value: unknown): boolean {
    if (typeof term === 'string') return !this.#columns.includes(term) || isSame(record[term], value);
    switch (term.kind) {
      case 'own':
        return isSame(record[term.column], value);
      case 'anyOf':
        return term.rules.some((rule) => this.#holds(rule, record, value));
      case 'allOf':
        return term.rules.every((rule) => this.#holds(rule, record, value));
      default:
        return true;
    }
  }
}

/** Lengths of the list of ids in a statement. There are few, so that few statements are compiled. */
const lengths = [1, 8, 64, 512] as const;

type ReachArguments = {
  readonly ids: readonly SqlValue[];
  readonly rows: readonly SqlValue[];
};

/** Which sides of a write a reader may read, each by its own values. */
export interface SeenSides {
  readonly before: boolean;
  readonly after: boolean;
}

/** Creates the functions that decide who may receive the events of one model's records. */
export const createEventReaders = (database: Database, model: ResourceModel, models: Models) => {
  const dialect = dialectOf(database);
  /** By the number of events and the columns of the row filter; the models are fixed and values are bound. */
  const statements = new BoundedCache<Statement<ReachArguments>>(256);
  const table = identifier(model.table);
  const value = (param: Argument<ReachArguments>) => (index: number) => param('rows', index);

  const event = '_event';

  /**
   * Returns the events that a caller with the reach may receive, and which of their sides they may read. An event
   * that another release has written keeps no sides: if the record has not been written since, its current state is
   * the one after the event.
   */
  const seen = (reach: RowReach, count: number) =>
    statements.getOrMake(`seen ${count} ${reach.key}`, () =>
      statement<ReachArguments>(dialect, (param) => {
        const met = (column: ColumnSql, purpose: ConditionPurpose): Fragment => {
          const conditions = reachConditions(reach.terms, column, value(param), purpose, dialect);
          return conditions.length === 0 ? sql`1 = 1` : sql`(${join(conditions, ' and ')})`;
        };
        const kept = (...keys: readonly string[]): ColumnSql =>
          keptColumn(model, models, dialect, identifier(event, 'reach'), keys);
        const before = met(kept('before'), 'hold');
        const after = met(kept('after'), 'hold');
        const unchanged = sql`${identifier(event, 'reach')} is null and ${identifier(model.table, 'version')} = ${identifier(event, 'version')}`;
        const now = sql`exists (select 1 from ${table} where ${identifier(model.table, 'id')} = ${identifier(event, 'record_id')}
          and ${met((of) => identifier(model.table, of), 'hold')} and (${before} or ${after} or ${unchanged}))`;
        const isGone = sql`${identifier(event, 'action')} = 'destroy'`;
        const flag = (condition: Fragment, as: string): Fragment =>
          sql`case when ${condition} then 1 else 0 end as ${identifier(as)}`;
        const ids = join(Array.from({ length: count }, (_, index) => param('ids', index)));
        return sql`select ${identifier(event, 'id')} as id, ${flag(before, 'before')},
          ${flag(sql`${after} or ${identifier(event, 'reach')} is null`, 'after')}
          from gatewright_events as ${identifier(event)} where ${identifier(event, 'id')} in (${ids})
          and ((${isGone} and ${met(kept(), 'kept')}) or (not ${isGone} and ${now}))`;
      }),
    );

  /** Splits ids into lists of the given lengths, each padded with its last id. */
  function* partsOf(ids: readonly number[]): Generator<readonly number[]> {
    const longest = lengths.at(-1) ?? 1;
    for (let start = 0; start < ids.length; start += longest) {
      const part = ids.slice(start, start + longest);
      const count = lengths.find((length) => length >= part.length) ?? longest;
      const [last = 0] = part.slice(-1);
      yield [...part, ...Array.from({ length: count - part.length }, () => last)];
    }
  }

  const own = readerColumns(model);

  /** Reads the columns of the records that contain the ids of users. */
  const holding = (count: number) =>
    statements.getOrMake(`held ${count}`, () =>
      statement<ReachArguments>(dialect, (param) => {
        const ids = join(Array.from({ length: count }, (_, index) => param('ids', index)));
        return sql`select ${join(['id', ...own].map((of) => identifier(of)))} from ${table} where id in (${ids})`;
      }),
    );

  return {
    /**
     * Prepares events of this model for many callers, and removes those that a caller certainly may not receive;
     * undefined if no row rule depends on a user's id.
     */
    narrow: async (events: readonly RecordedEvent[]): Promise<Narrowing | undefined> => {
      if (own.length === 0) return undefined;
      const values = new Map<number, RecordValues>();
      const there = events.filter(({ action }) => action !== 'destroy');
      for (const ids of partsOf([...new Set(there.map(({ record }) => record))])) {
        const query = holding(ids.length)({ ids, rows: [] });
        for (const row of await database.all<RecordValues>(query)) values.set(Number(row['id']), row);
      }
      return new Narrowing(events, own, values);
    },

    /**
     * Returns the events that a caller with the grant may receive, by number, with the sides that they may read:
     * events of records that they may read now and that they could read before or after the event; of a deleted
     * record, those that they could read before. All events are of this model.
     */
    seen: async (
      grant: Grant,
      events: readonly Pick<RecordedEvent, 'number'>[],
    ): Promise<ReadonlyMap<number, SeenSides>> => {
      const reach = reachOf(grant);
      const found = new Map<number, SeenSides>();
      if (reach === undefined) return found;
      for (const ids of partsOf(events.map(({ number }) => number))) {
        const query = seen(reach, ids.length)({ ids, rows: reach.values });
        for (const row of await database.all<Record<'id' | 'before' | 'after', number>>(query))
          found.set(Number(row.id), { before: Number(row.before) === 1, after: Number(row.after) === 1 });
      }
      return found;
    },
  };
};

export type EventReaders = ReturnType<typeof createEventReaders>;
