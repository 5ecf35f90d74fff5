/**
 * The contract of a field type. One file per type implements it; `registry.ts` lists them. Everything that differs
 * between field types is a member of it: no other module checks which type a field has.
 */

import type { ExactNumber } from '../kernel/exact-json.ts';
import type { Json } from '../kernel/json.ts';
import type { FieldRule, Label, Locale } from '../kernel/messages.ts';
import {
  anything,
  flag,
  label,
  type OptionCheck,
  type OptionTable,
  oneOf,
  optionsFlaw,
} from '../kernel/options.ts';

/** Kinds of columns; the dialect declares each and renders it as JSON. */
export type ColumnKind =
  | 'text'
  | 'integer'
  /** A whole number of 64 bits, as text in JSON: no double has all of them. */
  | 'bigint'
  /**
   * A number with a fixed count of decimal places, stored as a whole number: `scale` of the field type gives the
   * count.
   */
  | 'decimal'
  | 'number'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'time'
  | 'uuid'
  | 'json';

/** A value in the form in which it is bound to a column. */
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
  /**
   * No two records share the value (null excepted); with `'owner'` no two records of one owner. Texts are compared by
   * their code points: normalize them in `beforeSave` if two forms of `é` are one to you.
   */
  readonly unique?: boolean | 'owner';
  /** An index for filters and sorts; unique fields and references have one anyway. */
  readonly index?: boolean;
  /** The database of an external table provides the value: no body and no hook sets it. */
  readonly generated?: boolean;
  /** Used where the field is absent on create. */
  readonly default?: Json;
  /** Display name of the field, one text or one per language; derived from the name where absent. */
  readonly label?: Label;
  /**
   * Heading under which forms and pages of a record show the fields of a group, one text or one per language.
   */
  readonly group?: Label;
}

export const commonOptions = {
  required: flag,
  unique: oneOf(true, false, 'owner'),
  index: flag,
  generated: flag,
  // The model validates it by the field's own rules.
  default: anything,
  label,
  group: label,
} satisfies OptionTable<CommonOptions>;

/** The common options of the generator's command line: the first ones are flags, the others have a value. */
export const commonFlags = [
  'required',
  'unique',
  'index',
] as const satisfies readonly (keyof CommonOptions)[];
export const commonModifiers = ['default'] as const satisfies readonly (keyof CommonOptions)[];

/** JSON Schema (2020-12, limited to features that draft-07 tools understand). */
export type JsonSchema = { readonly [keyword: string]: Json };

export interface RuleViolation {
  readonly rule: FieldRule;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** A `format` of JSON Schema that a type defines, and the rule that an invalid text violates. */
export interface TextFormat {
  readonly name: string;
  readonly rule: FieldRule;
  test(text: string): boolean;
}

/** One choice of a field with few values. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Name of its colour. */
  readonly color?: string;
}

/** How a form shows a field. */
export interface FormHints {
  /** Entries of the field's uiSchema. */
  readonly ui?: JsonSchema;
  /** Alternatives (`anyOf`) from which the form lets the user choose, in place of a schema with several types. */
  readonly alternatives?: readonly JsonSchema[];
}

/**
 * The consequence for a record when the record that it refers to is deleted: it prevents the deletion, its reference
 * becomes null, or it is deleted too.
 */
export type OnDelete = 'restrict' | 'null' | 'cascade';

/** How new records are counted, and the values that follow from their numbers. */
export interface CountedType {
  /** Key of a reference: the records of each referenced record have a count of their own. */
  readonly per: string | undefined;
  /**
   * How a new record is numbered, by its values under the names of their fields and by the time in milliseconds.
   * @throws errors of the application's code, which makes the format
   */
  numbering(record: () => Readonly<Record<string, Json>>, at: number): RecordNumbering;
}

/** The period in which a record is numbered, whose count starts with 1, and the value of the n-th record of it. */
export interface RecordNumbering {
  readonly period: number;
  value(n: number): string;
}

