import type { Database, Query, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { dialectOf } from '../database/registry.ts';
import { columnOf, type Source, versionColumn } from '../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  literal,
  type Statement,
  sql,
  statement,
  where,
} from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { Grant } from '../policy/grant.ts';
import { type WrittenBeside, writtenBeside } from './beside.ts';
import { type Candidate, type Collision, type Columns, createCollisions } from './collisions.ts';
import { keptReach } from './history/recorded.ts';
import type { ColumnSql } from './rows/expression.ts';
import { columnsOf, type ReachTerm, type RowReach, reachConditions, reachOf } from './rows/reach.ts';
import { projection, resourceSource, SourceViews } from './view.ts';

export type WriteArguments = {
  /** Of the columns that are written, in their order. */
  readonly values: readonly SqlValue[];
  /** Of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Of the rows that may be written. */
  readonly writes: readonly SqlValue[];
  readonly id: number;
  /** Of what is written beside the record, those of one insert behind those of the other. */
  readonly beside: readonly SqlValue[];
  /** The versions of which the record must have one; empty where any will do. */
  readonly versions: readonly SqlValue[];
};

/** The arguments of a statement that takes none of them. */
export const nothing: WriteArguments = {
  values: [],
  rows: [],
  writes: [],
  id: 0,
  versions: [],
  beside: [],
};

/** What a write stays within: the rows that the caller reaches, and of these those that they may write. */
export interface WriteReach {
  readonly rows: RowReach;
  /** Absent where every row that is reached may be written. */
  readonly writes: RowReach | undefined;
  readonly key: string;
}

/** Undefined where there is no such row, neither before nor after. */
export const writeReachOf = (grant: Grant): WriteReach | undefined => {
  const rows = reachOf(grant);
  if (grant.writes === undefined) return rows && { rows, writes: undefined, key: rows.key };
  const writes = reachOf({ rows: grant.writes });
  return rows && writes && { rows, writes, key: `${rows.key}\n${writes.key}` };
};

export const everyRow = reachOf({ rows: [] });

export const argumentsOf = ({ rows, writes }: WriteReach) => ({
  rows: rows.values,
  writes: writes?.values ?? [],
});

/**
 * What of a rule values of these columns decide. Undefined where they decide nothing: it may hold by the values of other
 * columns.
 */
const decidedRule = (rule: RowExpression, names: readonly string[]): RowExpression | undefined => {
  if ('column' in rule) return names.includes(rule.column) ? rule : undefined;
  const parts = rule.rules.map((part) => decidedRule(part, names));
  const rules = parts.filter((part) => part !== undefined);
  if (rule.kind === 'anyOf') return rules.length < parts.length ? undefined : { kind: 'anyOf', rules };
  return rules.length === 0 ? undefined : { kind: 'allOf', rules };
};

/** What of the conditions values of these columns decide. */
export const decidedReach = ({ terms, values, key }: RowReach, names: readonly string[]): RowReach => {
  const decided: { term: ReachTerm; value: ColumnValue }[] = [];
  for (const [index, term] of terms.entries()) {
    const isColumn = typeof term === 'string';
    const part = isColumn ? term : decidedRule(term, names);
    if (part === undefined || (isColumn && !names.includes(term))) continue;
    decided.push({ term: part, value: values[index] ?? null });
  }
  return { terms: decided.map(({ term }) => term), values: decided.map(({ value }) => value), key };
};

/** The conditions of writes of a table: whose row it is, of which version, and what it may become. */
export const writeConditions = (source: Source, table: string, dialect: Dialect) => {
  const column = (of: string): Fragment => identifier(table, of);
  const version = column(versionColumn);

  /** Conditions that the row itself meets them, or the row that it becomes where its columns are said. */
  const reached = (
    { terms }: RowReach,
    of: 'rows' | 'writes',
    param: Argument<WriteArguments>,
    columns: ColumnSql = column,
  ): readonly Fragment[] => reachConditions(terms, columns, (index) => param(of, index), 'hold', dialect);

  /** The record with an id, of the caller's rows. */
  const found = (rows: RowReach, param: Argument<WriteArguments>): readonly Fragment[] => [
    ...reached(rows, 'rows', param),
    sql`${column('id')} = ${param('id')}`,
  ];

  /** The record with an id, of those that the caller may write, and of a version that is acceptable. */
  const target = (
    { rows, writes }: WriteReach,
    versions: readonly number[] | undefined,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] => {
    const accepted = versions?.map((_, index) => param('versions', index)) ?? [];
    return [
      ...found(rows, param),
      ...(writes === undefined ? [] : reached(writes, 'writes', param)),
      ...(accepted.length === 0 ? [] : [sql`${version} in (${join(accepted)})`]),
    ];
  };

  /** A value that is written, where a condition compares it: it has the type of its column, as the row will. */
  const assigned = (names: readonly string[], of: string, param: Argument<WriteArguments>): Fragment => {
    const kind = columnOf(source, of).type.column;
    const index = names.indexOf(of);
    return dialect.cast(index < 0 ? sql`null` : param('values', index), kind);
  };

  /** Whether the row that an update makes may be one that the caller could not write: none of other columns can. */
  const leadsOut = (writes: RowReach | undefined, names: readonly string[]): writes is RowReach =>
    writes?.terms.some((term) => columnsOf(term).some((of) => names.includes(of))) === true;

  return { reached, found, target, assigned, leadsOut };
};

