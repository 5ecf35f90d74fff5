/**
 * Reads the rules of a model file: views, conditional and restricted fields, isolation; and refuses
 * contradictions.
 */

import type { Json } from '../../kernel/json.ts';
import { ruleName } from '../../kernel/messages.ts';
import { nearestHint } from '../../kernel/options.ts';
import { DefinitionError } from '../definition-error.ts';
import type { ModelField, PublicCondition, ResourceRules, SaidIsolation, View } from '../resource.ts';
import { forEachAction, type Isolation, noRecord } from '../row-expression.ts';
import {
  declarationOf,
  isRowRule,
  type RestrictedUnless,
  type RowRule,
  type RowRules,
  type ViewedWhen,
} from '../row-rule.ts';
import { checkValue } from '../validate.ts';
import { reachRule } from './reach-rule.ts';
import type { SaidRule } from './said-rule.ts';

type Fields = ReadonlyMap<string, ModelField>;

const ownRows = reachRule(Object.freeze({ kind: 'own', column: 'user_id' }));
const noRows = reachRule(noRecord);

/** The field of a name in a model file, or an error that says where the name occurs. */
export const findField = (model: string, fields: Fields, name: string, where: string): ModelField => {
  const field = fields.get(name);
  if (field !== undefined) return field;
  const hint = nearestHint(name, fields.keys());
  throw new DefinitionError(model, `${where} names the unknown field "${name}"${hint}`);
};

type ViewsOption = { readonly [Name in View]?: readonly string[] } & {
  readonly when?: readonly ViewedWhen<string, unknown>[];
};

const checkedView = (
  model: string,
  fields: Fields,
  view: View,
  names: readonly string[],
): readonly string[] => {
  for (const name of names) findField(model, fields, name, `views.${view}`);
  if (names.length === 0) throw new DefinitionError(model, `views.${view} has no fields`);
  if (new Set(names).size !== names.length)
    throw new DefinitionError(model, `views.${view} names a field twice`);
  return Object.freeze([...names]);
};

/** `list` and `saved` default to `detail`, so that restricting one view never shows more in another. */
export const viewsOf = (
  model: string,
  fields: Fields,
  option: ViewsOption,
): Readonly<Record<View, readonly string[]>> => {
  const all = [...fields.keys()];
  const conditional = [...new Set((option.when ?? []).flatMap(([, names]) => names))];
  for (const name of conditional) findField(model, fields, name, 'views.when');
  const named = option.detail ?? all;
  const further = conditional.filter((name) => !named.includes(name));
  const detail = checkedView(model, fields, 'detail', [...named, ...further]);
  return Object.freeze({
    list: checkedView(model, fields, 'list', option.list ?? detail),
    detail,
    saved: checkedView(model, fields, 'saved', option.saved ?? detail),
  });
};

const publicReadOf = (
  model: string,
  fields: Fields,
  where: Readonly<Record<string, Json | undefined>>,
): readonly PublicCondition[] => {
  const conditions = Object.entries(where).map(([name, value]): PublicCondition => {
    const field = findField(model, fields, name, 'publicRead.where');
    if (!field.type.operators.includes('eq') || value === undefined || value === null)
      throw new DefinitionError(model, 'publicRead.where needs a value to be equal to', name);
    const [violation] = checkValue(field, value);
    if (violation !== undefined)
      throw new DefinitionError(model, `publicRead.where breaks the rule ${ruleName(violation.rule)}`, name);
    const encoded = field.type.encode(value, field.options);
    if (encoded === null)
      throw new DefinitionError(model, 'publicRead.where needs a value to be equal to', name);
    return Object.freeze({ column: field.name, value: encoded, said: String(value) });
  });
  if (conditions.length === 0)
    throw new DefinitionError(model, 'publicRead.where is empty: say what a published record is');
  return Object.freeze(conditions);
};

/** The isolation of a model file. */
export type IsolationOption = boolean | RowRule | RowRules<unknown>;

type RestrictedOption = readonly (string | RestrictedUnless<string, unknown>)[];

interface RulesOption {
  readonly permissions?: 'writes' | 'all';
  readonly isolation?: IsolationOption;
  readonly ownership?: boolean;
  readonly restricted?: RestrictedOption;
  readonly publicRead?: { readonly where: object; readonly orOwn?: boolean };
  readonly manage?: object;
  readonly views?: ViewsOption;
}

const isConditional = (each: RestrictedOption[number]): each is RestrictedUnless<string, unknown> =>
  typeof each !== 'string';

/** The field of a reference by its key: `assignee` is `assignee_id`. */
export const fieldOfKey = (fields: Fields, name: string): string =>
  !fields.has(name) && fields.get(`${name}_id`)?.reference !== undefined ? `${name}_id` : name;

