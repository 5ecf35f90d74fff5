import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProject } from '../../../tests/client/typescript.ts';
import { loadApplication } from '../../app/application.ts';
import { testApplication } from '../../testing/testing.ts';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = process.cwd();
let folder = '';

// Inside the repository, so that what is written there finds the package that it imports.
beforeEach(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'generated-'));
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const generate = (...argv: string[]) => run(['generate', ...argv]);
const read = (path: string) => readFile(join(folder, path), 'utf8');
const files = async () =>
  (await readdir(folder, { recursive: true })).filter((name) => /\.m?[jt]s$/.test(name)).sort();

/** Formats a file by the rules of this package. */
const formatted = (text: string): string =>
  execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--stdin-file-path=a.ts'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });

const expectStrict = async (): Promise<void> => {
  const project = await createProject({ types: ['node'], lib: ['esnext.iterator'] });
  for (const [index, file] of (await files()).entries()) {
    expect(await read(file)).toBe(formatted(await read(file)));
    await project.write(`${index}.ts`, await read(file));
  }
  expect(await project.compile()).toBe('');
};

describe('gatewright generate endpoint', () => {
  it('writes an endpoint that compiles and runs as it is', async () => {
    expect(await generate('endpoint', 'checkout')).toEqual({
      status: 0,
      stderr: '',
      stdout: `wrote endpoints/checkout.ts
Next:
  POST /api/v1/checkout    is answered from the next start on; dev has it at once
  await app.as('viewer').post('/api/v1/checkout', { name: 'Ada' })    asks it in a test
`,
    });
    expect(await read('endpoints/checkout.ts')).toBe(`import { defineEndpoint, field } from 'gatewright';

export default defineEndpoint({
  method: 'POST',
  path: '/checkout',
  // Allowed authentication methods; an empty list admits everybody.
  auth: ['jwt'],
  // Fields of the body: what breaks a rule is 422 before \`handle\` runs.
  input: { name: field.string({ required: true, max: 100 }) },
  // There is also records(model), transaction, jobs and sql, on behalf of the caller.
  handle: ({ values }) => ({ name: values.name }),
});
`);
    await generate('endpoint', 'pay', '--path', '/orders/:id/pay/:part', '--method', 'put');
    await generate('endpoint', 'day-report', '--method', 'GET');
    await generate('endpoint', 'gone', '--method', 'DELETE', '--path', '/gone/:slug');
    await expectStrict();
    await using app = await testApplication({ application: folder });
    const viewer = app.as('viewer');
    const answers = await Promise.all([
      viewer.post('/api/v1/checkout', { name: 'Ada' }),
      viewer.put('/api/v1/orders/7/pay/b', { name: 'Ada' }),
      viewer.get('/api/v1/day-report?name=Ada'),
      viewer.delete('/api/v1/gone/x'),
    ]);
    expect(answers.map(({ status, data }) => [status, data])).toEqual([
      [200, { name: 'Ada' }],
      [200, { id: '7', part: 'b', name: 'Ada' }],
      [200, { name: 'Ada' }],
      [200, { slug: 'x', name: null }],
    ]);
    expect((await viewer.post('/api/v1/checkout', {})).status).toBe(422);
    expect((await app.anonymous.post('/api/v1/checkout', { name: 'Ada' })).status).toBe(401);
  }, 120_000);

  it('says what it wrote to a script', async () => {
    expect(await generate('endpoint', 'a', '--json')).toMatchObject({
      stdout: '{"written":["endpoints/a.ts"]}\n',
    });
  });

  it.each<[readonly string[], string | RegExp]>([
    [[], 'NAME is missing'],
    [['../a'], "'../a': a name is letters and digits"],
    [['a.test'], "'a.test': a name is letters and digits"],
    [['a--b'], "'a--b': a name is letters and digits"],
    [['a'.repeat(64)], 'at most 63'],
    [['a', '--method', 'HEAD'], /--method is one of GET POST PUT PATCH DELETE, not 'HEAD'/],
    [['a', '--method', 'PSOT'], 'the nearest is "POST"'],
    [['a', '--path', 'orders'], 'endpoint path orders: expected /segments'],
    [['a', '--path', '/a b'], 'endpoint path /a b: expected /segments'],
    [
      ['users', '--method', 'GET'],
      /two endpoints for one method and path: GET \/api\/v1\/users of .*, .*endpoints\/users\.ts/,
    ],
    [['other', '--path', '/taken'], /two endpoints for one method and path: .*taken/],
    [['taken', '--path', '/free'], 'endpoints/taken.ts exists already; nothing was written'],
    [['Taken', '--path', '/free'], 'endpoints/taken.ts exists already; nothing was written'],
    [['a', '--pth', '/b'], 'the nearest is "--path"'],
  ])('refuses %j and writes nothing', async (argv, message) => {
    await generate('endpoint', 'taken');
    const before = [await files(), await read('endpoints/taken.ts')];
    const { status, stdout, stderr } = await generate('endpoint', ...argv);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect([await files(), await read('endpoints/taken.ts')]).toEqual(before);
  });
});

describe('gatewright generate job', () => {
  it('writes jobs that compile and run as they are', async () => {
    expect(await generate('job', 'send-mail')).toEqual({
      status: 0,
      stderr: '',
      stdout: `wrote jobs/send-mail.ts
Next:
  import sendMail from '../jobs/send-mail.ts';    in an endpoint, a hook or another job
  await jobs.add(sendMail, { name: 'Ada' });    adds one, with the transaction that it stands in
  await app.jobs.run();    runs in a test what waits
`,
    });
    const repeated = await generate('job', 'report', '--every', '0 3 * * *');
    expect(repeated.stdout).toContain('it runs at each tick of 0 3 * * * from the next start on');
    await expectStrict();
    await using app = await testApplication({ application: folder });
    const { default: job } = await import(pathToFileURL(join(folder, 'jobs/send-mail.ts')).href);
    await expect(app.scope().jobs.add(job, {})).rejects.toMatchObject({ problem: 'invalid_record' });
    await app.scope().jobs.add(job, { name: 'Ada' });
    await app.scope().jobs.add('report');
    const { ran, failed } = await app.jobs.run();
    expect([ran.map(({ name }) => name).sort(), failed]).toEqual([['report', 'send-mail'], []]);
    expect([...(await loadApplication(folder)).jobs.keys()]).toEqual(['report', 'send-mail']);
  }, 120_000);

  it.each<[readonly string[], string]>([
    [['a/b'], "'a/b': a name is letters and digits"],
    [['1a'], "'1a': a name is letters and digits"],
    [['a', '--every', 'daily'], 'every daily is not a cron expression'],
    [['taken'], 'jobs/taken.mjs exists already; nothing was written'],
    [['a', '--evry', '@daily'], 'the nearest is "--every"'],
  ])('refuses %j and writes nothing', async (argv, message) => {
    await mkdir(join(folder, 'jobs'));
    const text = `import { defineJob } from 'gatewright';\nexport default defineJob({ handle() {} });\n`;
    await writeFile(join(folder, 'jobs/taken.mjs'), text);
    const { status, stdout, stderr } = await generate('job', ...argv);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(await files()).toEqual(['jobs/taken.mjs']);
  });
});
