/** Writes a condition of a policy as the condition of a model: `own`, `equals`, `member`, `via`, `anyOf`, `allOf`. */

import type { PlacedTable } from '../../../database/described-tables.ts';
import type { FieldDefinition } from '../../../fields/field.ts';
import { recordKeys } from '../../../fields/keys.ts';
import type { Json } from '../../../kernel/json.ts';
import { checkValue } from '../../../model/validate.ts';
import { type Code, type Entry, textCode, valueCode } from '../../scaffold/code.ts';
import { type AdoptedModel, tableText } from '../adopted-model.ts';
import { alwaysMet, type Constant, eachOf, eitherOf, never, type PolicyCondition } from './condition.ts';

/** A model to which conditions can lead, as its file is or will be. */
export interface KnownFields {
  readonly model: string;
  /** Fields by their columns, `id` among them. */
  readonly fields: ReadonlyMap<string, KnownField>;
  /** Columns that are never null. */
  readonly filled: ReadonlySet<string>;
  /** The field that names the owner of a record, if it has one. */
  readonly owner: string | undefined;
  /** The column with the id that the owner has in the other program; undefined where there is none. */
  readonly caller: string | undefined;
}

export interface KnownField {
  readonly name: string;
  readonly definition: FieldDefinition;
  /** The model whose ids it has: its own for `id`, the referenced one for a reference. */
  readonly ids: string | undefined;
}

export interface World {
  readonly byTable: ReadonlyMap<string, KnownFields>;
  /** The model that says by its records which user of the service a caller of the other program is. */
  readonly callers: KnownFields | undefined;
}

/** The code of a condition, or the clause that says why there is none. */
export type RuleCode = { readonly code: Code } | { readonly because: string };

const refusal = (because: string): RuleCode => ({ because });

const call = (name: string, ...of: readonly Code[]): RuleCode => ({ code: { call: name, of } });

/** Kinds of fields whose values are compared as a policy compares them. */
const comparable = new Set(['string', 'text', 'enum', 'boolean', 'integer', 'uuid']);

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['t', true],
  ['false', false],
  ['f', false],
]);

/** A value of a policy as a value of a field; undefined where it is none, or one with another meaning. */
const valueFor = ({ type, options }: FieldDefinition, value: Constant): Json | undefined => {
  if (!comparable.has(type.kind)) return undefined;
  const text = String(value);
  const read = (): Json | undefined => {
    if (type.kind === 'boolean') return truths.get(text);
    if (type.kind === 'integer') return /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : undefined;
    return type.kind === 'uuid' ? text.toLowerCase() : text;
  };
  const found = read();
  if (found === undefined) return undefined;
  return checkValue({ name: type.kind, type, options }, found)[0] === undefined ? found : undefined;
};

/** All values that a field can have; undefined where they are too many. */
const choicesOf = ({ type, options }: FieldDefinition): readonly Constant[] | undefined => {
  if (type.kind === 'boolean') return [true, false];
  const { choices } = options as { readonly choices?: readonly string[] };
  return type.kind === 'enum' ? choices : undefined;
};

/** A condition in which what the columns themselves decide is decided: nulls, and other values than some. */
export const settled = (condition: PolicyCondition, known: KnownFields, world: World): PolicyCondition => {
  switch (condition.kind) {
    case 'any':
      return eitherOf(condition.rules.map((rule) => settled(rule, known, world)));
    case 'all':
      return eachOf(condition.rules.map((rule) => settled(rule, known, world)));
    case 'null':
      if (!known.filled.has(condition.column)) return condition;
      return condition.not ? alwaysMet : never;
    case 'among': {
      const target = world.byTable.get(tableText(condition.table));
      const rule = target === undefined ? condition.rule : settled(condition.rule, target, world);
      return rule.kind === 'never' ? never : { ...condition, rule };
    }
    case 'value': {
      const field = known.fields.get(condition.column);
      const choices = condition.not && field !== undefined ? choicesOf(field.definition) : undefined;
      if (choices === undefined) return condition;
      const others = new Set(condition.values.map(String));
      const values = choices.filter((each) => !others.has(String(each)));
      return values.length === 0 ? never : { ...condition, values, not: false };
    }
    default:
      return condition;
  }
};

