/**
 * The types of aggregates: the fields that a request may name, and the fields of the resulting groups. They follow
 * from the list view and the conditions of its filter, so that they serve models and handwritten types alike.
 */

/** The types of a list. */
export interface GroupShape {
  /** A record in the list view. */
  readonly listed: object;
  /** Conditions by field. */
  readonly filter: object;
}

/** The conditions by operator of one field in a filter. */
type OperatorsIn<Condition> = Extract<Condition, object>;

/** The operand of a field's operator; never where the field does not have it. */
type OperandIn<Condition, Operator extends string> =
  OperatorsIn<Condition> extends infer Operators
    ? Operator extends keyof Operators
      ? NonNullable<Operators[Operator]>
      : never
    : never;

type FieldOf<Shape extends GroupShape> = keyof Shape['filter'] & keyof Shape['listed'] & string;

type ConditionOf<Shape extends GroupShape, Field extends FieldOf<Shape>> = NonNullable<
  Shape['filter'][Field]
>;

/** Fields whose values can be compared by `gt` and its like. */
export type OrderedField<Shape extends GroupShape> = {
  [Field in FieldOf<Shape>]: [OperandIn<ConditionOf<Shape, Field>, 'gt'>] extends [never] ? never : Field;
}[FieldOf<Shape>];

/** Fields that are compared with numbers: integers, numbers and decimals. */
export type NumericField<Shape extends GroupShape> = {
  [Field in FieldOf<Shape>]: number extends OperandIn<ConditionOf<Shape, Field>, 'gt'> ? Field : never;
}[FieldOf<Shape>];

/** Texts that are compared and not searched: dates, moments, and times of a day, which have no spans. */
type DatedField<Shape extends GroupShape> = {
  [Field in OrderedField<Shape>]: [OperandIn<ConditionOf<Shape, Field>, 'like'>] extends [never]
    ? Field
    : never;
}[Exclude<OrderedField<Shape>, NumericField<Shape>>];

type ComparedField<Shape extends GroupShape> = {
  [Field in FieldOf<Shape>]: [OperandIn<ConditionOf<Shape, Field>, 'eq'>] extends [never] ? never : Field;
}[FieldOf<Shape>];

type Span = 'hour' | 'day' | 'week' | 'month' | 'year';

/** Keys of groups: `status`, `created_at:day`. */
export type GroupTerm<Shape extends GroupShape> = ComparedField<Shape> | `${DatedField<Shape>}:${Span}`;

type KeyOf<Term> = Term extends `${infer Field}:${infer Bucket}` ? `${Field}_${Bucket}` : Term & string;

type KeyValue<Listed, Term> = Term extends `${infer Field}:${string}`
  ? string | (Field extends keyof Listed ? Extract<Listed[Field], null> : never)
  : Term extends keyof Listed
    ? Listed[Term]
    : never;

/** Digits where a sum of integers exceeds the range of a number; always for decimals. */
type SumOf<Value> = number extends Value ? number | string | null : string | null;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** The names in a request for groups, each a union of names. */
export interface GroupRequest {
  readonly group: string;
  readonly count: boolean;
  readonly sum: string;
  readonly avg: string;
  readonly min: string;
  readonly max: string;
}

/** A group in a response. */
export type GroupOf<Shape extends GroupShape, Asked extends GroupRequest> = Flat<
  { [Term in Asked['group'] as KeyOf<Term>]: KeyValue<Shape['listed'], Term> } & (Asked['count'] extends true
    ? { count: number }
    : unknown) & {
      [Field in Asked['sum'] as `sum_${Field}`]: Field extends keyof Shape['listed']
        ? SumOf<NonNullable<Shape['listed'][Field]>>
        : never;
    } & { [Field in Asked['avg'] as `avg_${Field}`]: number | null } & {
      [Field in Asked['min'] as `min_${Field}`]: Field extends keyof Shape['listed']
        ? Shape['listed'][Field] | null
        : never;
    } & {
      [Field in Asked['max'] as `max_${Field}`]: Field extends keyof Shape['listed']
        ? Shape['listed'][Field] | null
        : never;
    }
>;

type SortedBy<Asked extends GroupRequest> =
  | KeyOf<Asked['group']>
  | (Asked['count'] extends true ? 'count' : never)
  | `sum_${Asked['sum']}`
  | `avg_${Asked['avg']}`
  | `min_${Asked['min']}`
  | `max_${Asked['max']}`;

/** The parameters of an aggregate, except the size of its pages. */
export interface GroupQuery<Shape extends GroupShape, Asked extends GroupRequest> {
  /** Fields, or time spans of them; without any, all records form one group. */
  readonly group?: readonly Asked['group'][];
  /** The number of records of each group. */
  readonly count?: Asked['count'];
  /** Numeric fields to add up. */
  readonly sum?: readonly Asked['sum'][];
  /** Numeric fields to average. */
  readonly avg?: readonly Asked['avg'][];
  /** Fields whose smallest value is returned. */
  readonly min?: readonly Asked['min'][];
  /** Fields whose largest value is returned. */
  readonly max?: readonly Asked['max'][];
  /** UTC offset of the periods: `+08:00`; default UTC. */
  readonly offset?: string | undefined;
  /** Time zone of the periods, `Europe/Berlin`: the local calendar with its summer time. Not together with `offset`. */
  readonly zone?: string | undefined;
  /** Conditions on records, joined by AND. */
  readonly filter?: Shape['filter'];
  /** A text to search for in the text fields; words, where the model has `search`. */
  readonly q?: string | undefined;
  /** Keys of the groups in order; `-` before one is descending. Default: the grouping terms. */
  readonly sort?: NoInfer<
    SortedBy<Asked> | `-${SortedBy<Asked>}` | readonly (SortedBy<Asked> | `-${SortedBy<Asked>}`)[]
  >;
  /** From 1. */
  readonly page?: number | undefined;
}
