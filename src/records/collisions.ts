/**
 * Looks up the values of a write that the database would refuse: taken unique values, and references to records that
 * do not exist for the caller.
 */

import type { Database, Reader, SqlValue, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  type Statement,
  sql,
  startsOf,
  statement,
  where,
} from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { type Models, referencedTable } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import type { Grant, ReferenceTerms } from '../policy/grant.ts';
import type { Complete } from './key-parts.ts';
import type { Parking } from './parking.ts';
import { type RowReach, reachConditions, reachOf } from './rows/reach.ts';

/** The condition that a table has a row that meets conditions within a reach, whose n-th value is `value(n)`. */
const exists = (
  table: string,
  conditions: readonly Fragment[],
  { terms }: RowReach,
  value: (index: number) => Fragment,
  dialect: Dialect,
): Fragment => {
  const reached = reachConditions(terms, (column) => identifier(table, column), value, 'hold', dialect);
  return sql`exists (select 1 from ${identifier(table)} where ${join([...conditions, ...reached], ' and ')})`;
};

/** The records that a reference may name: those of a reach, and the current one if the caller can read it. */
export interface ReferenceReach {
  readonly table: string;
  /** Undefined if the caller may name no record. */
  readonly named: RowReach | undefined;
  /** The updated record, in which the reference may stay as it is. */
  readonly kept: { readonly table: string; readonly column: string; readonly reach: RowReach } | undefined;
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
    either.push(exists(table, [sql`${identifier(table, 'id')} = ${value}`], named, reached, dialect));
  if (kept !== undefined) {
    const start = named?.values.length ?? 0;
    const same = [
      sql`${identifier(kept.table, 'id')} = ${id}`,
      sql`${identifier(kept.table, kept.column)} = ${value}`,
    ];
    either.push(exists(kept.table, same, kept.reach, (index) => reached(start + index), dialect));
  }
  return either.length === 0 ? undefined : join(either, ' or ');
};

/** A valid value that cannot be saved: another record has it, or it refers to no record. */
export interface Collision {
  readonly field: string;
  readonly rule: 'unique' | 'reference';
  /** The other fields of a unique set of fields; absent for a single field. */
  readonly others?: readonly string[] | undefined;
}

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

export type MakeWay = (id: number, fields: readonly ModelField[]) => Promise<boolean>;

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
  readonly value: ColumnValue;
  readonly reach: ReferenceReach;
}

type LookUp = UniqueLookUp | ReferenceLookUp;

type LookUpArguments = {
  /** Values of all look-ups, one after the other. */
  readonly values: readonly SqlValue[];
  /** Values of the reaches of the references, one after the other. */
  readonly rows: readonly SqlValue[];
  /** Id of the updated record. */
  readonly id: number | null;
};

const uniqueKey = ({ fields, values }: Complete<UniqueLookUp, 'kind' | 'fields' | 'values'>): string =>
  `=${fields.map(({ name }, index) => name + (values[index] === undefined ? '*' : '')).join(' ')}`;

/** The value is always bound. The field decides the tables of the reach. */
const referenceKey = ({
  field,
  reach,
}: Complete<ReferenceLookUp, 'kind' | 'field' | 'value' | 'reach'>): string => {
  const { named, kept }: Complete<ReferenceReach, 'table' | 'named' | 'kept'> = reach;
  return `>${field.name} ${named?.key ?? 'none'}\n${kept?.reach.key ?? 'none'}`;
};

const lookUpKey = (lookUp: LookUp): string =>
  lookUp.kind === 'unique' ? uniqueKey(lookUp) : referenceKey(lookUp);

const boundValues = (lookUp: LookUp): readonly ColumnValue[] =>
  lookUp.kind === 'reference' ? [lookUp.value] : lookUp.values.filter((value) => value !== undefined);

const reachValues = (lookUp: LookUp): readonly ColumnValue[] =>
  lookUp.kind === 'reference' ? referenceValues(lookUp.reach) : [];

/**
 * The collisions that are reported. A reference to no record of this caller is reported as that only: that its value is
 * taken would reveal a hidden record. Of a unique set of fields those that the caller may write are reported, as a form
 * has no others.
 */
