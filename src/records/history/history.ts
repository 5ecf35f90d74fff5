/** Stores the versions of records in their transactions, reads them, and removes old ones. */

import type { Database, SqlValue, Transaction } from '../../database/database.ts';
import { columnsOfNew, columnsOfRecord, recordStatement } from '../../database/record-column.ts';
import { timeText } from '../../database/source.ts';
import { identifier, join, RowStatements, sql, statement, tableName } from '../../database/statement.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { CompanionInsert } from '../companion-inserts.ts';
import {
  type ActorRow,
  actorColumns,
  actorColumnValues,
  actorRow,
  createCompanions,
  type RecordedAction,
  type RecordedActor,
  recordedActor,
} from './recorded.ts';

/** A new version of a record: JSON texts of every field, null before a create and after a deletion. */
export interface NewVersion {
  readonly record: RecordId;
  readonly version: number;
  readonly action: RecordedAction;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
  readonly before: string | null;
  readonly after: string | null;
}

/** A stored version of a record. */
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

/** The columns, each with its value in a companion insert. */
const columnValues = {
  model: 'text',
  record_id: 'record',
  record_key: 'text',
  version: 'recordVersion',
  action: 'text',
  at: 'timestamp',
  ...actorColumnValues,
  before: 'json',
  after: 'recordValues',
} as const;
type Column = keyof typeof columnValues;
const columns = Object.keys(columnValues) as readonly Column[];

export const historyName = 'gatewright_history';
const table = tableName(historyName);

const parsed = (text: string | null): JsonObject | null =>
  text === null ? null : (parseExact(text) as JsonObject);

export const keptVersion = (row: VersionRow): KeptVersion => ({
  version: Number(row.version),
  action: row.action,
  at: row.at,
  actor: recordedActor(row),
  before: parsed(row.before),
  after: parsed(row.after),
});

/** The stored versions of a model's records. */
export const createHistory = (database: Database, model: string) => {
  const { dialect } = database;
  const companions = createCompanions(dialect, historyName, columnValues);
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
  const one = recordStatement<{ model: string; version: number }>(
    dialect,
    (value, isAbout) =>
      sql`select ${shown} from ${table} where model = ${value('model')} and ${isAbout} and version = ${value('version')} order by id desc limit 1`,
  );

  const forget = recordStatement<{ model: string }>(
    dialect,
    (value, isAbout) =>
      sql`update ${table} set before = null, after = null where model = ${value('model')} and ${isAbout}`,
  );

  return {
    /** Stores versions in the transaction of their writes. */
    keep: async (transaction: Transaction, versions: readonly NewVersion[]): Promise<void> => {
      const rows = versions.map(({ record, at, actor, ...entry }) => {
        const row: Readonly<Record<Column, SqlValue>> = {
          ...entry,
          model,
          ...columnsOfRecord(record),
          at: toTimestamp(at),
          ...actorRow(actor),
        };
        return columns.map((column) => row[column]);
      });
      await inserts.write(transaction, rows);
    },

    /** The first version of a record as a companion of its insert; needs `Dialect.writeWithCte`. */
    companion: (
      { at, actor }: Pick<NewVersion, 'at' | 'actor'>,
      record: RecordId | undefined,
      key: RecordKey,
    ): CompanionInsert => {
      const about = record === undefined ? {} : columnsOfRecord(record);
      return companions(
        { model, ...about, action: 'create', at: toTimestamp(at), ...actorRow(actor), before: null },
        record === undefined ? columnsOfNew(dialect, key) : {},
      );
    },

    /** Erases the values of every version of a record, but not the versions. Returns their number. */
    forget: (transaction: Transaction, record: RecordId): Promise<number> =>
      transaction.run(forget({ model, record })),

    /** Reads one version of a record; undefined if it is not stored. */
    at: async (record: RecordId, version: number): Promise<KeptVersion | undefined> => {
      const row = await database.get<VersionRow>(one({ model, record, version }));
      return row && keptVersion(row);
    },
  };
};

export type History = ReturnType<typeof createHistory>;

/** Versions that one step of a purge examines, so that no write waits long for it. */
const purgeStep = 1_000;

/**
 * Makes the function that removes versions before a time (milliseconds since 1970), except for the latest one of each
 * record. It removes some at a time, in the order of their writes, and returns their number.
 */
export const createVersionPurge = (database: Database) => {
  const { dialect } = database;
  const next = statement<{ after: number; limit: number }>(
    dialect,
    (value) =>
      sql`select max(id) as last from (select id from ${table} where id > ${value('after')} order by id limit ${dialect.rows(value('limit'))}) as step`,
  );
  const remove = statement<{ after: number; last: number; before: string }>(
    dialect,
    (value) => sql`delete from ${table} where id > ${value('after')} and id <= ${value('last')}
      and at < ${dialect.cast(value('before'), 'timestamp')} and exists (select 1 from ${table} as later
        where later.model = ${tableName('gatewright_history', 'model')} and later.record_id = ${tableName('gatewright_history', 'record_id')}
          and later.record_key is not distinct from ${tableName('gatewright_history', 'record_key')}
          and later.id > ${tableName('gatewright_history', 'id')}) returning id`,
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
