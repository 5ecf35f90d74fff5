/**
 * Looks up the values of a write that the database would refuse: taken unique values, and references to records that
 * do not exist for the caller.
 */

import type { Database, Reader, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { readId } from '../database/record-column.ts';
import {
  columnsOfRows,
  type Fragment,
  formOf,
  isRecord,
  join,
  literal,
  rowsOf,
  type Statement,
  sql,
  startsOf,
  statement,
  where,
} from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import type { RecordId } from '../fields/key.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { type Models, referencedRows, type SameReferrer, sameReferrers } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import type { StoredTable } from '../model/stored-table.ts';
import type { Grant, ReferenceTerms } from '../policy/grant.ts';
import type { Complete } from './key-parts.ts';
import type { Parking } from './parking.ts';
import { type RowReach, reachConditions, reachOf } from './rows/reach.ts';

/** The condition that a table has a row that meets conditions within a reach, whose n-th value is `value(n)`. */
const exists = (
  table: StoredTable,
  conditions: readonly Fragment[],
  { terms }: RowReach,
  value: (index: number) => Fragment,
  dialect: Dialect,
): Fragment => {
  const reached = reachConditions(terms, columnsOfRows(table), value, 'hold', dialect);
  return sql`exists (select 1 from ${rowsOf(table)} where ${join([...conditions, ...reached], ' and ')})`;
};

/** The records that a reference may name: those of a reach, and the current one if the caller can read it. */
export interface ReferenceReach {
  readonly table: StoredTable;
  /** Undefined if the caller may name no record. */
  readonly named: RowReach | undefined;
  /** The updated record, in which the reference may stay as it is. */
  readonly kept:
    | { readonly table: StoredTable; readonly field: string; readonly reach: RowReach }
    | undefined;
}

/** The values of both reaches, in the order in which `namesRecord` binds them. */
export const referenceValues = ({ named, kept }: ReferenceReach) => [
  ...(named?.values ?? []),
  ...(kept?.reach.values ?? []),
];

/** The condition that a reference names a record that it may name; undefined if there is no such record. */
export const namesRecord = (
  { table, named, kept }: ReferenceReach,
  value: Fragment,
  id: Fragment,
  reached: (index: number) => Fragment,
  dialect: Dialect,
): Fragment | undefined => {
  const either: Fragment[] = [];
  if (named !== undefined)
    either.push(exists(table, [sql`${columnsOfRows(table)('id')} = ${value}`], named, reached, dialect));
  if (kept !== undefined) {
    const start = named?.values.length ?? 0;
    const same = [isRecord(kept.table, id), sql`${columnsOfRows(kept.table)(kept.field)} = ${value}`];
    either.push(exists(kept.table, same, kept.reach, (index) => reached(start + index), dialect));
  }
  return either.length === 0 ? undefined : join(either, ' or ');
};

/**
 * A valid value that cannot be saved: another record has it, it refers to no record, or records that refer to this one
 * hold it to another value.
 */
export interface Collision {
  readonly field: string;
  readonly rule: 'unique' | 'reference' | 'held';
  /** The other fields of a unique set of fields; absent for a single field. */
  readonly others?: readonly string[] | undefined;
}

/** Values of columns, by their fields. */
export type Columns = Readonly<Record<string, ColumnValue>>;

/** A write to be checked for collisions. */
export interface Candidate {
  readonly columns: Columns;
  /** Fields whose values the caller chose: the grant restricts the records to which these may refer. */
  readonly chosen: ReadonlySet<string>;
  /** Fields with invalid values, which `columns` lacks. */
  readonly refused?: ReadonlySet<string> | undefined;
  /** True if a record is known to exist, so that it is not looked up again. */
  readonly isThere?: ((model: string, id: ColumnValue) => boolean) | undefined;
  /** Gets the record that has unique values out of the way of this one; false if that record keeps them. */
  readonly makeWay?: MakeWay | undefined;
}

export type MakeWay = (id: RecordId, fields: readonly ModelField[]) => Promise<boolean>;

/** Looks up whether values are taken. Undefined stands for the current value of the updated record. */
interface UniqueLookUp {
  readonly kind: 'unique';
  readonly fields: readonly ModelField[];
  readonly values: readonly (ColumnValue | undefined)[];
}

/** Looks up whether the record to which a value refers is missing. */
interface ReferenceLookUp {
  readonly kind: 'reference';
  readonly field: ModelField;
  /** The table of the referenced records. */
  readonly table: StoredTable;
  /** Undefined for the reference that the updated record has. */
  readonly value: ColumnValue | undefined;
  /** Undefined if only `same` is looked up. */
  readonly reach: ReferenceReach | undefined;
  /** The value that a reference with `same` demands; undefined for that of the updated record. */
  readonly same: { readonly value: ColumnValue | undefined } | undefined;
}

/** Looks up whether records that refer to the updated one by `same` hold it to its value of a field. */
interface HeldLookUp {
  readonly kind: 'held';
  readonly field: ModelField;
  readonly value: ColumnValue;
  readonly referrers: readonly SameReferrer[];
}

type LookUp = UniqueLookUp | ReferenceLookUp | HeldLookUp;

type LookUpArguments = {
  /** Values of all look-ups, one after the other. */
  readonly values: readonly SqlValue[];
  /** Values of the reaches of the references, one after the other. */
  readonly rows: readonly SqlValue[];
  /** Id of the updated record. */
  readonly id: RecordId | null;
};

const uniqueKey = ({ fields, values }: Complete<UniqueLookUp, 'kind' | 'fields' | 'values'>): string =>
  `=${fields.map(({ name }, index) => name + (values[index] === undefined ? '*' : '')).join(' ')}`;

/** The value is always bound. The field decides the tables of the reach. */
const referenceKey = ({
  field,
  table: _,
  value,
  reach,
  same,
}: Complete<ReferenceLookUp, 'kind' | 'field' | 'table' | 'value' | 'reach' | 'same'>): string => {
  const mark = (of: ColumnValue | undefined): string => (of === undefined ? '*' : '');
  const start = `>${field.name}${mark(value)}${same === undefined ? '' : `~${mark(same.value)}`}`;
  if (reach === undefined) return start;
  const { named, kept }: Complete<ReferenceReach, 'table' | 'named' | 'kept'> = reach;
  return `${start} ${named?.key ?? 'none'}\n${kept?.reach.key ?? 'none'}`;
};

/** The field decides the referrers. */
const heldKey = ({ field }: Complete<HeldLookUp, 'kind' | 'field' | 'value' | 'referrers'>): string =>
  `<${field.name}`;

const lookUpKey = (lookUp: LookUp): string => {
  if (lookUp.kind === 'unique') return uniqueKey(lookUp);
  return lookUp.kind === 'reference' ? referenceKey(lookUp) : heldKey(lookUp);
};

const boundValues = (lookUp: LookUp): readonly ColumnValue[] => {
  if (lookUp.kind === 'held') return [lookUp.value];
  const values = lookUp.kind === 'reference' ? [lookUp.value, lookUp.same?.value] : lookUp.values;
  return values.filter((value) => value !== undefined);
};

const reachValues = (lookUp: LookUp): readonly ColumnValue[] =>
  lookUp.kind === 'reference' && lookUp.reach !== undefined ? referenceValues(lookUp.reach) : [];

/**
 * The collisions that are reported. A reference to no record of this caller is reported as that only: that its value is
 * taken would reveal a hidden record. Of a unique set of fields those that the caller may write are reported, as a form
 * has no others.
 */
const collisionsOf = (found: readonly LookUp[], { writable }: Grant): Collision[] => {
  const missing = new Set(found.flatMap((each) => (each.kind === 'reference' ? each.field.name : [])));
  return found.flatMap((each): Collision[] => {
    if (each.kind !== 'unique') return [{ field: each.field.name, rule: each.kind }];
    const names = each.fields.map(({ name: field }) => field);
    if (names.some((field) => missing.has(field))) return [];
    const written = names.filter((field) => writable.has(field));
    const reported = written.length === 0 ? names : written;
    return reported.map((field) => {
      const others = reported.filter((other) => other !== field);
      return { field, rule: 'unique', others: others.length === 0 ? undefined : others };
    });
  });
};

/** The look-ups that found a collision, without those whose holders got out of the way. */
const staying = async (
  lookUps: readonly LookUp[],
  holders: ReadonlyMap<number, RecordId>,
  makeWay: MakeWay | undefined,
): Promise<readonly LookUp[]> => {
  const found: LookUp[] = [];
  for (const [place, lookUp] of lookUps.entries()) {
    const holder = holders.get(place);
    if (holder === undefined) continue;
    const isGone = lookUp.kind === 'unique' && (await makeWay?.(holder, lookUp.fields)) === true;
    if (!isGone) found.push(lookUp);
  }
  return found;
};

/** Another record that has the values; for columns that are not written, those of the updated record. */
const takenBy = (
  model: ResourceModel,
  { fields, values }: UniqueLookUp,
  place: Fragment,
  value: (index: number) => Fragment,
  id: Fragment,
  isUpdate: boolean,
  dialect: Dialect,
): Fragment => {
  const table = rowsOf(model.stored);
  const column = columnsOfRows(model.stored);
  let bound = 0;
  const same = fields.map(({ name }, index) => {
    if (values[index] !== undefined) {
      const given = value(bound++);
      return sql`${column(name)} = ${formOf(model.stored, name)?.operand?.(given) ?? given}`;
    }
    return sql`${column(name)} = (select ${column(name)} from ${table} where ${isRecord(model.stored, id)})`;
  });
  const others = isUpdate ? [sql`${column('id')} <> ${id}`] : [];
  return sql`select ${place} as place, ${readId(dialect, model.key, column('id'))} as holder from ${table}${where([...same, ...others])}`;
};

/** The condition that the referenced record has the value of `same`; one that refers to itself always has. */
const hasSame = (
  model: ResourceModel,
  { field, table }: ReferenceLookUp,
  value: Fragment,
  shared: Fragment,
  id: Fragment,
): Fragment => {
  const column = columnsOfRows(table);
  const has = sql`${column(field.same ?? '')} = ${shared}`;
  const either = table === model.stored ? sql`(${has} or ${column('id')} = ${id})` : has;
  return sql`exists (select 1 from ${rowsOf(table)} where ${column('id')} = ${value} and ${either})`;
};

/** In place of the record that has a value, of the same type as its id. */
const noHolder = ({ key }: ResourceModel, dialect: Dialect): Fragment =>
  key.field.type.column === 'integer'
    ? literal(0)
    : readId(dialect, key, dialect.cast(sql`null`, key.field.type.column));

/** An id to compare with those of another program's table, whose column may hold fewer numbers. */
const ofKey = ({ field, table }: ReferenceLookUp, value: Fragment, dialect: Dialect): Fragment =>
  table.external === true ? dialect.cast(value, field.type.column) : value;

/** A row if the reference names no record that it may name. */
const missing = (
  model: ResourceModel,
  lookUp: ReferenceLookUp,
  place: Fragment,
  bound: (index: number) => Fragment,
  id: Fragment,
  reached: (index: number) => Fragment,
  dialect: Dialect,
): Fragment => {
  const { field, reach, same } = lookUp;
  const column = columnsOfRows(model.stored);
  const stored = (of: string): Fragment =>
    sql`(select ${column(of)} from ${rowsOf(model.stored)} where ${isRecord(model.stored, id)})`;
  const isStored = lookUp.value === undefined;
  const value = isStored ? stored(field.name) : ofKey(lookUp, bound(0), dialect);
  const conditions: Fragment[] = [];
  if (reach !== undefined)
    conditions.push(sql`(${namesRecord(reach, value, id, reached, dialect) ?? sql`1 = 0`})`);
  if (same !== undefined) {
    const shared = same.value === undefined ? stored(field.same ?? '') : bound(isStored ? 0 : 1);
    conditions.push(hasSame(model, lookUp, value, shared, id));
  }
  const refers = isStored ? sql`${value} is not null and ` : sql``;
  return sql`select ${place} as place, ${noHolder(model, dialect)} as holder where ${refers}not (${join(conditions, ' and ')})`;
};

/** A row if other records hold the updated one to another value. */
const held = (
  model: ResourceModel,
  { referrers }: HeldLookUp,
  place: Fragment,
  value: Fragment,
  id: Fragment,
  dialect: Dialect,
): Fragment => {
  const holding = referrers.map(({ stored, field: { name, same = '' } }) => {
    const column = columnsOfRows(stored);
    const others = stored === model.stored ? sql` and ${column('id')} <> ${id}` : sql``;
    const differs = sql`${column(same)} <> ${value}`;
    return sql`exists (select 1 from ${rowsOf(stored)} where ${column(name)} = ${id}${others} and ${differs})`;
  });
  return sql`select ${place} as place, ${noHolder(model, dialect)} as holder where ${join(holding, ' or ')}`;
};

/** One select per look-up, which returns its index if there is a collision, and the record that has the values. */
const compileLookUps = (
  dialect: Dialect,
  model: ResourceModel,
  lookUps: readonly LookUp[],
  isUpdate: boolean,
): Statement<LookUpArguments> =>
  statement<LookUpArguments>(dialect, (param) => {
    const valueStarts = startsOf(lookUps.map((each) => boundValues(each).length));
    const rowStarts = startsOf(lookUps.map((each) => reachValues(each).length));
    const id = param('id');
    const selects = lookUps.map((each, index) => {
      const place = literal(String(index));
      const value = (at: number) => param('values', (valueStarts[index] ?? 0) + at);
      const reached = (at: number) => param('rows', (rowStarts[index] ?? 0) + at);
      if (each.kind === 'unique') return takenBy(model, each, place, value, id, isUpdate, dialect);
      if (each.kind === 'held') return held(model, each, place, value(0), id, dialect);
      return missing(model, each, place, value, id, reached, dialect);
    });
    return join(selects, ' union all ');
  });

/** Looks up the collisions of writes of a model's table. */
export class Collisions {
  readonly #database: Database;
  readonly #model: ResourceModel;
  readonly #parking: Parking;
  /** Compiled statements, by the fields that are looked up and the columns of the row filters. */
  readonly #statements = new BoundedCache<Statement<LookUpArguments>>(256);
  readonly #order: readonly string[];
  /** The tables of referenced records, by the model's name. */
  readonly #tables: ReadonlyMap<string, StoredTable>;
  readonly #sets: readonly (readonly ModelField[])[];
  /** References of other records that hold a record to its value of a field. */
  readonly #holding: ReadonlyMap<string, readonly SameReferrer[]>;

  constructor(database: Database, model: ResourceModel, models: Models, parking: Parking) {
    this.#database = database;
    this.#model = model;
    this.#parking = parking;
    this.#order = [...model.fields.keys()];
    this.#tables = new Map(
      [...model.fields.values()].flatMap(({ reference }): [string, StoredTable][] =>
        reference === undefined ? [] : [[reference, referencedRows(models, reference)]],
      ),
    );
    this.#holding = sameReferrers(models, model.name);
    this.#sets = model.unique.map((names) => names.flatMap((each) => model.fields.get(each) ?? []));
  }

  /**
   * Finds unique values that are taken, and references to no record that the caller may choose, in the order of the
   * fields. One statement, or none. `except` is the id of the updated record.
   */
  readonly find = (
    grant: Grant,
    candidate: Candidate,
    except?: RecordId,
    within?: Transaction,
  ): Promise<readonly Collision[]> => {
    const originals = except === undefined ? {} : this.#parking.originals(within, except);
    const columns = { ...originals, ...candidate.columns };
    // Outside of the transaction, the outer record of a nested one may not exist yet.
    const isSeen = within !== undefined;
    return this.#lookUp(within ?? this.#database, grant, { ...candidate, columns }, except, isSeen);
  };

  async #lookUp(
    reader: Reader,
    grant: Grant,
    candidate: Candidate,
    id: RecordId | undefined,
    isSeen: boolean,
  ): Promise<readonly Collision[]> {
    const isUpdate = id !== undefined;
    const singles = this.#singleLookUps(grant, candidate, isUpdate, isSeen);
    const lookUps: LookUp[] = [...singles, ...this.#setLookUps(grant, candidate, isUpdate)];
    if (lookUps.length === 0) return [];
    const key = `${isUpdate} ${lookUps.map(lookUpKey).join('\n')}`;
    const { dialect } = this.#database;
    const lookUp = this.#statements.getOrMake(key, () =>
      compileLookUps(dialect, this.#model, lookUps, isUpdate),
    );
    const query = lookUp({
      values: lookUps.flatMap(boundValues),
      rows: lookUps.flatMap(reachValues),
      id: id ?? null,
    });
    const rows = await reader.all<{ place: string; holder: RecordId | null }>(query);
    if (rows.length === 0) return [];
    const holders = new Map(
      rows.map(({ place, holder }): [number, RecordId] => [
        Number(place),
        holder === null ? 0 : this.#model.key.stored(holder),
      ]),
    );
    const found = await staying(lookUps, holders, candidate.makeWay);
    const order = this.#order;
    return collisionsOf(found, grant).sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }

  /** Look-ups of single fields. `isSeen`: whether they see the records that the same transaction has written. */
  #singleLookUps(grant: Grant, candidate: Candidate, isUpdate: boolean, isSeen: boolean): LookUp[] {
    const found: LookUp[] = [];
    const inserted = this.#withOwner(grant, candidate.columns, isUpdate);
    for (const field of this.#model.fields.values()) {
      const unique = field.unique ? inserted[field.name] : undefined;
      if (unique !== undefined && unique !== null)
        found.push({ kind: 'unique', fields: [field], values: [unique] });
      const reference = this.#referenceLookUp(grant, field, candidate, inserted, isUpdate, isSeen);
      if (reference !== undefined) found.push(reference);
      const value = candidate.columns[field.name];
      const referrers = this.#holding.get(field.name);
      if (isUpdate && value !== undefined && referrers !== undefined)
        found.push({ kind: 'held', field, value, referrers });
    }
    return found;
  }

  /** The look-up of a reference that is written, or that has to fit another written field. */
  #referenceLookUp(
    grant: Grant,
    field: ModelField,
    { columns, chosen, isThere }: Candidate,
    inserted: Columns,
    isUpdate: boolean,
    isSeen: boolean,
  ): ReferenceLookUp | undefined {
    const { name, reference, same: shared } = field;
    const value = columns[name];
    if (value === null || reference === undefined) return undefined;
    const table = this.#tableOf(reference);
    const given = shared === undefined ? undefined : inserted[shared];
    // A new record without a value is refused for that.
    const isBound = shared !== undefined && (isUpdate || given !== undefined);
    const same = isBound ? { value: given } : undefined;
    if (value === undefined) {
      const moves = isUpdate && given !== undefined;
      return moves ? { kind: 'reference', field, table, value, reach: undefined, same } : undefined;
    }
    const terms = chosen.has(name) ? grant.references?.get(name) : undefined;
    const isKnown = terms === undefined && isThere?.(reference, value) === true;
    if (isKnown && (same === undefined || !isSeen)) return undefined;
    const reach = this.#referenceReach(field, terms, isUpdate);
    return { kind: 'reference', field, table, value, reach, same };
  }

  /** Look-ups of unique sets of fields: the written values, and the current ones of the other fields. */
  #setLookUps(grant: Grant, { columns, refused }: Candidate, isUpdate: boolean): UniqueLookUp[] {
    if (this.#sets.length === 0) return [];
    const candidate = this.#withOwner(grant, columns, isUpdate);
    return this.#sets.flatMap((fields): UniqueLookUp[] => {
      const values = fields.map(({ name }) => candidate[name]);
      const lacking = isUpdate ? values.every((value) => value === undefined) : values.includes(undefined);
      if (lacking || values.includes(null) || fields.some(({ name: each }) => refused?.has(each))) return [];
      return [{ kind: 'unique', fields, values }];
    });
  }

  #tableOf(model: string): StoredTable {
    return this.#tables.get(model) ?? this.#model.stored;
  }

  #referenceReach(
    { name, reference = '' }: ModelField,
    terms: ReferenceTerms | undefined,
    isUpdate: boolean,
  ): ReferenceReach {
    const kept = isUpdate ? reachOf({ rows: terms?.kept ?? 'none' }) : undefined;
    return {
      table: this.#tableOf(reference),
      named: reachOf({ rows: terms?.rows ?? [] }),
      kept: kept && { table: this.#model.stored, field: name, reach: kept },
    };
  }

  /** The columns that an insert sets: with the owner, unless the caller may set another. */
  #withOwner({ owner, writable }: Grant, columns: Columns, isUpdate: boolean): Columns {
    const { owner: field } = this.#model;
    if (isUpdate || owner === undefined || field === undefined) return columns;
    const named = writable.has(field) ? columns[field] : undefined;
    return { ...columns, [field]: named ?? owner };
  }
}