const collisionsOf = (found: readonly LookUp[], { writable }: Grant): Collision[] => {
  const missing = new Set(found.flatMap((each) => (each.kind === 'reference' ? each.field.name : [])));
  return found.flatMap((each): Collision[] => {
    if (each.kind === 'reference') return [{ field: each.field.name, rule: 'reference' }];
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
  holders: ReadonlyMap<number, number>,
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
): Fragment => {
  const table = identifier(model.table);
  let bound = 0;
  const same = fields.map(({ column }, index) => {
    if (values[index] !== undefined) return sql`${identifier(column)} = ${value(bound++)}`;
    return sql`${identifier(column)} = (select ${identifier(column)} from ${table} where "id" = ${id})`;
  });
  const others = isUpdate ? [sql`"id" <> ${id}`] : [];
  return sql`select ${place} as place, "id" as holder from ${table}${where([...same, ...others])}`;
};

/** A row if the reference names no record that it may name. */
const missing = (
  { reach }: ReferenceLookUp,
  place: Fragment,
  value: Fragment,
  id: Fragment,
  reached: (index: number) => Fragment,
  dialect: Dialect,
): Fragment => {
  const names = namesRecord(reach, value, id, reached, dialect);
  const found = names === undefined ? sql`1 = 1` : sql`not (${names})`;
  return sql`select ${place} as place, 0 as holder where ${found}`;
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
      return each.kind === 'unique'
        ? takenBy(model, each, place, value, id, isUpdate)
        : missing(each, place, value(0), id, reached, dialect);
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
  readonly #tables: ReadonlyMap<string, string>;
  readonly #sets: readonly (readonly ModelField[])[];

  constructor(database: Database, model: ResourceModel, models: Models, parking: Parking) {
    this.#database = database;
    this.#model = model;
    this.#parking = parking;
    this.#order = [...model.fields.keys()];
    this.#tables = new Map(
      [...model.fields.values()].flatMap(({ reference }): [string, string][] =>
        reference === undefined ? [] : [[reference, referencedTable(models, reference)]],
      ),
    );
    this.#sets = model.unique.map((names) => names.flatMap((each) => model.fields.get(each) ?? []));
  }

  /**
   * Finds unique values that are taken, and references to no record that the caller may choose, in the order of the
   * fields. One statement, or none. `except` is the id of the updated record.
   */
  readonly find = (
    grant: Grant,
    candidate: Candidate,
    except?: number,
    within?: Transaction,
  ): Promise<readonly Collision[]> => {
    const originals = except === undefined ? {} : this.#parking.originals(within, except);
    const columns = { ...originals, ...candidate.columns };
    return this.#lookUp(within ?? this.#database, grant, { ...candidate, columns }, except);
  };

  async #lookUp(
    reader: Reader,
    grant: Grant,
    candidate: Candidate,
    id: number | undefined,
  ): Promise<readonly Collision[]> {
    const isUpdate = id !== undefined;
    const singles = this.#singleLookUps(grant, candidate, isUpdate);
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
    const rows = await reader.all<{ place: string; holder: number }>(query);
    if (rows.length === 0) return [];
    const holders = new Map(rows.map(({ place, holder }) => [Number(place), Number(holder)]));
    const found = await staying(lookUps, holders, candidate.makeWay);
    const order = this.#order;
    return collisionsOf(found, grant).sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }

  /** Look-ups of single fields. */
  #singleLookUps(grant: Grant, { columns, chosen, isThere }: Candidate, isUpdate: boolean): LookUp[] {
    const found: LookUp[] = [];
    const inserted = this.#withOwner(grant, columns, isUpdate);
    for (const field of this.#model.fields.values()) {
      const unique = field.unique ? inserted[field.column] : undefined;
      if (unique !== undefined && unique !== null)
        found.push({ kind: 'unique', fields: [field], values: [unique] });
      const value = columns[field.column];
      if (value === undefined || value === null || field.reference === undefined) continue;
      const terms = chosen.has(field.name) ? grant.references?.get(field.name) : undefined;
      if (terms === undefined && isThere?.(field.reference, value) === true) continue;
      found.push({ kind: 'reference', field, value, reach: this.#referenceReach(field, terms, isUpdate) });
    }
    return found;
  }

  /** Look-ups of unique sets of fields: the written values, and the current ones of the other fields. */
  #setLookUps(grant: Grant, { columns, refused }: Candidate, isUpdate: boolean): UniqueLookUp[] {
    if (this.#sets.length === 0) return [];
    const candidate = this.#withOwner(grant, columns, isUpdate);
    return this.#sets.flatMap((fields): UniqueLookUp[] => {
      const values = fields.map(({ column }) => candidate[column]);
      const lacking = isUpdate ? values.every((value) => value === undefined) : values.includes(undefined);
      if (lacking || values.includes(null) || fields.some(({ name: each }) => refused?.has(each))) return [];
      return [{ kind: 'unique', fields, values }];
    });
  }

  #referenceReach(
    { column, reference = '' }: ModelField,
    terms: ReferenceTerms | undefined,
    isUpdate: boolean,
  ): ReferenceReach {
    const kept = isUpdate ? reachOf({ rows: terms?.kept ?? 'none' }) : undefined;
    return {
      table: this.#tables.get(reference) ?? '',
      named: reachOf({ rows: terms?.rows ?? [] }),
      kept: kept && { table: this.#model.table, column, reach: kept },
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
