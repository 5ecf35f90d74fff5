import type { Database, SqlValue, Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { timeText } from '../../database/source.ts';
import { identifier, join, RowStatements, sql, statement } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { WrittenBeside } from '../beside.ts';
import {
  type ActorRow,
  actorColumns,
  actorRow,
  actorTaken,
  besideRecord,
  type RecordedAction,
  type RecordedActor,
  recordedActor,
} from './recorded.ts';

/** One version of a record as it is kept: JSON texts of every field, null where there was no record. */
export interface NewVersion {
  readonly record: number;
  readonly version: number;
  readonly action: RecordedAction;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
  readonly before: string | null;
  readonly after: string | null;
}

/** One version of a record as it is read. */
export interface KeptVersion {
  readonly version: number;
  readonly action: RecordedAction;
  readonly at: string;
  readonly actor: RecordedActor;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

export interface VersionRow extends ActorRow {
  readonly version: number;
  readonly action: RecordedAction;
  readonly at: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Each with what it takes where a version is written beside its record. */
const taken = {
  model: 'text',
  record_id: 'record',
  version: 'recordVersion',
  action: 'text',
  at: 'timestamp',
  ...actorTaken,
  before: 'json',
  after: 'recordValues',
} as const;
type Column = keyof typeof taken;
const columns = Object.keys(taken) as readonly Column[];

export const historyName = 'gatewright_history';
const table = identifier(historyName);

const parsed = (text: string | null): JsonObject | null => (text === null ? null : JSON.parse(text));

export const keptVersion = (row: VersionRow): KeptVersion => ({
  version: Number(row.version),
  action: row.action,
  at: row.at,
  actor: recordedActor(row),
  before: parsed(row.before),
  after: parsed(row.after),
});

/** Writes the versions of a model's records, and reads all that is kept of one. */
export const createHistory = (database: Database, model: string) => {
  const dialect = dialectOf(database);
  const beside = besideRecord(dialect, historyName, taken);
  const inserts = new RowStatements(
    dialect,
    columns.length,
    (rows) => sql`insert into ${table} (${join(columns.map((each) => identifier(each)))}) values ${rows}`,
  );
  const time = timeText(dialect, identifier('at'));
  const text = (of: string) => sql`cast(${identifier(of)} as text) as ${identifier(of)}`;
  const shown = join([
    ...['version', 'action', ...actorColumns].map((each) => identifier(each)),
    sql`${time} as at`,
    text('before'),
    text('after'),
  ]);
  const ofRecord = (value: (of: 'model' | 'record') => ReturnType<typeof identifier>) =>
    sql`from ${table} where model = ${value('model')} and record_id = ${value('record')}`;
  const one = statement<{ model: string; record: number; version: number }>(
    dialect,
    (value) =>
      sql`select ${shown} ${ofRecord(value)} and version = ${value('version')} order by id desc limit 1`,
  );

  const forget = statement<{ model: string; record: number }>(
    dialect,
    (value) =>
      sql`update ${table} set before = null, after = null where model = ${value('model')} and record_id = ${value('record')}`,
  );

  return {
    /** In the transaction of the write itself: neither stands without the other. */
    keep: async (transaction: Transaction, versions: readonly NewVersion[]): Promise<void> => {
      const rows = versions.map(({ record, at, actor, ...entry }) => {
        const row: Readonly<Record<Column, SqlValue>> = {
          ...entry,
          model,
          record_id: record,
          at: toTimestamp(at),
          ...actorRow(actor),
        };
        return columns.map((column) => row[column]);
      });
      await inserts.write(transaction, rows);
    },

    /** The first version of a record, for the statement that makes it, where `Dialect.beside` is there. */
    beside: ({ at, actor }: Pick<NewVersion, 'at' | 'actor'>): WrittenBeside =>
      beside({ model, action: 'create', at: toTimestamp(at), ...actorRow(actor), before: null }),

    /** Removes the values of every version of a record; answers how many there are. That they were there stays. */
    forget: (transaction: Transaction, record: number): Promise<number> =>
      transaction.run(forget({ model, record })),

    /** What a record was at a version; undefined where that is not kept. */
    at: async (record: number, version: number): Promise<KeptVersion | undefined> => {
      const row = await database.get<VersionRow>(one({ model, record, version }));
      return row && keptVersion(row);
    },
  };
};

export type History = ReturnType<typeof createHistory>;

/** Versions that one step of a removal looks at: no write waits long for it. */
const purgeStep = 1_000;

/**
 * Makes the removal of versions from before a time (milliseconds since 1970), but for the latest one of each record, some
 * at a time in the order in which they were written. Answers how many there were.
 */
export const createVersionPurge = (database: Database) => {
  const dialect = dialectOf(database);
  const next = statement<{ after: number; limit: number }>(
    dialect,
    (value) =>
      sql`select max(id) as last from (select id from ${table} where id > ${value('after')} order by id limit ${dialect.rows(value('limit'))}) as step`,
  );
  const remove = statement<{ after: number; last: number; before: string }>(
    dialect,
    (value) => sql`delete from ${table} where id > ${value('after')} and id <= ${value('last')}
      and at < ${dialect.cast(value('before'), 'timestamp')} and exists (select 1 from ${table} as later
        where later.model = ${identifier('gatewright_history', 'model')} and later.record_id = ${identifier('gatewright_history', 'record_id')}
          and later.id > ${identifier('gatewright_history', 'id')}) returning id`,
  );
  return async (before: number, pause: () => Promise<void>, limit = purgeStep): Promise<number> => {
    for (let [after, removed] = [0, 0]; ; await pause()) {
      const last = (await database.get<{ last: number | null }>(next({ after, limit })))?.last ?? null;
      if (last === null) return removed;
      const step = remove({ after, last: Number(last), before: toTimestamp(before) });
      removed += (await database.execute(step)).length;
      after = Number(last);
    }
  };
};

export type VersionPurge = ReturnType<typeof createVersionPurge>;
