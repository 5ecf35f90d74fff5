import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Database, Query, SqlValue, Transaction } from '../database.ts';
import { dialectOf } from '../dialects/registry.ts';
import { projection } from '../projection.ts';
import { resourceSource, versionColumn } from '../resource-source.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import {
  type Argument,
  all,
  type Fragment,
  name,
  type Statement,
  sql,
  statement,
  where,
} from '../statement.ts';
import { SourceViews } from '../view.ts';
import { type Candidate, type Collision, type Columns, createCollisions } from './collisions.ts';

/** What hooks are told of a record: JSON text of every field; undefined where the model has none that is told. */
interface Told {
  readonly whole?: string | undefined;
}

/** A record as it was written: its id, its version, and the answer's JSON text. */
export interface SavedRecord extends Told {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** A record as it is: its version, and JSON text of every field. */
export interface CurrentRecord {
  readonly version: number;
  readonly whole: string;
}

type WriteArguments = {
  /** Of the columns that are written, in their order. */
  readonly values: readonly SqlValue[];
  /** Of the row filter. */
  readonly rows: readonly SqlValue[];
  readonly id: number;
  /** The versions of which the record must have one; empty where any will do. */
  readonly versions: readonly SqlValue[];
};

const nothing: WriteArguments = { values: [], rows: [], id: 0, versions: [] };

/**
 * Writes of a resource's table. Each takes a grant and stays within its rows; each is one statement that answers the
 * record as the caller may read it, on its own or in a transaction. A condition on the version is part of the
 * statement that writes.
 */
export const createRecords = (database: Database, model: ResourceModel, models: Models) => {
  const dialect = dialectOf(database);
  const source = resourceSource(model);
  const views = new SourceViews(source);
  const collisions = createCollisions(dialect, model, models);
  const table = name(model.table);
  const column = (of: string): Fragment => name(model.table, of);
  const version = column(versionColumn);
  /** By what the statement does and all that its SQL depends on. */
  const statements = new BoundedCache<Statement<WriteArguments>>('writeStatements');

  const compiled = (
    key: string,
    build: (argument: Argument<WriteArguments>) => Fragment,
  ): Statement<WriteArguments> => statements.getOrMake(key, () => statement<WriteArguments>(dialect, build));

  const json = (fields: readonly string[]): Fragment => projection(source, fields, dialect, model.table);

  /** Every field, for the hooks that are told of what was written; nothing where there are none. */
  const everyField = sql`${json([...model.fields.keys()])} as whole`;
  const { afterCommit, beforeCommit } = model.hooks;
  const whole = afterCommit === undefined && beforeCommit === undefined ? undefined : everyField;

  /** SQLite's RETURNING knows the table by its own name only. */
  const returning = (...columns: readonly Fragment[]): Fragment =>
    sql` returning ${all(whole === undefined ? columns : [...columns, whole])}`;

  /** Who reads every field is answered what the hooks are told: it is made once. */
  const readsAll = ({ readable }: Grant): boolean => readable.length === model.fields.size;

  const saved = (grant: Grant): Fragment => {
    const columns = [
      sql`${column('id')} as id`,
      sql`${version} as version`,
      sql`${json(grant.readable)} as json`,
    ];
    return readsAll(grant) ? sql` returning ${all(columns)}` : returning(...columns);
  };

  const toSaved = (row: SavedRecord, grant: Grant): SavedRecord => ({
    id: Number(row.id),
    version: Number(row.version),
    json: row.json,
    whole: whole !== undefined && readsAll(grant) ? row.json : row.whole,
  });

  /** The record with an id, of the caller's rows, and of a version that is acceptable. */
  const target = (
    { columns }: RowReach,
    versions: readonly number[],
    argument: Argument<WriteArguments>,
  ): Fragment => {
    const accepted = versions.map((_, index) => argument('versions', index));
    return where([
      ...reachConditions(columns, column, (index) => argument('rows', index)),
      sql`${column('id')} = ${argument('id')}`,
      ...(accepted.length === 0 ? [] : [sql`${version} in (${all(accepted)})`]),
    ]);
  };

  /** The rows that the grant reaches; undefined where there are none, or none with an acceptable version. */
  const reached = (grant: Grant, versions: readonly number[] | undefined): RowReach | undefined =>
    versions?.length === 0 ? undefined : reachOf(grant);

  const write = <Row>(query: Query, within: Transaction | undefined): Promise<Row[]> =>
    within === undefined ? database.execute<Row>(query) : within.all<Row>(query);

  return {
    source,

    /**
     * Unique values that are taken and references to nothing that the caller may name, all at once; one statement, or
     * none. `except` is the id of the record that is updated.
     */
    collisions: (
      grant: Grant,
      candidate: Candidate,
      except?: number,
      within?: Transaction,
    ): Promise<readonly Collision[]> => collisions(within ?? database, grant, candidate, except),

    /** @throws ConstraintError */
    insert: async (
      grant: Grant,
      columns: Columns,
      now: number,
      within?: Transaction,
    ): Promise<SavedRecord> => {
      const names = [...Object.keys(columns), 'created_at', 'updated_at'];
      const at = toTimestamp(now);
      const insert = compiled(`insert ${views.of(grant.readable).id} ${names.join(',')}`, (argument) => {
        const places = names.map((_, index) => argument('values', index));
        const into = all(names.map((each) => name(each)));
        return sql`insert into ${table} (${into}) values (${all(places)})${saved(grant)}`;
      });
      const query = insert({ ...nothing, values: [...Object.values(columns), at, at] });
      const [row] = await write<SavedRecord>(query, within);
      if (row === undefined) throw new Error('an insert answered no record');
      return toSaved(row, grant);
    },

    /** Undefined where no record of the grant's rows has this id and one of the versions. @throws ConstraintError */
    update: async (
      grant: Grant,
      id: number,
      columns: Columns,
      now: number,
      versions: readonly number[] | undefined,
      within?: Transaction,
    ): Promise<SavedRecord | undefined> => {
      const rows = reached(grant, versions);
      if (rows === undefined) return undefined;
      const names = [...Object.keys(columns), 'updated_at'];
      const count = versions?.length ?? 0;
      const { id: view } = views.of(grant.readable);
      const update = compiled(`update ${view} ${count} ${names.join(',')}\n${rows.key}`, (argument) => {
        const assignments = names.map((each, index) => sql`${name(each)} = ${argument('values', index)}`);
        const raised = sql`${name(versionColumn)} = ${version} + 1`;
        const set = all([...assignments, raised]);
        return sql`update ${table} set ${set}${target(rows, versions ?? [], argument)}${saved(grant)}`;
      });
      const values = [...Object.values(columns), toTimestamp(now)];
      const query = update({ values, rows: rows.values, id, versions: versions ?? [] });
      const [row] = await write<SavedRecord>(query, within);
      return row && toSaved(row, grant);
    },

    /**
     * Undefined where no record of the grant's rows has this id and one of the versions.
     * @throws ConstraintError where it is still referred to
     */
    remove: async (
      grant: Grant,
      id: number,
      versions: readonly number[] | undefined,
      within?: Transaction,
    ): Promise<Told | undefined> => {
      const rows = reached(grant, versions);
      if (rows === undefined) return undefined;
      const remove = compiled(`remove ${versions?.length ?? 0} ${rows.key}`, (argument) => {
        const gone = returning(sql`${column('id')} as id`);
        return sql`delete from ${table}${target(rows, versions ?? [], argument)}${gone}`;
      });
      const query = remove({ ...nothing, rows: rows.values, id, versions: versions ?? [] });
      const [row] = await write<Told>(query, within);
      return row;
    },

    /** A record that the grant reaches, with every field; locked until the transaction is over where one is given. */
    current: async (grant: Grant, id: number, within?: Transaction): Promise<CurrentRecord | undefined> => {
      const rows = reachOf(grant);
      if (rows === undefined) return undefined;
      const locks = within !== undefined;
      const read = compiled(`current ${locks} ${rows.key}`, (argument) => {
        const found = sql`select ${version} as version, ${everyField} from ${table}${target(rows, [], argument)}`;
        return locks ? sql`${found}${dialect.rowLock}` : found;
      });
      const query = read({ ...nothing, rows: rows.values, id });
      const row = await (within ?? database).get<CurrentRecord>(query);
      return row && { version: Number(row.version), whole: row.whole };
    },

    /** The version of a record that the grant reaches. */
    version: async (grant: Grant, id: number, within?: Transaction): Promise<number | undefined> => {
      const rows = reachOf(grant);
      if (rows === undefined) return undefined;
      const read = compiled(
        `version ${rows.key}`,
        (argument) => sql`select ${version} as version from ${table}${target(rows, [], argument)}`,
      );
      const query = read({ ...nothing, rows: rows.values, id });
      const row = await (within ?? database).get<{ version: number }>(query);
      return row && Number(row.version);
    },
  };
};

export type { Candidate, Collision, Columns };

export type RecordStore = ReturnType<typeof createRecords>;
