import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplicationError, createApplication, defineConfig, loadApplication } from './application.ts';
import { defineEndpoint } from './endpoints/define-endpoint.ts';
import { field } from './fields/define.ts';

let root = '';
let made = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatewright-application-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Loads an application of one file, which imports the service from its source. */
const loading = async (path: string, code: string): Promise<{ file: string; error: unknown }> => {
  made += 1;
  const folder = join(root, String(made));
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  const service = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  const names = 'defineConfig, defineEndpoint, defineJob, defineResource, field';
  await writeFile(file, `import { ${names} } from ${service};\n${code}\n`);
  const error = await loadApplication(folder).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { file, error };
};

describe('a mistake in an application names its file, the option and the nearest known one', () => {
  it.each([
    [
      'resources/note.js',
      `export default defineResource('Note', { fields: { title: field.string() }, permisions: 'writes' });`,
      'Note: there is no option "permisions": the nearest is "permissions"',
    ],
    [
      'resources/note.js',
      `export default defineResource('Note', { fields: { title: field.string({ requird: true }) } });`,
      'Note.title: there is no option "requird": the nearest is "required"',
    ],
    [
      'endpoints/hello.js',
      `export default defineEndpoint({ method: 'GET', path: '/hello', atuh: [], handle: () => 1 });`,
      'endpoint GET /hello: there is no option "atuh": the nearest is "auth"',
    ],
    [
      'endpoints/hello.js',
      `export default defineEndpoint({ method: 'POST', path: '/hello', input: { n: field.integer({ mn: 1 }) }, handle: () => 1 });`,
      'endpoint POST /hello.n: there is no option "mn": the nearest is "min"',
    ],
    [
      'jobs/send-mail.js',
      `export default defineJob({ timout: 5, handle: () => {} });`,
      'job: there is no option "timout": the nearest is "timeout"',
    ],
    [
      'jobs/send-mail.js',
      'export const job = defineJob({ handle: () => {} });',
      'expected `export default defineJob(…)`',
    ],
    [
      'gatewright.config.js',
      'export default defineConfig({ onStrat() {} });',
      'configuration: there is no option "onStrat": the nearest is "onStart"',
    ],
    [
      'gatewright.config.js',
      'export default defineConfig({ onpayment() {} });',
      'configuration: there is no option "onpayment": the nearest is "onPayment"',
    ],
    [
      'gatewright.config.js',
      'export default { onPaymnet() {} };',
      'configuration: there is no option "onPaymnet": the nearest is "onPayment"',
    ],
  ])('%s', async (path, code, message) => {
    const { file, error } = await loading(path, code);
    expect(error).toBeInstanceOf(ApplicationError);
    expect((error as Error).message).toBe(`${file}: ${message}`);
  });
});

describe('an endpoint', () => {
  const sound = { method: 'POST', path: '/hello', handle: () => null } as const;
  it.each<[object, string]>([
    [{ ...sound, method: 'post' }, 'endpoint post /hello: method must be "GET" or'],
    [{ ...sound, path: 5 }, 'path must be a text, not 5'],
    [{ ...sound, auth: 'jwt' }, 'auth must be a list, not "jwt"'],
    [{ ...sound, auth: ['basic'] }, 'auth[0] must be "jwt"'],
    [{ ...sound, roles: 'admin' }, 'roles must be a list, not "admin"'],
    [{ ...sound, status: 204 }, 'status must be 200 or 201, not 204'],
    [{ ...sound, problems: ['not_there'] }, 'problems[0] must be'],
    [{ ...sound, handle: 'handle' }, 'handle must be a function'],
    [{ method: 'POST', path: '/hello' }, 'it has no handle'],
    [{ path: '/hello', handle: () => null }, 'endpoint: it has no method'],
    [{ ...sound, input: { n: field.integer({ min: 2, max: 1 }) } }, 'endpoint POST /hello.n: min 2 is above'],
    [{ ...sound, input: { n: field.integer({ min: 2, default: 1 }) } }, 'default breaks the rule minimum'],
  ])('%j', (definition, message) => {
    expect(() => defineEndpoint(definition as typeof sound)).toThrow(message);
  });
});

it('the parts of an application and its configuration are held to their types too', () => {
  expect(() => createApplication({ resorces: [] } as object)).toThrow('the nearest is "resources"');
  expect(() => createApplication({ config: { onPaid() {} } as object })).toThrow('no option "onPaid"');
  expect(() => defineConfig({ onPayment: true } as never)).toThrow('onPayment must be a function, not true');
});
