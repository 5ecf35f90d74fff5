/**
 * The types of aggregates: which fields may be asked for, and what a group then has. They follow from what a list shows
 * and the conditions that its filter takes, so that they serve models and written types alike.
 */

/** What is known of a list. */
export interface GroupShape {
  /** A record as the list shows it. */
  readonly listed: object;
  /** Conditions by field. */
  readonly filter: object;
}

/** The conditions by operator of one field in a filter. */
type OperatorsIn<Condition> = Extract<Condition, object>;

/** What an operator of a field compares with; never where the field does not take it. */
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

/** Fields with an order: those that can be compared. */
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

/** What groups go by: `status`, `created_at:day`. */
export type GroupTerm<Shape extends GroupShape> = ComparedField<Shape> | `${DatedField<Shape>}:${Span}`;

type KeyOf<Term> = Term extends `${infer Field}:${infer Bucket}` ? `${Field}_${Bucket}` : Term & string;

type KeyValue<Listed, Term> = Term extends `${infer Field}:${string}`
  ? string | (Field extends keyof Listed ? Extract<Listed[Field], null> : never)
  : Term extends keyof Listed
    ? Listed[Term]
    : never;

/** Digits where a sum of integers is too great for a number; always, of decimals. */
type SumOf<Value> = number extends Value ? number | string | null : string | null;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** What a request for groups names, each a union of names. */
export interface GroupRequest {
  readonly group: string;
  readonly count: boolean;
  readonly sum: string;
  readonly avg: string;
  readonly min: string;
  readonly max: string;
}

/** A group as it is answered. */
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

/** What an aggregate takes, but for the size of its pages. */
export interface GroupQuery<Shape extends GroupShape, Asked extends GroupRequest> {
  /** Fields, or spans of time of them; without any, all records are one group. */
  readonly group?: readonly Asked['group'][];
  readonly count?: Asked['count'];
  readonly sum?: readonly Asked['sum'][];
  readonly avg?: readonly Asked['avg'][];
  readonly min?: readonly Asked['min'][];
  readonly max?: readonly Asked['max'][];
  /** Of the clock that spans of time go by: `+08:00`; UTC unless given. */
  readonly offset?: string | undefined;
  /** Conditions on records, joined by AND. */
  readonly filter?: Shape['filter'];
  /** Text to look for in every text field. */
  readonly q?: string | undefined;
  /** Keys of the groups in order; `-` before one is descending. By what they are grouped by unless given. */
  readonly sort?: NoInfer<
    SortedBy<Asked> | `-${SortedBy<Asked>}` | readonly (SortedBy<Asked> | `-${SortedBy<Asked>}`)[]
  >;
  /** From 1. */
  readonly page?: number | undefined;
}
