import type { Reader, SqlValue } from '../database/database.ts';
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
import { type RowReach, reachConditions, reachOf } from './rows/reach.ts';

/** Whether there is a row of a table that meets conditions and is within a reach, whose n-th value is `value(n)`. */
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

/** What a reference may name: records within a reach, and what stands there already where the caller reads it. */
export interface ReferenceReach {
  readonly table: string;
  /** Undefined where the caller may name no record at all. */
  readonly named: RowReach | undefined;
  /** The record that is written, in which the value may stay. */
  readonly kept: { readonly table: string; readonly column: string; readonly reach: RowReach } | undefined;
}

/** The values of both reaches, in the order in which `namesRecord` asks for them. */
export const referenceValues = ({ named, kept }: ReferenceReach) => [
  ...(named?.values ?? []),
  ...(kept?.reach.values ?? []),
];

/** The condition that a value names a record that it may name; undefined where there is none such. */
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

/** Why a value cannot be saved although it is well-formed: somebody else has it, or it refers to nothing. */
export interface Collision {
  readonly field: string;
  readonly rule: 'unique' | 'reference';
  /** Fields together with which the value is taken; absent where it is on its own. */
  readonly others?: readonly string[];
}

export type Columns = Readonly<Record<string, ColumnValue>>;

/** What a write is looked up for before it is done. */
export interface Candidate {
  readonly columns: Columns;
  /** Fields whose values the caller chose: their references are held to what the grant lets the caller name. */
  readonly chosen: ReadonlySet<string>;
  /** Fields that were sent with what they do not take, so that `columns` lacks them. None unless given. */
  readonly refused?: ReadonlySet<string> | undefined;
  /** Whether a record is known to be there: it is not looked for once more. Nothing is known unless given. */
  readonly isThere?: ((model: string, id: ColumnValue) => boolean) | undefined;
}

/** Whether values are taken. Undefined stands for the one that the updated record has already. */
interface UniqueLookUp {
  readonly kind: 'unique';
  readonly fields: readonly ModelField[];
  readonly values: readonly (ColumnValue | undefined)[];
}

/** Whether what a value refers to is missing. */
interface ReferenceLookUp {
  readonly kind: 'reference';
  readonly field: ModelField;
  readonly value: ColumnValue;
  readonly reach: ReferenceReach;
}

type LookUp = UniqueLookUp | ReferenceLookUp;

type LookUpArguments = {
  /** Of all look-ups, one behind the other. */
  readonly values: readonly SqlValue[];
  /** Of the reaches of the references, one behind the other. */
  readonly rows: readonly SqlValue[];
  /** The id of the record that is updated. */
  readonly id: number | null;
};

const shapeKey = (lookUp: LookUp): string => {
  if (lookUp.kind === 'unique')
    return `=${lookUp.fields.map(({ name: each }, index) => each + (lookUp.values[index] === undefined ? '*' : '')).join(' ')}`;
  const { named, kept } = lookUp.reach;
  return `>${lookUp.field.name} ${named?.key ?? 'none'}\n${kept?.reach.key ?? 'none'}`;
};

const boundValues = (lookUp: LookUp): readonly ColumnValue[] =>
  lookUp.kind === 'reference' ? [lookUp.value] : lookUp.values.filter((value) => value !== undefined);

const reachValues = (lookUp: LookUp): readonly ColumnValue[] =>
  lookUp.kind === 'reference' ? referenceValues(lookUp.reach) : [];

/**
 * What is told of the look-ups that found something. A value that refers to nothing for this caller is told as that
 * only: that it is taken would tell of the record behind it. Of fields that are unique together those are told that
 * the caller may write, as a form has no others.
 */
const collisionsOf = (found: readonly LookUp[], { writable }: Grant): Collision[] => {
  const missing = new Set(found.flatMap((each) => (each.kind === 'reference' ? each.field.name : [])));
  return found.flatMap((each): Collision[] => {
    if (each.kind === 'reference') return [{ field: each.field.name, rule: 'reference' }];
    const names = each.fields.map(({ name: field }) => field);
    if (names.some((field) => missing.has(field))) return [];
    const written = names.filter((field) => writable.has(field));
    const told = written.length === 0 ? names : written;
    return told.map((field) => {
      const others = told.filter((other) => other !== field);
      return { field, rule: 'unique', ...(others.length === 0 ? {} : { others }) };
    });
  });
};

