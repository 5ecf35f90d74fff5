/** Types of relations, filters and nested records, as text for a generated client. */

import { isNumeric } from '../fields/keys.ts';
import { orderedOperators, textOperators } from '../fields/values.ts';
import type { Models } from '../model/models.ts';
import type { ModelField, ModelRelation, ResourceModel, View } from '../model/resource.ts';
import { textCode } from './scaffold/code.ts';
import { typeOf, union } from './schema-type.ts';

/** Labels of the schemas are not written, so the language does not matter. */
const locale = 'en';

const names = (list: readonly string[]): string => (list.length === 0 ? 'never' : union(list.map(textCode)));

/** The conditions on a value of a type by these operators. */
export const conditionType = (type: string, operators: readonly string[]): string =>
  `Condition<${type}, ${names(operators)}>`;

/** The terms of a sort by these fields. */
export const sortedType = (fields: readonly string[]): string =>
  fields.length === 0 ? 'never' : `Sorted<${names(fields)}>`;

const textual = conditionType('string', textOperators);

/** Types of relations by name; each may use earlier ones, and `Condition`. */
export const relationHelpers: Readonly<Record<string, string>> = {
  RelatedUser: `
/** Users of the service as targets of relations. */
interface RelatedUser {
  record: { id: number; username: string; email: string | null; name: string; roles: readonly string[] };
  shown: 'id' | 'username' | 'email' | 'name' | 'roles';
  filter: {
    readonly id?: ${conditionType('number', orderedOperators)};
    readonly username?: ${textual};
    readonly email?: ${textual};
    readonly name?: ${textual};
  };
  sort: 'id' | 'username' | 'email' | 'name';
  relations: object;
}
`,
  ShownUser: `
/** Users of whom a record shows its readers these fields. */
interface ShownUser<Name extends 'username' | 'email' | 'name'> {
  record: Pick<RelatedUser['record'], 'id' | Name>;
  shown: 'id' | Name;
  filter: Pick<RelatedUser['filter'], 'id' | Name>;
  sort: 'id' | Name;
  relations: object;
}
`,
  NewWithin: `
/** A new record nested in another one, which sets its reference. */
type NewWithin<Create, Reference extends PropertyKey> = Omit<Create, Reference> & {
  readonly id?: never;
  readonly _delete?: never;
};
`,
  ItemWithin: `
/** A record nested in another one: new, changed or deleted. */
type ItemWithin<Create, Update, Reference extends PropertyKey, Id = number> =
  | NewWithin<Create, Reference>
  | (Omit<Update, Reference> & { readonly id: Id; readonly _delete?: boolean });
`,
  ToOne: `
interface ToOne<To> {
  many: false;
  to: To;
}
`,
  ToMany: `
interface ToMany<To> {
  many: true;
  to: To;
}
`,
};

const fieldsIn = ({ fields, views }: ResourceModel, view: View): readonly ModelField[] =>
  views[view].flatMap((name) => fields.get(name) ?? []);

const conditionOf = ({ type, options }: ModelField): string =>
  conditionType(typeOf(type.input(options, locale)), type.operators);

/** The conditions of filters on the fields of a view. */
export const filterType = (model: ResourceModel, view: View): string => {
  const conditions = fieldsIn(model, view).map(
    (field) => `      readonly ${field.name}?: ${conditionOf(field)};\n`,
  );
  return `{\n${conditions.join('')}    }`;
};

/** The fields by which a view can be sorted. */
export const sortFields = (model: ResourceModel, view: View): readonly string[] =>
  fieldsIn(model, view)
    .filter(({ type }) => type.sortable)
    .map(({ name }) => name);

/** The relations that a request may follow: no hidden references. */
const followableRelations = ({ relations, views }: ResourceModel) =>
  [...relations.values()].filter(
    ({ many, from }) => many || views.list.includes(from) || views.detail.includes(from),
  );

const targetType = ({ model, shows }: ModelRelation, models: Models): string => {
  const path = models.get(model)?.path;
  if (path !== undefined) return `Related[${textCode(path)}]`;
  return shows === undefined ? 'RelatedUser' : `ShownUser<${names(shows.filter((name) => name !== 'id'))}>`;
};

/** The member of a resource's type for its relations; empty if it has none. */
export const relationsMember = (model: ResourceModel, models: Models): string => {
  const members = followableRelations(model).map(
    (relation) =>
      `      ${relation.name}: ${relation.many ? 'ToMany' : 'ToOne'}<${targetType(relation, models)}>;\n`,
  );
  return members.length === 0 ? '' : `    relations: {\n${members.join('')}    };\n`;
};

/** The relations as values: their target resources, and which of them are written within the record. */
export const relationEntries = (model: ResourceModel, models: Models): string =>
  followableRelations(model)
    .map(({ name, model: target, write }) => {
      const resource = textCode(models.get(target)?.path ?? 'users');
      return `${name}: { resource: ${resource}${write ? ', write: true' : ''} }`;
    })
    .join(', ');

/** The type of ids of records, as a further argument, where it is not a number. */
const idArgument = (model: ResourceModel | undefined): string =>
  model === undefined || isNumeric(model.key) ? '' : ', string';

/** The type of a body that contains lists of records. */
export const withItems = (
  type: string,
  model: ResourceModel,
  models: Models,
  action: 'create' | 'update',
): string => {
  const lists = [...model.relations.values()].flatMap(({ name, write, to, model: target }) => {
    const path = write ? models.get(target)?.path : undefined;
    if (path === undefined) return [];
    const [item, resource] = [textCode(to), `Resources[${textCode(path)}]`];
    const each =
      action === 'create'
        ? `NewWithin<${resource}['create'], ${item}>`
        : `ItemWithin<${resource}['create'], ${resource}['update'], ${item}${idArgument(models.get(target))}>`;
    return [`      ${name}?: readonly ${each}[];\n`];
  });
  return type.replace(/ *\}$/, `${lists.join('')}    }`);
};

const relatedOf = (model: ResourceModel): string => {
  const { path, views } = model;
  const resource = `Resources[${textCode(path)}]`;
  const sameFields =
    views.list.length === views.detail.length && views.list.every((name) => views.detail.includes(name));
  return `  ${path}: {
    record: ${resource}['record'];
    shown: ${names(views.list.filter((name) => views.detail.includes(name)))};
    filter: ${sameFields ? `${resource}['filter']` : filterType(model, 'detail')};
    sort: ${names(sortFields(model, 'detail'))};
    relations: ${followableRelations(model).length === 0 ? 'object' : `${resource}['relations']`};
  };`;
};

/** The types of records as targets of relations. */
export const relatedPart = (models: Models): string => {
  const targets = new Set([...models.values()].flatMap(followableRelations).map(({ model }) => model));
  const reached = [...models.values()].filter(({ name }) => targets.has(name));
  if (reached.length === 0) return '';
  return `
/** Records as relations lead to them: what can be chosen, what is answered unless it is, filters and sort orders. */
export interface Related {
${reached.map(relatedOf).join('\n')}
}
`;
};
