import type { AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import type { CommonOptions, FieldType, RuleViolation, TextFormat } from '../fields/field.ts';
import { fieldTypes } from '../fields/registry.ts';
import { codePoints } from '../fields/values.ts';
import type { Json } from '../kernel/json.ts';

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
export interface CheckedField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
}

const violationsOf = (errors: readonly ErrorObject[], field: CheckedField): RuleViolation[] => {
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

export type ValueCheck = (value: Json) => readonly RuleViolation[];

const none: readonly RuleViolation[] = Object.freeze([]);

/**
 * Compiles the check of a field's value that is not null. Ajv compiles it at the first value, in less than a
 * millisecond: compiling the fields of all endpoints, described in each language, would take a seventh of a start.
 */
export const compileCheck = (field: CheckedField): ValueCheck => {
  const { type, options } = field;
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= ajv.compile(type.input(options, 'en'));
    const fits: ValidateFunction = compiled;
    if (!fits(value)) return violationsOf(fits.errors ?? [], field);
    const violation = type.check?.(value, options);
    return violation === undefined ? none : [violation];
  };
};

/** Checks one value of a model file: a default, or a condition. */
export const checkValue = (field: CheckedField, value: Json): readonly RuleViolation[] =>
  compileCheck(field)(value);
