/** Reads and writes many records by id for the service itself, above all for a restore from the trash. */

import type { Database, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { readId, recordValue } from '../database/record-column.ts';
import { versionColumn } from '../database/source.ts';
import {
  type Argument,
  bareColumn,
  columnsOfRows,
  type Fragment,
  identifier,
  isAmongRecords,
  join,
  literal,
  RowStatements,
  rowsOf,
  type Statement,
  sql,
  statement,
} from '../database/statement.ts';
import type { RecordId, RecordKey } from '../fields/key.ts';
import { toTimestamp } from '../kernel/clock.ts';
import { type Models, referencedRows } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import type { StoredTable } from '../model/stored-table.ts';
import { keptReach } from './history/recorded.ts';
import { trashTable } from './trash/bundle.ts';
import { projection, resourceSource, rowVersion } from './view.ts';

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
  stored: StoredTable,
  key: RecordKey,
  field: string,
): ValuesIn => {
  const { dialect } = database;
  const read = statement<Ids>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    const column = columnsOfRows(stored);
    return sql`select ${readId(dialect, key, column('id'))} as id, ${column(field)} as value from ${rowsOf(stored)} where ${isAmongRecords(stored, ids)}`;
  });
  return async (transaction, ids) => {
    const rows = await readByIds<{ id: RecordId; value: SqlValue }>(transaction, read, ids);
    return new Map(rows.map(({ id, value }) => [key.stored(id), value]));
  };
};

export const createPresent = (database: Database, stored: StoredTable, key: RecordKey): Present => {
  const { dialect } = database;
  const present = statement<Ids>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    const id = columnsOfRows(stored)('id');
    return sql`select ${readId(dialect, key, id)} as id from ${rowsOf(stored)} where ${isAmongRecords(stored, ids)}`;
  });
  return async (transaction, ids) => {
    const rows = await readByIds<{ id: RecordId }>(transaction, present, ids);
    return new Set(rows.map(({ id }) => key.stored(id)));
  };
};

/** The references by one field to one record, as noted in a bundle. */
type Noted = { readonly bundle: string; readonly field: string; readonly target: RecordId };

/** The target also as a text: a value of a statement has one type. */
type NotedValues = Noted & { readonly targetText: string };

const valuesOf = (noted: Noted): NotedValues => ({ ...noted, targetText: String(noted.target) });

/** The columns of a record as `WholeRecord`. */
const wholeColumns = (model: ResourceModel, models: Models, dialect: Dialect): Fragment => {
  const json = projection(
    resourceSource(model, models),
    [...model.fields.keys()],
    dialect,
    model.stored.name,
  );
  const column = columnsOfRows(model.stored);
  return join([
    sql`${readId(dialect, model.key, column('id'))} as id`,
    sql`${rowVersion(model, dialect)} as version`,
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
    const table = rowsOf(model.stored);
    const answer = wholeColumns(model, models, dialect);
    const kept = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];
    const fields = [...model.fields.values()];
    const columns = [versionColumn, ...fields.map(({ name }) => name)];
    this.#dialect = dialect;
    this.#model = model;
    this.#models = models;
    this.#table = table;
    this.#fields = fields;
    this.#inserts = new RowStatements(
      dialect,
      columns.length,
      (rows) =>
        sql`insert into ${table} (${join(columns.map((each) => bareColumn(model.stored, each)))})${dialect.givenKey} values ${rows} returning ${answer}`,
    );
    this.#current = statement<Ids>(dialect, (param) => {
      const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
      return sql`select ${join([answer, ...kept])} from ${table} where ${isAmongRecords(model.stored, ids)}${dialect.updateLock}`;
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
      ...this.#fields.map(({ name }) => record.columns[name] ?? null),
    ]);
    return (await this.#inserts.write<WholeRecord>(transaction, rows)).map((row) =>
      wholeRecord(this.#model.key, row),
    );
  }

  /** Sets a column of a record without a new version. @throws ConstraintError */
  async fill(transaction: Transaction, id: RecordId, { name }: ModelField, value: SqlValue): Promise<void> {
    const fill = statement<{ id: RecordId; value: SqlValue }>(
      this.#dialect,
      (param) =>
        sql`update ${this.#table} set ${this.#bare(name)} = ${param('value')} where ${this.#bare('id')} = ${param('id')}`,
    );
    await transaction.run(fill({ id, value }));
  }

  /** Returns the ids of records whose references, as noted in a bundle, are still null. */
  async released(transaction: Transaction, field: ModelField, noted: Noted): Promise<readonly RecordId[]> {
    const released = statement<NotedValues>(
      this.#dialect,
      (param) =>
        sql`select ${readId(this.#dialect, this.#model.key, this.#bare('id'))} as id from ${this.#table} where ${this.#isReleased(field, param)}${this.#dialect.updateLock}`,
    );
    const rows = await transaction.all<{ id: RecordId }>(released(valuesOf(noted)));
    return rows.map(({ id }) => this.#model.key.stored(id));
  }

  /**
   * Sets these references again, with a new version of each record. A reference with `same` stays null if the records
   * have other values by now. @throws ConstraintError
   */
  async refer(transaction: Transaction, field: ModelField, noted: Noted, now: number): Promise<void> {
    const refer = statement<NotedValues & { now: string }>(this.#dialect, (param) => {
      const values = [
        sql`${this.#bare(field.name)} = ${param('target')}`,
        sql`${this.#bare(versionColumn)} = ${this.#bare(versionColumn)} + 1`,
        sql`${this.#bare('updated_at')} = ${param('now')}`,
      ];
      return sql`update ${this.#table} set ${join(values)} where ${this.#isReleased(field, param)}`;
    });
    await transaction.run(refer({ ...valuesOf(noted), now: toTimestamp(now) }));
  }

  #bare(field: string): Fragment {
    return bareColumn(this.#model.stored, field);
  }

  #isReleased(field: ModelField, param: Argument<NotedValues>): Fragment {
    const { name, same, reference = '' } = field;
    const noted = sql`${this.#bare(name)} is null and ${this.#bare('id')} in (${this.#notedIds(field, param)})`;
    if (same === undefined) return noted;
    const target = referencedRows(this.#models, reference);
    const column = columnsOfRows(target);
    const shared = sql`select ${column(same)} from ${rowsOf(target)} where ${column('id')} = ${param('target')}`;
    return sql`${noted} and ${this.#bare(same)} = (${shared})`;
  }

  /** The ids of the records that a bundle notes with a reference to the target. */
  #notedIds({ referenceKey = this.#model.key }: ModelField, value: Argument<NotedValues>): Fragment {
    const { key, name } = this.#model;
    const id = recordValue(this.#dialect, key, (column) => identifier(column));
    const isTarget =
      referenceKey.field.type.column === 'integer'
        ? sql`target_id = ${value('target')}`
        : sql`target_key = ${value('targetText')}`;
    return sql`select ${id} from ${trashTable} where bundle = ${value('bundle')} and kind = 'reference' and model = ${literal(name)} and field = ${value('field')} and ${isTarget}`;
  }
}
