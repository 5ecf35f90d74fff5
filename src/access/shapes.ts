/** The shapes of data that decisions know: fields that conditions compare, and what the database keeps true. */

import type { ColumnKind, ColumnValue } from '../fields/field.ts';
import type { Models } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';

/** A field that a condition compares. */
export interface FieldShape {
  /** Name of the field type, such as `enum`. */
  readonly kind: string;
  readonly column: ColumnKind;
  /** True if it is never null. */
  readonly required: boolean;
  /** Every value that it can have beside null; undefined where there is no end of them. */
  readonly values: readonly ColumnValue[] | undefined;
  /** The model that it refers to. */
  readonly reference: string | undefined;
  /** The reference whose value the referenced record shares: `clinic_id`. */
  readonly same: string | undefined;
  /** Decimal places of a decimal. */
  readonly scale: number;
}

export interface ModelShape {
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Sets of fields that no two records share. */
  readonly unique: readonly (readonly string[])[];
  /** True if the id of a new record is known before it is stored. */
  readonly givesIds: boolean;
}

export type Shapes = ReadonlyMap<string, ModelShape>;

/** The most values of a field that are regarded one by one. */
const mostValues = 64;

const valuesOf = ({ type, options }: ModelField): FieldShape['values'] => {
  if (type.column === 'boolean') return [true, false];
  const choices = type.choices?.(options, 'en').map(({ value }) => value);
  return choices === undefined || choices.length > mostValues ? undefined : choices;
};

const fieldShape = (field: ModelField): FieldShape => {
  const { name, kind, type, options, required, reference, same } = field;
  return {
    kind: name === 'id' ? 'id' : kind,
    column: type.column,
    required: required || name === 'id',
    values: valuesOf(field),
    reference,
    same: same === undefined || same.endsWith('_id') ? same : `${same}_id`,
    scale: type.scale?.(options) ?? 0,
  };
};

const modelShape = ({ fields, unique, key }: ResourceModel): ModelShape => ({
  fields: new Map([...fields.values()].map((field) => [field.name, fieldShape(field)])),
  unique: [
    ...[...fields.values()].filter((field) => field.unique && field.name !== 'id').map(({ name }) => [name]),
    ...unique,
  ],
  givesIds: key.givenBy === 'caller',
});

/** The shapes of all models. */
export const shapesOf = (models: Models): Shapes =>
  new Map([...models].map(([name, model]) => [name, modelShape(model)]));

/** The shape of a field of which nothing is known: any text, or null. */
export const unknownField: FieldShape = {
  kind: 'unknown',
  column: 'text',
  required: false,
  values: undefined,
  reference: undefined,
  same: undefined,
  scale: 0,
};

const unknownModel: ModelShape = { fields: new Map(), unique: [], givesIds: false };

export const modelIn = (shapes: Shapes, model: string): ModelShape => shapes.get(model) ?? unknownModel;

export const fieldIn = (shapes: Shapes, model: string, field: string): FieldShape =>
  shapes.get(model)?.fields.get(field) ?? unknownField;

const widerField = (one: FieldShape, other: FieldShape): FieldShape => ({
  ...other,
  required: one.required && other.required,
  values: one.values && other.values && [...new Set([...one.values, ...other.values])],
  reference: one.reference === other.reference ? one.reference : undefined,
  same: one.same === other.same ? one.same : undefined,
});

/** Shapes whose data are all those of either version. A field of which the versions disagree has what both admit. */
export const widerShapes = (before: Shapes, after: Shapes): Shapes => {
  const names = new Set([...before.keys(), ...after.keys()]);
  return new Map(
    [...names].map((name): [string, ModelShape] => {
      const [one, other] = [before.get(name), after.get(name)];
      if (one === undefined || other === undefined) return [name, one ?? other ?? unknownModel];
      const fields = new Map([...one.fields, ...other.fields]);
      for (const [field, shape] of one.fields) {
        const now = other.fields.get(field);
        if (now !== undefined) fields.set(field, widerField(shape, now));
      }
      const keys = new Set(one.unique.map((set) => set.join()));
      const unique = other.unique.filter((set) => keys.has(set.join()));
      return [name, { fields, unique, givesIds: one.givesIds && other.givesIds }];
    }),
  );
};
