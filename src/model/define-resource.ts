/** `defineResource`: checks the definition of a model file, fills in its defaults, and returns the model. */

import { type ApiMethodName, defaultMethods } from '../auth/registry.ts';
import { datetime } from '../fields/datetime.ts';
import { type FieldDefinition, fieldFlaw } from '../fields/field.ts';
import type { RecordKey } from '../fields/key.ts';
import { type GivenInBody, type IdOfKey, type KeyKind, keyOfModel } from '../fields/keys.ts';
import { keyOfReference } from '../fields/reference.ts';
import { ruleName } from '../kernel/messages.ts';
import { mostSearchFields } from '../kernel/search-words.ts';
import { checkResourceOptions } from './definition/definition-options.ts';
import { assertShown, unknownParts, withKeyColumns, withKeySet } from './definition/key-columns.ts';
import { declaredRelations } from './definition/relations.ts';
import { assertExternal, storedTableOf, type TableOption, withColumns } from './definition/table-option.ts';
import type { ResourceDefinition, ResourceViews } from './definition.ts';
import { DefinitionError } from './definition-error.ts';
import { displayFields, usualDisplay } from './display.ts';
import { indexesOf, uniqueSetsOf } from './indexes.ts';
import { checkFieldName, humanise, labelOf, namesOf, pluralLabelOf } from './names.ts';
import {
  type Action,
  actions,
  type CountedField,
  type ModelField,
  type ResourceHooks,
  type ResourceModel,
} from './resource.ts';
import { declarationOf, type Short } from './row-rule.ts';
import {
  fieldOfKey,
  findField,
  rulesOf,
  saidIsolationOf,
  saidRestrictedOf,
  saidViewedOf,
  viewsOf,
} from './rules/rules.ts';
import type { DeclaredRelations, FieldDefinitions, FieldName, Resource, TimesIn } from './types.ts';
import { checkValue } from './validate.ts';

export { fieldsOption, methodsOption } from './definition/definition-options.ts';

const modelField = (name: string, definition: FieldDefinition, serverSet: boolean): ModelField => {
  const { type, options } = definition;
  return Object.freeze({
    name,
    column: name,
    kind: type.kind,
    type,
    options,
    label: options.label ?? labelOf(name),
    required: options.required === true,
    unique: options.unique === true,
    serverSet: serverSet || type.counting !== undefined || options.generated === true,
    fixed: false,
    reference: type.target?.(options),
    referenceKey: keyOfReference(definition),
    onDelete: type.onDelete?.(options),
    anyone: type.anyone?.(options) ?? false,
    same: undefined,
  });
};

/** The key of the records. A full-text search needs one that the database counts. @throws DefinitionError */
const keyOf = (
  model: string,
  {
    key = 'integer',
    search,
    table,
  }: {
    readonly key?: KeyKind | readonly string[];
    readonly search?: unknown;
    readonly table?: TableOption;
  },
): RecordKey => {
  if (typeof key !== 'string') return unknownParts(model, key, table);
  if (key !== 'integer' && search !== undefined)
    throw new DefinitionError(model, `search needs the key 'integer', not '${key}'`);
  return keyOfModel(key, table?.external === true);
};

/** The field `id`. One that bodies give is unique, and never changes. */
const idField = ({ field, givenBy }: RecordKey): ModelField => {
  const id = modelField('id', field, givenBy !== 'caller');
  return givenBy === 'caller' ? Object.freeze({ ...id, unique: true, fixed: true }) : id;
};

/** Refuses a field with invalid options, or whose default violates its own rules. */
export const checkField = (owner: string, name: string, definition: FieldDefinition): void => {
  const { type, options } = definition;
  const flaw = fieldFlaw(definition);
  if (flaw !== undefined) throw new DefinitionError(owner, flaw, name);
  if (options.default === undefined) return;
  const [violation] = checkValue({ name, type, options }, options.default);
  if (violation !== undefined)
    throw new DefinitionError(owner, `its default breaks the rule ${ruleName(violation.rule)}`, name);
};

/** A reference `author` is the field `author_id`; a name that ends so already is kept. */
const fieldName = (key: string, definition: FieldDefinition): string =>
  definition.type.target === undefined || key.endsWith('_id') ? key : `${key}_id`;

const isOwner = (definition: FieldDefinition): boolean =>
  'owner' in definition.options && definition.options.owner === true;

/**
 * @param asksOwner whether bodies set the owner, and rows belong to the owner: then bodies may name only a user whom
 * the caller may see
 */