const restrictedOf = (
  model: string,
  fields: Fields,
  option: RestrictedOption,
): Pick<ResourceRules, 'restricted' | 'restrictedUnless'> => {
  const restricted = new Set(option.filter((each) => typeof each === 'string'));
  const restrictedUnless = option.filter(isConditional).map((each) => ({
    fields: Object.freeze(each.fields.map((name) => fieldOfKey(fields, name))),
    condition: noRows,
  }));
  const named = [...restricted, ...restrictedUnless.flatMap((each) => each.fields)];
  for (const [index, name] of named.entries()) {
    if (findField(model, fields, name, 'restricted').serverSet)
      throw new DefinitionError(model, 'restricted: the field is never written', name);
    if (named.indexOf(name) < index)
      throw new DefinitionError(model, 'restricted names the field twice', name);
  }
  return { restricted, restrictedUnless: Object.freeze(restrictedUnless) };
};

/**
 * Most conditions of `views.when`: a statement has a text for each combination of them, so that each is evaluated once
 * for a row.
 * @limit Fields | conditions of `views.when` | count | no start
 */
const viewConditions = 4;

const viewedWhenOf = (model: string, option: ViewsOption['when'] = []): ResourceRules['viewedWhen'] => {
  if (option.length > viewConditions)
    throw new DefinitionError(model, `views.when has more than ${viewConditions} conditions`);
  const named = option.flatMap(([, names]) => names);
  for (const [index, name] of named.entries()) {
    if (name === 'id') throw new DefinitionError(model, 'views.when: every reader sees the id', name);
    if (named.indexOf(name) < index)
      throw new DefinitionError(
        model,
        'views.when names the field twice: join its conditions by anyOf',
        name,
      );
  }
  return Object.freeze(option.map(([, names]) => ({ fields: Object.freeze([...names]), condition: noRows })));
};

/** The conditions of `views.when` in a model file. */
export const saidViewedOf = (option: ViewsOption['when'] = []): readonly SaidRule[] =>
  Object.freeze(option.map(([rule]) => declarationOf(rule)));

/** The conditions of `restricted` in a model file. */
export const saidRestrictedOf = (option: RestrictedOption = []): readonly SaidRule[] =>
  Object.freeze(option.filter(isConditional).map(({ unless }) => declarationOf(unless)));

/** The contract's rule, and a placeholder for conditions until all models are known. */
const byOwner: Isolation = Object.freeze({ ...forEachAction(() => ownRows), byOwner: true });
const unknownYet: Isolation = Object.freeze({ ...forEachAction(() => noRows), byOwner: false });

/** The conditions of a model file; a single one counts for every action. */
export const saidIsolationOf = (option: IsolationOption | undefined): SaidIsolation | undefined => {
  if (option === undefined || typeof option === 'boolean') return undefined;
  if (isRowRule(option)) return Object.freeze({ read: declarationOf(option) });
  const { read = option.write, ...writes } = option;
  // Checked with the options.
  if (read === undefined) throw new Error('isolation without a condition for reading');
  const said = Object.entries(writes).map(([name, rule]) => [name, declarationOf(rule)] as const);
  return Object.freeze({
    ...Object.fromEntries(said),
    read: read === 'everyone' ? read : declarationOf(read),
  });
};

const isolationOf = (option: IsolationOption): Isolation | undefined => {
  if (option === false) return undefined;
  return option === true ? byOwner : unknownYet;
};

export const rulesOf = (
  model: string,
  fields: Fields,
  owner: string | undefined,
  option: RulesOption,
): ResourceRules => {
  const { permissions = 'none', isolation = false, ownership = false, restricted = [], publicRead } = option;
  if (owner === undefined && (isolation === true || ownership))
    throw new DefinitionError(
      model,
      `${isolation === true ? 'isolation' : 'ownership'} needs the field user_id: field.owner()`,
    );
  // Without isolation every record would belong to all who sign in.
  if (publicRead?.orOwn === true && isolation === false)
    throw new DefinitionError(model, 'publicRead.orOwn needs isolation: it says whose a record is');
  // Its lists authenticate no caller.
  if (option.manage !== undefined && publicRead !== undefined && publicRead.orOwn !== true)
    throw new DefinitionError(model, 'manage with publicRead needs orOwn: without it lists have no caller');
  return Object.freeze({
    permissions,
    isolation: isolationOf(isolation),
    ownership,
    ...restrictedOf(model, fields, restricted),
    viewedWhen: viewedWhenOf(model, option.views?.when),
    publicRead: publicRead === undefined ? undefined : publicReadOf(model, fields, { ...publicRead.where }),
    publicOrOwn: publicRead?.orOwn === true ? noRows : undefined,
    manage: option.manage === undefined ? undefined : noRows,
  });
};
