import type { HttpMethod } from '../../http/endpoint.ts';
import { textCode } from './code.ts';

export interface NewEndpoint {
  readonly method: HttpMethod;
  /** Below `/api/v1`, with parameters as `:name`. */
  readonly path: string;
}

const paramsOf = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

export const takesBody = (method: HttpMethod): boolean => method !== 'GET' && method !== 'DELETE';

/** A path as a test would ask for it. */
export const samplePath = ({ path }: NewEndpoint): string => `/api/v1${path.replace(/:\w+/g, '1')}`;

/** The file of an endpoint that returns its input, to be changed into what it is for. */
export const endpointFile = (endpoint: NewEndpoint): string => {
  const { method, path } = endpoint;
  const writes = takesBody(method);
  const params = paramsOf(path);
  const taken = [...(params.length > 0 ? ['params'] : []), writes ? 'values' : 'query'];
  const answered = [
    ...params.map((name) => `${name}: String(params.${name})`),
    writes ? 'name: values.name' : "name: query.get('name')",
  ];
  const input = writes
    ? `  // Fields of the body: what breaks a rule is 422 before \`handle\` runs.
  input: { name: field.string({ required: true, max: 100 }) },
`
    : '';
  return `import { defineEndpoint${writes ? ', field' : ''} } from 'gatewright';

export default defineEndpoint({
  method: ${textCode(method)},
  path: ${textCode(path)},
  // Allowed authentication methods; an empty list admits everybody.
  auth: ['jwt'],
${input}  // There is also records(model), transaction, jobs and sql, on behalf of who calls.
  handle: ({ ${taken.join(', ')} }) => ({ ${answered.join(', ')} }),
});
`;
};
