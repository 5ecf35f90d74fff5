/** Checks at run time for the options of a model file, which may be JavaScript. */

import { apiMethodNames } from '../../auth/registry.ts';
import { isFieldDefinition } from '../../fields/field.ts';
import { keyKinds } from '../../fields/keys.ts';
import {
  code,
  flag,
  label,
  listOf,
  listOrObject,
  mapOf,
  type OptionCheck,
  type OptionTable,
  objectOf,
  oneNamed,
  oneOf,
  optionsFlaw,
  plainObject,
  texts,
  textual,
} from '../../kernel/options.ts';
import { isOwnProblem } from '../define-problem.ts';
import type { ResourceDefinition } from '../definition.ts';
import { DefinitionError } from '../definition-error.ts';
import { manyRelation } from '../relation.ts';
import type { Action, ResourceHooks, View } from '../resource.ts';
import { isolationOption, restrictedOption, ruleOption, viewedWhenOption } from '../row-rule.ts';
import type { FieldDefinitions } from '../types.ts';
import { iconNames } from './icons.ts';
import type { TableOption } from './table-option.ts';

type Definition = ResourceDefinition<FieldDefinitions>;

const field: OptionCheck = (value, path) =>
  isFieldDefinition(value) ? undefined : `${path} must be made by a function of \`field\``;

/** Fields by name, of a resource or of a body. */
export const fieldsOption = mapOf(field);

/** Names of authentication methods, in a list. */
export const methodsOption = listOf(oneOf(...apiMethodNames));

const views = {
  list: texts,
  detail: texts,
  saved: texts,
  when: listOf(viewedWhenOption),
} satisfies OptionTable<Record<View | 'when', unknown>>;

const auth = {
  list: methodsOption,
  detail: methodsOption,
  create: methodsOption,
  update: methodsOption,
  destroy: methodsOption,
} satisfies OptionTable<Record<Action, unknown>>;

const ownProblem: OptionCheck = (value, path) =>
  isOwnProblem(value) ? undefined : `${path} must be made by defineProblem`;

const hooks = {
  beforeSave: code,
  beforeCommit: code,
  afterCommit: code,
} satisfies OptionTable<ResourceHooks>;

const publicRead = { where: plainObject, orOwn: flag } satisfies OptionTable<
  NonNullable<Definition['publicRead']>
>;

const onlyTrue = oneOf(true);

const table = {
  name: textual,
  schema: textual,
  columns: mapOf(textual),
  types: mapOf(textual),
  external: onlyTrue,
  readOnly: onlyTrue,
} satisfies OptionTable<TableOption>;

const resource = {
  fields: fieldsOption,
  key: (value, path) => (Array.isArray(value) ? texts : oneOf(...keyKinds))(value, path),
  label,
  pluralLabel: label,
  icon: oneNamed('icon', iconNames),
  menu: label,
  display: textual,
  plural: textual,
  singular: textual,
  table: objectOf(table),
  views: objectOf(views),
  permissions: oneOf('writes', 'all'),
  isolation: isolationOption,
  ownership: flag,
  restricted: listOf(restrictedOption),
  publicRead: objectOf(publicRead),
  auth: listOrObject(methodsOption, objectOf(auth)),
  relations: mapOf(manyRelation),
  history: flag,
  events: flag,
  trash: flag,
  manage: ruleOption,
  hooks: objectOf(hooks),
  problems: listOf(ownProblem),
  indexes: listOf(texts),
  unique: listOf(texts),
  search: texts,
} satisfies OptionTable<Definition>;

/** Refuses an unknown option in a model file, and a value of the wrong type. */
export const checkResourceOptions = (model: string, definition: object): void => {
  const flaw = optionsFlaw(definition, resource);
  if (flaw !== undefined) throw new DefinitionError(model, flaw);
  const missing = [
    'fields' in definition ? undefined : 'it has no fields',
    // Without its condition it would have no effect, or open everything.
    'publicRead' in definition && !('where' in (definition.publicRead as object))
      ? 'publicRead has no where: say what a published record is'
      : undefined,
    'manage' in definition && !('trash' in definition && definition.trash === true)
      ? 'manage opens the trash to callers: say trash: true'
      : undefined,
  ].find((each) => each !== undefined);
  if (missing !== undefined) throw new DefinitionError(model, missing);
};