class RuleWriter {
  readonly #world: World;
  readonly #known: KnownFields;

  constructor(world: World, known: KnownFields) {
    this.#world = world;
    this.#known = known;
  }

  #field(column: string): KnownField | undefined {
    return this.#known.fields.get(column);
  }

  code(condition: PolicyCondition): RuleCode {
    switch (condition.kind) {
      case 'unknown':
        return refusal(condition.because);
      case 'always':
      case 'never':
        return refusal(`${condition.kind} is no condition`);
      case 'any':
      case 'all':
        return this.#several(condition.kind === 'any' ? 'anyOf' : 'allOf', condition.rules);
      case 'null':
        return refusal(`${condition.column} is compared with null`);
      case 'value':
        return this.#value(condition);
      case 'caller':
        return this.#caller(condition.column);
      case 'among':
        return this.#among(condition);
    }
  }

  #several(name: 'anyOf' | 'allOf', rules: readonly PolicyCondition[]): RuleCode {
    const all = rules.map((rule) => this.code(rule));
    const reasons = all.flatMap((each) => ('because' in each ? each.because : []));
    if (reasons.length > 0) return refusal([...new Set(reasons)].join('; '));
    return call(name, ...all.flatMap((each) => ('code' in each ? each.code : [])));
  }

  #value({ column, values, not }: Extract<PolicyCondition, { kind: 'value' }>): RuleCode {
    const field = this.#field(column);
    if (field === undefined) return refusal(`${column} is no field`);
    if (not) return refusal(`${column} is compared with other values than ${values.join(', ')}`);
    const found = values.map((value) => valueFor(field.definition, value));
    const wrong = values.find((_, at) => found[at] === undefined);
    if (wrong !== undefined)
      return refusal(`${JSON.stringify(wrong)} is no value that ${field.name} is compared with`);
    const codes = found.map(
      (value): Code => ({ call: 'equals', of: [textCode(field.name), valueCode(value)] }),
    );
    const [only, second] = codes;
    if (only === undefined) return refusal(`${column} is compared with no value`);
    return second === undefined ? { code: only } : call('anyOf', ...codes);
  }

  #caller(column: string): RuleCode {
    const field = this.#field(column);
    if (field === undefined) return refusal(`${column} is no field`);
    if (field.ids === 'User') return call('own', textCode(field.name));
    if (this.#known.caller === column && this.#known.owner !== undefined)
      return call('own', textCode(this.#known.owner));
    const { callers } = this.#world;
    const link = callers?.fields.get(callers.caller ?? '');
    if (callers === undefined || link === undefined)
      return refusal(`${column} has ids of another program's users: --caller says whose they are`);
    return isComparable(field, link)
      ? call('member', textCode(field.name), memberOptions(callers.model, field.name, link.name, []))
      : refusal(`${column} cannot be compared with ${callers.model}.${link.name}`);
  }

  #among({ column, table, on, rule }: Extract<PolicyCondition, { kind: 'among' }>): RuleCode {
    const field = this.#field(column);
    const target = this.#world.byTable.get(tableText(table));
    if (target === undefined) return refusal(`${table.name} has no model`);
    const other = target.fields.get(on);
    if (field === undefined || other === undefined)
      return refusal(`${field === undefined ? column : `${table.name}.${on}`} is no field`);
    if (other.name === 'id' && field.ids === target.model && field.name !== 'id')
      return this.#via(field, target, rule);
    return this.#member(field, target, other, table, rule);
  }

  #via(field: KnownField, target: KnownFields, rule: PolicyCondition): RuleCode {
    if (rule.kind === 'always') return refusal(`${field.name} is only asked for a value`);
    const inner = new RuleWriter(this.#world, target).code(rule);
    return 'because' in inner ? inner : call('via', textCode(field.name), inner.code);
  }

  /** The caller's records of a model, with certain values. */
  #member(
    field: KnownField,
    target: KnownFields,
    on: KnownField,
    { name }: PlacedTable,
    rule: PolicyCondition,
  ): RuleCode {
    const parts = rule.kind === 'all' ? rule.rules : [rule];
    const owned = parts.filter((part) => part.kind === 'caller' && this.#isOwner(target, part.column));
    if (owned.length !== 1)
      return refusal(`no row of ${name} has an owner who is the caller: --caller says which column is`);
    if (!isComparable(field, on)) return refusal(`${field.name} cannot be compared with ${name}.${on.name}`);
    const where: { name: string; value: Code }[] = [];
    for (const part of parts) {
      if (owned.includes(part)) continue;
      const found = part.kind === 'value' && !part.not ? target.fields.get(part.column) : undefined;
      const values =
        part.kind === 'value' && found ? part.values.map((each) => valueFor(found.definition, each)) : [];
      if (
        found === undefined ||
        values.length === 0 ||
        values.includes(undefined) ||
        where.some((each) => each.name === found.name)
      )
        return refusal(`rows of ${name} have a condition that is no value of a field`);
      where.push({ name: found.name, value: valueCode(values.length === 1 ? values[0] : values) });
    }
    return call('member', textCode(field.name), memberOptions(target.model, field.name, on.name, where));
  }

  #isOwner({ owner, caller, fields }: KnownFields, column: string): boolean {
    return owner !== undefined && (caller === column || fields.get(column)?.name === owner);
  }
}

