/**
 * Log of the changes of records; each event is written in the transaction of its change. Events are numbered in the
 * order of their commits: a reader that has seen a number has seen every lower one that will ever exist, so a
 * position in the log is one number. Where commits may overtake each other (`Dialect.commitOrderLock`), writes put
 * their events into an inbox, and every reader first has them numbered.
 */

import type { Database, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import {
  columnsOfNew,
  columnsOfRecord,
  readId,
  recordStatement,
  recordValue,
  storedRecord,
} from '../database/record-column.ts';
import { timeText } from '../database/source.ts';
import {
  type Argument,
  columnsOfRows,
  type Fragment,
  identifier,
  join,
  literal,
  own,
  RowStatements,
  rowsOf,
  type Statement,
  sql,
  statement,
  tableName,
} from '../database/statement.ts';
import type { RecordId, RecordKey } from '../fields/key.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { FieldMask, Grant, MaskedFields } from '../policy/grant.ts';
import type { CompanionInsert, WrittenColumns } from '../records/companion-inserts.ts';
import {
  type ActorRow,
  actorColumns,
  actorColumnValues,
  actorRow,
  createCompanions,
  keptColumn,
  type RecordedAction,
  type RecordedActor,
  recordedActor,
} from '../records/history.ts';
import { hiddenFields, maskFlags, showsFields } from '../records/masked-source.ts';
import {
  type ColumnSql,
  type ConditionPurpose,
  type RowReach,
  reachConditions,
  reachOf,
} from '../records/rows.ts';
import { readerOf } from '../records/view.ts';

/** An event, as it is written. */
export interface NewEvent {
  readonly model: string;
  readonly record: RecordId;
  readonly version: number;
  readonly action: RecordedAction;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: RecordedActor;
  /** Names of the changed fields. */
  readonly fields: readonly string[];
  /** JSON text: `keptReach` of a deleted record, otherwise `keptSides`. */
  readonly reach: string | null;
}

/** An event, as it is read. */
export interface RecordedEvent {
  readonly number: number;
  readonly model: string;
  readonly record: RecordId;
  readonly version: number;
  readonly action: RecordedAction;
  readonly at: string;
  readonly actor: RecordedActor;
  readonly fields: readonly string[];
  readonly reach: JsonObject | null;
}

interface EventRow extends ActorRow {
  readonly id: number;
  readonly model: string;
  readonly record_id: number;
  readonly record_key: string | null;
  readonly version: number;
  readonly action: RecordedAction;
  readonly at: string;
  readonly fields: string;
  readonly reach: string | null;
}

/** The columns, each with its value in a companion insert. */
const taken = {
  model: 'text',
  record_id: 'record',
  record_key: 'text',
  version: 'recordVersion',
  action: 'text',
  at: 'timestamp',
  ...actorColumnValues,
  fields: 'json',
  reach: 'json',
} as const;
type Column = keyof typeof taken;
const columns = Object.keys(taken) as readonly Column[];

const tables = { log: 'gatewright_events', inbox: 'gatewright_event_inbox' } as const;
const log = tableName(tables.log);
const inbox = tableName(tables.inbox);
const listed = join(columns.map((each) => identifier(each)));

/** Channel on which processes notify each other of new events. */
export const eventChannel = 'gatewright_events';

/** Days for which events are kept. */
export const eventDays = 30;

const recordedEvent = (row: EventRow): RecordedEvent => ({
  number: Number(row.id),
  model: row.model,
  record: storedRecord(row),
  version: Number(row.version),
  action: row.action,
  at: row.at,
  actor: recordedActor(row),
  fields: JSON.parse(row.fields),
  reach: row.reach === null ? null : JSON.parse(row.reach),
});

/** Returns the values of an event that the statements bind, by column. */
const eventRow = ({ at, actor, fields, ...event }: Omit<NewEvent, 'record' | 'version'>) => ({
  ...event,
  ...actorRow(actor),
  at: toTimestamp(at),
  fields: JSON.stringify(fields),
});

/** Numbers of events that one statement saw in the inbox, and that it numbered. */
export interface NumberedEvents {
  readonly seen: number;
  readonly numbered: number;
}

/** Number of events that one statement numbers or removes, so that no write waits long for it. */
const step = 1_000;

/**
 * Returns the statement that numbers events of the inbox, by a sequence of the database, which continues even after
 * the log was emptied; undefined if the database needs no inbox. The snapshot of the statement is older than the lock
 * for which it waits: another process may have numbered events that it sees. The inbox is empty once a statement saw
 * fewer than a step and numbered all of them (`isInboxEmpty`).
 */
export const numberInbox = (dialect: Dialect) =>
  dialect.commitOrderLock &&
  statement(
    dialect,
    () => sql`with taken as materialized (${dialect.commitOrderLock ?? sql``}),
        seen as materialized (
          select id from ${inbox} cross join taken order by id limit ${literal(step)}),
        gone as (delete from ${inbox} where id in (select id from seen) returning *),
        numbered as (insert into ${log} (${listed}) select ${listed} from gone order by id returning id)
        select (select count(*) from seen) as seen, (select count(*) from numbered) as numbered`,
  );

/** Tells whether all events that were committed before the statement are numbered. */
export const isInboxEmpty = (row: NumberedEvents | undefined): boolean =>
  row === undefined || (Number(row.seen) < step && Number(row.numbered) === Number(row.seen));

/** The columns of an event, as they are read. */
const shownColumns = (dialect: Dialect): Fragment => {
  const text = (column: string): Fragment =>
    sql`cast(${identifier(column)} as text) as ${identifier(column)}`;
  return join([
    ...['id', 'model', 'record_id', 'record_key', 'version', 'action', ...actorColumns].map((each) =>
      identifier(each),
    ),
    sql`${timeText(dialect, identifier('at'))} as at`,
    text('fields'),
    text('reach'),
  ]);
};

/** Conditions of a reading of the log from its end on; each may be absent. */
export interface EventFilter {
  readonly model?: string | undefined;
  readonly action?: RecordedAction | undefined;
  /** Id of the user who made the change. */
  readonly user?: number | undefined;
}

/** A part of the log: the events whose numbers are at least `from`, and less than `below`. */
export interface EventPart {
  readonly from: number;
  readonly below: number;
}

type EarlierArguments = {
  readonly from: number;
  readonly below: number;
  readonly limit: number;
  readonly model: string;
  readonly action: string;
  readonly user: string;
};

/** The statement that reads a part of the log, the latest event first. */
const earlierStatement = (dialect: Dialect, { model, action, user }: EventFilter) =>
  statement<EarlierArguments>(dialect, (value) => {
    const conditions = [sql`id >= ${value('from')} and id < ${value('below')}`];
    if (model !== undefined) conditions.push(sql`model = ${value('model')}`);
    if (action !== undefined) conditions.push(sql`action = ${value('action')}`);
    if (user !== undefined) conditions.push(sql`actor_kind = 'user' and actor_id = ${value('user')}`);
    return sql`select ${shownColumns(dialect)} from ${log} where ${join(conditions, ' and ')}
      order by id desc limit ${dialect.rows(value('limit'))}`;
  });

/** The statements of the log, without the inserts of events. */
const logStatements = (dialect: Dialect) => {
  const shown = shownColumns(dialect);
  return {
    number: numberInbox(dialect),
    after: statement<{ number: number; limit: number }>(
      dialect,
      (value) =>
        sql`select ${shown} from ${log} where id > ${value('number')} order by id limit ${dialect.rows(value('limit'))}`,
    ),
    timeFrom: statement<{ number: number }>(
      dialect,
      (value) =>
        sql`select id, ${timeText(dialect, identifier('at'))} as at from ${log} where id >= ${value('number')} order by id limit 1`,
    ),
    // Two subqueries: with both aggregates in one, SQLite would read every event.
    ends: statement(
      dialect,
      () => sql`select (select min(id) from ${log}) as first, (select max(id) from ${log}) as last`,
    ),
    // The newest event is kept, so that the log always knows its last number.
    remove: statement<{ before: string; limit: number }>(
      dialect,
      (value) => sql`delete from ${log} where id in (
          select id from ${log} order by id limit ${dialect.rows(value('limit'))}
        ) and at < ${dialect.cast(value('before'), 'timestamp')} and id < (select max(id) from ${log}) returning id`,
    ),
    forget: recordStatement<{ model: string; after: number; to: number }>(
      dialect,
      (
        value,
        isAbout,
      ) => sql`update ${log} set reach = null where id > ${value('after')} and id <= ${value('to')}
        and model = ${value('model')} and ${isAbout} and reach is not null`,
    ),
  };
};

/** The first number that is kept, and the last one that was given; 0 if there was never an event. */
export interface EventRange {
  readonly first: number;
  readonly last: number;
}

export class EventLog {
  readonly #database: Database;
  readonly #statements: ReturnType<typeof logStatements>;
  readonly #inserts: RowStatements;
  /** The key is the set of conditions of a filter: eight at most. */
  readonly #earlier = new BoundedCache<Statement<EarlierArguments>>(8);
  readonly #companions: ReturnType<typeof createCompanions<typeof taken>>;

  constructor(database: Database) {
    const { dialect } = database;
    const written = dialect.commitOrderLock === undefined ? tables.log : tables.inbox;
    this.#database = database;
    this.#statements = logStatements(dialect);
    this.#inserts = new RowStatements(
      dialect,
      columns.length,
      (rows) => sql`insert into ${tableName(written)} (${listed}) values ${rows}`,
    );
    this.#companions = createCompanions(dialect, written, taken);
  }

  /** Writes events in the transaction of their changes, so that neither exists without the other. */
  async append(transaction: Transaction, events: readonly NewEvent[]): Promise<void> {
    const rows = events.map(({ record, version, ...event }) => {
      const row: Readonly<Record<Column, SqlValue>> = {
        ...eventRow(event),
        ...columnsOfRecord(record),
        version,
      };
      return columns.map((column) => row[column]);
    });
    await this.#inserts.write(transaction, rows);
  }

  /** The same as a companion of the insert of the record; needs `Dialect.writeWithCte`. */
  companion(
    event: Omit<NewEvent, 'record' | 'version' | 'reach'>,
    record: RecordId | undefined,
    key: RecordKey,
    reach: (written: WrittenColumns) => Fragment,
  ): CompanionInsert {
    const about = record === undefined ? {} : columnsOfRecord(record);
    const computed = record === undefined ? columnsOfNew(this.#database.dialect, key) : {};
    return this.#companions({ ...eventRow({ ...event, reach: null }), ...about }, { ...computed, reach });
  }

  /** Numbers all events that were committed before the call. */
  async settle(): Promise<void> {
    const { number } = this.#statements;
    if (number === undefined) return;
    for (;;) {
      const [row] = await this.#database.execute<NumberedEvents>(number({}));
      if (isInboxEmpty(row)) return;
    }
  }

  /** Returns events after a number, in the order of their commits. */
  async after(number: number, limit: number): Promise<readonly RecordedEvent[]> {
    const rows = await this.#database.all<EventRow>(this.#statements.after({ number, limit }));
    return rows.map(recordedEvent);
  }

  /** Returns events of a part of the log that meet the filter, the latest first. */
  async earlier(
    { from, below }: EventPart,
    filter: EventFilter,
    limit: number,
  ): Promise<readonly RecordedEvent[]> {
    const { model = '', action = '', user } = filter;
    const shape = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const query = this.#earlier.getOrMake(shape.sort().join(' '), () =>
      earlierStatement(this.#database.dialect, filter),
    );
    const values = { from, below, limit, model, action, user: String(user) };
    return (await this.#database.all<EventRow>(query(values))).map(recordedEvent);
  }

  /**
   * Returns a number before which every event is older than the time (milliseconds since the epoch), as far as events
   * are in the order of their times: commits may overtake each other by the duration of a transaction.
   */
  async numberAt(time: number, { first, last }: EventRange): Promise<number> {
    let [low, high] = [first, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = await this.#database.get<{ id: number; at: string }>(
        this.#statements.timeFrom({ number: middle }),
      );
      if (row === undefined || Date.parse(row.at) >= time) high = middle;
      else low = Number(row.id) + 1;
    }
    return low;
  }

  async range(): Promise<EventRange> {
    const query = this.#statements.ends({});
    const row = await this.#database.get<{ first: number | null; last: number | null }>(query);
    return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
  }

  /** A value that stays the same while nothing is written to the log; undefined if the database has none. */
  revision(): number | undefined {
    return this.#database.revision?.(this.#statements.after.sql);
  }

  /** Removes events before a time (milliseconds since the epoch), in steps; returns their number. */
  async purge(before: number, pause: () => Promise<void>): Promise<number> {
    const query = this.#statements.remove({ before: toTimestamp(before), limit: step });
    for (let removed = 0; ; await pause()) {
      const rows = await this.#database.execute(query);
      removed += rows.length;
      if (rows.length < step) return removed;
    }
  }

  /**
   * Removes the values that events keep of a record; the events themselves stay. Returns the number of changed
   * events.
   */
  async forget(model: string, record: RecordId): Promise<number> {
    await this.settle();
    const { first, last } = await this.range();
    let events = 0;
    for (let number = first - 1; number < last; number += 10 * step) {
      const query = this.#statements.forget({
        model,
        record,
        after: number,
        to: number + 10 * step,
      });
      events += await this.#database.write((transaction) => transaction.run(query));
    }
    return events;
  }
}