const fieldsOf = (
  model: string,
  key: RecordKey,
  definitions: FieldDefinitions,
  unique: readonly (readonly string[])[],
  asksOwner: boolean,
): Map<string, ModelField> => {
  const server = { required: true } as const;
  const fields = new Map([['id', idField(key)]]);
  const single = new Set(unique.flatMap((names) => (names.length === 1 ? names : [])));
  for (const [key, definition] of Object.entries(definitions)) {
    const name = fieldName(key, definition);
    checkFieldName(model, name);
    if (fields.has(name)) throw new DefinitionError(model, 'two fields have this name', name);
    checkField(model, name, definition);
    const counting = definition.type.counting?.(definition.options);
    const isSingle = single.has(name) || (counting !== undefined && counting.per === undefined);
    const options = isSingle ? { ...definition.options, unique: true } : definition.options;
    const field = modelField(name, { ...definition, options }, false);
    fields.set(name, asksOwner && isOwner(definition) ? Object.freeze({ ...field, anyone: false }) : field);
  }
  if (fields.size === 1) throw new DefinitionError(model, 'it has no fields');
  for (const name of ['created_at', 'updated_at'])
    fields.set(name, modelField(name, datetime.define(server), true));
  return fields;
};

/** The fields whose values are counted; the references by which they are become fixed. @throws DefinitionError */
const countedOf = (model: string, fields: Map<string, ModelField>): readonly CountedField[] =>
  [...fields.values()].flatMap((field): CountedField[] => {
    const counting = field.type.counting?.(field.options);
    if (counting === undefined) return [];
    if (counting.per === undefined) return [{ field, counting, per: undefined }];
    const per = findField(model, fields, fieldOfKey(fields, counting.per), `per of ${field.name}`);
    if (per.reference === undefined)
      throw new DefinitionError(model, `per names ${per.name}, which is not a reference`, field.name);
    fields.set(per.name, Object.freeze({ ...per, fixed: true }));
    return [{ field, counting, per: per.name }];
  });

/** Names of each reference with `same` the field that the referenced record shares with it. @throws DefinitionError */
const resolveSame = (model: string, fields: Map<string, ModelField>): void => {
  for (const [name, field] of fields) {
    const key = field.type.same?.(field.options);
    if (key === undefined) continue;
    const same = findField(model, fields, fieldOfKey(fields, key), `same of ${name}`);
    if (same.reference === undefined)
      throw new DefinitionError(model, `same names ${same.name}, which is not a reference`, name);
    if (same.name === name) throw new DefinitionError(model, 'same names the field itself', name);
    if (!same.required)
      throw new DefinitionError(model, `same names ${same.name}, which may be null: make it required`, name);
    fields.set(name, Object.freeze({ ...field, same: same.name }));
  }
};

const ownerOf = (model: string, definitions: FieldDefinitions): 'user_id' | undefined => {
  const owners = Object.entries(definitions).filter(([, definition]) => isOwner(definition));
  const [key, definition] = owners[0] ?? [];
  if (key === undefined || definition === undefined) return undefined;
  if (owners.length > 1) throw new DefinitionError(model, 'it has two owner fields');
  if (fieldName(key, definition) !== 'user_id')
    throw new DefinitionError(model, 'the owner field is called user_id', key);
  return 'user_id';
};

type Methods = readonly ApiMethodName[];
type AuthOption = Methods | Partial<Readonly<Record<Action, Methods>>>;

const isList = (option: AuthOption): option is Methods => Array.isArray(option);

const authOf = (model: string, option: AuthOption = defaultMethods): ResourceModel['auth'] => {
  const entries = actions.map((action): [Action, Methods] => {
    const methods = isList(option) ? option : (option[action] ?? defaultMethods);
    if (methods.length === 0) throw new DefinitionError(model, `no authentication method for ${action}`);
    return [action, Object.freeze([...new Set(methods)])];
  });
  return Object.freeze(Object.fromEntries(entries) as Record<Action, Methods>);
};

/** Fields that the list of deleted records adds. */
const trashFields = ['deleted_at', 'deleted_by', 'kept_until'] as const;

const trashOf = (model: string, fields: ReadonlyMap<string, ModelField>, trash = false): boolean => {
  const taken = trash ? trashFields.find((name) => fields.has(name)) : undefined;
  if (taken !== undefined)
    throw new DefinitionError(model, 'the trash tells by this name of the deletion of a record', taken);
  return trash;
};

/** Field types whose values read well within a name. */
const displayed: ReadonlySet<string> = new Set([
  'string',
  'text',
  'email',
  'url',
  'enum',
  'uuid',
  'integer',
  'decimal',
  'number',
  'date',
  'time',
  'sequence',
]);