/** What hooks and history are told of a record: JSON text of every field; undefined where the model has none. */
interface Told {
  readonly whole?: string | undefined;
}

/** A record as it was written: its id, its version, and the answer's JSON text. */
export interface SavedRecord extends Told {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** What is kept of a record that goes; undefined where its model does not tell of what happens: see `keptReach`. */
interface Kept {
  readonly reach?: string | undefined;
}

/** A record as it was when it was deleted. */
export interface RemovedRecord extends Told, Kept {
  readonly version: number;
}

/** How a record that the caller reaches stands to a write of theirs. */
export interface RecordStanding {
  readonly version: number;
  /** Whether it is, as it is now, among those that the grant lets write. */
  readonly writable: boolean;
}

/** A record as it is, with JSON text of every field. */
export interface CurrentRecord extends RecordStanding, Kept {
  readonly whole: string;
}

/** Against whom a record that is read in a transaction is locked: see `Dialect`. */
export type RowLock = 'updateLock' | 'deleteLock';

/** A standing as the database answers it. */
interface StandingRow {
  readonly version: number;
  readonly writable: unknown;
}

const standingOf = ({ version, writable }: StandingRow): RecordStanding => ({
  version: Number(version),
  writable: Number(writable) === 1,
});

/**
 * Writes of a resource's table. Each takes a grant and stays within its rows; each is one statement that answers the
 * record as the caller may read it, on its own or in a transaction. A condition on the version is part of the
 * statement that writes.
 */
export const createRecords = (database: Database, model: ResourceModel, models: Models) => {
  const dialect = dialectOf(database);
  const source = resourceSource(model, models);
  const views = new SourceViews(source);
  const collisions = createCollisions(dialect, model, models);
  const table = identifier(model.table);
  const column = (of: string): Fragment => identifier(model.table, of);
  const version = column(versionColumn);
  const { reached, found, target, assigned, leadsOut } = writeConditions(source, model.table, dialect);
  /** By what the statement does and all that its SQL depends on; the resource is fixed and values are bound. */
  const statements = new BoundedCache<Statement<WriteArguments>>(512);

  const compiled = (
    key: string,
    build: (param: Argument<WriteArguments>) => Fragment,
  ): Statement<WriteArguments> => statements.getOrMake(key, () => statement<WriteArguments>(dialect, build));

  const json = (fields: readonly string[]): Fragment => projection(source, fields, dialect, model.table);

  /** Every field, for the hooks that are told of what was written; nothing where there are none. */
  const everyField = sql`${json([...model.fields.keys()])} as whole`;
  const { afterCommit, beforeCommit } = model.hooks;
  const isTold = afterCommit !== undefined || beforeCommit !== undefined || model.history || model.events;
  const whole = isTold ? everyField : undefined;
  const kept = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];

  /** SQLite's RETURNING knows the table by its own name only. */
  const returning = (...columns: readonly Fragment[]): Fragment =>
    sql` returning ${join(whole === undefined ? columns : [...columns, whole])}`;

  /** Who reads every field is answered what the hooks are told: it is made once. */
  const readsAll = ({ readable }: Grant): boolean => readable.length === model.fields.size;

  const saved = (grant: Grant): Fragment => {
    const columns = [
      sql`${column('id')} as id`,
      sql`${version} as version`,
      sql`${json(grant.readable)} as json`,
    ];
    return readsAll(grant) ? sql` returning ${join(columns)}` : returning(...columns);
  };

  /** The statement with what it writes beside the record. */
  const withBeside = (
    grant: Grant,
    write: Fragment,
    besides: readonly WrittenBeside[],
    param: Argument<WriteArguments>,
  ): Fragment =>
    writtenBeside(dialect, write, readsAll(grant) ? 'json' : 'whole', besides, (index) =>
      param('beside', index),
    );

