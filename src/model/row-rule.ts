import type { Json } from '../kernel/json.ts';
import {
  type OptionCheck,
  type OptionTable,
  objectOf,
  optionsFlaw,
  plainObject,
  textual,
} from '../kernel/options.ts';
import type { SaidRule } from './said-rule.ts';
import type { FieldDefinitions, ReadableName, RecordOfFields, Resource } from './types.ts';

/**
 * Row rules as a model file writes them: which records a caller reaches, said by conditions on the record, on who
 * calls, and on records of other models. What they come to once all models are known is in `row-expression.ts`.
 */

/** A condition on records. `Uses` are the fields that it needs, each with what it needs of it; for the compiler only. */
export interface RowRule<Uses = unknown> {
  readonly [said]: SaidRule;
  readonly [uses]?: Uses;
}

declare const uses: unique symbol;
const said: unique symbol = Symbol('row rule');

/** A value that a field is compared with. */
type Value = string | number | boolean;

/** Names of references; those to a user of the service. */
type ReferenceName<Fields extends FieldDefinitions> = {
  [Key in keyof Fields & string]: Fields[Key]['options'] extends { readonly to: string }
    ? Key extends `${string}_id`
      ? Key
      : `${Key}_id`
    : never;
}[keyof Fields & string];

type UserReferenceName<Fields extends FieldDefinitions> = ReferenceName<{
  [Key in keyof Fields as Fields[Key]['options'] extends { readonly to: 'User' } ? Key : never]: Fields[Key];
}>;

type Values<Fields extends FieldDefinitions> = {
  [Name in ReadableName<Fields> & keyof RecordOfFields<Fields>]: readonly [
    'equals',
    Name,
    NonNullable<RecordOfFields<Fields>[Name]>,
  ];
}[ReadableName<Fields> & keyof RecordOfFields<Fields>];

/** `project` and `project_id` both name the reference `project_id`. */
type Short<Name extends string> = Name | (Name extends `${infer Key}_id` ? Key : never);

/** What a condition on the records of a model may need of its fields. */
export type UsesOf<Fields extends FieldDefinitions> =
  | readonly ['own', Short<UserReferenceName<Fields>>]
  | readonly ['reference', Short<ReferenceName<Fields>>]
  | readonly ['field', ReadableName<Fields>]
  | Values<Fields>;

type FieldsOf<Model> = Model extends Resource<infer Fields> ? Fields : never;

/** Names and values of a model that is given; any where only its name is. */
type NameIn<Of> = Of extends string ? string : ReadableName<FieldsOf<Of>>;
type WhereIn<Of> = Of extends string
  ? Readonly<Record<string, Value | readonly Value[]>>
  : {
      readonly [Name in keyof RecordOfFields<FieldsOf<Of>>]?:
        | NonNullable<RecordOfFields<FieldsOf<Of>>[Name]>
        | readonly NonNullable<RecordOfFields<FieldsOf<Of>>[Name]>[];
    };

export interface MemberOptions<Of extends string | Resource> {
  /** The model whose records make somebody a member, or its name. Whose each is, its owner field says. */
  readonly of: Of;
  /** Its field that is compared with the record's; the one of the same name unless given. */
  readonly on?: NameIn<Of>;
  /** Only memberships with these values; of a list, one of them. */
  readonly where?: WhereIn<Of>;
}

export interface ViaOptions<Of extends Resource> {
  /** The model that the reference names: the condition is then held to its fields by the compiler. */
  readonly of: Of;
}

const wrong = (what: string, flaw: string | undefined): void => {
  if (flaw !== undefined) throw new TypeError(`${what}: ${flaw}`);
};

const made = <Uses>(rule: SaidRule): RowRule<Uses> => Object.freeze({ [said]: Object.freeze(rule) });

/** Whether a value of a model file is a condition. */
export const isRowRule = (value: unknown): value is RowRule =>
  typeof value === 'object' && value !== null && said in value;

/** What a condition says. */
export const saidBy = (rule: RowRule): SaidRule => rule[said];

const ruleOption: OptionCheck = (value, path) =>
  isRowRule(value) ? undefined : `${path} must be made by own, member, equals, via, anyOf or allOf`;

const saidIn = (what: string, rule: unknown): SaidRule => {
  if (!isRowRule(rule)) throw new TypeError(`${what} ${ruleOption(rule, 'takes conditions: each')}`);
  return rule[said];
};

interface Own {
  (): RowRule<readonly ['own', 'user_id']>;
  <const Name extends string>(field: Name): RowRule<readonly ['own', Name]>;
}

