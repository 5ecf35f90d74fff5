/** The writes of single records: the table with what its statements share, and insert, update, delete over it. */

import type { Database, Query, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { readId } from '../../database/record-column.ts';
import { type Source, versionColumn } from '../../database/source.ts';
import {
  type Argument,
  assignedTo,
  bareColumn,
  columnsOfRows,
  type Fragment,
  isRecord,
  join,
  rowsOf,
  type Statement,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { hasVersion } from '../../model/stored-table.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Columns } from '../collisions.ts';
import { type CompanionInsert, withCompanions } from '../companion-inserts.ts';
import { keptReach } from '../history/recorded.ts';
import type { Parking } from '../parking.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { everyRow, reachArguments, type WriteReach, writeReachOf } from '../rows/reach.ts';
import { projection, readerOf, resourceSource, rowVersion, SourceViews, seenSource } from '../view.ts';
import { noArguments, type WriteArguments } from './write-arguments.ts';
import { WriteConditions } from './write-conditions.ts';

/** JSON text of every field of a record, for hooks, history and events; undefined if the model has none of these. */
export interface WithWhole {
  readonly whole?: string | undefined;
}

/** A written record: its id, its version, and the JSON text of the response. */
export interface SavedRecord extends WithWhole {
  readonly id: RecordId;
  readonly version: number;
  readonly json: string;
}

/** Values that decide who may read the event of a deletion (`keptReach`); undefined if the model has no events. */
export interface WithReach {
  readonly reach?: string | undefined;
}

/** A record as it was when it was deleted. */
export interface RemovedRecord extends WithWhole, WithReach {
  readonly version: number;
}

/** The table of a model as its writes use it: compiled statements, conditions, and the columns that a write returns. */
export class RecordTable {
  readonly database: Database;
  readonly dialect: Dialect;
  readonly model: ResourceModel;
  readonly source: Source;
  readonly views: SourceViews;
  readonly conditions: WriteConditions;
  /** The name of the table in SQL. */
  readonly name: Fragment;
  readonly version: Fragment;
  /** The column of a field in SQL. */
  readonly column: ColumnSql;
  /** JSON text of every field, as the column `whole`. */
  readonly everyField: Fragment;
  /** True if writes return every field, for hooks, history or events. */
  readonly needsWhole: boolean;
  /** Values of a deleted row that decide who may read the event, as the column `reach`; empty without events. */
  readonly keptReach: readonly Fragment[];
  /** Compiled statements, by everything that their SQL depends on. */
  readonly #statements = new BoundedCache<Statement<WriteArguments>>(512);

  constructor(database: Database, model: ResourceModel, models: Models) {
    const { dialect } = database;
    this.database = database;
    this.dialect = dialect;
    this.model = model;
    this.source = resourceSource(model, models);
    this.views = new SourceViews(this.source);
    this.column = columnsOfRows(model.stored);
    this.name = rowsOf(model.stored);
    this.version = rowVersion(model, dialect);
    this.conditions = new WriteConditions(this.source, model.stored, this.column, this.version, dialect);
    this.everyField = sql`${projection(this.source, [...model.fields.keys()], dialect, model.stored.name)} as whole`;
    const { afterCommit, beforeCommit } = model.hooks;
    const hasHooks = afterCommit !== undefined || beforeCommit !== undefined;
    this.needsWhole = hasHooks || model.history || model.events;
    this.keptReach = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];
  }

  /** The statement of this key; `build` makes the SQL once, from nothing that the key does not name. */
  compiled(key: string, build: (param: Argument<WriteArguments>) => Fragment): Statement<WriteArguments> {
    return this.#statements.getOrMake(key, () => statement<WriteArguments>(this.dialect, build));
  }

  /** The RETURNING clause. SQLite accepts only the name of the table there, no alias. */
  returning(columns: readonly Fragment[]): Fragment {
    return sql` returning ${join(this.needsWhole ? [...columns, this.everyField] : columns)}`;
  }

  /** The RETURNING clause of a saved record, as the caller may read it. */
  returningSaved(grant: Grant): Fragment {
    return sql` returning ${join(this.savedColumns(grant))}`;
  }

  /** The columns of a saved record, as the caller may read it, and every field where it is needed. */
  savedColumns(grant: Grant): readonly Fragment[] {
    const seen = seenSource(this.source, grant.mask);
    const columns = [
      sql`${readId(this.dialect, this.model.key, this.column('id'))} as id`,
      sql`${this.version} as version`,
      sql`${projection(seen, grant.readable, this.dialect, this.model.stored.name)} as json`,
    ];
    return this.needsWhole && !this.#readsAll(grant) ? [...columns, this.everyField] : columns;
  }

  /** The statement with its companion inserts. */
  withCompanions(
    grant: Grant,
    write: Fragment,
    companions: readonly CompanionInsert[],
    param: Argument<WriteArguments>,
  ): Fragment {
    const whole = this.#readsAll(grant) ? 'json' : 'whole';
    return withCompanions(this.dialect, write, whole, companions, (index) => param('companions', index));
  }

  /** A saved record from the row that its statement returned. */
  toSaved(row: SavedRecord, grant: Grant): SavedRecord {
    return {
      id: this.model.key.stored(row.id),
      version: Number(row.version),
      json: row.json,
      whole: this.needsWhole && this.#readsAll(grant) ? row.json : row.whole,
    };
  }

  /** @param order the id of the record; 0 for a new one */
  write<Row>(query: Query, within: Transaction | undefined, order: RecordId): Promise<Row[]> {
    return within === undefined ? this.database.execute<Row>({ ...query, order }) : within.all<Row>(query);
  }

  /** True if the response has every field: then its text serves hooks, history and events as well. */
  #readsAll({ readable, mask }: Grant): boolean {
    return readable.length === this.model.fields.size && mask === undefined;
  }
}

