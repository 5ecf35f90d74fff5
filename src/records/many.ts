/** Reads and writes many records by id for the service itself, above all for a restore from the trash. */

import type { Database, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { versionColumn } from '../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  literal,
  RowStatements,
  type Statement,
  sql,
  statement,
  tableName,
} from '../database/statement.ts';
import type { RecordId, RecordKey } from '../fields/key.ts';
import { toTimestamp } from '../kernel/clock.ts';
import { type Models, referencedTable } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import { keptReach } from './history/recorded.ts';
import { trashTable } from './trash/bundle.ts';
import { projection, resourceSource } from './view.ts';

/** A record with JSON text of every field. */
export interface WholeRecord {
  readonly id: RecordId;
  readonly version: number;
  readonly whole: string;
  /** Values that decide who may read the event of its deletion (`keptReach`); undefined if the model has no events. */
  readonly reach?: string | undefined;
}

/** Ids of one statement. */
const idsPerStatement = 100;

type Ids = { readonly ids: readonly RecordId[] };

/** Runs a statement for each hundred ids; fewer ids are filled up with the first one, so that the SQL is the same. */
const readByIds = async <Row>(
  transaction: Transaction,
  read: Statement<Ids>,
  ids: readonly RecordId[],
): Promise<Row[]> => {
  const rows: Promise<Row[]>[] = [];
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const part = ids.slice(start, start + idsPerStatement);
    const filled = Array.from({ length: idsPerStatement }, (_, index) => part[index] ?? part[0] ?? 0);
    rows.push(transaction.all<Row>(read({ ids: filled })));
  }
  return (await Promise.all(rows)).flat();
};

const wholeRecord = (key: RecordKey, { id, version, whole, reach }: WholeRecord): WholeRecord => ({
  id: key.stored(id),
  version: Number(version),
  whole,
  reach,
});

/** Returns those of the ids that exist in a table. */
export type Present = (transaction: Transaction, ids: readonly RecordId[]) => Promise<ReadonlySet<RecordId>>;

/** Returns the values of a column of those of the ids that exist in a table. */
export type ValuesIn = (
  transaction: Transaction,
  ids: readonly RecordId[],
) => Promise<ReadonlyMap<RecordId, SqlValue>>;

export const createValuesIn = (
  database: Database,
  table: string,
  key: RecordKey,
  column: string,
): ValuesIn => {
  const { dialect } = database;
  const read = statement<Ids>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    return sql`select id, ${identifier(column)} as value from ${tableName(table)} where id in (${join(ids)})`;
  });
  return async (transaction, ids) => {
    const rows = await readByIds<{ id: RecordId; value: SqlValue }>(transaction, read, ids);
    return new Map(rows.map(({ id, value }) => [key.stored(id), value]));
  };
};

export const createPresent = (database: Database, table: string, key: RecordKey): Present => {
  const { dialect } = database;
  const present = statement<Ids>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    return sql`select id from ${tableName(table)} where id in (${join(ids)})`;
  });
  return async (transaction, ids) => {
    const rows = await readByIds<{ id: RecordId }>(transaction, present, ids);
    return new Set(rows.map(({ id }) => key.stored(id)));
  };
};

/** The references by one field to one record, as noted in a bundle. */
type Noted = { readonly bundle: string; readonly field: string; readonly target: RecordId };

/** The columns of a record as `WholeRecord`. */
const wholeColumns = (model: ResourceModel, models: Models, dialect: Dialect): Fragment => {
  const json = projection(resourceSource(model, models), [...model.fields.keys()], dialect, model.table);
  return join([
    sql`${identifier(model.table, 'id')} as id`,
    sql`${identifier(model.table, versionColumn)} as version`,
    sql`${json} as whole`,
  ]);
};

/** Reads and writes of the service itself on many records of a model, in the transaction of another operation. */
export class ManyRecords {
  readonly #dialect: Dialect;
  readonly #model: ResourceModel;
  readonly #models: Models;
  readonly #table: Fragment;
  readonly #fields: readonly ModelField[];
  readonly #inserts: RowStatements;
  readonly #current: Statement<Ids>;

