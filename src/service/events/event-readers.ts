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
import type { Grant } from '../../policy/grant.ts';
import { keptColumn } from '../../records/history/kept-reach.ts';
import type { ColumnSql, ConditionPurpose } from '../../records/rows/expression.ts';
import { type RowReach, reachConditions, reachOf } from '../../records/rows/reach.ts';
import type { RecordedEvent } from './event-log.ts';
import { Narrowing, type RecordValues, readerColumns } from './narrowing.ts';

/** Rows that one statement asks about: its list has one of these lengths, so that there are few statements. */
const lengths = [1, 8, 64, 512] as const;

type ReachArguments = {
  readonly ids: readonly SqlValue[];
  readonly rows: readonly SqlValue[];
};

/** Which sides of a write are such that somebody may read them, each by its own values. */
export interface SeenSides {
  readonly before: boolean;
  readonly after: boolean;
}

/** Decides who may receive the events of one model's records. */
export const createEventReaders = (database: Database, model: ResourceModel, models: Models) => {
  const dialect = dialectOf(database);
  /** By the number of events and the columns of the row filter; models are fixed and values are bound. */
  const statements = new BoundedCache<Statement<ReachArguments>>(256);
  const table = identifier(model.table);
  const value = (param: Argument<ReachArguments>) => (index: number) => param('rows', index);

  const event = '_event';

  /**
   * Returns the events that a caller with the reach may receive, and which of their sides they see. An event that
   * another release has written keeps no sides: where the record has not been written since, it is now what it was
   * after.
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

  /** Ids in parts of a few lengths, each filled up by its last one. */
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

  /** Reads the columns of the records that say whose they are. */
  const holding = (count: number) =>
    statements.getOrMake(`held ${count}`, () =>
      statement<ReachArguments>(dialect, (param) => {
        const ids = join(Array.from({ length: count }, (_, index) => param('ids', index)));
        return sql`select ${join(['id', ...own].map((of) => identifier(of)))} from ${table} where id in (${ids})`;
      }),
    );

  return {
    /**
     * Leaves out, for many callers who follow the same events of this model, those that each certainly may not receive;
     * where no rule says whose a record is, that is nothing.
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
     * Returns the events that a caller with the grant may receive, by their numbers, and which sides of each they see.
     * They read the record now, and as it was before or after; where it was destroyed, they could read it before. All
     * events are of this model.
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
