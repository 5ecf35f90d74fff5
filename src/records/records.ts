/**
 * `createRecords`: the statements that insert, update, delete and lock single records of a model, within the rows of
 * a grant.
 */

import type { Database, Query, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
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
import type { ModelField, ResourceModel } from '../model/resource.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { Grant, HeldFields } from '../policy/grant.ts';
import {
  type Candidate,
  type Collision,
  type Columns,
  createCollisions,
  type MakeWay,
} from './collisions.ts';
import { type CompanionInsert, withCompanions } from './companion-inserts.ts';
import { keptReach } from './history/recorded.ts';
import { hiddenFields, maskFlags, showsFields } from './masked-source.ts';
import { Parking } from './parking.ts';
import type { ColumnSql } from './rows/expression.ts';
import {
  columnsOf,
  everyRow,
  type ReachTerm,
  type RowReach,
  reachConditions,
  reachOf,
} from './rows/reach.ts';
import { projection, readerOf, resourceSource, SourceViews, seenSource } from './view.ts';

type WriteArguments = {
  /** Values of the written columns, in their order. */
  readonly values: readonly SqlValue[];
  /** Values of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Values of the row filter for writes. */
  readonly writes: readonly SqlValue[];
  /** Values of the conditions of fields. */
  readonly held: readonly SqlValue[];
  /** The id of the user who reads the response. */
  readonly reader: SqlValue;
  readonly id: number;
  /** Values of the companion inserts, one insert after the other. */
  readonly companions: readonly SqlValue[];
  /** Accepted versions; empty for any. */
  readonly versions: readonly SqlValue[];
};

/** Ids of one statement. */
const idsPerStatement = 100;

/** No SQL. */
const nothing = sql``;

/** The ids in hundreds; fewer are filled up with the first one, so that the SQL is the same. */
const byHundreds = <Value extends SqlValue>(values: readonly Value[]): readonly (readonly Value[])[] =>
  Array.from({ length: Math.ceil(values.length / idsPerStatement) }, (_, index) => {
    const part = values.slice(index * idsPerStatement, (index + 1) * idsPerStatement);
    const filling = Array.from({ length: idsPerStatement - part.length }, () => part.slice(0, 1)).flat();
    return [...part, ...filling];
  });

/** Arguments for a statement that uses none of them. */
const noArguments: WriteArguments = {
  values: [],
  rows: [],
  writes: [],
  held: [],
  reader: null,
  id: 0,
  versions: [],
  companions: [],
};

/** The rows that a caller reaches, and those of them that they may write. */
interface WriteReach {
  readonly rows: RowReach;
  /** Undefined if every reached row may be written. */
  readonly writes: RowReach | undefined;
  /** Conditions of the fields that are written: on the row as it is, of a new one as it will be. */
  readonly held: RowReach;
  readonly key: string;
}

/** The reach of a grant for writes; undefined if it admits no row, neither before nor after a write. */
const writeReachOf = (grant: Grant): WriteReach | undefined => {
  const rows = reachOf(grant);
  const held = grant.settledRows === undefined ? everyRow : reachOf({ rows: grant.settledRows });
  const writes = grant.writes === undefined ? undefined : reachOf({ rows: grant.writes });
  if (rows === undefined || held === undefined) return undefined;
  if (grant.writes === undefined) return { rows, writes, held, key: `${rows.key}\n\n${held.key}` };
  return writes && { rows, writes, held, key: `${rows.key}\n${writes.key}\n${held.key}` };
};

const argumentsOf = ({ rows, writes, held }: WriteReach) => ({
  rows: rows.values,
  writes: writes?.values ?? [],
  held: held.values,
});

/**
 * The part of a rule that the values of these columns decide. Undefined if they decide nothing: other columns may meet
 * the rule.
 */
const decidedRule = (rule: RowExpression, names: readonly string[]): RowExpression | undefined => {
  if ('column' in rule) return names.includes(rule.column) ? rule : undefined;
  const parts = rule.rules.map((part) => decidedRule(part, names));
  const rules = parts.filter((part) => part !== undefined);
  if (rule.kind === 'anyOf') return rules.length < parts.length ? undefined : { kind: 'anyOf', rules };
  return rules.length === 0 ? undefined : { kind: 'allOf', rules };
};

/** The conditions of a reach that the values of these columns decide. */
const decidedReach = ({ terms, values, key }: RowReach, names: readonly string[]): RowReach => {
  const decided: { term: ReachTerm; value: ColumnValue }[] = [];
  for (const [index, term] of terms.entries()) {
    const isColumn = typeof term === 'string';
    const part = isColumn ? term : decidedRule(term, names);
    if (part === undefined || (isColumn && !names.includes(term))) continue;
    decided.push({ term: part, value: values[index] ?? null });
  }
  return { terms: decided.map(({ term }) => term), values: decided.map(({ value }) => value), key };
};

/** The conditions of writes of a table: on the row, on its version, and on its new values. */
const writeConditions = (source: Source, table: string, dialect: Dialect) => {
  const column = (of: string): Fragment => identifier(table, of);
  const version = column(versionColumn);

  /** Conditions on the row as it is, or on its new values if `columns` gives these. */
  const reached = (
    { terms }: Pick<RowReach, 'terms'>,
    of: 'rows' | 'writes' | 'held',
    param: Argument<WriteArguments>,
    columns: ColumnSql = column,
  ): readonly Fragment[] => reachConditions(terms, columns, (index) => param(of, index), 'hold', dialect);

  /** Conditions for the record with an id within the caller's rows. */
  const found = (rows: RowReach, param: Argument<WriteArguments>): readonly Fragment[] => [
    ...reached(rows, 'rows', param),
    sql`${column('id')} = ${param('id')}`,
  ];

  /** Conditions for the record with an id that the caller may write, with an accepted version. */
  const target = (
    { rows, writes, held }: WriteReach,
    versions: readonly number[] | undefined,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] => {
    const accepted = versions?.map((_, index) => param('versions', index)) ?? [];
    return [
      ...found(rows, param),
      ...(writes === undefined ? [] : reached(writes, 'writes', param)),
      ...reached(held, 'held', param),
      ...(accepted.length === 0 ? [] : [sql`${version} in (${join(accepted)})`]),
    ];
  };

  /** A written value in a condition, cast to the type of its column. */
  const assigned = (names: readonly string[], of: string, param: Argument<WriteArguments>): Fragment => {
    const kind = columnOf(source, of).type.column;
    const index = names.indexOf(of);
    return dialect.cast(index < 0 ? sql`null` : param('values', index), kind);
  };

  /** Whether an update of these columns may make a row that the caller could not write. */
  const leadsOut = (writes: RowReach | undefined, names: readonly string[]): writes is RowReach =>
    writes?.terms.some((term) => columnsOf(term).some((of) => names.includes(of))) === true;

  return { reached, found, target, assigned, leadsOut };
};

/** JSON text of every field of a record, for hooks, history and events; undefined if the model has none of these. */
interface WithWhole {
  readonly whole?: string | undefined;
}

/** A written record: its id, its version, and the JSON text of the response. */
export interface SavedRecord extends WithWhole {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** Values that decide who may read the event of a deletion (`keptReach`); undefined if the model has no events. */
interface WithReach {
  readonly reach?: string | undefined;
}

/** A record as it was when it was deleted. */
export interface RemovedRecord extends WithWhole, WithReach {
  readonly version: number;
}

/** The state of a reached record that decides whether a write may change it. */
export interface RecordStanding {
  readonly version: number;
  /** Whether the grant lets the record be written as it is now. */
  readonly writable: boolean;
}

/** A stored record with JSON text of every field. */
export interface CurrentRecord extends RecordStanding, WithReach {
  readonly whole: string;
}

/** The lock on a record that is read in a transaction: see `Dialect`. */
export type RowLock = 'updateLock' | 'deleteLock';

/** A standing as the database returns it. */
interface StandingRow {
  readonly version: number;
  readonly writable: unknown;
}

const standingOf = ({ version, writable }: StandingRow): RecordStanding => ({
  version: Number(version),
  writable: Number(writable) === 1,
});

/**
 * Writes of a resource's table, alone or in a transaction. Each takes a grant and stays within its rows. Each is one
 * statement, which checks the version as well and returns the record as the caller may read it.
 */
export const createRecords = (database: Database, model: ResourceModel, models: Models) => {
  const { dialect } = database;
  const source = resourceSource(model, models);
  const views = new SourceViews(source);
  const collisions = createCollisions(dialect, model, models);
  const parking = new Parking(model, models);
  const table = identifier(model.table);
  const column = (of: string): Fragment => identifier(model.table, of);
  const version = column(versionColumn);
  const { reached, found, target, assigned, leadsOut } = writeConditions(source, model.table, dialect);
  /** Compiled statements, by everything that their SQL depends on. */
  const statements = new BoundedCache<Statement<WriteArguments>>(512);

  const compiled = (
    key: string,
    build: (param: Argument<WriteArguments>) => Fragment,
  ): Statement<WriteArguments> => statements.getOrMake(key, () => statement<WriteArguments>(dialect, build));

  const json = (fields: readonly string[], seen = source): Fragment =>
    projection(seen, fields, dialect, model.table);

  /** JSON text of every field, for hooks, history and events; undefined if there are none. */
  const everyField = sql`${json([...model.fields.keys()])} as whole`;
  const { afterCommit, beforeCommit } = model.hooks;
  const needsWhole = afterCommit !== undefined || beforeCommit !== undefined || model.history || model.events;
  const whole = needsWhole ? everyField : undefined;
  const kept = model.events ? [sql`${keptReach(model, models, dialect)} as reach`] : [];

  /** The RETURNING clause. SQLite accepts only the name of the table there, no alias. */
  const returning = (...columns: readonly Fragment[]): Fragment =>
    sql` returning ${join(whole === undefined ? columns : [...columns, whole])}`;

  /** Whether the response has every field: then its text serves hooks, history and events as well. */
  const readsAll = ({ readable, mask }: Grant): boolean =>
    readable.length === model.fields.size && mask === undefined;

  const saved = (grant: Grant): Fragment => {
    const columns = [
      sql`${column('id')} as id`,
      sql`${version} as version`,
      sql`${json(grant.readable, seenSource(source, grant.mask))} as json`,
    ];
    return readsAll(grant) ? sql` returning ${join(columns)}` : returning(...columns);
  };

  /** The statement with its companion inserts. */
  const completed = (
    grant: Grant,
    write: Fragment,
    companions: readonly CompanionInsert[],
    param: Argument<WriteArguments>,
  ): Fragment =>
    withCompanions(dialect, write, readsAll(grant) ? 'json' : 'whole', companions, (index) =>
      param('companions', index),
    );

  const toSaved = (row: SavedRecord, grant: Grant): SavedRecord => ({
    id: Number(row.id),
    version: Number(row.version),
    json: row.json,
    whole: whole !== undefined && readsAll(grant) ? row.json : row.whole,
  });

  /** @param order the id of the record; 0 for a new one */
  const write = <Row>(query: Query, within: Transaction | undefined, order: number): Promise<Row[]> =>
    within === undefined ? database.execute<Row>({ ...query, order }) : within.all<Row>(query);

  /** Reads the standing of a record that the grant reaches. */
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
    const query = read({ ...noArguments, rows: rows.values, writes: writes?.values ?? [], id });
    return (within ?? database).get<Row>(query);
  };

  const updateRow = async (
    grant: Grant,
    reach: WriteReach,
    id: number,
    columns: Columns,
    versions: readonly number[] | undefined,
    within: Transaction | undefined,
    raises = true,
  ): Promise<SavedRecord | undefined> => {
    const { writes } = reach;
    const names = Object.keys(columns);
    const { id: view } = views.of(grant);
    const key = `update ${raises} ${view} ${versions?.length ?? 0} ${names.join(',')}\n${reach.key}`;
    const update = compiled(key, (param) => {
      const assignments = names.map((each, index) => sql`${identifier(each)} = ${param('values', index)}`);
      if (raises) assignments.push(sql`${identifier(versionColumn)} = ${version} + 1`);
      const conditions = [...target(reach, versions, param)];
      if (leadsOut(writes, names)) {
        const next: ColumnSql = (of) => (names.includes(of) ? assigned(names, of, param) : column(of));
        conditions.push(...reached(writes, 'writes', param, next));
      }
      return sql`update ${table} set ${join(assignments)}${where(conditions)}${saved(grant)}`;
    });
    const values = Object.values(columns);
    const asked = { ...noArguments, ...argumentsOf(reach), ...readerOf(grant) };
    const query = update({ ...asked, values, id, versions: versions ?? [] });
    const [row] = await write<SavedRecord>(query, within, id);
    return row && toSaved(row, grant);
  };

  return {
    source,

    /**
     * Finds unique values that are taken, and references to no record that the caller may choose, by one statement or
     * none. `except` is the id of the updated record.
     */
    collisions: (
      grant: Grant,
      candidate: Candidate,
      except?: number,
      within?: Transaction,
    ): Promise<readonly Collision[]> => {
      const originals = except === undefined ? {} : parking.originals(within, except);
      const columns = { ...originals, ...candidate.columns };
      return collisions(within ?? database, grant, { ...candidate, columns }, except);
    },

    /**
     * Gets a record out of the way of another one in its transaction: a placeholder takes the place of one of these
     * unique values. Its version and its time stay. Its next update or deletion in the transaction shows the record as
     * it was before, and an update sets the original value unless it sets another. Returns false if the grant does not
     * let the record be written, if the later write (`next`: its columns; undefined for a deletion) leaves all of the
     * fields as they are, or if no field can have a placeholder.
     */
    park: async (
      grant: Grant,
      id: number,
      fields: readonly ModelField[],
      next: Columns | undefined,
      within: Transaction,
    ): Promise<boolean> => {
      const row = await standing<CurrentRecord>(grant, id, within, 'updateLock', everyField);
      if (row === undefined || !standingOf(row).writable) return false;
      const before = parking.withOriginals(within, id, row.whole);
      const place = parking.placeIn(fields, grant);
      if (place === undefined || !parking.leaves(fields, before, next)) return false;
      const { field, placeholder } = place;
      const park = compiled(`park ${field.column}`, (param) => {
        const value = 'sql' in placeholder ? placeholder.sql : param('values', 0);
        return sql`update ${table} set ${identifier(field.column)} = ${value} where "id" = ${param('id')}`;
      });
      const values = 'sql' in placeholder ? [] : [placeholder.value];
      // Noted at once: whatever is issued from now on finds the placeholder.
      parking.note(within, id, field, before);
      await within.run(park({ ...noArguments, values, id }));
      return true;
    },

    /** Whether a record still exists with a placeholder, at the end of a transaction. */
    isParked: async (id: number, within: Transaction): Promise<boolean> => {
      if (!parking.isParked(within, id)) return false;
      const read = compiled(
        'parked',
        (param) => sql`select "id" as id from ${table} where "id" = ${param('id')}`,
      );
      return (await within.get(read({ ...noArguments, id }))) !== undefined;
    },

    /** JSON text of a record that was read in a transaction, with its original values in place of placeholders. */
    withOriginals: (id: number, whole: string, within: Transaction): string =>
      parking.withOriginals(within, id, whole),

    /**
     * Whether the grant allows a new record with these values, or the record with an id to get them. A new record may
     * have further values: a rule that these could meet is taken to hold. One statement, or none.
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
      const checked = id === undefined ? decidedReach(writes, names) : writes;
      if (id === undefined ? checked.terms.length === 0 : !leadsOut(writes, names)) return true;
      const admitted = compiled(`admits ${id === undefined} ${names.join(',')}\n${checked.key}`, (param) => {
        const next: ColumnSql = (of) =>
          id === undefined || names.includes(of) ? assigned(names, of, param) : column(of);
        const met = reached(checked, 'writes', param, next);
        if (id === undefined) return sql`select 1 as admitted${where(met)}`;
        return sql`select 1 as admitted from ${table}${where([sql`${column('id')} = ${param('id')}`, ...met])}`;
      });
      const values = Object.values(columns);
      const query = admitted({ ...noArguments, values, writes: checked.values, id: id ?? 0 });
      return (await (within ?? database).get(query)) !== undefined;
    },

    /**
     * The grant with the fields that may be written in one record: that with an id within the grant's rows, or a new
     * one with these values. `held` are the fields to decide about. One statement.
     */
    settled: async (
      grant: Grant,
      held: readonly HeldFields[],
      of: number | Columns,
      within?: Transaction,
    ): Promise<Grant> => {
      const rows = typeof of === 'number' ? reachOf(grant) : everyRow;
      const reaches = held.map((each) => reachOf(each));
      if (rows === undefined) return grant.settled([], held);
      const names = typeof of === 'number' ? [] : Object.keys(of);
      const keys = reaches.map((each) => each?.key ?? 'none').join('\n');
      const read = compiled(`settled ${typeof of} ${names.join(',')} ${rows.key}\n${keys}`, (param) => {
        const made: ColumnSql = typeof of === 'number' ? column : (each) => assigned(names, each, param);
        let start = 0;
        const flags = reaches.map((reach, index) => {
          const terms = reach?.terms ?? [];
          const first = start;
          start += terms.length;
          const met = reachConditions(terms, made, (at) => param('held', first + at), 'hold', dialect);
          const holds = reach === undefined ? [sql`1 = 0`] : met;
          const flag =
            holds.length === 0 ? literal(1) : sql`case when ${join(holds, ' and ')} then 1 else 0 end`;
          return sql`${flag} as ${identifier(`met${index}`)}`;
        });
        return typeof of === 'number'
          ? sql`select ${join(flags)} from ${table}${where(found(rows, param))}`
          : sql`select ${join(flags)}`;
      });
      const bound = reaches.flatMap((each) => each?.values ?? []);
      const record = typeof of === 'number' ? { id: of, rows: rows.values } : { values: Object.values(of) };
      const query = read({ ...noArguments, ...record, held: bound });
      const row = await (within ?? database).get<Readonly<Record<string, unknown>>>(query);
      const { met = [], refused = [] } = Object.groupBy(held, (_, index) =>
        Number(row?.[`met${index}`]) === 1 ? 'met' : 'refused',
      );
      return grant.settled(met, refused);
    },

    /**
     * The fields that records hide from the callers of a mask, by id: those that `views.when` makes depend on the
     * record, as it is. A record that does not exist hides all of them. One statement for each hundred records, or
     * none.
     */
    hidden: async (
      grant: Pick<Grant, 'mask' | 'principal'>,
      ids: readonly number[],
    ): Promise<ReadonlyMap<number, ReadonlySet<string>>> => {
      const { mask } = grant;
      const hidden = new Map(ids.map((id) => [id, hiddenFields(mask, '', {})]));
      if (mask === undefined) return hidden;
      const read = compiled(`hidden ${mask.key}`, (param) => {
        const flags = maskFlags(mask, '', (set) => showsFields(set, column, dialect));
        const asked = Array.from({ length: idsPerStatement }, (_, index) => param('values', index));
        return sql`select ${join([sql`${column('id')} as id`, ...flags])} from ${table} where ${column('id')} in (${join(asked)})`;
      });
      for (const values of byHundreds(ids)) {
        const rows = await database.all<{ id: number }>(read({ ...noArguments, ...readerOf(grant), values }));
        for (const row of rows) hidden.set(Number(row.id), hiddenFields(mask, '', row));
      }
      return hidden;
    },

    /**
     * The ids of `others` to which records join these ids by two references, where they show both references to the
     * callers of a mask. Undefined where every record shows them. One statement for each hundred ids on either side.
     */
    joined: async (
      grant: Pick<Grant, 'mask' | 'principal'>,
      { from, to }: { readonly from: string; readonly to: string },
      ids: readonly number[],
      others: readonly number[],
    ): Promise<ReadonlyMap<number, ReadonlySet<number>> | undefined> => {
      const { mask } = grant;
      const seen = seenSource(source, mask);
      const conditions = [from, to].flatMap((of) => columnOf(seen, of).shownIf ?? []);
      if (mask === undefined || conditions.length === 0) return undefined;
      const read = compiled(`joined ${mask.key} ${from} ${to}`, (param) => {
        const named = (start: number): Fragment =>
          join(Array.from({ length: idsPerStatement }, (_, index) => param('values', start + index)));
        const rows = [
          sql`${column(from)} in (${named(0)})`,
          sql`${column(to)} in (${named(idsPerStatement)})`,
          ...conditions.map(({ condition }) => condition(dialect, model.table)),
        ];
        return sql`select distinct ${column(from)} as id, ${column(to)} as ${identifier('to')} from ${table}${where(rows)}`;
      });
      const joined = new Map<number, Set<number>>();
      for (const some of byHundreds(ids))
        for (const further of byHundreds(others)) {
          const query = read({ ...noArguments, ...readerOf(grant), values: [...some, ...further] });
          for (const { id, to: other } of await database.all<{ id: number; to: number }>(query))
            joined.set(Number(id), (joined.get(Number(id)) ?? new Set()).add(Number(other)));
        }
      return joined;
    },

    /**
     * Inserts a record. Undefined if the grant does not allow such a record. Companion inserts are part of the same
     * statement; they need `Dialect.writeWithCte`. @throws ConstraintError
     */
    insert: async (
      grant: Grant,
      columns: Columns,
      now: number,
      within?: Transaction,
      companions: readonly CompanionInsert[] = [],
    ): Promise<SavedRecord | undefined> => {
      const reach = writeReachOf(grant);
      if (reach === undefined) return undefined;
      const { writes = everyRow, held } = reach;
      const names = [...Object.keys(columns), 'created_at', 'updated_at'];
      const at = toTimestamp(now);
      const further = companions.map((each) => each.key).join(' ');
      const key = `insert ${further} ${views.of(grant).id} ${names.join(',')}\n${reach.key}`;
      const insert = compiled(key, (param) => {
        const into = sql`insert into ${table} (${join(names.map((each) => identifier(each)))})`;
        const places = names.map((_, index) => param('values', index));
        if (writes.terms.length === 0 && held.terms.length === 0)
          return completed(grant, sql`${into} values (${join(places)})${saved(grant)}`, companions, param);
        const made: ColumnSql = (of) => assigned(names, of, param);
        const row = sql`select ${join(names.map(made))}${where([...reached(writes, 'writes', param, made), ...reached(held, 'held', param, made)])}`;
        return completed(grant, sql`${into} ${row}${saved(grant)}`, companions, param);
      });
      const values = [...Object.values(columns), at, at];
      const bound = { values, companions: companions.flatMap((each) => each.values) };
      const query = insert({ ...noArguments, ...argumentsOf(reach), ...readerOf(grant), ...bound });
      const [row] = await write<SavedRecord>(query, within, 0);
      if (row === undefined && writes === everyRow && held === everyRow)
        throw new Error('an insert returned no record');
      return row && toSaved(row, grant);
    },

    /**
     * Updates a record. Undefined if no record of the grant's rows has this id and an accepted version, or if the grant
     * does not allow its old or new values. @throws ConstraintError
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
      const all = { ...parking.originals(within, id), ...columns, updated_at: toTimestamp(now) };
      const updated = await updateRow(grant, reach, id, all, versions, within);
      if (updated !== undefined) parking.forget(within, id);
      return updated;
    },

    /**
     * Sets further values of a record that the same transaction has saved, as a part of that write: its version and its
     * time stay. Undefined if the row rule of the grant does not allow them. @throws ConstraintError
     */
    complete: async (
      grant: Grant,
      id: number,
      columns: Columns,
      within: Transaction,
    ): Promise<SavedRecord | undefined> => {
      const reach = writeReachOf(grant);
      if (reach === undefined) return undefined;
      // The saving statement has checked the rows, and the conditions of the fields that it set.
      const written = { ...reach, rows: everyRow, held: everyRow, key: `${reach.writes?.key}` };
      return updateRow(grant, written, id, columns, undefined, within, false);
    },

    /**
     * Deletes a record. Undefined if no record that the grant lets be written has this id and an accepted version.
     * @throws ConstraintError if another record still refers to it
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
      const query = remove({ ...noArguments, ...argumentsOf(reach), id, versions: versions ?? [] });
      const [row] = await write<RemovedRecord>(query, within, id);
      if (row === undefined) return undefined;
      const last = parking.withOriginals(within, id, row.whole);
      parking.forget(within, id);
      return { ...row, whole: last, version: Number(row.version) };
    },

    /** Reads a record that the grant reaches, with every field; in a transaction it is locked until the end. */
    current: async (
      grant: Grant,
      id: number,
      within?: Transaction,
      lock: RowLock = 'updateLock',
    ): Promise<CurrentRecord | undefined> => {
      const locks = within === undefined ? undefined : lock;
      const row = await standing<CurrentRecord>(grant, id, within, locks, join([everyField, ...kept]));
      if (row === undefined) return undefined;
      return { ...standingOf(row), whole: parking.withOriginals(within, id, row.whole), reach: row.reach };
    },

    /**
     * Locks the records that the grants reach and that have one of these values in a unique column, in the order of
     * their ids and until the end of the transaction. Transactions that lock all of their records in this way before
     * they write never wait for each other in a circle. At most two statements for each hundred values.
     */
    lock: async (
      grants: readonly Grant[],
      of: string,
      values: readonly SqlValue[],
      within: Transaction,
      lock: RowLock = 'updateLock',
    ): Promise<void> => {
      const reaches = grants.map((grant) => reachOf(grant)).filter((rows) => rows !== undefined);
      if (!dialect.locksRows || values.length < 2 || reaches.length === 0) return;
      const key = reaches.map((rows) => rows.key).join('\n');
      const rows = reaches.flatMap((each) => each.values);
      const readBy = (by: string, locks: Fragment) =>
        compiled(`lock ${locks === nothing} ${lock} ${by} ${key}`, (param) => {
          let start = 0;
          const any = reaches.map(({ terms }) => {
            const first = start;
            start += terms.length;
            const met = reachConditions(terms, column, (at) => param('rows', first + at), 'hold', dialect);
            return met.length === 0 ? sql`1 = 1` : sql`(${join(met, ' and ')})`;
          });
          const asked = Array.from({ length: idsPerStatement }, (_, index) => param('values', index));
          const conditions = [sql`${column(by)} in (${join(asked)})`, sql`(${join(any, ' or ')})`];
          return sql`select ${column('id')} as id from ${table}${where(conditions)} order by ${column('id')}${locks}`;
        });
      const ids = async (by: string, named: readonly SqlValue[], locks: Fragment): Promise<number[]> => {
        const read = readBy(by, locks);
        const found: number[] = [];
        for (const some of byHundreds(named))
          for (const { id } of await within.all<{ id: number }>(read({ ...noArguments, rows, values: some })))
            found.push(Number(id));
        return found;
      };
      const named = of === 'id' ? values.map(Number) : await ids(of, values, nothing);
      await ids(
        'id',
        named.sort((one, other) => one - other),
        dialect[lock],
      );
    },

    /** Returns the id of the record that the grant reaches and whose unique column has a value. */
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
      const query = read({ ...noArguments, rows: rows.values, values: [value] });
      const row = await (within ?? database).get<{ id: number }>(query);
      return row && Number(row.id);
    },

    /** Reads the version of a record that the grant reaches, and whether it may be written. */
    standing: async (grant: Grant, id: number, within?: Transaction): Promise<RecordStanding | undefined> => {
      const row = await standing<StandingRow>(grant, id, within, undefined);
      return row && standingOf(row);
    },
  };
};

export type { Candidate, Collision, Columns, MakeWay };

export type RecordStore = ReturnType<typeof createRecords>;
