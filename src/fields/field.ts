import type { Json } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import type { FieldRule, Label } from '../kernel/messages/messages.ts';
import {
  anything,
  flag,
  label,
  type OptionCheck,
  type OptionTable,
  oneOf,
  optionsFlaw,
} from '../kernel/options.ts';

/**
 * The contract of a field type. One file per type implements it; `registry.ts` has a line for each. Everything that
 * differs between field types is said here: no other module asks which type a field has.
 */

/** Kinds of columns that a database has; its dialect says how each is declared and rendered as JSON. */
export type ColumnKind =
  | 'text'
  | 'integer'
  /** A number with a fixed count of decimal places, kept as a whole number: `scale` of the field type says how many. */
  | 'decimal'
  | 'number'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'time'
  | 'uuid'
  | 'json';

/** A value as it is bound to a column. */
export type ColumnValue = string | number | boolean | null;

/** Operators of list filters: `filter[field][op]=value`. */
export type FilterOperator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'like'
  | 'starts_with'
  | 'null';

/** Options that every field type takes. */
export interface CommonOptions {
  /** Present, not null and, for texts, not blank. */
  readonly required?: boolean;
  /** No two records share the value (null excepted); with `'owner'` no two records of one owner. */
  readonly unique?: boolean | 'owner';
  readonly index?: boolean;
  /** Taken where the field is absent on create. */
  readonly default?: Json;
  /** What people call the field, one text or one per language; made from the name where absent. */
  readonly label?: Label;
  /**
   * Heading under which forms and pages of a record show the field, with the others of its group; one text or one per
   * language. Groups stand in the order of their first fields, behind the fields that have none.
   */
  readonly group?: Label;
}

export const commonOptions = {
  required: flag,
  unique: oneOf(true, false, 'owner'),
  index: flag,
  // Held to the field's own rules, which the model does.
  default: anything,
  label,
  group: label,
} satisfies OptionTable<CommonOptions>;

/** The common options as the generator's command line has them: the first ones stand alone, the others take a value. */
export const commonFlags = [
  'required',
  'unique',
  'index',
] as const satisfies readonly (keyof CommonOptions)[];
export const commonModifiers = ['default'] as const satisfies readonly (keyof CommonOptions)[];

/** JSON Schema (2020-12, kept to what draft-07 tools understand as well). */
export type JsonSchema = { readonly [keyword: string]: Json };

export interface RuleViolation {
  readonly rule: FieldRule;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** A `format` of JSON Schema that a type brings along, and the rule that a text violates which has it not. */
export interface TextFormat {
  readonly name: string;
  readonly rule: FieldRule;
  test(text: string): boolean;
}

/** One choice of a field that takes few values. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Name of the colour that it is shown in. */
  readonly color?: string;
}

/** How a form shows a field. */
export interface FormHints {
  /** Entries of the field's uiSchema. */
  readonly ui?: JsonSchema;
  /** Alternatives (`anyOf`) that the form lets choose from, in place of a schema that takes values of many types. */
  readonly alternatives?: readonly JsonSchema[];
}

/**
 * What becomes of a record when what it refers to is deleted: it keeps that from being deleted, its reference becomes
 * null, or it is deleted too.
 */
export type OnDelete = 'restrict' | 'null' | 'cascade';

