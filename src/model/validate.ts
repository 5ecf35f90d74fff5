/** Validation of records in bodies, compiled from the fields of a model, with messages in one language. */

import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ColumnValue, CommonOptions, FieldType, RuleViolation, TextFormat } from '../fields/field.ts';
import { fieldTypes } from '../fields/registry.ts';
import { codePoints } from '../fields/values.ts';
import { ExactNumber } from '../kernel/exact-json.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { type Json, type JsonObject, own } from '../kernel/json.ts';
import { type Catalogue, fieldError } from '../kernel/messages.ts';
import type { FieldSet, ModelField } from './resource.ts';

/** Formats of the field types, by name. */
const formats: ReadonlyMap<string, TextFormat> = new Map(
  Object.values<FieldType>(fieldTypes)
    .flatMap(({ format }) => (format === undefined ? [] : [format]))
    .map((format) => [format.name, format]),
);

/**
 * Ajv without coercion, defaults, removal and loading of schemas. The schemas are those of the field types, so the
 * meta-schema, which costs time at every start, is left out.
 */
const newAjv = (): Ajv => {
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    messages: false,
    meta: false,
    strict: true,
    validateSchema: false,
    formats: Object.fromEntries([...formats].map(([name, { test }]) => [name, test])),
  });
  // Run a pattern only on texts within the limit: the cost of a regular expression grows with the text.
  ajv.removeKeyword('pattern');
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    compile: (source: string, parent: AnySchemaObject) => {
      const pattern = new RegExp(source, 'u');
      const longest = Number(parent['maxLength'] ?? Infinity);
      return (text: string) => codePoints(text) > longest || pattern.test(text);
    },
  });
  return ajv;
};

const ajv = newAjv();

type Reading = (error: ErrorObject, field: CheckedField) => RuleViolation | undefined;

const limit = (error: ErrorObject): number => Number(error.params['limit']);

const isIntegerRange = (error: ErrorObject): boolean => Math.abs(limit(error)) === Number.MAX_SAFE_INTEGER;

const firstType = (type: Json): string => String(Array.isArray(type) ? type[0] : type);

/** The rule for every keyword in schemas of fields; the only place that maps Ajv's terms to those of the service. */
const ruleOf: Readonly<Record<string, Reading>> = {
  type: (error) => ({ rule: 'type', params: { type: firstType(error.params['type']) } }),
  minLength: (error) => ({ rule: 'min_length', params: { min: limit(error) } }),
  maxLength: (error) => ({ rule: 'max_length', params: { max: limit(error) } }),
  pattern: () => ({ rule: 'pattern' }),
  minimum: (error) =>
    isIntegerRange(error) ? { rule: 'integer_range' } : { rule: 'minimum', params: { min: limit(error) } },
  maximum: (error) =>
    isIntegerRange(error) ? { rule: 'integer_range' } : { rule: 'maximum', params: { max: limit(error) } },
  format: (error) => {
    const rule = formats.get(String(error.params['format']))?.rule;
    return rule === undefined ? undefined : { rule };
  },
  oneOf: (_error, { type, options }) => ({
    rule: 'enum',
    params: { choices: (type.choices?.(options, 'en') ?? []).map(({ value }) => value).join(', ') },
  }),
  // Reported by `oneOf`.
  const: () => undefined,
};

/** The properties of a field that a check needs. */
interface CheckedField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
}

const violationsIn = (errors: readonly ErrorObject[], field: CheckedField): RuleViolation[] => {
  const read = errors.flatMap((error) => {
    const reading = ruleOf[error.keyword];
    if (reading === undefined) throw new Error(`no rule for the keyword ${error.keyword} of ${field.name}`);
    return reading(error, field) ?? [];
  });
  // A value of the wrong type violates every other rule as well; each rule is reported once.
  const wrongType = read.filter(({ rule }) => rule === 'type');
  const reported = wrongType.length > 0 ? wrongType : read;
  return [...new Map(reported.map((violation) => [violation.rule, violation])).values()];
};

type ValueCheck = (value: Json) => readonly RuleViolation[];

const none: readonly RuleViolation[] = Object.freeze([]);

/**
 * Compiles the check of a field's value that is not null. Ajv compiles it at the first value, in less than a
 * millisecond: compiling the fields of all endpoints, described in each language, would take a seventh of a start.
 */
export const compileCheck = (field: CheckedField): ValueCheck => {
  const { type, options } = field;
  let compiled: ValidateFunction | undefined;
  return (sent) => {
    // The types whose values such a number can be have made it one of them.
    const value = sent instanceof ExactNumber && type.fromExact === undefined ? Number(sent.text) : sent;
    compiled ??= ajv.compile(type.input(options, 'en'));
    const fits: ValidateFunction = compiled;
    if (!fits(value)) return violationsIn(fits.errors ?? [], field);
    if (value !== sent)
      return [{ rule: 'type', params: { type: firstType(type.input(options, 'en')['type'] ?? null) } }];
    const violation = type.check?.(value, options);
    return violation === undefined ? none : [violation];
  };
};

/** Checks one value of a model file: a default, or a condition. */
export const checkValue = (field: CheckedField, value: Json): readonly RuleViolation[] =>
  compileCheck(field)(value);

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
 * Validates the record of a body. Fields that are not writable, fixed or unknown are ignored; the result of a hook is
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

/** True if a required field would treat this as no value. */
export const isMissing = (value: Json): boolean =>
  value === null || (typeof value === 'string' && isBlank(value));

const required: readonly RuleViolation[] = [{ rule: 'required' }];

interface Checked {
  readonly field: ModelField;
  readonly check: ValueCheck;
}

/** The effective value: that of the body, else the default of a new record. */
const countingValue = (
  field: ModelField,
  body: JsonObject,
  action: 'create' | 'update',
  writable: { has(name: string): boolean },
): Json | undefined => {
  const given = writable.has(field.name) ? own(body, field.name) : undefined;
  // A form sends back what it has read: a file as it is described. It stays as it is.
  if (typeof given === 'object' && given !== null && field.type.uploads !== undefined) return undefined;
  const sent = given instanceof ExactNumber ? (field.type.fromExact?.(given) ?? given) : given;
  return sent === undefined && action === 'create' ? field.options.default : sent;
};

const violationsOf = ({ field, check }: Checked, value: Json): readonly RuleViolation[] => {
  if (field.required && isMissing(value)) return required;
  return value === null ? none : check(value);
};

const toColumn = (field: ModelField, value: Json): ColumnValue =>
  value === null ? null : field.type.encode(value, field.options);

const toJson = ({ type, options }: ModelField, column: ColumnValue): Json =>
  column === null || type.decode === undefined ? column : type.decode(column, options);

/** Compiles the checks of a model's fields. Messages are in the language of the catalogue. */
export const compileValidator = (model: FieldSet, catalogue: Catalogue): Validator => {
  const checks = [...model.fields.values()]
    .filter((field) => !field.serverSet)
    .map((field): Checked => ({ field, check: compileCheck(field) }));
  return (body, action, writable) => {
    const values: Record<string, Json> = {};
    const columns: Record<string, ColumnValue> = {};
    const errors: FieldError[] = [];
    for (const checked of checks) {
      const { field } = checked;
      if (field.fixed && action === 'update') continue;
      const value = countingValue(field, body, action, writable);
      if (value === undefined && !(action === 'create' && field.required)) continue;
      const violations = value === undefined ? required : violationsOf(checked, value);
      for (const { rule, params } of violations)
        errors.push(fieldError(catalogue, field.name, field.label, rule, params));
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
