/** The input of a fixed endpoint: field types, validation and JSON Schema, as resources have them. */

import { passwordLimits, passwordRules } from '../auth/password-rules.ts';
import type { FieldDefinition, JsonSchema, RuleViolation } from '../fields/field.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import {
  type Catalogue,
  completeLabel,
  fieldError,
  type Label,
  type Locale,
  labelText,
  namedLabel,
} from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import { completeField } from '../model/complete-texts.ts';
import { inputField } from '../model/input-field.ts';
import type { ModelField } from '../model/resource.ts';
import { inputSchema } from '../model/schema.ts';
import { compileValidator, type Validated } from '../model/validate.ts';

/** Input of a fixed endpoint: the same field types, validator and schema that resources have. */
export interface Input {
  readonly schema: JsonSchema;
  /** Every violated rule is among the errors; nothing is thrown. */
  read(body: JsonObject, action?: 'create' | 'update'): Validated;
  /** The validation message of one of its fields for a rule that only the endpoint knows. */
  error(field: string, violation: RuleViolation): FieldError;
}

/** @param of whose endpoint it is: an application may mean something else by a name */
export const createInput = (
  fields: Readonly<Record<string, FieldDefinition>>,
  catalogue: Catalogue,
  of: 'service' | 'application' = 'service',
): Input => {
  const labelOf = (name: string): Label =>
    fields[name]?.options.label ??
    (of === 'service' ? namedLabel('inputs', name) : undefined) ??
    namedLabel('labels', name) ??
    name;
  const complete = (label: Label): Label => completeLabel(label, catalogue.fallbacks);
  const fieldOf = (name: string, definition: FieldDefinition): ModelField => {
    const made = inputField(name, definition, labelOf(name));
    // The catalogue has the words of the service for its own labels.
    return of === 'application' && definition.options.label !== undefined
      ? completeField(made, complete)
      : made;
  };
  const model = {
    label: '',
    fields: new Map(Object.entries(fields).map(([name, definition]) => [name, fieldOf(name, definition)])),
  };
  const validate = compileValidator(model, catalogue);
  return {
    schema: inputSchema(model, 'create', new Set(model.fields.keys()), catalogue.locale),
    read: (body, action = 'create') => validate(body, action, model.fields),
    error: (field, { rule, params }) => fieldError(catalogue, field, labelOf(field), rule, params),
  };
};

/** A schema that also says what an endpoint asks of fields beyond their types, for the API description. */
export const refined = (schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const known = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const more = Object.entries(properties).map(([name, rules]): [string, Json] => {
    const base = known[name];
    return [name, isJsonObject(base) ? { ...base, ...rules } : rules];
  });
  return { ...schema, properties: { ...known, ...Object.fromEntries(more) } };
};

/** Rules of a password of one's choice, as far as a schema can say them. */
export const passwordSchema = (locale: Locale): JsonSchema => ({
  minLength: passwordLimits.min,
  maxLength: passwordLimits.max,
  description: labelText(passwordRules, locale),
});

/** @throws Problem `invalid_record` with every message, unless there is none. */
export const refuseInvalid = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw new Problem('invalid_record', { errors });
};
