/**
 * Row rules as a model file declares them: the records that a caller reaches, by conditions on the record, on the
 * caller, and on records of other models. `row-expression.ts` has their resolved form.
 */

import { type ModelName, modelName } from '../fields/named-model.ts';
import type { Json } from '../kernel/json.ts';
import {
  type OptionCheck,
  type OptionTable,
  objectOf,
  optionsFlaw,
  plainObject,
  texts,
  textual,
} from '../kernel/options.ts';
import type { SaidRule } from './rules/said-rule.ts';
import type { FieldDefinitions, ReadableName, RecordOfFields, Resource } from './types.ts';

/** A condition on records. `Uses` are the fields that it needs, with the demands on each; for the compiler only. */
export interface RowRule<Uses = unknown> {
  readonly [said]: SaidRule;
  readonly [uses]: Uses;
}

/** A condition made by `member`, which names the memberships of a caller. */
export interface MemberRule<Uses = unknown> extends RowRule<Uses> {
  readonly [ofMembers]: true;
}

declare const uses: unique symbol;
declare const ofMembers: unique symbol;
const said: unique symbol = Symbol('row rule');

interface Demands {
  readonly own: 'a reference to User named';
  readonly reference: 'a reference named';
  readonly field: 'a field named';
}

/** A demand on a model's fields, in words: errors of the compiler show it. */
type Demand<Kind extends keyof Demands, Name extends string> = `${Demands[Kind]} ${Name}`;

/** The value of a comparison. */
type Value = string | number | boolean;

/** Names of references, and of those to a user of the service. */
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
    Demand<'field', Name>,
    NonNullable<RecordOfFields<Fields>[Name]>,
  ];
}[ReadableName<Fields> & keyof RecordOfFields<Fields>];

/** `project` and `project_id` both name the reference `project_id`. */
export type Short<Name extends string> = Name | (Name extends `${infer Key}_id` ? Key : never);

/** The demands that a condition on a model's records may make on its fields. */
export type UsesOf<Fields extends FieldDefinitions> =
  | Demand<'own', Short<UserReferenceName<Fields>>>
  | Demand<'reference', Short<ReferenceName<Fields>>>
  | Demand<'field', ReadableName<Fields>>
  | Values<Fields>;

/** The fields of a given model; never where only its name is given. */
type FieldsOf<Model> =
  Model extends Resource<infer Fields>
    ? Fields
    : Model extends () => infer Returned
      ? FieldsOf<Returned>
      : never;

/** Names of a given model; any name where only the model's name is given. */
type NameIn<Of> = [FieldsOf<Of>] extends [never] ? string : ReadableName<FieldsOf<Of>>;
type WhereIn<Of> = [FieldsOf<Of>] extends [never]
  ? Readonly<Record<string, Value | readonly Value[]>>
  : {
      readonly [Name in keyof RecordOfFields<FieldsOf<Of>>]?:
        | NonNullable<RecordOfFields<FieldsOf<Of>>[Name]>
        | readonly NonNullable<RecordOfFields<FieldsOf<Of>>[Name]>[];
    };

/** A model in a condition: itself, its name, or a function that returns it. */
type ModelInRule = Resource | ModelName;

export interface MemberOptions<Of extends ModelInRule> {
  /** The model of memberships, its name, or a function that returns it. Its owner field names the member. */
  readonly of: Of;
  /** Its field that is compared with the record's; default: the field of the same name. */
  readonly on?: NameIn<Of>;
  /** Only memberships with these values; of a list, one of them. */
  readonly where?: WhereIn<Of>;
}

export interface ViaOptions<Of extends ModelInRule> {
  /**
   * The referenced model, a function that returns it, or its name. With the model or the function, the compiler checks
   * the condition against its fields.
   */
  readonly of: Of;
}

const wrong = (what: string, flaw: string | undefined): void => {
  if (flaw !== undefined) throw new TypeError(`${what}: ${flaw}`);
};

const createRule = <Uses>(rule: SaidRule): RowRule<Uses> =>
  Object.freeze({ [said]: Object.freeze(rule) }) as RowRule<Uses>;