// Readers of events

/** Values of a record by column; of a deleted record, the values that its event keeps. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** Columns that contain ids of readers, and their values by the id of the record. */
export interface RecordReaders {
  readonly columns: readonly string[];
  readonly values: ReadonlyMap<RecordId, RecordValues>;
}

const ownIn = (expression: RowExpression): readonly string[] => {
  if ('rules' in expression) return expression.rules.flatMap(ownIn);
  return expression.kind === 'own' ? [expression.column] : [];
};

/** Returns the columns that contain the id of the user who may read the record, by the row rule of reading. */
const readerColumns = ({ rules: { isolation }, owner }: ResourceModel): readonly string[] => {
  if (isolation === undefined) return [];
  if (isolation.byOwner === true) return owner === undefined ? [] : [owner];
  return [...new Set(ownIn(isolation.read.expression))];
};

/** Lengths of the list of ids in a statement. There are few, so that few statements are compiled. */
const lengths = [1, 8, 64, 512] as const;

type ReachArguments = {
  readonly ids: readonly SqlValue[];
  readonly rows: readonly SqlValue[];
  readonly reader: SqlValue;
};

/** The sides of a write that a reader may read, each by its own values. */
export interface SeenSides {
  readonly before: boolean;
  readonly after: boolean;
  /**
   * The fields that the record, as it was on each side, hides from the reader; undefined for a reader without
   * conditions.
   */
  readonly hidden?: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> } | undefined;
}

