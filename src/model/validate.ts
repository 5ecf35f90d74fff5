import type { ColumnValue, RuleViolation } from '../fields/field.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { type Json, type JsonObject, own } from '../kernel/json.ts';
import type { Catalogue, Locale } from '../kernel/messages/catalogue.ts';
import { catalogueOf, fieldError, labelText } from '../kernel/messages/messages.ts';
import { compileCheck, type ValueCheck } from './check-value.ts';
import type { FieldSet, ModelField } from './resource.ts';

/** The result of validating a body. `columns` may be written only where there are no errors. */
export interface Validated {
  /** Accepted values in the form of the response, defaults included; hooks see and change them. */
  readonly values: Record<string, Json>;
  /** The same values in the form of the columns. */
  readonly columns: Readonly<Record<string, ColumnValue>>;
  /** All violations of the record, in the order of the fields. */
  readonly errors: readonly FieldError[];
}

/**
 * Validates the record of a body. Fields that are not writable or unknown are ignored; the result of a hook is
 * validated again, with `model.fields` as writable.
 */
export type Validator = (
  body: JsonObject,
  action: 'create' | 'update',
  writable: { has(name: string): boolean },
) => Validated;

/** Blank: only white space and characters that are never drawn (zero-width spaces, joiners, fillers). */
const isBlank = (text: string): boolean =>
  !/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);

/** Whether a required field would treat this as no value. */
export const isMissing = (value: Json): boolean =>
  value === null || (typeof value === 'string' && isBlank(value));

const required: readonly RuleViolation[] = [{ rule: 'required' }];
const none: readonly RuleViolation[] = [];

interface Checked {
  readonly field: ModelField;
  readonly label: string;
  readonly check: ValueCheck;
}

/** The effective value: that of the body, else the default of a new record. */
const countingValue = (
  field: ModelField,
  body: JsonObject,
  action: 'create' | 'update',
  writable: { has(name: string): boolean },
): Json | undefined => {
  const sent = writable.has(field.name) ? own(body, field.name) : undefined;
  return sent === undefined && action === 'create' ? field.options.default : sent;
};

const violationsOf = ({ field, check }: Checked, value: Json): readonly RuleViolation[] => {
  if (field.required && isMissing(value)) return required;
  return value === null ? none : check(value);
};

/** Bounds in the form of a message: the name of a JSON type becomes a word. */
const inWords = (catalogue: Catalogue, params: RuleViolation['params'] = {}) => {
  const { type } = params;
  const words: Readonly<Record<string, string>> = catalogue.types;
  return type === undefined ? params : { ...params, type: words[type] ?? type };
};

const toColumn = (field: ModelField, value: Json): ColumnValue =>
  value === null ? null : field.type.encode(value, field.options);

const toJson = ({ type, options }: ModelField, column: ColumnValue): Json =>
  column === null || type.decode === undefined ? column : type.decode(column, options);

/** Compiles the checks of a model's fields. Messages are in the language of the service. */
export const compileValidator = (model: FieldSet, locale: Locale): Validator => {
  const catalogue = catalogueOf(locale);
  const checks = [...model.fields.values()]
    .filter((field) => !field.serverSet)
    .map((field): Checked => ({ field, label: labelText(field.label, locale), check: compileCheck(field) }));
  return (body, action, writable) => {
    const values: Record<string, Json> = {};
    const columns: Record<string, ColumnValue> = {};
    const errors: FieldError[] = [];
    for (const checked of checks) {
      const { field, label } = checked;
      const value = countingValue(field, body, action, writable);
      if (value === undefined && !(action === 'create' && field.required)) continue;
      const violations = value === undefined ? required : violationsOf(checked, value);
      for (const { rule, params } of violations)
        errors.push(fieldError(catalogue, field.name, label, rule, inWords(catalogue, params)));
      if (value === undefined) continue;
      if (violations.length > 0) {
        values[field.name] = value;
        continue;
      }
      const column = toColumn(field, value);
      columns[field.name] = column;
      values[field.name] = toJson(field, column);
    }
    return { values, columns, errors };
  };
};
