import type { FieldDefinition } from '../fields/field.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import type { InputFields } from '../model/job.ts';
import { labelOf } from '../model/names.ts';
import type { ModelField } from '../model/resource.ts';
import { compileValidator, type Validated } from '../model/validate.ts';

const modelField = (name: string, { type, options }: FieldDefinition): ModelField => ({
  name,
  column: name,
  kind: type.kind,
  type,
  options,
  label: options.label ?? labelOf(name),
  required: options.required === true,
  unique: false,
  serverSet: false,
  reference: undefined,
  anyone: false,
});

/** Reads the values of a job as those of a record that is created: by the same field types and rules. */
export const readInput = (input: InputFields, locale: Locale): ((values: JsonObject) => Validated) => {
  const fields = new Map(
    Object.entries(input).map(([name, definition]) => [name, modelField(name, definition)]),
  );
  const validate = compileValidator({ label: '', fields }, locale);
  return (values) => validate(values, 'create', fields);
};
