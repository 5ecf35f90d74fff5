import type { JsonObject } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import { inputField } from '../model/input-field.ts';
import type { InputFields } from '../model/job.ts';
import { labelOf } from '../model/names.ts';
import { compileValidator, type Validated } from '../model/validate.ts';

/** Reads the values of a job as those of a record that is created: by the same field types and rules. */
export const readInput = (input: InputFields, locale: Locale): ((values: JsonObject) => Validated) => {
  const fields = new Map(
    Object.entries(input).map(([name, definition]) => [
      name,
      inputField(name, definition, definition.options.label ?? labelOf(name)),
    ]),
  );
  const validate = compileValidator({ label: '', fields }, locale);
  return (values) => validate(values, 'create', fields);
};
