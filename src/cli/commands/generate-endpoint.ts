import { type Application, loadApplication } from '../../app/application.ts';
import { readConfig } from '../../app/config.ts';
import { endpointsOf } from '../../app/describe.ts';
import { definedIn, defineEndpoint } from '../../endpoints/define-endpoint.ts';
import type { HttpMethod } from '../../http/endpoint.ts';
import { Routes } from '../../http/routes.ts';
import { nearestHint } from '../../kernel/options.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';
import { endpointFile, type NewEndpoint, samplePath, takesBody } from '../scaffold/endpoint-file.ts';
import { assertFileName, assertNewStem, shownPath, writeNewFiles } from '../scaffold/files.ts';

const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const methodOf = (given: string): HttpMethod => {
  const method = methods.find((each) => each === given.toUpperCase());
  if (method === undefined)
    throw new UsageError(
      `--method is one of ${methods.join(' ')}, not '${given}'${nearestHint(given, methods)}`,
    );
  return method;
};

/** Refuses what a start would refuse: a path that is none, or one that is taken. @throws UsageError */
const assertServable = async (
  application: Application,
  endpoint: NewEndpoint,
  file: string,
): Promise<void> => {
  const added = definedIn(defineEndpoint({ ...endpoint, handle: () => undefined }), file);
  const endpoints = [...application.endpoints, added];
  try {
    // Nothing of the environment changes which paths there are.
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
    'Writes endpoints/NAME.ts: an endpoint that runs as it is. Nothing that exists is overwritten.',
    'node_modules/gatewright/docs/reference/endpoints.md lists what an endpoint takes and answers.',
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
