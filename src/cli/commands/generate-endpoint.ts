/** `gatewright generate endpoint`: writes the file of an endpoint, and prints a request for a test. */

import { type Application, loadApplication } from '../../app/application.ts';
import { readConfig } from '../../app/config.ts';
import { endpointsOf } from '../../app/describe.ts';
import type { HttpMethod } from '../../http/endpoint.ts';
import { Routes } from '../../http/routes.ts';
import { nearestHint } from '../../kernel/options.ts';
import { definedIn, defineEndpoint } from '../../resources/application-endpoints.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';
import { textCode } from '../scaffold/code.ts';
import { assertFileName, assertNewStem, shownPath, writeNewFiles } from '../scaffold/files.ts';

export interface NewEndpoint {
  readonly method: HttpMethod;
  /** Below `/api/v1`, with parameters as `:name`. */
  readonly path: string;
}

const paramsOf = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

export const takesBody = (method: HttpMethod): boolean => method !== 'GET' && method !== 'DELETE';

/** A path with values for its parameters, for a test. */
export const samplePath = ({ path }: NewEndpoint): string => `/api/v1${path.replace(/:\w+/g, '1')}`;

/** The file of an endpoint that returns its input, as a starting point. */
export const endpointFile = (endpoint: NewEndpoint): string => {
  const { method, path } = endpoint;
  const writes = takesBody(method);
  const params = paramsOf(path);
  const taken = writes ? 'values' : 'query';
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
${input}  // There is also records(model), transaction, jobs and sql, on behalf of the caller.
  handle: ({ ${params.length > 0 ? 'params, ' : ''}${taken} }) => ({ ${answered.join(', ')} }),
});
`;
};

const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const methodOf = (given: string): HttpMethod => {
  const method = methods.find((each) => each === given.toUpperCase());
  if (method === undefined)
    throw new UsageError(
      `--method is one of ${methods.join(' ')}, not '${given}'${nearestHint(given, methods)}`,
    );
  return method;
};

/** Refuses an invalid path or one in use, as a start would. @throws UsageError */
const assertServable = async (
  application: Application,
  endpoint: NewEndpoint,
  file: string,
): Promise<void> => {
  const added = definedIn(defineEndpoint({ ...endpoint, handle: () => undefined }), file);
  const endpoints = [...application.endpoints, added];
  try {
    // The environment does not change the set of paths.
    new Routes().add(await endpointsOf({ ...application, endpoints }, readConfig({})), '');
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error;
  }
};

export const command = defineCommand({
  operands: ['NAME'],
  options: {
    method: { type: 'string', value: 'METHOD', help: 'GET, POST, PUT, PATCH or DELETE (default POST)' },
    path: { type: 'string', value: 'PATH', help: 'below /api/v1, such as /orders/:id/pay (default /NAME)' },
    ...jsonOption,
  },
  description: [
    'Writes endpoints/NAME.ts: an endpoint that runs as it is. Existing files are not overwritten.',
    'node_modules/gatewright/docs/reference/endpoints.md lists the options, inputs and results of an endpoint.',
  ],
  examples: [
    'gatewright generate endpoint checkout',
    'gatewright generate endpoint pay --path /orders/:id/pay',
    'gatewright generate endpoint report --method GET',
  ],
  async run({ values, operands: [name = ''] }, io) {
    assertFileName(name);
    const endpoint = { method: methodOf(values.method ?? 'POST'), path: values.path ?? `/${name}` };
    const folder = await applicationFolder();
    const application = await loadApplication(folder);
    const path = `endpoints/${name}.ts`;
    await assertNewStem(folder, path);
    await assertServable(application, endpoint, path);
    await writeNewFiles(folder, [{ path, text: endpointFile(endpoint) }]);
    const written = shownPath(folder, path);
    if (values.json === true) return io.print(JSON.stringify({ written: [written] }));
    const verb = endpoint.method.toLowerCase();
    const body = takesBody(endpoint.method) ? `, { name: 'Ada' }` : '';
    io.print(`wrote ${written}`);
    io.print('Next:');
    io.print(
      `  ${endpoint.method} ${samplePath(endpoint)}    is answered from the next start on; dev has it at once`,
    );
    io.print(`  await app.as('viewer').${verb}('${samplePath(endpoint)}'${body})    asks it in a test`);
  },
});
