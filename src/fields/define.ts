import { defineOwner } from './reference.ts';
import { type FieldKind, fieldTypes } from './registry.ts';

type Functions = { readonly [Kind in FieldKind]: (typeof fieldTypes)[Kind]['define'] };

/**
 * The functions that define the fields of a model, one for each type: `field.string({ required: true, max: 200 })`,
 * `field.enum(['draft', 'live'], { default: 'draft' })`, `field.reference('Author')`, and `field.owner()` for the
 * owner of the record.
 */
export const field: Functions & { readonly owner: typeof defineOwner } = Object.freeze({
  ...(Object.fromEntries(Object.entries(fieldTypes).map(([kind, type]) => [kind, type.define])) as Functions),
  owner: defineOwner,
});
