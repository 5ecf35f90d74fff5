import type { OnDelete } from '../fields/field.ts';
import type { Models } from './models.ts';
import type { ModelField, ResourceModel } from './resource.ts';

/** A field by which the records of a model refer to those of another. */
export interface Referrer {
  readonly model: ResourceModel;
  readonly field: ModelField;
}

/** The fields that refer to the records of a model, `User` included, and have this `onDelete`. */
export const referrersOf = (models: Models, name: string, onDelete: OnDelete): readonly Referrer[] =>
  [...models.values()].flatMap((model) =>
    [...model.fields.values()]
      .filter((field) => field.reference === name && field.onDelete === onDelete)
      .map((field) => ({ model, field })),
  );

/** The records that the deletion of a model's records may delete as well. */
export interface Deletion {
  /** References whose records are deleted with them, directly. */
  readonly cascading: readonly Referrer[];
  /** Models whose records may be deleted with them, directly or not. */
  readonly reached: readonly ResourceModel[];
}

export const deletionOf = (models: Models, name: string): Deletion => {
  const reached = new Map<string, ResourceModel>();
  const visit = (of: string): void => {
    for (const { model } of referrersOf(models, of, 'cascade')) {
      if (reached.has(model.name)) continue;
      reached.set(model.name, model);
      visit(model.name);
    }
  };
  visit(name);
  return { cascading: referrersOf(models, name, 'cascade'), reached: [...reached.values()] };
};

/**
 * True if a record can prevent the deletion of a model's record: one that refers to it, or to a record deleted with
 * it.
 */
export const isHeld = (models: Models, name: string): boolean =>
  [name, ...deletionOf(models, name).reached.map((model) => model.name)].some(
    (each) => referrersOf(models, each, 'restrict').length > 0,
  );