const isComparable = (one: KnownField, other: KnownField): boolean => {
  const [type, on] = [one.definition.type, other.definition.type];
  const sameIds = one.ids === undefined || other.ids === undefined || one.ids === other.ids;
  return type.column === on.column && type.operators.includes('eq') && sameIds && type.kind !== 'decimal';
};

const memberOptions = (
  model: string,
  field: string,
  on: string,
  where: readonly { readonly name: string; readonly value: Code }[],
): Code => {
  const object: Entry[] = [{ key: 'of', value: textCode(model) }];
  if (on !== field) object.push({ key: 'on', value: textCode(on) });
  if (where.length > 0)
    object.push({ key: 'where', value: { object: where.map(({ name, value }) => ({ key: name, value })) } });
  return { object };
};

/** The condition of a model for one of its table. */
export const ruleCode = (condition: PolicyCondition, world: World, known: KnownFields): RuleCode =>
  new RuleWriter(world, known).code(condition);

/** Two ids that no record has both of. */
const ids = {
  integer: [1, 2],
  bigint: ['1', '2'],
  text: ['a', 'b'],
  uuid: ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'],
} as const;

/** A condition that no record meets. */
export const noRecordCode = (kind: keyof typeof ids): Code => ({
  call: 'allOf',
  of: ids[kind].map((id): Code => ({ call: 'equals', of: [textCode('id'), valueCode(id)] })),
});

/** The fields of an adopted model, by their columns. */
export const knownFields = (
  { model, columns, key, table }: AdoptedModel,
  owner: string | undefined,
  caller: string | undefined,
): KnownFields => {
  const fields = new Map<string, KnownField>();
  for (const { column, field, definition } of columns) {
    if (field === 'id' && key.kind !== undefined)
      fields.set(column, { name: 'id', definition: recordKeys[key.kind].field, ids: model });
    if (field === undefined || definition === undefined) continue;
    const ids = definition.type.target?.(definition.options);
    fields.set(column, { name: field, definition, ids: ids === '' ? undefined : ids });
  }
  const filled = new Set(table.columns.flatMap(({ name, notNull }) => (notNull ? [name] : [])));
  return { model, fields, filled, owner, caller };
};
