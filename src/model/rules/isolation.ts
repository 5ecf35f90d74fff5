/**
 * Resolves the row rules of a model file to expressions over fields, and finds the indexes that they need.
 */

import { type ModelName, resolveName } from '../../fields/named-model.ts';
import type { Json } from '../../kernel/json.ts';
import { ruleName } from '../../kernel/messages.ts';
import { nearestHint } from '../../kernel/options.ts';
import { DefinitionError } from '../definition-error.ts';
import type { ModelField, PublicCondition, ResourceModel, SaidIsolation } from '../resource.ts';
import {
  everyRecord,
  forEachAction,
  noRecord,
  type RowExpression,
  type RowMember,
  type RowReachRule,
  type RowRuleName,
  rowsAsked,
} from '../row-expression.ts';
import { checkValue } from '../validate.ts';
import { reachRule } from './reach-rule.ts';
import { findField } from './rules.ts';
import type { SaidRule } from './said-rule.ts';

type ModelMap = ReadonlyMap<string, ResourceModel>;

/** An index that a rule needs, with its model. */
export interface NeededIndex {
  readonly model: string;
  readonly columns: readonly string[];
}

/** The position of a condition in a model file, and the model of its records. */
interface RulePlace {
  /** The model whose file it is. */
  readonly file: string;
  readonly path: string;
  readonly models: ModelMap;
  readonly needed: NeededIndex[];
  /** True if the rule finds rows, and does not only check a single one. */
  readonly finds: boolean;
}

type Said<Kind> = Extract<SaidRule, { readonly kind: Kind }>;

const within = (place: RulePlace, step: string): RulePlace => ({ ...place, path: `${place.path}.${step}` });

const refuse = ({ file, path }: RulePlace, because: string): never => {
  throw new DefinitionError(file, `${path} ${because}`);
};

/** The name of a model in a rule. */
const nameIn = (place: RulePlace, model: ModelName): string =>
  resolveName(model, (because) => refuse(place, because));

/** The model of a name in a rule. */
const findModel = (place: RulePlace, name: string): ResourceModel => {
  const model = place.models.get(name);
  if (model !== undefined) return model;
  if (name === 'User') return refuse(place, 'names User, whose records no rule asks');
  return refuse(place, `names ${name}, which is not a model${nearestHint(name, place.models.keys())}`);
};

const findRuleField = (place: RulePlace, model: ResourceModel, name: string): ModelField => {
  if (model.name === place.file) return findField(place.file, model.fields, name, place.path);
  const field = model.fields.get(name);
  if (field !== undefined) return field;
  const hint = nearestHint(name, model.fields.keys());
  return refuse(place, `names the unknown field "${name}" of ${model.name}${hint}`);
};

/** A reference by its field or by its key: `project` is `project_id`. */
const findReference = (place: RulePlace, model: ResourceModel, name: string): ModelField => {
  const key = model.fields.has(name) || !model.fields.has(`${name}_id`) ? name : `${name}_id`;
  const field = findRuleField(place, model, key);
  return field.reference === undefined ? refuse(place, `needs a reference, and ${key} is none`) : field;
};

/** The value of a comparison, in the form of the column. */
const encodeValue = (place: RulePlace, field: ModelField, value: Json | undefined) => {
  if (value === undefined || value === null || !field.type.operators.includes('eq'))
    return refuse(place, `needs a value that ${field.name} can be equal to`);
  const [violation] = checkValue(field, value);
  if (violation !== undefined)
    return refuse(place, `compares ${field.name} with what breaks its rule ${ruleName(violation.rule)}`);
  return field.type.encode(value, field.options) ?? refuse(place, `compares ${field.name} with nothing`);
};

/** Records that rows are found by this column. */
const noteColumn = ({ finds, needed }: RulePlace, model: ResourceModel, column: string): void => {
  if (finds && column !== 'id') needed.push({ model: model.name, columns: [column] });
};