  const toSaved = (row: SavedRecord, grant: Grant): SavedRecord => ({
    id: Number(row.id),
    version: Number(row.version),
    json: row.json,
    whole: whole !== undefined && readsAll(grant) ? row.json : row.whole,
  });

  /** @param order the id of the record; 0 for one that has none yet */
  const write = <Row>(query: Query, within: Transaction | undefined, order: number): Promise<Row[]> =>
    within === undefined ? database.execute<Row>({ ...query, order }) : within.all<Row>(query);

  /** A record that the grant reaches, and whether it may be written as it is. */
  const standing = <Row extends StandingRow>(
    grant: Grant,
    id: number,
    within: Transaction | undefined,
    lock: RowLock | undefined,
    more?: Fragment,
  ): Promise<Row | undefined> | undefined => {
    const rows = reachOf(grant);
    if (rows === undefined) return undefined;
    const { writes: filter } = grant;
    const writes = filter === undefined ? everyRow : reachOf({ rows: filter });
    const key = `standing ${lock} ${more !== undefined} ${rows.key}\n${writes?.key ?? 'none'}`;
    const read = compiled(key, (param) => {
      const met = writes === undefined ? [sql`1 = 0`] : reached(writes, 'writes', param);
      const writable = met.length === 0 ? literal(1) : sql`case when ${join(met, ' and ')} then 1 else 0 end`;
      const columns = [sql`${version} as version`, sql`${writable} as writable`];
      const answer = join(more === undefined ? columns : [...columns, more]);
      const row = sql`select ${answer} from ${table}${where(found(rows, param))}`;
      return lock === undefined ? row : sql`${row}${dialect[lock]}`;
    });
    const query = read({ ...nothing, rows: rows.values, writes: writes?.values ?? [], id });
    return (within ?? database).get<Row>(query);
  };

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

    /**
     * Whether the grant lets a record be written with these values: a new one, or the one with an id as it would be then. A
     * new one may have others as well: a rule that they could meet is taken to hold. One statement, or none.
     */
    admits: async (
      grant: Grant,
      columns: Columns,
      id: number | undefined,
      within?: Transaction,
    ): Promise<boolean> => {
      if (grant.writes === undefined) return true;
      const writes = reachOf({ rows: grant.writes });
      if (writes === undefined) return false;
      const names = Object.keys(columns);
      const asked = id === undefined ? decidedReach(writes, names) : writes;
      if (id === undefined ? asked.terms.length === 0 : !leadsOut(writes, names)) return true;
      const admitted = compiled(`admits ${id === undefined} ${names.join(',')}\n${asked.key}`, (param) => {
        const next: ColumnSql = (of) =>
          id === undefined || names.includes(of) ? assigned(names, of, param) : column(of);
        const met = reached(asked, 'writes', param, next);
        if (id === undefined) return sql`select 1 as admitted${where(met)}`;
        return sql`select 1 as admitted from ${table}${where([sql`${column('id')} = ${param('id')}`, ...met])}`;
      });
      const values = Object.values(columns);
      const query = admitted({ ...nothing, values, writes: asked.values, id: id ?? 0 });
      return (await (within ?? database).get(query)) !== undefined;
    },

    /**
     * Undefined where the grant lets nobody write such a record. What stands beside it is written in the same statement,
     * where `Dialect.beside` is there. @throws ConstraintError
     */
    insert: async (
      grant: Grant,
      columns: Columns,
      now: number,
      within?: Transaction,
      besides: readonly WrittenBeside[] = [],
    ): Promise<SavedRecord | undefined> => {
      const reach = writeReachOf(grant);
      if (reach === undefined) return undefined;
      const { writes } = reach;
      const names = [...Object.keys(columns), 'created_at', 'updated_at'];
      const at = toTimestamp(now);
      const told = besides.map((each) => each.key).join(' ');
      const key = `insert ${told} ${views.of(grant.readable).id} ${names.join(',')}\n${reach.key}`;
      const insert = compiled(key, (param) => {
        const into = sql`insert into ${table} (${join(names.map((each) => identifier(each)))})`;
        const places = names.map((_, index) => param('values', index));
        if (writes === undefined)
          return withBeside(grant, sql`${into} values (${join(places)})${saved(grant)}`, besides, param);
        const made: ColumnSql = (of) => assigned(names, of, param);
        const row = sql`select ${join(names.map(made))}${where(reached(writes, 'writes', param, made))}`;
        return withBeside(grant, sql`${into} ${row}${saved(grant)}`, besides, param);
      });
      const values = [...Object.values(columns), at, at];
      const beside = besides.flatMap((each) => each.values);
      const query = insert({ ...nothing, ...argumentsOf(reach), values, beside });
      const [row] = await write<SavedRecord>(query, within, 0);
      if (row === undefined && writes === undefined) throw new Error('an insert answered no record');
      return row && toSaved(row, grant);
    },