/** Versions in a millisecond: more than any record gets of writes in it. */
const versionsPerMs = 1_000;

/** The last first version of this process. */
let lastFirst = 0;

/**
 * The version with which a new record begins, at a time in milliseconds since 1970: where a caller gives ids, the time
 * in microseconds. A record whose id another one had before is thus never at a version of that one, and a kept `ETag`
 * of it matches nothing. The last digits are random, as no caller has to learn of records that others make.
 * Undefined where the column begins with 1 by itself: an id that the service gives is given once. In an external table
 * the column belongs to the other program, which may have made it for small numbers.
 */
const firstVersion = ({ key, stored }: ResourceModel, now: number): number | undefined => {
  if (key.givenBy !== 'caller' || stored.external === true || !hasVersion(stored)) return undefined;
  lastFirst = Math.max(
    Math.trunc(now) * versionsPerMs + Math.trunc(Math.random() * versionsPerMs),
    lastFirst + 1,
  );
  return lastFirst;
};

/** Inserts, updates and deletions of single records of a table. */
export class RecordWrites {
  readonly #table: RecordTable;
  readonly #parking: Parking;

  constructor(table: RecordTable, parking: Parking) {
    this.#table = table;
    this.#parking = parking;
  }

  /**
   * Inserts a record. Undefined if the grant does not allow such a record. Companion inserts are part of the same
   * statement; they need `Dialect.writeWithCte`. @throws ConstraintError
   */
  readonly insert = async (
    grant: Grant,
    columns: Columns,
    now: number,
    within?: Transaction,
    companions: readonly CompanionInsert[] = [],
  ): Promise<SavedRecord | undefined> => {
    const table = this.#table;
    const reach = writeReachOf(grant);
    if (reach === undefined) return undefined;
    const times = ['created_at', 'updated_at'].filter((name) => table.model.fields.has(name));
    const version = firstVersion(table.model, now);
    const versions = version === undefined ? [] : [version];
    const names = [...Object.keys(columns), ...times, ...versions.map(() => versionColumn)];
    const at = toTimestamp(now);
    const further = companions.map((each) => each.key).join(' ');
    const key = `insert ${further} ${table.views.of(grant).id} ${names.join(',')}\n${reach.key}`;
    const insert = table.compiled(key, (param) =>
      table.withCompanions(grant, this.#insertion(grant, reach, names, param), companions, param),
    );
    const values = [...Object.values(columns), ...times.map(() => at), ...versions];
    const bound = { values, companions: companions.flatMap((each) => each.values) };
    const query = insert({ ...noArguments, ...reachArguments(reach), ...readerOf(grant), ...bound });
    const [row] = await table.write<SavedRecord>(query, within, 0);
    const { writes = everyRow, held } = reach;
    if (row === undefined && writes === everyRow && held === everyRow)
      throw new Error('an insert returned no record');
    return row && this.#stored(table.toSaved(row, grant), grant, within);
  };

  /**
   * Updates a record. Undefined if no record of the grant's rows has this id and an accepted version, or if the grant
   * does not allow its old or new values. @throws ConstraintError
   */
  readonly update = async (
    grant: Grant,
    id: RecordId,
    columns: Columns,
    now: number,
    versions: readonly number[] | undefined,
    within?: Transaction,
  ): Promise<SavedRecord | undefined> => {
    const reach = versions?.length === 0 ? undefined : writeReachOf(grant);
    if (reach === undefined) return undefined;
    const parking = this.#parking;
    const times = this.#table.model.fields.has('updated_at') ? { updated_at: toTimestamp(now) } : {};
    const all = { ...parking.originals(within, id), ...columns, ...times };
    const updated = await this.#updateRow(grant, reach, id, all, versions, within, true);
    if (updated !== undefined) parking.forget(within, id);
    return updated;
  };

  /**
   * Sets further values of a record that the same transaction has saved, as a part of that write: its version and its
   * time stay. Undefined if the row rule of the grant does not allow them. @throws ConstraintError
   */
  readonly complete = async (
    grant: Grant,
    id: RecordId,
    columns: Columns,
    within: Transaction,
  ): Promise<SavedRecord | undefined> => {
    const reach = writeReachOf(grant);
    if (reach === undefined) return undefined;
    // The saving statement has checked the rows, and the conditions of the fields that it set.
    const written = { ...reach, rows: everyRow, held: everyRow, key: `${reach.writes?.key}` };
    return this.#updateRow(grant, written, id, columns, undefined, within, false);
  };

  /**
   * Deletes a record. Undefined if no record that the grant lets be written has this id and an accepted version.
   * @throws ConstraintError if another record still refers to it
   */
  readonly remove = async (
    grant: Grant,
    id: RecordId,
    versions: readonly number[] | undefined,
    within?: Transaction,
  ): Promise<RemovedRecord | undefined> => {
    const table = this.#table;
    const reach = versions?.length === 0 ? undefined : writeReachOf(grant);
    if (reach === undefined) return undefined;
    const remove = table.compiled(`remove ${versions?.length ?? 0} ${reach.key}`, (param) => {
      const columns = [sql`${table.version} as version`, ...table.keptReach];
      if (!table.needsWhole && table.model.trash) columns.push(table.everyField);
      const conditions = table.conditions.targetConditions(reach, versions, param);
      return sql`delete from ${table.name}${where(conditions)}${table.returning(columns)}`;
    });
    const query = remove({ ...noArguments, ...reachArguments(reach), id, versions: versions ?? [] });
    const [row] = await table.write<RemovedRecord>(query, within, id);
    if (row === undefined) return undefined;
    const last = this.#parking.withOriginals(within, id, row.whole);
    this.#parking.forget(within, id);
    return { ...row, whole: last, version: Number(row.version) };
  };

  /** The record as it is stored: triggers of an external table may have changed it after the statement. */
  async #stored(saved: SavedRecord, grant: Grant, within: Transaction | undefined): Promise<SavedRecord> {
    const table = this.#table;
    if (table.model.stored.external !== true || within === undefined) return saved;
    const read = table.compiled(`stored ${table.views.of(grant).id}`, (param) => {
      const columns = table.savedColumns(grant);
      return sql`select ${join(columns)} from ${table.name} where ${isRecord(table.model.stored, param('id'))}`;
    });
    const query = read({ ...noArguments, ...readerOf(grant), id: saved.id });
    const row = await within.get<SavedRecord>(query);
    if (row === undefined)
      throw new Error(`${table.model.name} ${saved.id}: a trigger has removed the record`);
    return table.toSaved(row, grant);
  }