const ownRule = (place: RulePlace, model: ResourceModel, { field }: Said<'own'>): RowExpression => {
  const reference = findReference(place, model, field);
  if (reference.reference !== 'User')
    return refuse(place, `needs a reference to User, and ${reference.name} is none`);
  noteColumn(place, model, reference.name);
  return { kind: 'own', column: reference.name };
};

const equalsRule = (
  place: RulePlace,
  model: ResourceModel,
  { field, value }: Said<'equals'>,
): RowExpression => {
  const target = findRuleField(place, model, field);
  const columnValue = encodeValue(place, target, value);
  noteColumn(place, model, target.name);
  return { kind: 'equals', column: target.name, value: columnValue, said: String(value) };
};

const conditionsOf = (
  place: RulePlace,
  model: ResourceModel,
  where: Said<'member'>['where'],
): RowMember['where'] =>
  Object.entries(where).map(([name, given]) => {
    const at = within(place, `where.${name}`);
    const field = findRuleField(at, model, name);
    const values = Array.isArray(given) ? given : [given];
    if (values.length === 0) return refuse(at, 'has no values');
    return {
      column: field.name,
      values: Object.freeze(values.map((value) => encodeValue(at, field, value))),
      said: Object.freeze(values.map(String)),
    };
  });

/** The model whose ids a field holds; undefined where it holds none. */
const idsOf = (model: ResourceModel, { name, reference }: ModelField): string | undefined =>
  name === 'id' ? model.name : reference;

/**
 * True if equal columns mean equal values: stored alike, and not ids of two models, whose numbers would only
 * coincide.
 */
const isComparable = (
  [model, field]: readonly [ResourceModel, ModelField],
  [other, on]: readonly [ResourceModel, ModelField],
): boolean => {
  if (on.type.column !== field.type.column || !field.type.operators.includes('eq')) return false;
  if (on.type.scale?.(on.options) !== field.type.scale?.(field.options)) return false;
  const ids = idsOf(model, field);
  const otherIds = idsOf(other, on);
  return ids === undefined || otherIds === undefined || ids === otherIds;
};

const memberRule = (place: RulePlace, model: ResourceModel, said: Said<'member'>): RowExpression => {
  const field = findRuleField(place, model, said.field);
  const memberships = findModel(place, nameIn(place, said.of));
  const { owner } = memberships;
  if (owner === undefined)
    return refuse(place, `needs the field user_id: field.owner() in ${memberships.name}`);
  const on = findRuleField(place, memberships, said.on);
  if (!isComparable([model, field], [memberships, on]))
    return refuse(place, `cannot compare ${field.name} with ${memberships.name}.${on.name}`);
  const where = conditionsOf(place, memberships, said.where);
  noteColumn(place, model, field.name);
  // With this index, the membership in one of many teams is one look-up.
  place.needed.push({ model: memberships.name, columns: [owner, on.name] });
  return {
    kind: 'member',
    column: field.name,
    model: memberships.name,
    stored: memberships.stored,
    on: on.name,
    owner,
    where: Object.freeze(where),
  };
};

const viaRule = (place: RulePlace, model: ResourceModel, { field, rule, of }: Said<'via'>): RowExpression => {
  const { name, reference = '' } = findReference(place, model, field);
  const named = of === undefined ? reference : nameIn(place, of);
  if (named !== reference)
    return refuse(place, `says that ${name} names ${named}, and it names ${reference}`);
  const target = findModel(place, reference);
  noteColumn(place, model, name);
  return {
    kind: 'via',
    column: name,
    model: target.name,
    stored: target.stored,
    rule: expressionOf(place, target, rule),
  };
};

/** Resolves a condition on the records of a model. */
const expressionOf = (outer: RulePlace, model: ResourceModel, said: SaidRule): RowExpression => {
  const place = within(outer, said.kind);
  switch (said.kind) {
    case 'own':
      return Object.freeze(ownRule(place, model, said));
    case 'equals':
      return Object.freeze(equalsRule(place, model, said));
    case 'member':
      return Object.freeze(memberRule(place, model, said));
    case 'via':
      return Object.freeze(viaRule(place, model, said));
    case 'anyOf':
    case 'allOf': {
      const rules = said.rules.map((rule) => expressionOf(place, model, rule));
      return Object.freeze({ kind: said.kind, rules: Object.freeze(rules) });
    }
  }
};