const displayOf = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  template: string | undefined,
): string | undefined => {
  if (template === undefined) return usualDisplay([...fields.values()].filter(({ name }) => name !== 'id'));
  const names = displayFields(template);
  if (names.length === 0)
    throw new DefinitionError(model, 'display names no field: write it as `{number} · {status}`');
  for (const name of names) {
    const field = fields.get(name);
    if (field === undefined) throw new DefinitionError(model, `display names ${name}, which is not a field`);
    if (!displayed.has(field.kind))
      throw new DefinitionError(model, `display cannot show a field of the type ${field.kind}`, name);
  }
  return template;
};

/** The fields of the full-text search. @throws DefinitionError */
const searchOf = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  names: readonly string[] | undefined,
  viewedWhen: readonly (readonly [unknown, readonly string[]])[] = [],
): readonly string[] => {
  if (names === undefined) return [];
  const flaw = (text: string, field?: string) => new DefinitionError(model, `search: ${text}`, field);
  if (names.length === 0 || names.length > mostSearchFields || new Set(names).size !== names.length)
    throw flaw(`name one to ${mostSearchFields} fields, each once`);
  for (const name of names)
    if (!findField(model, fields, name, 'search').type.searchable)
      throw flaw('only fields that contain text can be searched', name);
  // The index has the words of every record.
  const conditional = names.find((name) => viewedWhen.some(([, viewed]) => viewed.includes(name)));
  if (conditional !== undefined) throw flaw('a field of views.when cannot be searched', conditional);
  return Object.freeze([...names]);
};

/**
 * Defines a resource: five endpoints, a table, metadata and documentation. Without options every endpoint requires
 * JWT, responses have all fields, nothing else is checked and lists contain all records. Throws DefinitionError,
 * which names the model and the field.
 */
export const defineResource = <
  const Fields extends FieldDefinitions,
  const Views extends ResourceViews<Fields> = Record<never, never>,
  const Relations extends DeclaredRelations = Record<never, never>,
  const Name extends string = string,
  const Key extends KeyKind | readonly Short<FieldName<Fields>>[] = 'integer',
  const Table extends object = object,
>(
  name: Name,
  definition: ResourceDefinition<Fields, Views, Relations, Key, TimesIn<Table>> & { readonly table?: Table },
): Resource<Fields, Views, Relations, Name, IdOfKey<Key>, TimesIn<Table>, GivenInBody<Key>> => {
  checkResourceOptions(name, definition);
  const { singular, plural } = namesOf(name, definition);
  const { isolation, ownership, label = humanise(singular) } = definition;
  const key = keyOf(name, definition);
  const declared = fieldsOf(
    name,
    key,
    definition.fields,
    definition.unique ?? [],
    isolation === true && ownership !== true,
  );
  const owner = ownerOf(name, definition.fields);
  const counted = countedOf(name, declared);
  resolveSame(name, declared);
  const table = storedTableOf(name, plural, declared, definition.table, key.parts === undefined);
  assertExternal(name, table, definition, declared);
  const several = withKeyColumns(name, withColumns(name, declared, table), table, key);
  const { fields, stored } = several;
  assertShown(name, stored, definition.views?.when);
  const sets = uniqueSetsOf(name, fields, owner, definition.unique ?? [], counted);
  const unique = withKeySet(sets, stored);
  return Object.freeze({
    name,
    path: plural,
    table: stored.schema === undefined ? stored.name : `${stored.schema}.${stored.name}`,
    stored,
    singular,
    plural,
    key: several.key,
    label,
    pluralLabel: definition.pluralLabel ?? pluralLabelOf(label, { singular, plural }),
    icon: definition.icon,
    menu: definition.menu,
    display: displayOf(name, fields, definition.display),
    fields,
    owner,
    views: viewsOf(name, fields, definition.views ?? {}),
    rules: rulesOf(name, fields, owner, definition),
    saidIsolation: saidIsolationOf(definition.isolation),
    saidRestricted: saidRestrictedOf(definition.restricted),
    saidManage: definition.manage && declarationOf(definition.manage),
    saidViewed: saidViewedOf(definition.views?.when),
    auth: authOf(name, definition.auth),
    saidRelations: declaredRelations(name, fields, definition.relations ?? {}),
    relations: new Map(),
    history: definition.history === true,
    events: definition.events === true,
    trash: trashOf(name, fields, definition.trash),
    // The compiler has checked the hooks against the fields; their caller knows the fields as a map only.
    hooks: Object.freeze({ ...definition.hooks }) as ResourceHooks,
    problems: Object.freeze([...(definition.problems ?? [])]),
    indexes: indexesOf(name, fields, sets, definition.indexes ?? []),
    unique,
    search: searchOf(name, fields, definition.search, definition.views?.when),
    counted,
  });
};