/** True if a value of a model file is a condition. */
export const isRowRule = (value: unknown): value is RowRule =>
  typeof value === 'object' && value !== null && said in value;

/** True if a value is a condition made by `member`. */
export const isMemberRule = (value: unknown): value is MemberRule =>
  isRowRule(value) && value[said].kind === 'member';

/** The declaration of a condition. */
export const declarationOf = (rule: RowRule): SaidRule => rule[said];

export const ruleOption: OptionCheck = (value, path) =>
  isRowRule(value) ? undefined : `${path} must be made by own, member, equals, via, anyOf or allOf`;

const saidIn = (what: string, rule: unknown): SaidRule => {
  if (!isRowRule(rule)) throw new TypeError(`${what} ${ruleOption(rule, 'takes conditions: each')}`);
  return rule[said];
};

interface Own {
  (): RowRule<Demand<'own', 'user_id'>>;
  <const Name extends string>(field: Name): RowRule<Demand<'own', Name>>;
}

/** The record belongs to the caller, by a field that refers to User. False for applications and anonymous callers. */
export const own: Own = (field?: string): RowRule<never> => {
  if (field !== undefined) wrong('own', textual(field, 'the field'));
  return createRule({ kind: 'own', field: field ?? 'user_id' });
};

/** The record's field has this value, for every caller. */
export const equals = <const Name extends string, const Given extends Value>(
  field: Name,
  value: Given,
): RowRule<readonly [Demand<'field', Name>, Given]> => {
  wrong('equals', textual(field, 'the field'));
  return createRule({ kind: 'equals', field, value });
};

const ofModel: OptionCheck = (value, path) =>
  typeof value === 'object' && value !== null && 'name' in value
    ? textual(value.name, `${path}.name`)
    : modelName(value, path);

const memberOptions = {
  of: ofModel,
  on: textual,
  where: plainObject,
} satisfies OptionTable<MemberOptions<string>>;

const nameOf = (model: ModelInRule): ModelName => (typeof model === 'object' ? model.name : model);

/**
 * The record's field is among the values of the caller's memberships: `member('team_id', { of: 'Membership' })` for
 * records of the caller's teams, `member('id', { of: 'Membership', on: 'team_id' })` for the teams themselves. False
 * for applications and anonymous callers, who have no memberships.
 */
export const member = <const Name extends string, const Of extends ModelInRule>(
  field: Name,
  options: MemberOptions<Of>,
): MemberRule<Demand<'field', Name>> => {
  wrong('member', textual(field, 'the field') ?? optionsFlaw(options, memberOptions));
  const { of, on = field, where = {} } = options;
  // Without it any record would count as a membership.
  if (of === undefined)
    throw new TypeError('member: it has no `of`: say which model makes somebody a member');
  return createRule({
    kind: 'member',
    field,
    of: nameOf(of),
    on,
    where: { ...where } as Record<string, Json>,
  }) as MemberRule<never>;
};

const viaOptions = { of: ofModel } satisfies OptionTable<ViaOptions<ModelInRule>>;

/** The demands that a condition on the records of a given model may make. */
type UsesAmong<Of> = [FieldsOf<Of>] extends [never] ? unknown : UsesOf<FieldsOf<Of>>;

interface Via {
  <const Name extends string>(field: Name, rule: RowRule): RowRule<Demand<'reference', Name>>;
  <const Name extends string, const Of extends ModelInRule>(
    field: Name,
    rule: RowRule<UsesAmong<Of>>,
    options: ViaOptions<Of>,
  ): RowRule<Demand<'reference', Name>>;
}

/**
 * The referenced record meets a condition: `via('project', member('team_id', { of: 'Membership' }))`. A reference
 * that is null meets none.
 */
export const via: Via = <const Name extends string>(
  field: Name,
  rule: RowRule,
  options?: ViaOptions<ModelInRule>,
): RowRule<Demand<'reference', Name>> => {
  wrong('via', textual(field, 'the field') ?? (options && optionsFlaw(options, viaOptions)));
  return createRule({ kind: 'via', field, rule: saidIn('via', rule), of: options && nameOf(options.of) });
};

type UsesIn<Rule> = Rule extends RowRule<infer Uses> ? Uses : never;

