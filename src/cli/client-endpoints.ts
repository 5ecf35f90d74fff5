/** Types of the application's own endpoints, as text for a generated client. */

import { createInput } from '../http/input.ts';
import { catalogueOf, labelText } from '../kernel/messages.ts';
import { isOwnProblem } from '../model/define-problem.ts';
import type { InputFields } from '../model/job.ts';
import type { Models } from '../model/models.ts';
import { isResourceModel } from '../model/resource.ts';
import { conditionalFields, outputSchema } from '../model/schema.ts';
import { type EndpointDefinition, pathOf, requiredFields } from '../resources/application-endpoints.ts';
import { textCode } from './scaffold/code.ts';
import { objectType, typeOf, union } from './schema-type.ts';

/** Language of the comments, as of the generated code. */
const locale = 'en';

const indent = '    ';

const prefix = '/api/v1';

/** `POST /orders/:id/pay`: the name of an endpoint, as in its definition. */
const nameOf = ({ method, path }: EndpointDefinition): string =>
  `${method} ${pathOf(path).slice(prefix.length)}`;

const takesBody = ({ method }: EndpointDefinition): boolean => method !== 'GET' && method !== 'DELETE';

/** The type of a form's values: texts, which are parsed, instead of JSON. */
const scalars = 'string | number | boolean | null';

const fieldsOf = ({ input, accepts = 'json' }: EndpointDefinition): string => {
  if (input === undefined)
    return accepts === 'json'
      ? '{ readonly [key: string]: Json }'
      : `{ readonly [field: string]: ${scalars} | undefined }`;
  const { schema } = createInput(input, catalogueOf(locale), 'application');
  const text = objectType(schema, indent);
  return accepts === 'json' ? text : text.replace(/: Json;$/gm, `: ${scalars};`);
};

/** The type of declared parameters: values that a text can hold, without null. */
const parametersType = (fields: InputFields): string =>
  objectType(createInput(fields, catalogueOf(locale), 'application').schema, indent).replaceAll(
    ' | null',
    '',
  );

/** The members of a type that describe path and query. */
const parametersOf = ({ params, query }: EndpointDefinition): readonly string[] => {
  const members: string[] = [];
  if (params !== undefined) members.push(`params: ${parametersType(requiredFields(params))};`);
  if (query !== undefined) members.push(`query: ${parametersType(query)};`);
  return members;
};

/** The members of a type that describe the body. */
const sentOf = (endpoint: EndpointDefinition): readonly string[] => {
  if (!takesBody(endpoint)) return [];
  switch (endpoint.accepts) {
    case 'bytes':
      return ['body: Blob | ArrayBuffer | Uint8Array | string;'];
    case 'multipart':
      return [
        `body: ${fieldsOf(endpoint)} | FormData;`,
        'files: { readonly [field: string]: Blob | readonly Blob[] | undefined };',
      ];
    default:
      return [`body: ${fieldsOf(endpoint)};`];
  }
};

const answerOf = ({ output, media }: EndpointDefinition, models: Models): string => {
  if (media !== undefined) return 'Response';
  if (!isResourceModel(output)) return output === undefined ? 'unknown' : typeOf(output, indent);
  return models.get(output.name) === output
    ? `Resources[${textCode(output.path)}]['record']`
    : objectType(outputSchema(output, output.views.detail, locale, conditionalFields(output)), indent);
};

/** The comment above a member. Its text is the application's and must not end the comment. */
const commentOf = ({ summary, problems = [] }: EndpointDefinition): string => {
  const own = problems.filter(isOwnProblem);
  const refusals = own.map(({ code, message }) => `${code} ${labelText(message, locale)}`);
  const texts: string[] = [];
  if (summary !== undefined) texts.push(labelText(summary, locale));
  if (refusals.length > 0) texts.push(`Refused by \`code\`: ${refusals.join(' · ')}`);
  const lines = texts.map((text) => text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' '));
  if (lines.length === 0) return '';
  return lines.length === 1
    ? `  /** ${lines[0]} */\n`
    : `  /**\n${lines.map((line) => `   * ${line}\n`).join('')}   */\n`;
};

const shapeOf = (endpoint: EndpointDefinition, models: Models): string => {
  const members = [...parametersOf(endpoint), ...sentOf(endpoint), `answer: ${answerOf(endpoint, models)};`];
  const lines = members.map((member) => `${indent}${member}\n`).join('');
  return `${commentOf(endpoint)}  ${textCode(nameOf(endpoint))}: {\n${lines}  };`;
};

/**
 * The properties of an endpoint that a client needs at run time: the encoding of the body, and the absence of
 * an envelope.
 */
const entryOf = (endpoint: EndpointDefinition): string => {
  const { accepts = 'json', media } = endpoint;
  const members: string[] = [];
  if (accepts !== 'json') members.push(`accepts: ${textCode(accepts)}`);
  if (media !== undefined) members.push('raw: true');
  return `  ${textCode(nameOf(endpoint))}: ${members.length === 0 ? '{}' : `{ ${members.join(', ')} }`},`;
};

/** The part of a client's file with the types of the application's own endpoints. */
export const endpointsPart = (endpoints: readonly EndpointDefinition[], models: Models): string => `
interface EndpointName<Source> {
  readonly accepts?: ${union(['form', 'multipart', 'bytes'].map(textCode))};
  readonly raw?: boolean;
  readonly source?: Source;
}

/** The application's own endpoints by method and path: types of their requests and responses. */
export interface Endpoints {
${endpoints.map((endpoint) => shapeOf(endpoint, models)).join('\n')}
}

/** For \`createClient({ baseUrl, auth, resources, endpoints })\`. */
export const endpoints: { readonly [Name in keyof Endpoints]: EndpointName<Endpoints[Name]> } = {
${endpoints.map(entryOf).join('\n')}
};
`;