    /**
     * Undefined where no record of the grant's rows has this id and one of the versions, or where it may not be written
     * as it is or as it would be. @throws ConstraintError
     */
    update: async (
      grant: Grant,
      id: number,
      columns: Columns,
      now: number,
      versions: readonly number[] | undefined,
      within?: Transaction,
    ): Promise<SavedRecord | undefined> => {
      const reach = versions?.length === 0 ? undefined : writeReachOf(grant);
      if (reach === undefined) return undefined;
      const { writes } = reach;
      const names = [...Object.keys(columns), 'updated_at'];
      const { id: view } = views.of(grant.readable);
      const key = `update ${view} ${versions?.length ?? 0} ${names.join(',')}\n${reach.key}`;
      const update = compiled(key, (param) => {
        const assignments = names.map((each, index) => sql`${identifier(each)} = ${param('values', index)}`);
        const raised = sql`${identifier(versionColumn)} = ${version} + 1`;
        const conditions = [...target(reach, versions, param)];
        if (leadsOut(writes, names)) {
          const next: ColumnSql = (of) => (names.includes(of) ? assigned(names, of, param) : column(of));
          conditions.push(...reached(writes, 'writes', param, next));
        }
        return sql`update ${table} set ${join([...assignments, raised])}${where(conditions)}${saved(grant)}`;
      });
      const values = [...Object.values(columns), toTimestamp(now)];
      const query = update({ ...nothing, ...argumentsOf(reach), values, id, versions: versions ?? [] });
      const [row] = await write<SavedRecord>(query, within, id);
      return row && toSaved(row, grant);
    },

    /**
     * Undefined where no record that the grant lets write has this id and one of the versions.
     * @throws ConstraintError where it is still referred to
     */
    remove: async (
      grant: Grant,
      id: number,
      versions: readonly number[] | undefined,
      within?: Transaction,
    ): Promise<RemovedRecord | undefined> => {
      const reach = versions?.length === 0 ? undefined : writeReachOf(grant);
      if (reach === undefined) return undefined;
      const remove = compiled(`remove ${versions?.length ?? 0} ${reach.key}`, (param) => {
        const trashed = whole === undefined && model.trash ? [everyField] : [];
        const gone = returning(sql`${version} as version`, ...kept, ...trashed);
        return sql`delete from ${table}${where(target(reach, versions, param))}${gone}`;
      });
      const query = remove({ ...nothing, ...argumentsOf(reach), id, versions: versions ?? [] });
      const [row] = await write<RemovedRecord>(query, within, id);
      return row && { ...row, version: Number(row.version) };
    },

    /** A record that the grant reaches, with every field; locked until the transaction is over where one is given. */
    current: async (
      grant: Grant,
      id: number,
      within?: Transaction,
      lock: RowLock = 'updateLock',
    ): Promise<CurrentRecord | undefined> => {
      const locks = within === undefined ? undefined : lock;
      const row = await standing<CurrentRecord>(grant, id, within, locks, join([everyField, ...kept]));
      return row && { ...standingOf(row), whole: row.whole, reach: row.reach };
    },

    /** Id of the record that the grant reaches whose column has a value; the column is unique. */
    identify: async (
      grant: Grant,
      of: string,
      value: SqlValue,
      within?: Transaction,
    ): Promise<number | undefined> => {
      const rows = reachOf(grant);
      if (rows === undefined) return undefined;
      const read = compiled(`identify ${of} ${rows.key}`, (param) => {
        const conditions = [...reached(rows, 'rows', param), sql`${column(of)} = ${param('values', 0)}`];
        return sql`select ${column('id')} as id from ${table}${where(conditions)}`;
      });
      const query = read({ ...nothing, rows: rows.values, values: [value] });
      const row = await (within ?? database).get<{ id: number }>(query);
      return row && Number(row.id);
    },

    /** How a record that the grant reaches stands to a write. */
    standing: async (grant: Grant, id: number, within?: Transaction): Promise<RecordStanding | undefined> => {
      const row = await standing<StandingRow>(grant, id, within, undefined);
      return row && standingOf(row);
    },
  };
};

export type { Candidate, Collision, Columns };

export type RecordStore = ReturnType<typeof createRecords>;
