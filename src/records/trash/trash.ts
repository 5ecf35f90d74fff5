/** `createTrash`: stores deleted records, shows them within a grant, and takes them out for a restore. */

import {
  type Database,
  type DeferredCaller,
  resolveCaller,
  type SqlValue,
  type Transaction,
} from '../../database/database.ts';
import { type Source, timeText } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  literal,
  RowStatements,
  sql,
  statement,
} from '../../database/statement.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { FieldMask, Grant } from '../../policy/grant.ts';
import { actorColumns, actorRow, wholeColumn } from '../history/recorded.ts';
import { hiddenFields, maskFlags, shownFields, showsFields } from '../masked-source.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { readerOf } from '../view.ts';
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

type Reached = {
  readonly model: string;
  readonly rows: readonly SqlValue[];
  readonly reader: SqlValue;
};

/** A deleted record with the fields that it hides from the caller. */
export interface ShownDeletion extends FirstRecord {
  readonly hidden: ReadonlySet<string>;
}

const shownDeletion = (row: FirstRow, { mask }: Grant): ShownDeletion => ({
  ...firstRecord(row),
  hidden: hiddenFields(mask, 'record', row),
});

/** The deleted records; the conditions of a grant are checked on their stored values. */
export const createTrash = (database: Database) => {
  const { dialect } = database;
  const inserts = new RowStatements(
    dialect,
    recordColumns.length,
    (rows) => sql`insert into ${trashTable} (${trashColumns(recordColumns)}) values ${rows}`,
  );
  const time = timeText(dialect, identifier('deleted_at'));
  const record = sql`cast(${identifier('record')} as text) as ${identifier('record')}`;
  const kept = sql`${trashColumns(['model', 'record_id', 'version'])}, ${record}`;
  const shown = sql`${kept}, ${identifier('bundle')}, ${time} as deleted_at, ${trashColumns(actorColumns)}`;
  const isOf = (kind: TrashedRecord['kind']): Fragment => sql`${identifier('kind')} = ${literal(kind)}`;
  const isFirst = isOf('first');

  /** Statements by model and reach. */
  const reading = new BoundedCache<ReturnType<typeof compile>>(100);
  const compile = (source: Source, { terms }: RowReach, mask: FieldMask | undefined) => {
    const column = wholeColumn(source, dialect, sql`${trashTable}.${identifier('record')}`);
    const flags = maskFlags(mask, 'record', (set) => showsFields(set, column, dialect));
    const answer = join([shown, ...flags]);
    const entry = (value: Argument<Reached>, kind: TrashedRecord['kind']): Fragment => {
      const reached = reachConditions(terms, column, (index) => value('rows', index), 'hold', dialect);
      return join([sql`${identifier('model')} = ${value('model')}`, isOf(kind), ...reached], ' and ');
    };
    const first = (value: Argument<Reached>): Fragment => entry(value, 'first');
    const page = statement<Reached & { limit: number; offset: number }>(
      dialect,
      (value) =>
        sql`select ${answer} from ${trashTable} where ${first(value)} order by gatewright_trash.deleted_at desc, id desc limit ${dialect.rows(value('limit'))} offset ${dialect.rows(value('offset'))}`,
    );
    const count = statement<Reached>(
      dialect,
      (value) => sql`select count(*) as total from ${trashTable} where ${first(value)}`,
    );
    const one = (kind: TrashedRecord['kind'], lock: Fragment) =>
      statement<Reached & { record: number }>(
        dialect,
        (value) =>
          sql`select ${answer} from ${trashTable} where record_id = ${value('record')} and ${entry(value, kind)} order by id desc limit 1${lock}`,
      );
    return {
      page,
      count,
      locked: one('first', dialect.updateLock),
      first: one('first', sql``),
      along: one('along', sql``),
    };
  };
  const statementsOf = (source: Source, reach: RowReach, { mask }: Grant) =>
    reading.getOrMake(`${source.name} ${mask?.key} ${reach.key}`, () => compile(source, reach, mask));
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
      // A bundle that is being restored must stay complete until that is committed.
      const lone = sql`not exists (select 1 from ${trashTable} as lead where lead.bundle = old.bundle and lead.kind = 'first')`;
      const found = kind === 'first' ? old : sql`${old} and ${lone}`;
      const ids = sql`select old.id from ${trashTable} as old where ${found} order by old.deleted_at limit ${dialect.rows(value('limit'))}`;
      return sql`delete from ${trashTable} where id in (${ids})`;
    });
  // First records go first, so that no bundle can be restored in part.
  const purges = [purgeOf('first'), purgeOf('along'), purgeOf('reference')];

  type OfRecord = { readonly model: string; readonly record: number };
  const ofRecord = (value: (of: keyof OfRecord) => Fragment): Fragment =>
    sql`model = ${value('model')} and record_id = ${value('record')}`;
  // The actor of the deletion is erased with the record, as its entry is gone.
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
    /** Stores records in the transaction of their deletion. */
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

    /**
     * Returns a page of the deleted records of a grant, the latest first, and their number. Counting them is a scan.
     */
    page: async (
      source: Source,
      grant: Grant,
      { limit, offset }: { readonly limit: number; readonly offset: number },
      by?: DeferredCaller,
    ): Promise<{ readonly records: readonly ShownDeletion[]; readonly total: number }> => {
      const reach = reachOf(grant);
      if (reach === undefined) return { records: [], total: 0 };
      const caller = await resolveCaller(by);
      const { page, count } = statementsOf(source, reach, grant);
      const reached = { model: source.name, rows: reach.values, ...readerOf(grant) };
      const [counted] = await database.scan<{ total: number }>(count(reached), caller);
      const rows = await database.scan<FirstRow>(page({ ...reached, limit, offset }), caller);
      return { records: rows.map((row) => shownDeletion(row, grant)), total: Number(counted?.total ?? 0) };
    },

    /** Reads a deleted record of a grant; in a transaction it is locked until the end. */
    find: async (
      source: Source,
      grant: Grant,
      id: number,
      within?: Transaction,
    ): Promise<ShownDeletion | undefined> => {
      const reach = reachOf(grant);
      if (reach === undefined) return undefined;
      const { first, locked } = statementsOf(source, reach, grant);
      const one = within === undefined ? first : locked;
      const row = await (within ?? database).get<FirstRow>(
        one({ model: source.name, rows: reach.values, ...readerOf(grant), record: id }),
      );
      return row && shownDeletion(row, grant);
    },

    /** The fields that a grant shows of a record in the trash; none of one that it does not reach. */
    fieldsShown: async (
      source: Source,
      grant: Grant,
      kind: TrashedRecord['kind'],
      id: number,
    ): Promise<readonly string[]> => {
      const reach = reachOf(grant);
      if (reach === undefined) return [];
      const one = statementsOf(source, reach, grant)[kind];
      const row = await database.get<FirstRow>(
        one({ model: source.name, rows: reach.values, ...readerOf(grant), record: id }),
      );
      return row === undefined ? [] : shownFields(grant.readable, shownDeletion(row, grant).hidden);
    },

    /**
     * Reads the records of a bundle that were deleted along, in the order of their search, and its nulled references.
     */
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
     * Erases a record, and the rest of a bundle of which it is the first record. A bundle in which it was deleted along
     * stays, and is restored without it. Returns the number of erased entries.
     */
    forget: async (transaction: Transaction, model: string, record: number): Promise<number> => {
      const values = { model, record };
      await transaction.run(forgetReferences(values));
      const first = await transaction.run(forgetFirst(values));
      return first + (await transaction.run(forgetAlong(values)));
    },

    /**
     * Removes entries that were deleted before a time (milliseconds since 1970): up to `limit`, in a transaction of its
     * own, so that no write waits long. Returns their number; 0 if there are none left.
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
