import type { Json } from '../kernel/json.ts';
import { ruleName } from '../kernel/messages/messages.ts';
import { nearestHint } from '../kernel/options.ts';
import { checkValue } from './check-value.ts';
import { DefinitionError } from './definition-error.ts';
import type { ModelField, PublicCondition, ResourceRules, View } from './resource.ts';

type Fields = ReadonlyMap<string, ModelField>;

/** The field of a name that a model file mentions, or the error that says where it is mentioned. */
export const mentioned = (model: string, fields: Fields, name: string, where: string): ModelField => {
  const field = fields.get(name);
  if (field !== undefined) return field;
  const hint = nearestHint(name, fields.keys());
  throw new DefinitionError(model, `${where} names the unknown field "${name}"${hint}`);
};

type ViewsOption = { readonly [Name in View]?: readonly string[] };

const checkedView = (
  model: string,
  fields: Fields,
  view: View,
  names: readonly string[],
): readonly string[] => {
  for (const name of names) mentioned(model, fields, name, `views.${view}`);
  if (names.length === 0) throw new DefinitionError(model, `views.${view} has no fields`);
  if (new Set(names).size !== names.length)
    throw new DefinitionError(model, `views.${view} names a field twice`);
  return Object.freeze([...names]);
};

/** Naming one view never shows more in another: `list` and `saved` fall back to `detail`. */
export const viewsOf = (
  model: string,
  fields: Fields,
  option: ViewsOption,
): Readonly<Record<View, readonly string[]>> => {
  const all = [...fields.keys()];
  const detail = checkedView(model, fields, 'detail', option.detail ?? all);
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
    const field = mentioned(model, fields, name, 'publicRead.where');
    if (!field.type.operators.includes('eq') || value === undefined || value === null)
      throw new DefinitionError(model, 'publicRead.where needs a value to be equal to', name);
    const [violation] = checkValue(field, value);
    if (violation !== undefined)
      throw new DefinitionError(model, `publicRead.where breaks the rule ${ruleName(violation.rule)}`, name);
    return Object.freeze({ column: field.column, value: field.type.encode(value, field.options) });
  });
  if (conditions.length === 0)
    throw new DefinitionError(model, 'publicRead.where is empty: say what a published record is');
  return Object.freeze(conditions);
};

interface RulesOption {
  readonly permissions?: 'writes' | 'all';
  readonly isolation?: boolean;
  readonly ownership?: boolean;
  readonly restricted?: readonly string[];
  readonly publicRead?: { readonly where: object };
}

const restrictedOf = (model: string, fields: Fields, names: readonly string[]): ReadonlySet<string> => {
  for (const name of names)
    if (mentioned(model, fields, name, 'restricted').serverSet)
      throw new DefinitionError(model, 'restricted: nobody writes this field', name);
  return new Set(names);
};

export const rulesOf = (
  model: string,
  fields: Fields,
  owner: string | undefined,
  option: RulesOption,
): ResourceRules => {
  const { permissions = 'none', isolation = false, ownership = false, restricted = [], publicRead } = option;
  if (owner === undefined && (isolation || ownership))
    throw new DefinitionError(
      model,
      `${isolation ? 'isolation' : 'ownership'} needs the field user_id: field.owner()`,
    );
  return Object.freeze({
    permissions,
    isolation,
    ownership,
    restricted: restrictedOf(model, fields, restricted),
    publicRead: publicRead === undefined ? undefined : publicReadOf(model, fields, { ...publicRead.where }),
  });
};
