/**
 * The whole file of a generated client: the types of resources, and the parts of endpoints, operations and relations.
 */

import type { Application } from '../app/application.ts';
import { hasTextIds, isNumeric } from '../fields/keys.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { conditionalFields, inputSchema, listItemSchema, outputSchema } from '../model/schema.ts';
import { endpointsPart } from './client-endpoints.ts';
import { operationsPart } from './client-operations.ts';
import {
  filterType,
  relatedPart,
  relationEntries,
  relationHelpers,
  relationsMember,
  sortedType,
  sortFields,
  withItems,
} from './client-relations.ts';
import { textCode } from './scaffold/code.ts';
import { objectType } from './schema-type.ts';

/** The first line, which marks a file that a later run may replace. */
export const mark = '// Written by `gatewright generate client`: run it again after a change of the models.';

/** Labels of the schemas are not written, so the language does not matter. */
const locale = 'en';

const indent = '    ';

/** Helper types by name; each may use earlier ones. */
const helpers: Readonly<Record<string, string>> = {
  Json: `
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
`,
  Operand: `
type Operand<Value, Operator> = Operator extends 'null'
  ? boolean
  : Operator extends 'in'
    ? readonly Value[]
    : Operator extends 'like' | 'starts_with'
      ? string
      : Value;
`,
  Condition: `
type Condition<Value, Operator extends string> =
  | ('eq' extends Operator ? Value : never)
  | { readonly [Name in Operator]?: Operand<Value, Name> };
`,
  Sorted: `
type Sorted<Name extends string> = Name | \`-\${Name}\`;
`,
  ...relationHelpers,
  ResourceName: `
interface ResourceName<Source> {
  readonly singular: string;
  readonly relations?: Readonly<Record<string, { readonly resource: string; readonly write?: boolean }>>;
  readonly source?: Source;
}
`,
  OperationName: `
interface OperationName<Source> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: boolean;
  readonly key?: string;
  readonly list?: boolean;
  readonly source?: Source;
}
`,
};

/** The text, preceded by the helper types that it uses: a compiler may refuse unused types. */
const withHelpers = (text: string): string =>
  Object.entries(helpers).reduceRight(
    (rest, [name, helper]) => (new RegExp(`\\b${name}\\b`).test(rest) ? helper + rest : rest),
    text,
  );

const bodyType = (model: ResourceModel, action: 'create' | 'update', models: Models): string => {
  const schema = inputSchema(model, action, new Set(model.fields.keys()), locale);
  return withItems(objectType(schema, indent), model, models, action);
};

const shapeOf = (model: ResourceModel, models: Models): string => {
  const optional = conditionalFields(model);
  return `  /** ${model.name} */
  ${model.path}: {
${isNumeric(model.key) ? '' : '    id: string;\n'}    listed: ${objectType(listItemSchema(model, model.views.list, locale, optional), indent)};
    record: ${objectType(outputSchema(model, model.views.detail, locale, optional), indent)};
    saved: ${objectType(outputSchema(model, model.views.saved, locale, optional), indent)};
    create: ${bodyType(model, 'create', models)};
    update: ${bodyType(model, 'update', models)};
    filter: ${filterType(model, 'list')};
    sort: ${sortedType(sortFields(model, 'list'))};
    events: ${model.events};
${relationsMember(model, models)}  };`;
};

/** The properties of a resource that a client needs at run time. */
const entryOf = (model: ResourceModel, models: Models): string => {
  const relations = relationEntries(model, models);
  const more = relations === '' ? '' : `, relations: { ${relations} }`;
  return `  ${model.path}: { singular: ${textCode(model.singular)}${more} },`;
};

/**
 * Returns a TypeScript file with the types of all resources and of the application's own endpoints, for a client that
 * does not have the models. It imports nothing; its `resources` and `endpoints` are arguments of `createClient` of
 * `gatewright/client`.
 * @param served the endpoints of the server, for those of the service that not every application has
 */
export const clientFile = (
  { models, endpoints }: Pick<Application, 'models' | 'endpoints'>,
  served: readonly Endpoint[] = [],
): string => {
  const list = [...models.values()];
  const text = `
/** The resources by their paths: what lists and single records answer, what writes take, filters and sort orders. */
export interface Resources {
${list.map((model) => shapeOf(model, models)).join('\n')}
}
${relatedPart(models)}
/** For \`createClient({ baseUrl, auth, resources })\`. */
export const resources: { readonly [Path in keyof Resources]: ResourceName<Resources[Path]> } = {
${list.map((model) => entryOf(model, models)).join('\n')}
};
${endpointsPart(endpoints, models)}${operationsPart(served, hasTextIds(list.map(({ key }) => key)))}`;
  return `${mark}\n${withHelpers(text)}`;
};
