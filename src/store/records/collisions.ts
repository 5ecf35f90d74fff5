import type { ColumnValue } from '../../fields/field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { type Models, referencedTable } from '../../model/models.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import type { Grant, ReferenceTerms } from '../../policy/grant.ts';
import type { Reader, SqlValue } from '../database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { namesRecord, type ReferenceReach, referenceValues } from '../relations/references.ts';
import { reachOf } from '../rows/reach.ts';
import {
  type Argument,
  all,
  type Fragment,
  literal,
  name,
  type Statement,
  sql,
  startsOf,
  statement,
} from '../statement.ts';

/** Why a value cannot be saved although it is well-formed: somebody else has it, or it refers to nothing. */
export interface Collision {
  readonly field: string;
  readonly rule: 'unique' | 'reference';
}

export type Columns = Readonly<Record<string, ColumnValue>>;

/** What a write is looked up for before it is done. */
export interface Candidate {
  readonly columns: Columns;
  /** Fields whose values the caller chose: their references are held to what the grant lets the caller name. */
  readonly chosen: ReadonlySet<string>;
  /** Whether a record is known to be there: it is not looked for once more. Nothing is known unless given. */
  readonly isThere?: ((model: string, id: ColumnValue) => boolean) | undefined;
}

/** One thing to look up: whether a value is taken, or what it refers to is missing. */
interface LookUp {
  readonly field: ModelField;
  readonly value: ColumnValue;
  /** Absent where uniqueness is asked. */
  readonly reference?: ReferenceReach;
}

type LookUpArguments = {
  /** One for each look-up. */
  readonly values: readonly SqlValue[];
  /** Of the reaches of the references, one behind the other. */
  readonly rows: readonly SqlValue[];
  /** The id of the record that is updated. */
  readonly id: number | null;
};

const shapeKey = ({ field, reference }: LookUp): string =>
  reference === undefined
    ? `=${field.name}`
    : `>${field.name} ${reference.named?.key ?? 'none'}\n${reference.kept?.reach.key ?? 'none'}`;

/** Looks up what would collide with a write of a model's table. */
export const createCollisions = (dialect: Dialect, model: ResourceModel, models: Models) => {
  const statements = new BoundedCache<Statement<LookUpArguments>>('collisionStatements');

  const referenceReach = (
    { column, reference = '' }: ModelField,
    terms: ReferenceTerms | undefined,
    isUpdate: boolean,
  ): ReferenceReach => {
    const kept = isUpdate ? reachOf({ rows: terms?.kept ?? 'none' }) : undefined;
    return {
      table: referencedTable(models, reference),
      named: reachOf({ rows: terms?.rows ?? [] }),
      kept: kept && { table: model.table, column, reach: kept },
    };
  };

  const lookUpsOf = (grant: Grant, { columns, chosen, isThere }: Candidate, isUpdate: boolean): LookUp[] => {
    const found: LookUp[] = [];
    for (const field of model.fields.values()) {
      const value = columns[field.column];
      if (value === undefined || value === null) continue;
      if (field.unique) found.push({ field, value });
      if (field.reference === undefined) continue;
      const terms = chosen.has(field.name) ? grant.references?.get(field.name) : undefined;
      if (terms === undefined && isThere?.(field.reference, value) === true) continue;
      found.push({ field, value, reference: referenceReach(field, terms, isUpdate) });
    }
    return found;
  };

  const taken = (
    { field }: LookUp,
    value: Fragment,
    argument: Argument<LookUpArguments>,
    isUpdate: boolean,
  ): Fragment => {
    const others = isUpdate ? sql` and "id" <> ${argument('id')}` : sql``;
    const same = sql`select 1 from ${name(model.table)} where ${name(field.column)} = ${value}${others}`;
    return sql`select ${literal(field.name)} as field, 'unique' as rule where exists (${same})`;
  };

  const missing = (
    { field }: LookUp,
    reference: ReferenceReach,
    value: Fragment,
    argument: Argument<LookUpArguments>,
    start: number,
  ): Fragment => {
    const select = sql`select ${literal(field.name)} as field, 'reference' as rule`;
    const names = namesRecord(reference, value, argument('id'), (index) => argument('rows', start + index));
    return names === undefined ? select : sql`${select} where not (${names})`;
  };

  /** One select per look-up; only those that collide answer a row. */
  const compile = (lookUps: readonly LookUp[], isUpdate: boolean): Statement<LookUpArguments> =>
    statement<LookUpArguments>(dialect, (argument) => {
      const starts = startsOf(
        lookUps.map(({ reference }) => (reference === undefined ? 0 : referenceValues(reference).length)),
      );
      const selects = lookUps.map((each, index) => {
        const value = argument('values', index);
        return each.reference === undefined
          ? taken(each, value, argument, isUpdate)
          : missing(each, each.reference, value, argument, starts[index] ?? 0);
      });
      return all(selects, ' union all ');
    });

  /**
   * Unique values that are taken and references to nothing that the caller may name, all at once; one statement, or
   * none. `id` is that of the record that is updated.
   */
  return async (
    reader: Reader,
    grant: Grant,
    candidate: Candidate,
    id: number | undefined,
  ): Promise<readonly Collision[]> => {
    const isUpdate = id !== undefined;
    const lookUps = lookUpsOf(grant, candidate, isUpdate);
    if (lookUps.length === 0) return [];
    const key = `${isUpdate} ${lookUps.map(shapeKey).join('\n')}`;
    const lookUp = statements.getOrMake(key, () => compile(lookUps, isUpdate));
    const query = lookUp({
      values: lookUps.map(({ value }) => value),
      rows: lookUps.flatMap(({ reference }) => (reference === undefined ? [] : referenceValues(reference))),
      id: id ?? null,
    });
    return reader.all<Collision>(query);
  };
};