/** Splits ids into lists of the given lengths, each padded with its last id. */
function* partsOf<Id>(ids: readonly Id[]): Generator<readonly Id[]> {
  const longest = lengths.at(-1) ?? 1;
  for (let start = 0; start < ids.length; start += longest) {
    const part = ids.slice(start, start + longest);
    const count = lengths.find((length) => length >= part.length) ?? longest;
    const filling = Array.from({ length: count - part.length }, () => part.slice(-1)).flat();
    yield [...part, ...filling];
  }
}

const idList = (param: Argument<ReachArguments>, count: number): Fragment =>
  join(Array.from({ length: count }, (_, index) => param('ids', index)));

const event = '_event';
const eventColumn = (name: string): Fragment => identifier(event, name);
const isGone = sql`${eventColumn('action')} = 'destroy'`;

const flag = (condition: Fragment, as: string): Fragment =>
  sql`case when ${condition} then 1 else 0 end as ${identifier(as)}`;

/** Returns the columns that tell which masked fields each side of an event shows; `kept` reads the values it keeps. */
const sideFlags = (
  mask: FieldMask | undefined,
  kept: (...keys: readonly string[]) => ColumnSql,
  dialect: Dialect,
): readonly Fragment[] => {
  const shows = (set: MaskedFields, side: 'before' | 'after'): Fragment =>
    showsFields(set, kept(side), dialect);
  return [
    ...maskFlags(mask, 'before', (set) => {
      const gone = showsFields(set, kept(), dialect, 'kept');
      return sql`(${isGone} and ${gone}) or (not ${isGone} and ${shows(set, 'before')})`;
    }),
    ...maskFlags(mask, 'after', (set) => shows(set, 'after')),
  ];
};