  /** The insert of these columns; with conditions on the new row, it inserts a row that meets them or none. */
  #insertion(
    grant: Grant,
    { writes = everyRow, held }: WriteReach,
    names: readonly string[],
    param: Argument<WriteArguments>,
  ): Fragment {
    const { model, name, conditions } = this.#table;
    const saved = this.#table.returningSaved(grant);
    const into = sql`insert into ${name} (${join(names.map((each) => bareColumn(model.stored, each)))})`;
    if (writes.terms.length === 0 && held.terms.length === 0) {
      const places = names.map((each, index) => assignedTo(model.stored, each, param('values', index)));
      return sql`${into} values (${join(places)})${saved}`;
    }
    const made: ColumnSql = (of) => conditions.assignedValue(names, of, param);
    const admitted = [
      ...conditions.rowConditions(writes, 'writes', param, made),
      ...conditions.rowConditions(held, 'held', param, made),
    ];
    const values = names.map((each) => assignedTo(model.stored, each, made(each)));
    return sql`${into} ${sql`select ${join(values)}${where(admitted)}`}${saved}`;
  }

  /** @param raises whether the record gets a new version */
  async #updateRow(
    grant: Grant,
    reach: WriteReach,
    id: RecordId,
    columns: Columns,
    versions: readonly number[] | undefined,
    within: Transaction | undefined,
    raises: boolean,
  ): Promise<SavedRecord | undefined> {
    const table = this.#table;
    const names = Object.keys(columns);
    const { id: view } = table.views.of(grant);
    const key = `update ${raises} ${view} ${versions?.length ?? 0} ${names.join(',')}\n${reach.key}`;
    const update = table.compiled(key, (param) => {
      const assignments = names.map(
        (each, index) =>
          sql`${bareColumn(table.model.stored, each)} = ${assignedTo(table.model.stored, each, param('values', index))}`,
      );
      const { stored, fields } = table.model;
      if (raises && hasVersion(stored))
        assignments.push(sql`${bareColumn(stored, versionColumn)} = ${table.version} + 1`);
      // A write of no values still runs triggers, and compares the version. An identity may not be set.
      if (assignments.length === 0) {
        const { name = 'id' } = [...fields.values()].find(({ serverSet }) => !serverSet) ?? {};
        assignments.push(sql`${bareColumn(stored, name)} = ${bareColumn(stored, name)}`);
      }
      const conditions = this.#updateConditions(reach, names, versions, param);
      return sql`update ${table.name} set ${join(assignments)}${where(conditions)}${table.returningSaved(grant)}`;
    });
    const values = Object.values(columns);
    const asked = { ...noArguments, ...reachArguments(reach), ...readerOf(grant) };
    const query = update({ ...asked, values, id, versions: versions ?? [] });
    const [row] = await table.write<SavedRecord>(query, within, id);
    return row && this.#stored(table.toSaved(row, grant), grant, within);
  }

  /** Conditions on the row as it is, and on its new values where these could leave the caller's reach. */
  #updateConditions(
    reach: WriteReach,
    names: readonly string[],
    versions: readonly number[] | undefined,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] {
    const { conditions, column } = this.#table;
    const target = conditions.targetConditions(reach, versions, param);
    if (!conditions.leavesReach(reach.writes, names)) return target;
    const next: ColumnSql = (of) =>
      names.includes(of) ? conditions.assignedValue(names, of, param) : column(of);
    return [...target, ...conditions.rowConditions(reach.writes, 'writes', param, next)];
  }
}
