import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { describeApplication } from '../../src/app/describe.ts';
import { field } from '../../src/fields/define.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeDatabase } from '../support/databases.ts';
import {
  type Form,
  type Operation,
  openDocsPage,
  type Page,
  type Resolve,
  type Ways,
} from '../support/docs-page.ts';
import { useService } from '../support/service.ts';
import { newsroom } from './applications.ts';
import { thing } from './thing.ts';
import { createProject } from './typescript.ts';

/** A text that every language quotes in a way of its own. */
const awkward = `it's "so" \\ $HOME \`x\` \${y} 中文 😀`;

const plain = {
  method: 'POST',
  auth: ['jwt', 'signature'],
  handle: ({ header }: { header(name: string): string | undefined }) => header('content-type') ?? null,
} as const;

const body = {
  ...plain,
  input: { title: field.string({ required: true }), copies: field.integer(), note: field.text() },
} as const;

const bodies = [
  defineEndpoint({ ...body, path: '/form', accepts: 'form', handle: ({ values }) => values }),
  defineEndpoint({
    ...body,
    path: '/files',
    accepts: 'multipart',
    handle: ({ values, files }) => ({ ...values, files: files.map(({ filename }) => filename) }),
  }),
  defineEndpoint({ ...plain, path: '/any', accepts: 'bytes' }),
];

const application = createApplication({
  ...newsroom,
  resources: [...newsroom.resources, thing],
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/odd/:part',
      auth: ['signature', 'api_key'],
      input: { 'in-between': field.string() },
      output: {
        type: 'object',
        properties: { 'in-between': { enum: [awkward, 1, null] }, list: { items: {} } },
      },
      handle: () => null,
    }),
    ...bodies,
    defineEndpoint({ method: 'GET', path: '/bare', auth: [], handle: () => undefined }),
  ],
});

/** Forms of an operation: as it begins, with awkward values, and with a body that is not JSON, by each method. */
const formsOf = function* (
  { newForm }: Page,
  operation: Operation,
  resolve: Resolve,
  ways: Ways,
): Generator<Form> {
  const methods = operation.access.methods.length === 0 ? [undefined] : operation.access.methods;
  for (const method of methods) {
    yield { ...newForm(operation, resolve, ways), method };
    const values = operation.parameters.map(({ name, schema }) => [name, schema.enum?.[0] ?? awkward]);
    const filled = { ...newForm(operation, resolve, ways), method, values: Object.fromEntries(values) };
    if (operation.body === undefined) yield filled;
    else
      for (const body of [JSON.stringify({ a: { "it's": awkward, b: [awkward] } }, null, 2), `${awkward}\n{`])
        yield { ...filled, body };
  }
};

const extensions: Readonly<Record<string, string>> = {
  curl: 'sh',
  JavaScript: 'mjs',
  TypeScript: 'ts',
  Python: 'py',
};

describe('samples of the documentation page', () => {
  const samples = new Map<string, readonly string[]>();
  beforeAll(async () => {
    const document = await describeApplication(application, readConfig({ LOCALE: 'en' }));
    const { page, ways, operations, resolve } = await openDocsPage(document);
    expect(operations.length).toBeGreaterThan(50);
    for (const { name, make } of page.languages) {
      const texts = operations.flatMap((operation) =>
        [...formsOf(page, operation, resolve, ways)].map((form) =>
          make(page.sampleFor(operation, form, ways, resolve)),
        ),
      );
      samples.set(name, [...new Set(texts)]);
    }
  });

  /** A project with every sample of these languages in a file of its own. */
  const write = async (...names: readonly string[]) => {
    const project = await createProject({ types: ['node'], allowJs: true });
    const files = names.flatMap((name) =>
      (samples.get(name) ?? []).map((text, index) => [`${name}-${index}.${extensions[name]}`, text] as const),
    );
    expect(files.length).toBeGreaterThan(names.length * 100);
    for (const [file, text] of files) await project.write(file, text);
    return { ...project, files: files.map(([file]) => file) };
  };

  it('samples of the documentation page are there in four languages', () => {
    expect([...samples.keys()]).toEqual(Object.keys(extensions));
  });

  it('samples of the documentation page compile in TypeScript, and parse in JavaScript, for every operation', async () => {
    const { compile } = await write('TypeScript', 'JavaScript');
    expect(await compile()).toBe('');
  }, 120_000);

  it('parse as commands of a shell', async () => {
    const { directory, files } = await write('curl');
    const parseEach = 'for file; do bash -n "$file" || exit 1; done';
    execFileSync('bash', ['-c', parseEach, 'bash', ...files], { cwd: directory });
  }, 60_000);

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'samples of the documentation page compile in Python',
    async () => {
      const { directory, files } = await write('Python');
      execFileSync('python3', ['-m', 'py_compile', ...files], { cwd: directory });
    },
    60_000,
  );
});

describeDatabase('sqlite', 'bodies that the documentation page writes', (databases) => {
  const service = useService(databases, { application: { endpoints: bodies } });

  it.each([
    ['/form', { title: 'title' }],
    ['/files', { title: 'title', files: ['file.txt'] }],
    ['/any', 'application/octet-stream'],
  ])('%s is taken as it is written', async (path, expected) => {
    const document = await describeApplication(
      createApplication({ endpoints: bodies }),
      readConfig({ LOCALE: 'en' }),
    );
    const { page, ways, operations, resolve } = await openDocsPage(document);
    const operation = operations.find((each) => each.id === `post${path.replace('/', '_')}`);
    if (operation === undefined) throw new Error(`there is no ${path}`);
    const form = page.newForm(operation, resolve, ways);
    const { headers, body: written } = page.sampleFor(operation, form, ways, resolve).request;
    const token = await service.admin();
    const answered = await service.post(`/api/v1${path}`, { token, headers, body: written });
    expect([answered.status, answered.data]).toEqual([200, expected]);
  });
});