/** The readers of the events of one model's records. */
export class EventReaders {
  readonly #database: Database;
  readonly #model: ResourceModel;
  readonly #models: Models;
  readonly #table: Fragment;
  readonly #column: ColumnSql;
  /** Columns that contain ids of readers. */
  readonly #own: readonly string[];
  /** The key is the number of events and the columns of the row filter; the models are fixed and values are bound. */
  readonly #statements = new BoundedCache<Statement<ReachArguments>>(256);

  constructor(database: Database, model: ResourceModel, models: Models) {
    this.#database = database;
    this.#model = model;
    this.#models = models;
    this.#table = rowsOf(model.stored);
    this.#column = columnsOfRows(model.stored);
    this.#own = readerColumns(model);
  }

  /**
   * Reads the columns of the records of events that contain the ids of their readers; undefined if no row rule
   * depends on a user's id. All events are of this model.
   */
  async readersOf(events: readonly RecordedEvent[]): Promise<RecordReaders | undefined> {
    if (this.#own.length === 0) return undefined;
    const values = new Map<RecordId, RecordValues>();
    const existing = events.filter(({ action }) => action !== 'destroy');
    for (const ids of partsOf([...new Set(existing.map(({ record }) => record))])) {
      const query = this.#held(ids.length)({ ids, rows: [], reader: null });
      for (const row of await this.#database.all<RecordValues & { readonly id: RecordId }>(query))
        values.set(this.#model.key.stored(row.id), row);
    }
    return { columns: this.#own, values };
  }

  /**
   * Returns the events that a caller with the grant may receive, by number, with the sides that they may read: events
   * of records that they may read now and that they could read before or after the event; events of deleted records
   * that they could read before. All events are of this model.
   */
  async seen(
    grant: Grant,
    events: readonly Pick<RecordedEvent, 'number'>[],
  ): Promise<ReadonlyMap<number, SeenSides>> {
    const reach = reachOf(grant);
    const { mask } = grant;
    const found = new Map<number, SeenSides>();
    if (reach === undefined) return found;
    for (const ids of partsOf(events.map(({ number }) => number))) {
      const query = this.#seen(reach, mask, ids.length)({ ids, rows: reach.values, ...readerOf(grant) });
      for (const row of await this.#database.all<Record<'id' | 'before' | 'after', number>>(query))
        found.set(Number(row.id), {
          before: Number(row.before) === 1,
          after: Number(row.after) === 1,
          hidden: mask && {
            before: hiddenFields(mask, 'before', row),
            after: hiddenFields(mask, 'after', row),
          },
        });
    }
    return found;
  }

  /** The statement that reads the columns of records that contain ids of readers. */
  #held(count: number): Statement<ReachArguments> {
    return this.#statements.getOrMake(`held ${count}`, () =>
      statement<ReachArguments>(this.#database.dialect, (param) => {
        const id = this.#column('id');
        const columns = join([
          sql`${readId(this.#database.dialect, this.#model.key, id)} as id`,
          ...this.#own.map((field) => sql`${this.#column(field)} as ${identifier(field)}`),
        ]);
        return sql`select ${columns} from ${this.#table} where ${id} in (${idList(param, count)})`;
      }),
    );
  }

  #seen(reach: RowReach, mask: FieldMask | undefined, count: number): Statement<ReachArguments> {
    return this.#statements.getOrMake(`seen ${count} ${mask?.key} ${reach.key}`, () =>
      this.#seenStatement(reach, mask, count),
    );
  }

