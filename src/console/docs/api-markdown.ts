/** The OpenAPI description of a service as Markdown: what a program reads that writes code against the API. */

import { type Json, type JsonObject, objectIn, textIn } from '../../kernel/json.ts';

const listIn = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

/** The name at the end of a reference: `#/components/schemas/Order` is `Order`. */
const referredName = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;

/** The object itself, or the component that it refers to. */
const resolved = (document: JsonObject, value: Json | undefined): JsonObject => {
  const given = objectIn(value);
  const { $ref } = given;
  if (typeof $ref !== 'string') return given;
  const steps = $ref.replace('#/', '').split('/');
  return resolved(
    document,
    steps.reduce<Json>((at, step) => objectIn(at)[step] ?? {}, document),
  );
};

/** The type of a schema in one line. */
const typeOf = (schema: JsonObject): string => {
  const name = referredName(schema);
  if (name !== undefined) return name;
  const { type, format, items } = schema;
  const choices = listIn(schema['anyOf'] ?? schema['oneOf']);
  if (choices.length > 0) return choices.map((each) => typeOf(objectIn(each))).join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((each) => JSON.stringify(each)).join(' or ');
  if (type === 'array') return `list of ${typeOf(objectIn(items)) || 'anything'}`;
  const types = (Array.isArray(type) ? type : [type]).flatMap((each) => textIn(each) || []);
  return types.join(' or ') + (typeof format === 'string' ? ` (${format})` : '');
};

const bounds: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  pattern: 'pattern',
  default: 'default',
};

/** The bounds of a value in words. */
const boundsOf = (schema: JsonObject): readonly string[] =>
  Object.entries(bounds).flatMap(([key, words]) => {
    const value = schema[key];
    return value === undefined
      ? []
      : [`${words} \`${typeof value === 'string' ? value : JSON.stringify(value)}\``];
  });

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/** The properties of a schema as a table; undefined where it has none. */
const propertiesOf = (schema: JsonObject): string | undefined => {
  const required = new Set(listIn(schema['required']));
  const rows = Object.entries(objectIn(schema['properties'])).map(([name, value]) => {
    const property = objectIn(value);
    const notes = [
      textIn(property['description']) || textIn(property['title']),
      required.has(name) ? 'required' : '',
      property['readOnly'] === true ? 'read only' : '',
      ...boundsOf(property),
    ];
    return [`\`${name}\``, typeOf(property), notes.filter((note) => note !== '').join('; ')];
  });
  return rows.length === 0 ? undefined : table(['field', 'type', ''], rows);
};

const parametersOf = (document: JsonObject, operation: JsonObject): string | undefined => {
  const rows = listIn(operation['parameters']).map((each) => {
    const parameter = resolved(document, each);
    const schema = resolved(document, parameter['schema']);
    const notes = [
      textIn(parameter['description']),
      parameter['required'] === true ? 'required' : '',
      ...boundsOf(schema),
    ];
    return [
      `\`${textIn(parameter['name'])}\``,
      textIn(parameter['in']),
      typeOf(schema),
      notes.filter((note) => note !== '').join('; '),
    ];
  });
  return rows.length === 0 ? undefined : table(['parameter', 'in', 'type', ''], rows);
};

/** The body by its media type: the names of its fields, or of the schema. */
const bodyOf = (document: JsonObject, operation: JsonObject): string | undefined => {
  const body = resolved(document, operation['requestBody']);
  const [media, content] = Object.entries(objectIn(body['content']))[0] ?? [];
  if (media === undefined) return undefined;
  const schema = objectIn(objectIn(content)['schema']);
  const own = propertiesOf(schema);
  return [`Body: ${media}${own === undefined ? ` ${typeOf(schema)}` : ''}`, own]
    .filter((part) => part !== undefined)
    .join('\n\n');
};

/** A response by its status: the type of `data`, or the media type. */
const responseOf = (document: JsonObject, [status, value]: readonly [string, Json]): string => {
  const response = resolved(document, value);
  const [media = '', content] = Object.entries(objectIn(response['content']))[0] ?? [];
  const schema = resolved(document, objectIn(content)['schema']);
  const data = objectIn(objectIn(schema['properties'])['data']);
  const type = media === 'application/json' ? typeOf(data) : media;
  return type === '' || Number(status) >= 400 ? status : `${status} with ${type}`;
};

const credentialsOf = (operation: JsonObject): string => {
  const ways = listIn(operation['security']).map((way) => Object.keys(objectIn(way)).join(' and '));
  return ways.length === 0 ? 'none' : ways.join(', or ');
};

const operationOf = (document: JsonObject, method: string, path: string, operation: JsonObject): string => {
  const responses = Object.entries(objectIn(operation['responses']));
  return [
    `### ${method.toUpperCase()} ${path}`,
    textIn(operation['summary']),
    operation['description'] === operation['summary'] ? undefined : textIn(operation['description']),
    `Credentials: ${credentialsOf(operation)}`,
    parametersOf(document, operation),
    bodyOf(document, operation),
    `Responses: ${responses.map((each) => responseOf(document, each)).join(', ')}`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
};

/** The operations of a tag under its heading. */
const tagOf = (document: JsonObject, value: Json): string => {
  const tag = objectIn(value);
  const operations = Object.entries(objectIn(document['paths'])).flatMap(([path, item]) =>
    Object.entries(objectIn(item)).flatMap(([method, each]) => {
      const operation = objectIn(each);
      return listIn(operation['tags']).includes(tag['name'] ?? '')
        ? [operationOf(document, method, path, operation)]
        : [];
    }),
  );
  return [
    `## ${textIn(tag['x-displayName']) || textIn(tag['name'])}`,
    textIn(tag['description']),
    ...operations,
  ].join('\n\n');
};

const credentialLines = (schemes: JsonObject): string =>
  table(
    ['name', 'header', ''],
    Object.entries(schemes).map(([name, value]) => {
      const scheme = objectIn(value);
      return [
        name,
        textIn(scheme['name']) || `HTTP ${textIn(scheme['scheme'])}`,
        textIn(scheme['description']),
      ];
    }),
  );

/** An OpenAPI document as Markdown, with a section for each tag and each schema. */
export const apiMarkdown = (document: JsonObject): string => {
  const { title, description } = objectIn(document['info']);
  const components = objectIn(document['components']);
  const server = objectIn(listIn(document['servers'])[0]);
  const schemas = Object.entries(objectIn(components['schemas'])).flatMap(([name, value]) => {
    const schema = objectIn(value);
    const shown = propertiesOf(schema) ?? typeOf(schema);
    return shown === '' ? [] : [`### ${name}\n\n${shown}`];
  });
  return `${[
    `# ${textIn(title)}`,
    textIn(description),
    `Base address: ${textIn(server['url'])}`,
    '## Credentials',
    credentialLines(objectIn(components['securitySchemes'])),
    ...listIn(document['tags']).map((tag) => tagOf(document, tag)),
    '## Schemas',
    ...schemas,
  ].join('\n\n')}\n`;
};
