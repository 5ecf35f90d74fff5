import type { FieldDefinition } from '../fields/field.ts';
import type { Label } from '../kernel/messages.ts';
import type { ModelField } from './resource.ts';

/**
 * A field of an input, of an endpoint or of a job: it belongs to no table, so it is neither unique nor a reference.
 */
export const inputField = (name: string, { type, options }: FieldDefinition, label: Label): ModelField => ({
  name,
  column: name,
  kind: type.kind,
  type,
  options,
  label,
  required: options.required === true,
  unique: false,
  serverSet: false,
  fixed: false,
  reference: undefined,
  referenceKey: undefined,
  onDelete: undefined,
  anyone: false,
  same: undefined,
});
