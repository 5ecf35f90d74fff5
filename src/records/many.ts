/** Reads and writes many records by id for the service itself, above all for a restore from the trash. */

import type { Database, SqlValue, Transaction } from '../database/database.ts';
import { versionColumn } from '../database/source.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  RowStatements,
  type Statement,
  sql,
  statement,
} from '../database/statement.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { Models } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import { keptReach } from './history/recorded.ts';
import { trashTable } from './trash/bundle.ts';
import { projection, resourceSource } from './view.ts';

/** A record with JSON text of every field. */
export interface WholeRecord {
  readonly id: number;
  readonly version: number;
  readonly whole: string;
  /** Values that decide who may read the event of its deletion (`keptReach`); undefined if the model has no events. */
  readonly reach?: string | undefined;
}

/** Ids of one statement. */
const idsPerStatement = 100;

type Ids = { readonly ids: readonly number[] };

/** Runs a statement for each hundred ids; fewer ids are filled up with the first one, so that the SQL is the same. */
const readByIds = async <Row>(
  transaction: Transaction,
  read: Statement<Ids>,
  ids: readonly number[],
): Promise<Row[]> => {
  const rows: Promise<Row[]>[] = [];
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const part = ids.slice(start, start + idsPerStatement);
    const filled = Array.from({ length: idsPerStatement }, (_, index) => part[index] ?? part[0] ?? 0);
    rows.push(transaction.all<Row>(read({ ids: filled })));
  }
  return (await Promise.all(rows)).flat();
};

const wholeRecord = ({ id, version, whole, reach }: WholeRecord): WholeRecord => ({
  id: Number(id),
  version: Number(version),
  whole,
  reach,
});

/** Returns those of the ids that exist in a table. */
export type Present = (transaction: Transaction, ids: readonly number[]) => Promise<ReadonlySet<number>>;

export const createPresent = (database: Database, table: string): Present => {
  const { dialect } = database;
  const present = statement<Ids>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    return sql`select id from ${identifier(table)} where id in (${join(ids)})`;
  });
  return async (transaction, ids) => {
    const rows = await readByIds<{ id: number }>(transaction, present, ids);
    return new Set(rows.map(({ id }) => Number(id)));
  };
};

/** Reads and writes of the service itself on many records of a model, in the transaction of another operation. */
export const createManyRecords = (database: Database, model: ResourceModel, models: Models) => {
  const { dialect } = database;
  const source = resourceSource(model, models);
  const table = identifier(model.table);
  const json = projection(source, [...model.fields.keys()], dialect, model.table);
  const answer = join([
    sql`${identifier(model.table, 'id')} as id`,
    sql`${identifier(model.table, versionColumn)} as version`,
    sql`${json} as whole`,
  ]);
  const kept = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];
  const fields = [...model.fields.values()];
  const columns = [versionColumn, ...fields.map(({ column }) => column)];
  const inserts = new RowStatements(
    dialect,
    columns.length,
    (rows) =>
      sql`insert into ${table} (${join(columns.map((each) => identifier(each)))})${dialect.givenKey} values ${rows} returning ${answer}`,
  );
  const current = statement<Ids>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    return sql`select ${join([answer, ...kept])} from ${table} where ${identifier(model.table, 'id')} in (${join(ids)})${dialect.updateLock}`;
  });

  type Noted = { readonly bundle: string; readonly field: string; readonly target: number };
  const notedIds = (value: (of: keyof Noted) => Fragment): Fragment =>
    sql`select record_id from ${trashTable} where bundle = ${value('bundle')} and kind = 'reference' and model = ${literal(model.name)} and field = ${value('field')} and target_id = ${value('target')}`;

  return {
    /** Reads those of the records that exist, by id; they are locked until the end of the transaction. */
    current: async (
      transaction: Transaction,
      ids: readonly number[],
    ): Promise<ReadonlyMap<number, WholeRecord>> => {
      const rows = await readByIds<WholeRecord>(transaction, current, ids);
      return new Map(rows.map((row) => [Number(row.id), wholeRecord(row)]));
    },

    /** Inserts records under their former ids. @throws ConstraintError */
    reinsert: async (
      transaction: Transaction,
      records: readonly { readonly version: number; readonly columns: Readonly<Record<string, SqlValue>> }[],
    ): Promise<readonly WholeRecord[]> => {
      const rows = records.map((record) => [
        record.version,
        ...fields.map(({ column }) => record.columns[column] ?? null),
      ]);
      return (await inserts.write<WholeRecord>(transaction, rows)).map(wholeRecord);
    },

    /** Sets a column of a record without a new version. @throws ConstraintError */
    fill: async (
      transaction: Transaction,
      id: number,
      { column }: ModelField,
      value: number,
    ): Promise<void> => {
      const fill = statement<{ id: number; value: number }>(
        dialect,
        (param) =>
          sql`update ${table} set ${identifier(column)} = ${param('value')} where id = ${param('id')}`,
      );
      await transaction.run(fill({ id, value }));
    },

    /** Returns the ids of records whose references, as noted in a bundle, are still null. */
    released: async (
      transaction: Transaction,
      { column }: ModelField,
      noted: Noted,
    ): Promise<readonly number[]> => {
      const released = statement<Noted>(
        dialect,
        (param) =>
          sql`select id from ${table} where ${identifier(column)} is null and id in (${notedIds(param)})${dialect.updateLock}`,
      );
      const rows = await transaction.all<{ id: number }>(released(noted));
      return rows.map(({ id }) => Number(id));
    },

    /** Sets these references again, with a new version of each record. @throws ConstraintError */
    refer: async (
      transaction: Transaction,
      { column }: ModelField,
      noted: Noted,
      now: number,
    ): Promise<void> => {
      const refer = statement<Noted & { now: string }>(dialect, (param) => {
        const values = [
          sql`${identifier(column)} = ${param('target')}`,
          sql`${identifier(versionColumn)} = ${identifier(versionColumn)} + 1`,
          sql`updated_at = ${param('now')}`,
        ];
        return sql`update ${table} set ${join(values)} where ${identifier(column)} is null and id in (${notedIds(param)})`;
      });
      await transaction.run(refer({ ...noted, now: toTimestamp(now) }));
    },
  };
};

export type ManyRecords = ReturnType<typeof createManyRecords>;