export interface FieldType<Options extends CommonOptions = CommonOptions> {
  /** Name of the type, as the registry, the generator and the metadata have it. */
  readonly kind: string;
  /** What kind of column keeps the values. */
  readonly column: ColumnKind;
  /** Decimal places of values in a `decimal` column. */
  scale?(options: Options): number;
  /** Makes a field of this type: `field.<kind>(…)` in a model file. */
  define(...args: never[]): FieldDefinition<Options>;
  /** A check for each option that `define` takes, the common ones included, without its argument. */
  readonly options: Readonly<Record<string, OptionCheck>>;
  /** The option that `define` takes before the others; the generator reads it as `type=value`, a list by commas. */
  readonly argument?: { readonly option: string; readonly list: boolean };
  /** Options beyond the common ones that the generator takes as `name=value`. */
  readonly modifiers?: readonly string[];
  /** What is wrong with options of the right types, as a clause for a developer; undefined where nothing is. */
  flaw?(options: Options): string | undefined;
  /** Schema of a value that is accepted (not null; null is allowed where the field is not required). */
  input(options: Options, locale: Locale): JsonSchema;
  /** Schema of a value as it is answered, where it is not the type, format and choices of `input`. */
  output?(options: Options, locale: Locale): JsonSchema;
  readonly format?: TextFormat;
  /** What the schema cannot say. Called with values that fit the schema. */
  check?(value: Json, options: Options): RuleViolation | undefined;
  /** A checked value as the column takes it. Throws TypeError for a value that was never checked. */
  encode(value: Json, options: Options): ColumnValue;
  /** What the column takes as it is returned in JSON: the canonical form. Absent where both are the same. */
  decode?(column: NonNullable<ColumnValue>, options: Options): Json;
  readonly operators: readonly FilterOperator[];
  /** The text of a filter (or cursor) as a column value; undefined where it is no value of this type. */
  parse(text: string, options: Options): ColumnValue | undefined;
  /**
   * What a text of a file without types means, such as a cell of CSV: the value as a body would bring it. A text that
   * is none of this type is answered as something that the rules of the field refuse.
   */
  fromText(text: string): Json;
  /** Whether `q` looks into it. */
  readonly searchable: boolean;
  readonly sortable: boolean;
  /** Most bytes that a value takes in an index; absent: 16 at most. Infinity: it cannot be indexed. */
  indexBytes?(options: Options): number;
  /** Name of the model that the value is an id of. */
  target?(options: Options): string;
  /** Whether an id of a record that the caller may not read is accepted: the record has to exist, no more. */
  anyone?(options: Options): boolean;
  /** What becomes of a record when what it refers to is deleted. */
  onDelete?(options: Options): OnDelete;
  choices?(options: Options, locale: Locale): readonly Choice[];
  /** Limits for people and forms, named as the options are. */
  bounds?(options: Options): Readonly<Record<string, string | number>>;
  /** What react-jsonschema-form needs to be told, where its own choice is not right. */
  form?(options: Options, locale: Locale): FormHints;
}

declare const value: unique symbol;
declare const input: unique symbol;
declare const operators: unique symbol;

/**
 * A field of a model: its type and its options, as the functions of `field` make it. `Value` is the TypeScript type
 * of what is answered, `Input` of what is accepted, `Operators` those of its filters; they exist for the compiler only.
 */
export interface FieldDefinition<
  Options extends object = object,
  Value = unknown,
  Input = Value,
  Operators extends FilterOperator = FilterOperator,
> {
  readonly type: FieldType;
  readonly options: Options & CommonOptions;
  /** What is wrong with the options as they were given: an unknown one, a value of the wrong type. */
  readonly flaw?: string;
  readonly [value]?: Value;
  readonly [input]?: Input;
  readonly [operators]?: Operators;
}

/** The type of a field as it is answered: null where it is not required. */
export type ValueOf<Definition> =
  Definition extends FieldDefinition<infer Options, infer Value, unknown>
    ? Options extends { readonly required: true }
      ? Value
      : Value | null
    : never;

/** The type of a field as it is accepted. */
export type InputOf<Definition> =
  Definition extends FieldDefinition<infer Options, unknown, infer Input>
    ? Options extends { readonly required: true }
      ? Input
      : Input | null
    : never;

/** The operators that filters of a field take. */
export type OperatorsOf<Definition> =
  Definition extends FieldDefinition<object, unknown, unknown, infer Operators> ? Operators : never;

/** The type of a value in a filter: never null, for which there is an operator of its own. */
export type OperandOf<Definition> =
  Definition extends FieldDefinition<object, unknown, infer Input> ? NonNullable<Input> : never;

/** Options of which a misspelt one does not compile, although their exact type is kept. */
export type Strict<Options, Allowed> = Options & { [Key in Exclude<keyof Options, keyof Allowed>]: never };

/**
 * What the functions of `field` return. A mistake is kept for whoever uses the field, who knows the name of it:
 * `fieldFlaw`.
 */
export const definition = <
  Options extends CommonOptions,
  Value,
  Input = Value,
  Operators extends FilterOperator = FilterOperator,
>(
  type: FieldType,
  options?: object,
  argument: object = {},
  table: FieldType['options'] = type.options,
): FieldDefinition<Options, Value, Input, Operators> => {
  const flaw = options === undefined ? undefined : optionsFlaw(options, table);
  return {
    type,
    // Without options, Options is the type's own, of which all are optional.
    options: Object.freeze({ ...options, ...argument }) as Options & CommonOptions,
    ...(flaw === undefined ? {} : { flaw }),
  };
};

/** What is wrong with a field of an application's file; undefined where nothing is. */
export const fieldFlaw = ({ type, options, flaw }: FieldDefinition): string | undefined =>
  flaw ?? type.flaw?.(options);

export const isFieldDefinition = (value: unknown): value is FieldDefinition =>
  typeof value === 'object' && value !== null && 'type' in value && 'options' in value;