/** Looks up what would collide with a write of a model's table. */
export const createCollisions = (dialect: Dialect, model: ResourceModel, models: Models) => {
  /** By the fields that are looked up and the columns of the row filters; models are fixed and values are bound. */
  const statements = new BoundedCache<Statement<LookUpArguments>>(256);
  const order = [...model.fields.keys()];
  const tables = new Map(
    [...model.fields.values()].flatMap(({ reference }): [string, string][] =>
      reference === undefined ? [] : [[reference, referencedTable(models, reference)]],
    ),
  );
  const sets = model.unique.map((names) => names.flatMap((each) => model.fields.get(each) ?? []));

  const referenceReach = (
    { column, reference = '' }: ModelField,
    terms: ReferenceTerms | undefined,
    isUpdate: boolean,
  ): ReferenceReach => {
    const kept = isUpdate ? reachOf({ rows: terms?.kept ?? 'none' }) : undefined;
    return {
      table: tables.get(reference) ?? '',
      named: reachOf({ rows: terms?.rows ?? [] }),
      kept: kept && { table: model.table, column, reach: kept },
    };
  };

  /** The columns as the insert sets them: with the owner, unless the caller may name another. */
  const withOwner = ({ owner, writable }: Grant, columns: Columns, isUpdate: boolean): Columns => {
    if (isUpdate || owner === undefined || model.owner === undefined) return columns;
    const named = writable.has(model.owner) ? columns[model.owner] : undefined;
    return { ...columns, [model.owner]: named ?? owner };
  };

  /** Of each value by itself. */
  const singleLookUps = (
    grant: Grant,
    { columns, chosen, isThere }: Candidate,
    isUpdate: boolean,
  ): LookUp[] => {
    const found: LookUp[] = [];
    const inserted = withOwner(grant, columns, isUpdate);
    for (const field of model.fields.values()) {
      const unique = field.unique ? inserted[field.column] : undefined;
      if (unique !== undefined && unique !== null)
        found.push({ kind: 'unique', fields: [field], values: [unique] });
      const value = columns[field.column];
      if (value === undefined || value === null || field.reference === undefined) continue;
      const terms = chosen.has(field.name) ? grant.references?.get(field.name) : undefined;
      if (terms === undefined && isThere?.(field.reference, value) === true) continue;
      found.push({ kind: 'reference', field, value, reach: referenceReach(field, terms, isUpdate) });
    }
    return found;
  };

  /** Of values together: those that are written, and the rest as the record has it. */
  const setLookUps = (grant: Grant, { columns, refused }: Candidate, isUpdate: boolean): UniqueLookUp[] => {
    if (sets.length === 0) return [];
    const candidate = withOwner(grant, columns, isUpdate);
    return sets.flatMap((fields): UniqueLookUp[] => {
      const values = fields.map(({ column }) => candidate[column]);
      const lacking = isUpdate ? values.every((value) => value === undefined) : values.includes(undefined);
      if (lacking || values.includes(null) || fields.some(({ name: each }) => refused?.has(each))) return [];
      return [{ kind: 'unique', fields, values }];
    });
  };

  /** A record that has the values; of the columns that are not written, those of the record itself. */
  const taken = (
    { fields, values }: UniqueLookUp,
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
    return sql`exists (select 1 from ${table}${where([...same, ...others])})`;
  };

  const missing = (
    { reach }: ReferenceLookUp,
    value: Fragment,
    id: Fragment,
    reached: (index: number) => Fragment,
  ): Fragment => {
    const names = namesRecord(reach, value, id, reached, dialect);
    return names === undefined ? sql`1 = 1` : sql`not (${names})`;
  };

  /** One select per look-up, which answers its place among them where it finds something. */
  const compile = (lookUps: readonly LookUp[], isUpdate: boolean): Statement<LookUpArguments> =>
    statement<LookUpArguments>(dialect, (param) => {
      const valueStarts = startsOf(lookUps.map((each) => boundValues(each).length));
      const rowStarts = startsOf(lookUps.map((each) => reachValues(each).length));
      const id = param('id');
      const selects = lookUps.map((each, place) => {
        const value = (index: number) => param('values', (valueStarts[place] ?? 0) + index);
        const reached = (index: number) => param('rows', (rowStarts[place] ?? 0) + index);
        const found =
          each.kind === 'unique' ? taken(each, value, id, isUpdate) : missing(each, value(0), id, reached);
        return sql`select ${literal(String(place))} as place where ${found}`;
      });
      return join(selects, ' union all ');
    });

  /**
   * Unique values that are taken and references to nothing that the caller may name, all at once and in the order of the
   * fields; one statement, or none. `id` is that of the record that is updated.
   */
  return async (
    reader: Reader,
    grant: Grant,
    candidate: Candidate,
    id: number | undefined,
  ): Promise<readonly Collision[]> => {
    const isUpdate = id !== undefined;
    const lookUps = [...singleLookUps(grant, candidate, isUpdate), ...setLookUps(grant, candidate, isUpdate)];
    if (lookUps.length === 0) return [];
    const key = `${isUpdate} ${lookUps.map(shapeKey).join('\n')}`;
    const lookUp = statements.getOrMake(key, () => compile(lookUps, isUpdate));
    const query = lookUp({
      values: lookUps.flatMap(boundValues),
      rows: lookUps.flatMap(reachValues),
      id: id ?? null,
    });
    const places = new Set((await reader.all<{ place: string }>(query)).map(({ place }) => Number(place)));
    if (places.size === 0) return [];
    const found = lookUps.filter((_, place) => places.has(place));
    return collisionsOf(found, grant).sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  };
};