/** The published records, and the records of a rule. */
const publishedOr = (rule: RowExpression, published: readonly PublicCondition[] = []): RowReachRule => {
  const conditions = published.map((condition) => Object.freeze({ kind: 'equals' as const, ...condition }));
  const [only, second] = conditions;
  const open: RowExpression =
    only !== undefined && second === undefined ? only : { kind: 'allOf', rules: Object.freeze(conditions) };
  return reachRule(Object.freeze({ kind: 'anyOf', rules: Object.freeze([Object.freeze(open), rule]) }));
};

/**
 * Resolves the conditions of a model among all models, with the indexes that they need. @throws DefinitionError
 * naming the model file and the condition: an unknown model or field, a field that is not a reference, a membership
 * without owner
 */
export const resolveRules = (
  model: ResourceModel,
  models: ModelMap,
): { readonly rules: ResourceModel['rules']; readonly needed: readonly NeededIndex[] } => {
  const { rules, saidIsolation, saidRestricted, saidManage, saidViewed } = model;
  const needed: NeededIndex[] = [];
  // One condition for several actions is one rule: whether a rule differs from that for reading decides what is asked.
  const made = new Map<SaidRule | 'everyone', RowReachRule>();
  const rule = (said: SaidIsolation, name: RowRuleName): RowReachRule => {
    const declared = said[name] ?? said.read;
    const known = made.get(declared);
    if (known !== undefined) return known;
    const place = { file: model.name, path: `isolation.${name}`, models, needed, finds: name === 'read' };
    const resolved = reachRule(declared === 'everyone' ? everyRecord : expressionOf(place, model, declared));
    made.set(declared, resolved);
    return resolved;
  };
  let { isolation } = rules;
  if (saidIsolation !== undefined) {
    const each = forEachAction((action) =>
      rule(saidIsolation, action === 'read' || saidIsolation[action] !== undefined ? action : 'write'),
    );
    isolation = Object.freeze({ ...each, byOwner: false });
  }
  const publicOrOwn =
    rules.publicOrOwn && isolation && publishedOr(isolation.read.expression, rules.publicRead);
  if (publicOrOwn !== undefined)
    for (const { column } of rules.publicRead ?? []) needed.push({ model: model.name, columns: [column] });
  const restrictedUnless = rules.restrictedUnless.map(({ fields }, index) => {
    const place = { file: model.name, path: 'restricted.unless', models, needed, finds: false };
    const declared = saidRestricted[index];
    const condition = declared === undefined ? noRecord : expressionOf(place, model, declared);
    return Object.freeze({ fields, condition: reachRule(condition) });
  });
  const viewedWhen = rules.viewedWhen.map(({ fields }, index) => {
    const place = { file: model.name, path: 'views.when', models, needed, finds: false };
    const declared = saidViewed[index];
    const condition = declared === undefined ? noRecord : expressionOf(place, model, declared);
    // The response of a write would be decided by the table as it was before the write.
    if (rowsAsked(condition).includes(model.stored))
      return refuse(place, `asks records of ${model.name} itself, which its own writes change`);
    return Object.freeze({ fields, condition: reachRule(condition) });
  });
  // It is checked on the stored values of deleted records, which no index finds.
  const managed = { file: model.name, path: 'manage', models, needed, finds: false };
  const manage = saidManage && reachRule(expressionOf(managed, model, saidManage));
  const isSame =
    isolation === rules.isolation && publicOrOwn === rules.publicOrOwn && manage === rules.manage;
  if (isSame && restrictedUnless.length + viewedWhen.length === 0) return { rules, needed };
  const resolved = {
    ...rules,
    isolation,
    publicOrOwn,
    manage,
    restrictedUnless: Object.freeze(restrictedUnless),
    viewedWhen: Object.freeze(viewedWhen),
  };
  return { rules: Object.freeze(resolved), needed };
};