const several =
  (kind: 'anyOf' | 'allOf') =>
  <const Rules extends readonly [RowRule, ...RowRule[]]>(...rules: Rules): RowRule<UsesIn<Rules[number]>> => {
    // Without conditions, anyOf would match nothing and allOf everything, both silently.
    if (rules.length === 0) throw new TypeError(`${kind} has no conditions`);
    return createRule({ kind, rules: Object.freeze(rules.map((rule) => saidIn(kind, rule))) });
  };

/** At least one of the conditions holds. */
export const anyOf = several('anyOf');

/** All conditions hold. */
export const allOf = several('allOf');

/**
 * The records that a caller may read, and the records among them that the caller may write. `write` is the condition of
 * all writes without one of their own; one of `read` and `write` counts for both.
 */
export interface RowRules<Uses> {
  /** `everyone`: every record, for every caller who may use the endpoint. */
  readonly read?: RowRule<Uses> | 'everyone';
  readonly write?: RowRule<Uses>;
  /** The new records that the caller may make. */
  readonly create?: RowRule<Uses>;
  /** Both before and after the change. */
  readonly update?: RowRule<Uses>;
  readonly destroy?: RowRule<Uses>;
}

/** Fields that callers other than super_admin and admin write only in records that meet a condition. */
export interface RestrictedUnless<Name extends string, Uses> {
  readonly fields: readonly Name[];
  /** On the record as it is; of a new record, as it will be. */
  readonly unless: RowRule<Uses>;
}

/** A condition, and the fields that callers other than super_admin and admin read only in records that meet it. */
export type ViewedWhen<Name extends string, Uses> = readonly [RowRule<Uses>, readonly Name[]];

/** A pair of a condition and fields. */
export const viewedWhenOption: OptionCheck = (value, path) => {
  if (!Array.isArray(value) || value.length !== 2)
    return `${path} must be a pair: a condition, and a list of fields`;
  const [condition, fields] = value as readonly unknown[];
  return (
    ruleOption(condition, `${path}[0]`) ??
    texts(fields, `${path}[1]`) ??
    ((fields as readonly unknown[]).length === 0 ? `${path} has no fields` : undefined)
  );
};

const restrictedUnless = objectOf({ fields: texts, unless: ruleOption } satisfies OptionTable<
  RestrictedUnless<string, unknown>
>);

/** The name of a field, or fields with their condition. */
export const restrictedOption: OptionCheck = (value, path) => {
  if (typeof value !== 'object' || value === null) return textual(value, path);
  const flaw = restrictedUnless(value, path);
  if (flaw !== undefined) return flaw;
  const { fields, unless } = value as Partial<RestrictedUnless<string, unknown>>;
  if (fields === undefined || fields.length === 0) return `${path} has no fields`;
  return unless === undefined ? `${path} has no condition: say unless` : undefined;
};

const writeNames = ['create', 'update', 'destroy'] as const;

const rulesOption = objectOf({
  read: (value, path) => (value === 'everyone' ? undefined : ruleOption(value, path)),
  write: ruleOption,
  create: ruleOption,
  update: ruleOption,
  destroy: ruleOption,
} satisfies OptionTable<RowRules<unknown>>);

/** `true`, a condition, or conditions for actions. */
export const isolationOption: OptionCheck = (value, path) => {
  if (typeof value === 'boolean' || isRowRule(value)) return undefined;
  if (typeof value !== 'object') return `${path} must be true, false, or conditions`;
  const flaw = rulesOption(value, path);
  if (flaw !== undefined) return flaw;
  const { read, write, ...each } = value as RowRules<unknown>;
  if (read === undefined && write === undefined)
    return Object.keys(each).length === 0
      ? `${path} has no conditions: say read, write or both`
      : `${path} has no condition for reading: say read`;
  if (read !== 'everyone' || write !== undefined) return undefined;
  const missing = writeNames.filter((name) => each[name] === undefined);
  if (missing.length === 0) return undefined;
  const who = missing.length === writeNames.length ? 'who writes' : `write, or ${missing.join(' and ')}`;
  return `${path}.read is "everyone": say ${who}`;
};
