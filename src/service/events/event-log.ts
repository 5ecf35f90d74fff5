import type { Database, SqlValue, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { dialectOf } from '../../database/registry.ts';
import { timeText } from '../../database/source.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  RowStatements,
  sql,
  statement,
} from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { CompanionInsert, WrittenColumns } from '../../records/companion-inserts.ts';
import {
  type ActorRow,
  actorColumns,
  actorColumnValues,
  actorRow,
  createCompanions,
  type RecordedAction,
  type RecordedActor,
  recordedActor,
} from '../../records/history/recorded.ts';

/**
 * Log of what happened to records, each event written in the transaction of its write. Events are numbered in the order
 * in which they were committed: a reader that has seen a number has seen all below it that there will ever be, so a
 * place in the log is one number. Where writes are committed in another order than they were given ids
 * (`Dialect.commitOrderLock`), they leave their events in an inbox, and every reader has them numbered first.
 */

/** An event as it is written. */
export interface NewEvent {
  readonly model: string;
  readonly record: number;
  readonly version: number;
  readonly action: RecordedAction;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
  /** Names of the fields whose values became others. */
  readonly fields: readonly string[];
  /** JSON text: `keptReach` of a record that is gone, else `keptSides`. */
  readonly reach: string | null;
}

/** An event as it is read. */
export interface RecordedEvent {
  readonly number: number;
  readonly model: string;
  readonly record: number;
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
const log = identifier(tables.log);
const inbox = identifier(tables.inbox);
const listed = join(columns.map((each) => identifier(each)));

/** On what processes tell each other that something was written. */
export const eventChannel = 'gatewright_events';

/** Days for which events are kept. */
export const eventDays = 30;

const recordedEvent = (row: EventRow): RecordedEvent => ({
  number: Number(row.id),
  model: row.model,
  record: Number(row.record_id),
  version: Number(row.version),
  action: row.action,
  at: row.at,
  actor: recordedActor(row),
  fields: JSON.parse(row.fields),
  reach: row.reach === null ? null : JSON.parse(row.reach),
});

/** Values of an event that the statements bind, by column. */
const eventRow = ({ at, actor, fields, ...event }: Omit<NewEvent, 'record' | 'version'>) => ({
  ...event,
  ...actorRow(actor),
  at: toTimestamp(at),
  fields: JSON.stringify(fields),
});

/** Events of the inbox that one statement saw, and how many of them it gave their numbers. */
export interface NumberedEvents {
  readonly seen: number;
  readonly numbered: number;
}

/** Events that are numbered, and removed, in one statement: no write waits long for it. */
const step = 1_000;

/**
 * The statement that gives events of the inbox their numbers, by what the database counts itself, which a log that was
 * emptied still knows. Undefined where there is no inbox. The statement's snapshot is older than the lock for which it
 * waits: another process may have numbered what it sees. The inbox is empty once a statement has seen less than a step
 * and numbered all that it saw (`isInboxEmpty`).
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

/** Whether everything that was committed before the statement has its number. */
export const isInboxEmpty = (row: NumberedEvents | undefined): boolean =>
  row === undefined || (Number(row.seen) < step && Number(row.numbered) === Number(row.seen));

export const createEventLog = (database: Database) => {
  const dialect = dialectOf(database);
  const written = dialect.commitOrderLock === undefined ? tables.log : tables.inbox;
  const companions = createCompanions(dialect, written, taken);
  const inserts = new RowStatements(
    dialect,
    columns.length,
    (rows) => sql`insert into ${identifier(written)} (${listed}) values ${rows}`,
  );
  const time = timeText(dialect, identifier('at'));
  const text = (of: string): Fragment => sql`cast(${identifier(of)} as text) as ${identifier(of)}`;
  const shown = join([
    ...['id', 'model', 'record_id', 'version', 'action', ...actorColumns].map((each) => identifier(each)),
    sql`${time} as at`,
    text('fields'),
    text('reach'),
  ]);
  const after = statement<{ number: number; limit: number }>(
    dialect,
    (value) =>
      sql`select ${shown} from ${log} where id > ${value('number')} order by id limit ${dialect.rows(value('limit'))}`,
  );
  // Both in one would look at every event on SQLite.
  const ends = statement(
    dialect,
    () => sql`select (select min(id) from ${log}) as first, (select max(id) from ${log}) as last`,
  );
  const numbered = numberInbox(dialect);
  // The newest one stays, so that the log never forgets how far it has come.
  const remove = statement<{ before: string; limit: number }>(
    dialect,
    (value) => sql`delete from ${log} where id in (
        select id from ${log} order by id limit ${dialect.rows(value('limit'))}
      ) and at < ${dialect.cast(value('before'), 'timestamp')} and id < (select max(id) from ${log}) returning id`,
  );
  const forget = statement<{ model: string; record: number; after: number; to: number }>(
    dialect,
    (value) => sql`update ${log} set reach = null where id > ${value('after')} and id <= ${value('to')}
      and model = ${value('model')} and record_id = ${value('record')} and reach is not null`,
  );

  /** Has everything numbered that was committed before the call. */
  const settle = async (): Promise<void> => {
    if (numbered === undefined) return;
    for (;;) {
      const [row] = await database.execute<NumberedEvents>(numbered({}));
      if (isInboxEmpty(row)) return;
    }
  };

  /** The first number that is kept and the last one that was given; 0 where there was never any. */
  const range = async (): Promise<{ readonly first: number; readonly last: number }> => {
    const row = await database.get<{ first: number | null; last: number | null }>(ends({}));
    return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
  };

  return {
    /** In the transaction of the write itself: neither stands without the other. */
    append: async (transaction: Transaction, events: readonly NewEvent[]): Promise<void> => {
      const rows = events.map(({ record, version, ...event }) => {
        const row: Readonly<Record<Column, SqlValue>> = { ...eventRow(event), record_id: record, version };
        return columns.map((column) => row[column]);
      });
      await inserts.write(transaction, rows);
    },

    /** The same as a companion of the insert of the record; needs `Dialect.writeWithCte`. */
    companion: (
      event: Omit<NewEvent, 'record' | 'version' | 'reach'>,
      reach: (written: WrittenColumns) => Fragment,
    ): CompanionInsert => companions(eventRow({ ...event, reach: null }), { reach }),

    settle,

    /** Events behind a number, in the order in which they were committed. */
    after: async (number: number, limit: number): Promise<readonly RecordedEvent[]> => {
      const rows = await database.all<EventRow>(after({ number, limit }));
      return rows.map(recordedEvent);
    },

    range,

    /** Stays the same while nothing is written to the log; undefined where the database does not tell. */
    revision: (): number | undefined => database.revision?.(after.sql),

    /** Removes events of before a time (milliseconds since 1970), some at a time; returns how many there were. */
    purge: async (before: number, pause: () => Promise<void>): Promise<number> => {
      const query = remove({ before: toTimestamp(before), limit: step });
      for (let removed = 0; ; await pause()) {
        const rows = await database.execute(query);
        removed += rows.length;
        if (rows.length < step) return removed;
      }
    },

    /** Removes the values that are kept of a record. That something happened to it stays. */
    forget: async (model: string, record: number): Promise<number> => {
      await settle();
      const { first, last } = await range();
      let events = 0;
      for (let number = first - 1; number < last; number += 10 * step)
        events += await database.write((transaction) =>
          transaction.run(forget({ model, record, after: number, to: number + 10 * step })),
        );
      return events;
    },
  };
};

export type EventLog = ReturnType<typeof createEventLog>;
