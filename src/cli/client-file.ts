import type { Application } from '../app/application.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { inputSchema, outputSchema } from '../model/schema.ts';
import { endpointsPart } from './client-endpoints.ts';
import {
  filterType,
  relatedPart,
  relationEntries,
  relationHelpers,
  relationsMember,
  sortNames,
  withItems,
} from './client-relations.ts';
import { textCode } from './scaffold/code.ts';
import { objectType } from './schema-type.ts';

/** The first line, by which a later run knows a file that it may replace. */
export const mark = '// Written by `gatewright generate client`: run it again after a change of the models.';

/** Labels of the schemas are not written, so any language will do. */
const locale = 'en';

const indent = '    ';

/** Types that the others are made of, by name; each may use those before it. */
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
};

/** The text with the helpers that it uses in front: a compiler may be set to refuse unused types. */
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
  const sortable = sortNames(model, 'list');
  return `  /** ${model.name} */
  ${model.path}: {
    listed: ${objectType(outputSchema(model, model.views.list, locale), indent)};
    record: ${objectType(outputSchema(model, model.views.detail, locale), indent)};
    saved: ${objectType(outputSchema(model, model.views.saved, locale), indent)};
    create: ${bodyType(model, 'create', models)};
    update: ${bodyType(model, 'update', models)};
    filter: ${filterType(model, 'list')};
    sort: ${sortable === 'never' ? sortable : `Sorted<${sortable}>`};
    events: ${model.events};
${relationsMember(model, models)}  };`;
};

/** The facts of a resource that a program needs. */
const entryOf = (model: ResourceModel, models: Models): string => {
  const relations = relationEntries(model, models);
  const more = relations === '' ? '' : `, relations: { ${relations} }`;
  return `  ${model.path}: { singular: ${textCode(model.singular)}${more} },`;
};

/**
 * A TypeScript file with the types of all resources and of the application's own endpoints, for an application that has
 * no models: it imports nothing, and its `resources` and `endpoints` are what `createClient` of `gatewright/client` takes.
 */
export const clientFile = ({ models, endpoints }: Pick<Application, 'models' | 'endpoints'>): string => {
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
${endpointsPart(endpoints, models)}`;
  return `${mark}\n${withHelpers(text)}`;
};
