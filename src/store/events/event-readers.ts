import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Database, SqlValue } from '../database.ts';
import { dialectOf } from '../dialects/registry.ts';
import { pathsOf, type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { type Argument, all, name, type Statement, sql, statement, where } from '../statement.ts';
import type { RecordedEvent } from './event-log.ts';
import { keptKind } from './kept-reach.ts';
import { Narrowing, type RecordValues, readerColumns } from './narrowing.ts';

/** Records that one statement asks about: its list has one of these lengths, so that there are few statements. */
const lengths = [1, 8, 64, 512] as const;

type ReachArguments = {
  readonly ids: readonly SqlValue[];
  readonly rows: readonly SqlValue[];
  readonly kept: readonly SqlValue[];
};

/** A text for each value that is kept: events of records that met the same rules are asked about once. */
const sameReach = ({ reach }: RecordedEvent): string => JSON.stringify(reach);

/** Answers who may be told of what happened to the records of one model. */
export const createEventReaders = (database: Database, model: ResourceModel, models: Models) => {
  const dialect = dialectOf(database);
  const statements = new BoundedCache<{
    readonly query: Statement<ReachArguments>;
    readonly paths: readonly string[];
  }>('eventStatements');
  const table = name(model.table);
  const value = (named: Argument<ReachArguments>) => (index: number) => named('rows', index);

  /** Those of the records that the reach holds now. */
  const among = (reach: RowReach, count: number) =>
    statements.getOrMake(`now ${count} ${reach.key}`, () => ({
      paths: [],
      query: statement<ReachArguments>(dialect, (named) => {
        const column = (of: string) => name(model.table, of);
        const met = reachConditions(reach.terms, column, value(named), 'hold', dialect);
        const ids = all(Array.from({ length: count }, (_, index) => named('ids', index)));
        return sql`select ${column('id')} as id from ${table}${where([...met, sql`${column('id')} in (${ids})`])}`;
      }),
    }));

  /** Whether the reach held a record of which these values were kept. */
  const before = (reach: RowReach) =>
    statements.getOrMake(`before ${reach.key}`, () => {
      const paths = [...new Set(reach.terms.flatMap(pathsOf))];
      const query = statement<ReachArguments>(dialect, (named) => {
        const column = (path: string) => {
          const kind = keptKind(model, models, path);
          if (kind === undefined) throw new Error(`nothing is kept of ${model.name} under ${path}`);
          return dialect.cast(named('kept', paths.indexOf(path)), kind);
        };
        const met = reachConditions(reach.terms, column, value(named), 'kept', dialect);
        return sql`select 1 as met${where(met)}`;
      });
      return { query, paths };
    });

  /** Records in parts of a few lengths, each filled up by its last one. */
  function* partsOf(records: readonly number[]): Generator<readonly number[]> {
    const longest = lengths.at(-1) ?? 1;
    for (let start = 0; start < records.length; start += longest) {
      const part = records.slice(start, start + longest);
      const count = lengths.find((length) => length >= part.length) ?? longest;
      const [last = 0] = part.slice(-1);
      yield [...part, ...Array.from({ length: count - part.length }, () => last)];
    }
  }

  const readNow = async (reach: RowReach, records: readonly number[]): Promise<ReadonlySet<number>> => {
    const found = new Set<number>();
    for (const ids of partsOf(records)) {
      const query = among(reach, ids.length).query({ ids, rows: reach.values, kept: [] });
      for (const { id } of await database.all<{ id: number }>(query)) found.add(Number(id));
    }
    return found;
  };

  const own = readerColumns(model);

  /** What the records hold in the columns that say whose they are. */
  const holding = (count: number) =>
    statements.getOrMake(`held ${count}`, () => ({
      paths: [],
      query: statement<ReachArguments>(dialect, (named) => {
        const ids = all(Array.from({ length: count }, (_, index) => named('ids', index)));
        return sql`select ${all(['id', ...own].map((of) => name(of)))} from ${table} where id in (${ids})`;
      }),
    }));

  const couldRead = async (reach: RowReach, { reach: kept }: RecordedEvent): Promise<boolean> => {
    if (reach.terms.length === 0) return true;
    // Forgotten, or written before there were rules.
    if (kept === null) return false;
    const { query, paths } = before(reach);
    const values = paths.map((path) => kept[path] ?? null);
    return (await database.get(query({ ids: [], rows: reach.values, kept: values }))) !== undefined;
  };

  return {
    /**
     * Leaves out, for many who ask about the same events of this model, what each of them certainly is not told; where
     * no rule says whose a record is, that is nothing.
     */
    narrow: async (events: readonly RecordedEvent[]): Promise<Narrowing | undefined> => {
      if (own.length === 0) return undefined;
      const values = new Map<number, RecordValues>();
      const there = events.filter(({ action }) => action !== 'destroy');
      for (const ids of partsOf([...new Set(there.map(({ record }) => record))])) {
        const query = holding(ids.length).query({ ids, rows: [], kept: [] });
        for (const row of await database.all<RecordValues>(query)) values.set(Number(row['id']), row);
      }
      return new Narrowing(events, own, values);
    },

    /**
     * Numbers of those events that whoever has the grant may be told: they read the record now or, where it was
     * destroyed, could read it before. All events are of this model.
     */
    told: async (grant: Grant, events: readonly RecordedEvent[]): Promise<ReadonlySet<number>> => {
      const reach = reachOf(grant);
      const told = new Set<number>();
      if (reach === undefined) return told;
      const destroyed = events.filter(({ action }) => action === 'destroy');
      const others = events.filter(({ action }) => action !== 'destroy');
      const readable = await readNow(reach, [...new Set(others.map(({ record }) => record))]);
      for (const { number, record } of others) if (readable.has(record)) told.add(number);
      for (const alike of Map.groupBy(destroyed, sameReach).values()) {
        const [first] = alike;
        if (first === undefined || !(await couldRead(reach, first))) continue;
        for (const { number } of alike) told.add(number);
      }
      return told;
    },
  };
};

export type EventReaders = ReturnType<typeof createEventReaders>;