/** The record is the caller's: the field, a reference to User, names them. False for applications and for nobody. */
export const own: Own = <const Name extends string>(field?: Name): RowRule<readonly ['own', Name]> => {
  if (field !== undefined) wrong('own', textual(field, 'the field'));
  return made({ kind: 'own', field: field ?? 'user_id' });
};

/** The record's field has this value, whoever calls. */
export const equals = <const Name extends string, const Given extends Value>(
  field: Name,
  value: Given,
): RowRule<readonly ['equals', Name, Given]> => {
  wrong('equals', textual(field, 'the field'));
  return made({ kind: 'equals', field, value });
};

const ofModel: OptionCheck = (value, path) =>
  typeof value === 'object' && value !== null && 'name' in value
    ? textual(value.name, `${path}.name`)
    : textual(value, path);

const memberOptions = {
  of: ofModel,
  on: textual,
  where: plainObject,
} satisfies OptionTable<MemberOptions<string>>;

const nameOf = (model: string | Resource): string => (typeof model === 'string' ? model : model.name);

/**
 * The record's field is among the values that the caller's memberships have: `member('team_id', { of: 'Membership' })`
 * for records of the caller's teams, `member('id', { of: 'Membership', on: 'team_id' })` for the teams themselves.
 * False for applications and for nobody, who are members of nothing.
 */
export const member = <const Name extends string, const Of extends string | Resource>(
  field: Name,
  options: MemberOptions<Of>,
): RowRule<readonly ['field', Name]> => {
  wrong('member', textual(field, 'the field') ?? optionsFlaw(options, memberOptions));
  const { of, on = field, where = {} } = options;
  // Without it a membership would be whichever records there are.
  if (of === undefined)
    throw new TypeError('member: it has no `of`: say which model makes somebody a member');
  return made({ kind: 'member', field, of: nameOf(of), on, where: { ...where } as Record<string, Json> });
};

const viaOptions = { of: ofModel } satisfies OptionTable<ViaOptions<Resource>>;

interface Via {
  <const Name extends string>(field: Name, rule: RowRule): RowRule<readonly ['reference', Name]>;
  <const Name extends string, Of extends Resource>(
    field: Name,
    rule: RowRule<UsesOf<FieldsOf<Of>>>,
    options: ViaOptions<Of>,
  ): RowRule<readonly ['reference', Name]>;
}

/**
 * The record that a reference names meets a condition: `via('project', member('team_id', { of: 'Membership' }))`. A
 * reference that is null meets none.
 */
export const via: Via = <const Name extends string>(
  field: Name,
  rule: RowRule,
  options?: ViaOptions<Resource>,
): RowRule<readonly ['reference', Name]> => {
  wrong('via', textual(field, 'the field') ?? (options && optionsFlaw(options, viaOptions)));
  return made({ kind: 'via', field, rule: saidIn('via', rule), of: options && nameOf(options.of) });
};

type UsesIn<Rule> = Rule extends RowRule<infer Uses> ? Uses : never;

const several =
  (kind: 'anyOf' | 'allOf') =>
  <const Rules extends readonly [RowRule, ...RowRule[]]>(...rules: Rules): RowRule<UsesIn<Rules[number]>> => {
    // Of none, anyOf would let nothing pass and allOf everything, and neither would be told.
    if (rules.length === 0) throw new TypeError(`${kind} has no conditions`);
    return made({ kind, rules: Object.freeze(rules.map((rule) => saidIn(kind, rule))) });
  };

/** At least one of the conditions holds. */
export const anyOf = several('anyOf');

/** Every one of the conditions holds. */
export const allOf = several('allOf');

/** What a caller may read, and what of that they may write; one condition stands for both. */
export interface RowRules<Uses> {
  /** `everyone`: every record, by whoever may use the endpoint. */
  readonly read?: RowRule<Uses> | 'everyone';
  readonly write?: RowRule<Uses>;
}

const rulesOption = objectOf({
  read: (value, path) => (value === 'everyone' ? undefined : ruleOption(value, path)),
  write: ruleOption,
} satisfies OptionTable<RowRules<unknown>>);

/** `true`, a condition, or conditions for reading and for writing. */
export const isolationOption: OptionCheck = (value, path) => {
  if (typeof value === 'boolean' || isRowRule(value)) return undefined;
  if (typeof value !== 'object') return `${path} must be true, false, or conditions`;
  const flaw = rulesOption(value, path);
  if (flaw !== undefined) return flaw;
  const { read, write } = value as RowRules<unknown>;
  if (read === undefined && write === undefined) return `${path} has no conditions: say read, write or both`;
  return read === 'everyone' && write === undefined
    ? `${path}.read is "everyone": say who writes`
    : undefined;
};
