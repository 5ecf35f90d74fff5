import type { JsonSchema } from '../fields/field.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import { inputSchema, outputSchema } from '../model/schema.ts';

/** The first line, by which a later run knows a file that it may replace. */
export const mark = '// Written by `gatewright generate client`: run it again after a change of the models.';

/** Labels of the schemas are not written, so any language will do. */
const locale = 'en';

const helpers = `
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Operand<Value, Operator> = Operator extends 'null'
  ? boolean
  : Operator extends 'in'
    ? readonly Value[]
    : Operator extends 'like' | 'starts_with'
      ? string
      : Value;

type Condition<Value, Operator extends string> =
  | ('eq' extends Operator ? Value : never)
  | { readonly [Name in Operator]?: Operand<Value, Name> };

type Sorted<Name extends string> = Name | \`-\${Name}\`;

interface ResourceName<Source> {
  readonly singular: string;
  readonly source?: Source;
}
`;

const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** TypeScript for each `type` of JSON Schema that a field can have. */
const jsonTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const choicesOf = (choices: readonly Json[]): string =>
  union(
    choices
      .filter(isJsonObject)
      .map(({ const: value }) => (typeof value === 'string' ? literal(value) : String(value))),
  );

/** The TypeScript type of a value with this schema. */
const typeOf = (schema: JsonSchema): string => {
  const { type, oneOf } = schema;
  if (Array.isArray(oneOf)) return choicesOf(oneOf);
  const names = (Array.isArray(type) ? type : [type]).map(String);
  // Objects and arrays are fields that hold any JSON; null is among it.
  const types = names.map((name) => jsonTypes[name]);
  return types.includes(undefined) ? 'Json' : union(types.filter((each) => each !== undefined));
};

const propertiesOf = (schema: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries((schema['properties'] ?? {}) as JsonObject).map(([name, value]) => [
    name,
    value as JsonSchema,
  ]);

/** An object type: what is not required may be left out. */
const objectOf = (schema: JsonSchema): string => {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const members = propertiesOf(schema).map(
    ([name, value]) => `      ${name}${required.has(name) ? '' : '?'}: ${typeOf(value)};`,
  );
  return `{\n${members.join('\n')}\n    }`;
};

const conditionOf = ({ type, options }: ModelField): string => {
  const operators = union(type.operators.map(literal));
  return `Condition<${typeOf(type.input(options, locale))}, ${operators}>`;
};

const shapeOf = (model: ResourceModel): string => {
  const all = new Set(model.fields.keys());
  const listed = model.views.list.flatMap((name) => model.fields.get(name) ?? []);
  const conditions = listed.map((field) => `      readonly ${field.name}?: ${conditionOf(field)};`);
  const sortable = listed.filter(({ type }) => type.sortable).map(({ name }) => literal(name));
  return `  /** ${model.name} */
  ${model.path}: {
    listed: ${objectOf(outputSchema(model, model.views.list, locale))};
    record: ${objectOf(outputSchema(model, model.views.detail, locale))};
    saved: ${objectOf(outputSchema(model, model.views.saved, locale))};
    create: ${objectOf(inputSchema(model, 'create', all, locale))};
    update: ${objectOf(inputSchema(model, 'update', all, locale))};
    filter: {
${conditions.join('\n')}
    };
    sort: ${sortable.length === 0 ? 'never' : `Sorted<${union(sortable)}>`};
  };`;
};

/**
 * A TypeScript file with the types of all resources, for an application that has no models: it imports nothing, and
 * its `resources` are what `createClient` of `gatewright/client` takes.
 */
export const clientFile = (models: Models): string => {
  const list = [...models.values()];
  return `${mark}
${helpers}
/** The resources by their paths: what lists and single records answer, what writes take, filters and sort orders. */
export interface Resources {
${list.map(shapeOf).join('\n')}
}

/** For \`createClient({ baseUrl, auth, resources })\`. */
export const resources: { readonly [Path in keyof Resources]: ResourceName<Resources[Path]> } = {
${list.map(({ path, singular }) => `  ${path}: { singular: ${literal(singular)} },`).join('\n')}
};
`;
};
