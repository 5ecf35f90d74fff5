import type { Json } from '../kernel/json.ts';
import type { RuleName } from '../kernel/messages/catalogue.ts';
import type { Label } from '../kernel/messages/messages.ts';

/**
 * The contract of a field type. One file per type implements it; `registry.ts` has a line for each. Everything that
 * differs between field types is said here: no other module asks which type a field has.
 */

export type FieldKind =
  | 'string'
  | 'text'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'enum'
  | 'json'
  | 'email'
  | 'url'
  | 'uuid'
  | 'reference';

export type Dialect = 'sqlite' | 'postgres';

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
  /** No two records share the value (null excepted). */
  readonly unique?: boolean;
  readonly index?: boolean;
  /** Taken where the field is absent on create. */
  readonly default?: Json;
  readonly label?: Label;
}

/** JSON Schema (2020-12, kept to what draft-07 tools understand as well). */
export type JsonSchema = { readonly [keyword: string]: Json };

export interface RuleViolation {
  readonly rule: RuleName;
  readonly params?: Readonly<Record<string, string | number>>;
}

export interface FieldType<Options extends CommonOptions = CommonOptions> {
  readonly kind: FieldKind;
  /** SQL type of the column. Texts of PostgreSQL carry `collate "C"`, so that both databases sort by code point. */
  readonly column: Readonly<Record<Dialect, string>>;
  /**
   * The SQL expression that renders the column as JSON: inside `json_object(…)` on SQLite, as a column of the row
   * given to `row_to_json` on PostgreSQL. Absent: the column itself is rendered rightly.
   */
  readonly render?: (column: string, options: Options, dialect: Dialect) => string;
  /** Schema of a value that is accepted (not null; null is allowed where the field is not required). */
  input(options: Options): JsonSchema;
  /** Schema of a value as it is answered, where it differs from `input`. */
  output?(options: Options): JsonSchema;
  /** What the schema cannot say. Called with values that fit the schema. */
  check?(value: Json, options: Options): RuleViolation | undefined;
  /** A checked value as the column takes it. */
  encode(value: Json, options: Options): ColumnValue;
  readonly operators: readonly FilterOperator[];
  /** The text of a filter (or cursor) as a column value; undefined where it is no value of this type. */
  parse(text: string, options: Options): ColumnValue | undefined;
  /** Whether `q` looks into it. */
  readonly searchable: boolean;
  readonly sortable: boolean;
  /** react-jsonschema-form widget, where the default one is not right. */
  readonly widget?: string;
}

/** A field of a model: its type and its options, as the functions of `field` make it. */
export interface FieldDefinition<
  Kind extends FieldKind = FieldKind,
  Options extends CommonOptions = CommonOptions,
> {
  readonly kind: Kind;
  readonly options: Options;
}
