import {
  type Database,
  type DeferredCaller,
  knownCaller,
  type Transaction,
} from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { timeText } from '../../database/source.ts';
import {
  type Fragment,
  identifier,
  literal,
  RowStatements,
  sql,
  statement,
} from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { actorColumns, actorRow } from '../history/recorded.ts';
import {
  type FirstRecord,
  type FirstRow,
  firstRecord,
  type KeptRecord,
  keptRecord,
  type NulledReferences,
  recordColumns,
  type TrashedRecord,
  type TrashRow,
  trashColumns,
  trashTable,
} from './bundle.ts';

/** The records that were deleted. Whoever asks has to know that the caller may see them. */
export const createTrash = (database: Database) => {
  const dialect = dialectOf(database);
  const inserts = new RowStatements(
    dialect,
    recordColumns.length,
    (rows) => sql`insert into ${trashTable} (${trashColumns(recordColumns)}) values ${rows}`,
  );
  const time = timeText(dialect, identifier('deleted_at'));
  const record = sql`cast(${identifier('record')} as text) as ${identifier('record')}`;
  const kept = sql`${trashColumns(['model', 'record_id', 'version'])}, ${record}`;
  const shown = sql`${kept}, ${identifier('bundle')}, ${time} as deleted_at, ${trashColumns(actorColumns)}`;
  const isFirst = sql`${identifier('kind')} = 'first'`;

  const page = statement<{ model: string; limit: number; offset: number }>(
    dialect,
    (value) =>
      sql`select ${shown} from ${trashTable} where model = ${value('model')} and ${isFirst} order by gatewright_trash.deleted_at desc, id desc limit ${dialect.rows(value('limit'))} offset ${dialect.rows(value('offset'))}`,
  );
  const count = statement<{ model: string }>(
    dialect,
    (value) =>
      sql`select count(*) as total from ${trashTable} where model = ${value('model')} and ${isFirst}`,
  );
  const one = (lock: Fragment) =>
    statement<{ model: string; record: number }>(
      dialect,
      (value) =>
        sql`select ${shown} from ${trashTable} where model = ${value('model')} and record_id = ${value('record')} and ${isFirst} order by id desc limit 1${lock}`,
    );
  const [read, locked] = [one(sql``), one(dialect.updateLock)];
  const along = statement<{ bundle: string }>(
    dialect,
    (value) =>
      sql`select ${kept} from ${trashTable} where bundle = ${value('bundle')} and kind = 'along' order by id`,
  );
  const references = statement<{ bundle: string }>(
    dialect,
    (value) =>
      sql`select distinct model, field, target_id from ${trashTable} where bundle = ${value('bundle')} and kind = 'reference' order by model, field, target_id`,
  );
  const clear = statement<{ bundle: string }>(
    dialect,
    (value) => sql`delete from ${trashTable} where bundle = ${value('bundle')}`,
  );

  type Step = { readonly before: string; readonly limit: number };
  const purgeOf = (kind: 'first' | 'along' | 'reference') =>
    statement<Step>(dialect, (value) => {
      const old = sql`old.kind = ${literal(kind)} and old.deleted_at < ${value('before')}`;
      // A bundle that is on its way back is whole until that has been decided.
      const lone = sql`not exists (select 1 from ${trashTable} as lead where lead.bundle = old.bundle and lead.kind = 'first')`;
      const found = kind === 'first' ? old : sql`${old} and ${lone}`;
      const ids = sql`select old.id from ${trashTable} as old where ${found} order by old.deleted_at limit ${dialect.rows(value('limit'))}`;
      return sql`delete from ${trashTable} where id in (${ids})`;
    });
  // First what can be asked for, so that nobody is given a part of what there was.
  const purges = [purgeOf('first'), purgeOf('along'), purgeOf('reference')];

  type OfRecord = { readonly model: string; readonly record: number };
  const ofRecord = (value: (of: keyof OfRecord) => Fragment): Fragment =>
    sql`model = ${value('model')} and record_id = ${value('record')}`;
  // Who deleted it goes with it: nobody can be told any more that it was there.
  const forgetFirst = statement<OfRecord>(
    dialect,
    (value) =>
      sql`delete from ${trashTable} where bundle in (select bundle from ${trashTable} where ${ofRecord(value)} and ${isFirst})`,
  );
  const forgetReferences = statement<OfRecord>(
    dialect,
    (value) => sql`delete from ${trashTable} where ${ofRecord(value)} and kind = 'reference'`,
  );
  const forgetAlong = statement<OfRecord>(
    dialect,
    (value) =>
      sql`update ${trashTable} set record = null where ${ofRecord(value)} and kind = 'along' and record is not null`,
  );

  return {
    /** In the transaction of the deletion itself: neither stands without the other. */
    keep: async (transaction: Transaction, records: readonly TrashedRecord[]): Promise<void> => {
      const rows = records.map(({ kind, model, id, version, record: text, bundle, at, actor }) => {
        const row = {
          kind,
          model,
          record_id: id,
          version,
          record: text,
          bundle,
          deleted_at: toTimestamp(at),
        };
        const values = { ...row, ...actorRow(actor) };
        return recordColumns.map((column) => values[column]);
      });
      await inserts.write(transaction, rows);
    },

    /** Records that were deleted, the latest first, and how many there are. No index bounds how many are counted. */
    page: async (
      model: string,
      limit: number,
      offset: number,
      by?: DeferredCaller,
    ): Promise<{ readonly records: readonly FirstRecord[]; readonly total: number }> => {
      const caller = await knownCaller(by);
      const [counted] = await database.scan<{ total: number }>(count({ model }), caller);
      const rows = await database.scan<FirstRow>(page({ model, limit, offset }), caller);
      return { records: rows.map(firstRecord), total: Number(counted?.total ?? 0) };
    },

    /** A record that was deleted; kept from others until the transaction is over where one is given. */
    find: async (model: string, id: number, within?: Transaction): Promise<FirstRecord | undefined> => {
      const query = (within === undefined ? read : locked)({ model, record: id });
      const row = await (within ?? database).get<FirstRow>(query);
      return row && firstRecord(row);
    },

    /** What went along, in the order in which it was found, and the references that were taken away. */
    bundle: async (
      transaction: Transaction,
      bundle: string,
    ): Promise<{
      readonly along: readonly KeptRecord[];
      readonly references: readonly NulledReferences[];
    }> => {
      const [rows, noted] = await Promise.all([
        transaction.all<TrashRow>(along({ bundle })),
        transaction.all<{ model: string; field: string; target_id: number }>(references({ bundle })),
      ]);
      return {
        along: rows.map(keptRecord),
        references: noted.map(({ model, field, target_id }) => ({ model, field, target: Number(target_id) })),
      };
    },

    /**
     * Removes what is kept of a record, with what can only come back with it. Where it went along with another, that one
     * comes back without it. Answers how many records were forgotten.
     */
    forget: async (transaction: Transaction, model: string, record: number): Promise<number> => {
      const asked = { model, record };
      await transaction.run(forgetReferences(asked));
      const first = await transaction.run(forgetFirst(asked));
      return first + (await transaction.run(forgetAlong(asked)));
    },

    /**
     * Removes what was deleted before a moment (milliseconds since 1970): so many rows at most, in a transaction of its
     * own, so that no write waits long. Answers how many; 0 where all is done.
     */
    purge: async (before: number, limit: number): Promise<number> => {
      for (const purge of purges) {
        const step = purge({ before: toTimestamp(before), limit });
        const removed = await database.write((transaction) => transaction.run(step));
        if (removed > 0) return removed;
      }
      return 0;
    },

    /** Takes a bundle out of the trash. */
    clear: async (transaction: Transaction, bundle: string): Promise<void> => {
      await transaction.run(clear({ bundle }));
    },
  };
};

export type Trash = ReturnType<typeof createTrash>;