  /**
   * The statement that reads the events that a caller with the reach may receive, and which of their sides they may
   * read. An event that another release has written keeps no sides: if the record has not been written since, its
   * current state is the one after the event.
   */
  #seenStatement(reach: RowReach, mask: FieldMask | undefined, count: number): Statement<ReachArguments> {
    const { dialect } = this.#database;
    return statement<ReachArguments>(dialect, (param) => {
      const value = (index: number): Fragment => param('rows', index);
      const met = (column: ColumnSql, purpose: ConditionPurpose): Fragment => {
        const conditions = reachConditions(reach.terms, column, value, purpose, dialect);
        return conditions.length === 0 ? sql`1 = 1` : sql`(${join(conditions, ' and ')})`;
      };
      const kept = (...keys: readonly string[]): ColumnSql =>
        keptColumn(this.#model, this.#models, dialect, eventColumn('reach'), keys);
      const ofRecord = this.#column;
      const before = met(kept('before'), 'hold');
      const after = met(kept('after'), 'hold');
      const unchanged = sql`${eventColumn('reach')} is null and ${ofRecord('version')} = ${eventColumn('version')}`;
      const now = sql`exists (select 1 from ${this.#table} where ${ofRecord('id')} = ${recordValue(dialect, this.#model.key, eventColumn)}
        and ${met(ofRecord, 'hold')} and (${before} or ${after} or ${unchanged}))`;
      const columns = [
        sql`${eventColumn('id')} as id`,
        flag(before, 'before'),
        flag(sql`${after} or ${eventColumn('reach')} is null`, 'after'),
        ...sideFlags(mask, kept, dialect),
      ];
      return sql`select ${join(columns)}
        from ${own('gatewright_events')} as ${identifier(event)} where ${eventColumn('id')} in (${idList(param, count)})
        and ((${isGone} and ${met(kept(), 'kept')}) or (not ${isGone} and ${now}))`;
    });
  }
}