export interface FieldType<Options extends CommonOptions = CommonOptions> {
  /** Name of the type in the registry, the generator and the metadata. */
  readonly kind: string;
  /** Kind of the column. */
  readonly column: ColumnKind;
  /** Decimal places of values in a `decimal` column. */
  scale?(options: Options): number;
  /** Defines a field of this type: `field.<kind>(…)` in a model file. */
  define(...args: never[]): FieldDefinition<Options>;
  /** A check for each option that `define` takes, the common ones included, without its argument. */
  readonly options: Readonly<Record<string, OptionCheck>>;
  /** The option that `define` takes before the others; the generator reads it as `type=value`, a list by commas. */
  readonly argument?: { readonly option: string; readonly list: boolean };
  /** Options beyond the common ones that the generator takes as `name=value`. */
  readonly modifiers?: readonly string[];
  /** The flaw of options that have the right types, as a clause for a developer; undefined when there is none. */
  flaw?(options: Options): string | undefined;
  /** Schema of an accepted value (not null; null is allowed where the field is not required). */
  input(options: Options, locale: Locale): JsonSchema;
  /** Schema of a returned value, where it differs from the type, format and choices of `input`. */
  output?(options: Options, locale: Locale): JsonSchema;
  readonly format?: TextFormat;
  /**
   * The value of a number that no double has, Absent where such a number is refused as
   * one of another type.
   */
  fromExact?(number: ExactNumber): Json;
  /** A check beyond the schema. Called with values that fit the schema. */
  check?(value: Json, options: Options): RuleViolation | undefined;
  /** A checked value in the form of the column. Throws TypeError for a value that was never checked. */
  encode(value: Json, options: Options): ColumnValue;
  /** The column's value as JSON, in canonical form. Absent where both are the same. */
  decode?(column: NonNullable<ColumnValue>, options: Options): Json;
  readonly operators: readonly FilterOperator[];
  /** The text of a filter (or cursor) as a column value; undefined for a text that is not a value of this type. */
  parse(text: string, options: Options): ColumnValue | undefined;
  /**
   * A text of a file without types, such as a cell of CSV, as the value that a body would have. An invalid text
   * becomes a value that the rules of the field refuse.
   */
  fromText(text: string): Json;
  /** True if `q` searches it. */
  readonly searchable: boolean;
  readonly sortable: boolean;
  /** Maximum bytes of a value in an index; 16 where absent. Infinity: it cannot be indexed. */
  indexBytes?(options: Options): number;
  /** The type of fields with these options, where it is not this one. */
  by?(options: Options): FieldType;
  /** Name of the model that the value refers to. */
  target?(options: Options): string;
  /** True if an id of a record that the caller may not read is accepted: the record only has to exist. */
  anyone?(options: Options): boolean;
  /** Fields of the referenced user that readers of the record see. */
  shows?(options: Options): readonly string[] | undefined;
  /** The table of the service to which the column refers by a foreign key; its rows stay while a record names them. */
  readonly ownTable?: 'gatewright_files';
  /** For values that are uploaded: most bytes, and the accepted media types. */
  uploads?(options: Options): { readonly max: number; readonly types: readonly string[] | undefined };
  /** Another reference, by its key, of which the referenced record has the same value as the record. */
  same?(options: Options): string | undefined;
  /** The consequence for a record when the referenced record is deleted. */
  onDelete?(options: Options): OnDelete;
  choices?(options: Options, locale: Locale): readonly Choice[];
  /** Limits for people and forms, under the names of the options. */
  bounds?(options: Options): Readonly<Record<string, string | number>>;
  /**
   * For values that the service assigns in the transaction that creates a record, and that no body or hook sets: they
   * follow from the number of the record, which is counted without gaps.
   */
  counting?(options: Options): CountedType;
  /** Hints for react-jsonschema-form, where its own choice is not right. */
  form?(options: Options, locale: Locale): FormHints;
}

declare const assigned: unique symbol;

/** Marks, for the compiler only, the options of a type with `counting`. */
export interface Assigned {
  readonly [assigned]?: true;
}

/** True if bodies have no such field. */
export type IsAssigned<Definition extends FieldDefinition> =
  typeof assigned extends keyof Definition['options']
    ? true
    : Definition['options'] extends { readonly generated: true }
      ? true
      : false;

declare const value: unique symbol;
declare const input: unique symbol;
declare const operators: unique symbol;

/**
 * A field of a model: its type and its options, as the functions of `field` return it. `Value` is the TypeScript type
 * of returned values, `Input` of accepted ones, `Operators` those of its filters; they exist for the compiler only.
 */
export interface FieldDefinition<
  Options extends object = object,
  Value = unknown,
  Input = Value,
  Operators extends FilterOperator = FilterOperator,
> {
  readonly type: FieldType;
  readonly options: Options & CommonOptions;
  /** The flaw of the given options: an unknown one, or a value of the wrong type. */
  readonly flaw?: string;
  readonly [value]?: Value;
  readonly [input]?: Input;
  readonly [operators]?: Operators;
}

/** The type of a field in a response: null where it is not required. */
export type ValueOf<Definition> =
  Definition extends FieldDefinition<infer Options, infer Value, unknown>
    ? Options extends { readonly required: true }
      ? Value
      : Value | null
    : never;

/** The type of a field in a body. */
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

declare const because: unique symbol;

/** The type of a property that must not be there: the compiler shows the reason. */
export interface Wrong<Reason extends string> {
  readonly [because]: Reason;
}

/** Options whose misspelling does not compile, although their exact type is kept. */
export type Strict<Options, Allowed> = Options & {
  readonly [Key in Exclude<keyof Options & string, keyof Allowed>]: Wrong<`there is no option ${Key}`>;
};

/**
 * The result of the functions of `field`. A flaw is kept for the model, which knows the name of the field:
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
  const defined = {
    type,
    // Without options, Options is the type's own, of which all are optional.
    options: Object.freeze({ ...options, ...argument }) as Options & CommonOptions,
  };
  return flaw === undefined ? defined : { ...defined, flaw };
};

/** The flaw of a field in an application's file; undefined when there is none. */
export const fieldFlaw = ({ type, options, flaw }: FieldDefinition): string | undefined =>
  flaw ?? type.flaw?.(options);

export const isFieldDefinition = (value: unknown): value is FieldDefinition =>
  typeof value === 'object' && value !== null && 'type' in value && 'options' in value;
