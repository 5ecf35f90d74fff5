import type { Application } from '../application.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import { inputSchema, outputSchema } from '../model/schema.ts';
import { endpointsPart } from './client-endpoints.ts';
import { textCode } from './scaffold/code.ts';
import { objectType, typeOf, union } from './schema-type.ts';

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
  ResourceName: `
interface ResourceName<Source> {
  readonly singular: string;
  readonly source?: Source;
}
`,
};

/** The text with the helpers that it uses in front: a compiler may be told to refuse types that nobody uses. */
const withHelpers = (text: string): string =>
  Object.entries(helpers).reduceRight(
    (rest, [name, helper]) => (new RegExp(`\\b${name}\\b`).test(rest) ? helper + rest : rest),
    text,
  );

const conditionOf = ({ type, options }: ModelField): string => {
  const operators = union(type.operators.map(textCode));
  return `Condition<${typeOf(type.input(options, locale))}, ${operators}>`;
};

const shapeOf = (model: ResourceModel): string => {
  const all = new Set(model.fields.keys());
  const listed = model.views.list.flatMap((name) => model.fields.get(name) ?? []);
  const conditions = listed.map((field) => `      readonly ${field.name}?: ${conditionOf(field)};`);
  const sortable = listed.filter(({ type }) => type.sortable).map(({ name }) => textCode(name));
  return `  /** ${model.name} */
  ${model.path}: {
    listed: ${objectType(outputSchema(model, model.views.list, locale), indent)};
    record: ${objectType(outputSchema(model, model.views.detail, locale), indent)};
    saved: ${objectType(outputSchema(model, model.views.saved, locale), indent)};
    create: ${objectType(inputSchema(model, 'create', all, locale), indent)};
    update: ${objectType(inputSchema(model, 'update', all, locale), indent)};
    filter: {
${conditions.join('\n')}
    };
    sort: ${sortable.length === 0 ? 'never' : `Sorted<${union(sortable)}>`};
  };`;
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
${list.map(shapeOf).join('\n')}
}

/** For \`createClient({ baseUrl, auth, resources })\`. */
export const resources: { readonly [Path in keyof Resources]: ResourceName<Resources[Path]> } = {
${list.map(({ path, singular }) => `  ${path}: { singular: ${textCode(singular)} },`).join('\n')}
};
${endpointsPart(endpoints, models)}`;
  return `${mark}\n${withHelpers(text)}`;
};