  constructor(database: Database, model: ResourceModel, models: Models) {
    const { dialect } = database;
    const table = identifier(model.table);
    const answer = wholeColumns(model, models, dialect);
    const kept = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];
    const fields = [...model.fields.values()];
    const columns = [versionColumn, ...fields.map(({ column }) => column)];
    this.#dialect = dialect;
    this.#model = model;
    this.#models = models;
    this.#table = table;
    this.#fields = fields;
    this.#inserts = new RowStatements(
      dialect,
      columns.length,
      (rows) =>
        sql`insert into ${table} (${join(columns.map((each) => identifier(each)))})${dialect.givenKey} values ${rows} returning ${answer}`,
    );
    this.#current = statement<Ids>(dialect, (param) => {
      const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
      return sql`select ${join([answer, ...kept])} from ${table} where ${identifier(model.table, 'id')} in (${join(ids)})${dialect.updateLock}`;
    });
  }

  /** Reads those of the records that exist, by id; they are locked until the end of the transaction. */
  async current(
    transaction: Transaction,
    ids: readonly RecordId[],
  ): Promise<ReadonlyMap<RecordId, WholeRecord>> {
    const rows = await readByIds<WholeRecord>(transaction, this.#current, ids);
    return new Map(
      rows.map((row) => {
        const record = wholeRecord(this.#model.key, row);
        return [record.id, record];
      }),
    );
  }

  /** Inserts records under their former ids. @throws ConstraintError */
  async reinsert(
    transaction: Transaction,
    records: readonly { readonly version: number; readonly columns: Readonly<Record<string, SqlValue>> }[],
  ): Promise<readonly WholeRecord[]> {
    const rows = records.map((record) => [
      record.version,
      ...this.#fields.map(({ column }) => record.columns[column] ?? null),
    ]);
    return (await this.#inserts.write<WholeRecord>(transaction, rows)).map((row) =>
      wholeRecord(this.#model.key, row),
    );
  }

  /** Sets a column of a record without a new version. @throws ConstraintError */
  async fill(transaction: Transaction, id: RecordId, { column }: ModelField, value: SqlValue): Promise<void> {
    const fill = statement<{ id: RecordId; value: SqlValue }>(
      this.#dialect,
      (param) =>
        sql`update ${this.#table} set ${identifier(column)} = ${param('value')} where id = ${param('id')}`,
    );
    await transaction.run(fill({ id, value }));
  }

  /** Returns the ids of records whose references, as noted in a bundle, are still null. */
  async released(transaction: Transaction, field: ModelField, noted: Noted): Promise<readonly RecordId[]> {
    const released = statement<Noted>(
      this.#dialect,
      (param) =>
        sql`select id from ${this.#table} where ${this.#isReleased(field, param)}${this.#dialect.updateLock}`,
    );
    const rows = await transaction.all<{ id: RecordId }>(released(noted));
    return rows.map(({ id }) => this.#model.key.stored(id));
  }

  /**
   * Sets these references again, with a new version of each record. A reference with `same` stays null if the records
   * have other values by now. @throws ConstraintError
   */
  async refer(transaction: Transaction, field: ModelField, noted: Noted, now: number): Promise<void> {
    const refer = statement<Noted & { now: string }>(this.#dialect, (param) => {
      const values = [
        sql`${identifier(field.column)} = ${param('target')}`,
        sql`${identifier(versionColumn)} = ${identifier(versionColumn)} + 1`,
        sql`updated_at = ${param('now')}`,
      ];
      return sql`update ${this.#table} set ${join(values)} where ${this.#isReleased(field, param)}`;
    });
    await transaction.run(refer({ ...noted, now: toTimestamp(now) }));
  }

  #isReleased({ column, same, reference = '' }: ModelField, param: Argument<Noted>): Fragment {
    const noted = sql`${identifier(column)} is null and id in (${this.#notedIds(param)})`;
    if (same === undefined) return noted;
    const target = identifier(referencedTable(this.#models, reference));
    const shared = sql`select ${identifier(same)} from ${target} where id = ${param('target')}`;
    return sql`${noted} and ${identifier(same)} = (${shared})`;
  }

  #notedIds(value: Argument<Noted>): Fragment {
    return sql`select record_id from ${trashTable} where bundle = ${value('bundle')} and kind = 'reference' and model = ${literal(this.#model.name)} and field = ${value('field')} and target_id = ${value('target')}`;
  }
}
