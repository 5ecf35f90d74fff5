import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineEndpoint } from '../resources/application/define-endpoint.ts';
import { ApplicationError, createApplication, defineConfig, loadApplication } from './application.ts';

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
  const service = JSON.stringify(new URL('../index.ts', import.meta.url).href);
  const names = 'defineConfig, defineEndpoint, defineJob, defineResource, field';
  await writeFile(file, `import { ${names} } from ${service};\n${code}\n`);
  const error = await loadApplication(folder).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { file, error };
};

describe('the name of an application', () => {
  /** The application in a folder with these files. */
  const named = async (config: string, manifest?: string) => {
    made += 1;
    const folder = join(root, String(made));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'gatewright.config.js'), `export default ${config};\n`);
    if (manifest !== undefined) await writeFile(join(folder, 'package.json'), manifest);
    return (await loadApplication(folder)).about;
  };

  it('the configuration names the application, and otherwise its package.json does', async () => {
    const manifest = JSON.stringify({ name: '@acme/shop', version: '1.4.2' });
    expect(await named('{}', manifest)).toEqual({ name: 'shop', version: '1.4.2', environment: undefined });
    expect(await named(`{ name: 'Tea & Cups' }`, manifest)).toMatchObject({
      name: 'Tea & Cups',
      version: '1.4.2',
    });
    expect(await named('{}')).toEqual({ name: undefined, version: undefined, environment: undefined });
  });

  it('an environment has a badge, whose colour differs between production and everything else', async () => {
    const badge = async (config: string) => (await named(config)).environment;
    expect(await badge(`{ environment: 'staging' }`)).toEqual({
      label: 'staging',
      colour: '#b45309',
      ink: '#ffffff',
    });
    expect(await badge(`{ environment: 'Production' }`)).toMatchObject({ colour: '#2a7d86' });
    expect(await badge(`{ environment: 'test', colour: '#e0567a' }`)).toEqual({
      label: 'test',
      colour: '#e0567a',
      ink: '#000000',
    });
  });

  it.each([
    [`{ name: '' }`, 'name must be one line of text with 1 to 60 characters, without spaces around it'],
    [`{ name: 'Shop\\nBcc: all@example.com' }`, 'name must be one line of text'],
    [`{ name: '${'x'.repeat(61)}' }`, 'name must be one line of text with 1 to 60 characters'],
    [`{ environment: undefined }`, 'environment must be one line of text with 1 to 24 characters'],
    [`{ environment: 'staging', colour: 'red' }`, 'colour must be a colour in the form #b45309'],
    [
      `{ environment: 'staging', colour: '#ffcc00' }`,
      'colour #ffcc00 cannot be seen: its contrast is 1.4 on the light page',
    ],
    [`{ environment: 'staging', colour: '#00004d' }`, 'on the dark page, and at least 3 is needed; #'],
    [`{ colour: '#b45309' }`, 'colour is that of the environment: set environment too'],
    [`{ nam: 'Shop' }`, 'there is no option "nam": the nearest is "name"'],
  ])('the configuration %s refuses the start', async (config, message) => {
    await expect(named(config)).rejects.toThrow(message);
  });

  it.each(['{', '{ "name": 7 }', '[]x'])('a package.json with %s refuses the start', async (manifest) => {
    await expect(named('{}', manifest)).rejects.toThrow('package.json');
  });
});

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
  ])('names the file and the mistake of %s', async (path, code, message) => {
    const { file, error } = await loading(path, code);
    expect(error).toBeInstanceOf(ApplicationError);
    const [, place, said] = /^(.+?)(?::\d+:\d+)?: (.*)$/s.exec((error as Error).message) ?? [];
    expect({ place, said }).toEqual({ place: file, said: message });
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
  ])('a definition of an endpoint is refused: %j', (definition, message) => {
    expect(() => defineEndpoint(definition as typeof sound)).toThrow(message);
  });
});

it('the parts of an application and its configuration are held to their types too', () => {
  expect(() => createApplication({ resorces: [] } as object)).toThrow('the nearest is "resources"');
  expect(() => createApplication({ config: { onPaid() {} } as object })).toThrow('no option "onPaid"');
  expect(() => defineConfig({ onPayment: true } as never)).toThrow('onPayment must be a function, not true');
});

describe('a mistake is named where it is, not in the first file that imports it', () => {
  const service = JSON.stringify(new URL('../index.ts', import.meta.url).href);
  const header = `import { defineResource, field, member } from ${service};`;
  const first = `${header}\nimport task from './task.ts';\nexport default defineResource('Board', { fields: { n: field.integer() }, problems: [] });\nvoid task;\n`;

  const cases = [
    [
      'an option',
      `${header}\n\nexport default defineResource('Task', {\n  fields: { title: field.string() },\n  permisions: 'writes',\n});\n`,
      ':3:16: Task: there is no option "permisions"',
    ],
    [
      'a row rule, which is read beside the other models',
      `${header}\n\nexport default defineResource('Task', {\n  fields: { user: field.owner(), team_id: field.integer() },\n  isolation: member('team_id', { of: 'Membershp' }),\n});\n`,
      ':3:16: Task: isolation',
    ],
    [
      'a reference, which is too',
      `${header}\n\nexport default defineResource('Task', {\n  fields: {\n    author: field.reference('Author'),\n  },\n});\n`,
      ':5:5: Task.author_id: it refers to Author, which is not a model',
    ],
    ['the import of a file', `${header}\nimport './missing.ts';\n`, ':2:11: Cannot find module'],
    ['syntax', `${header}\n\nexport default defineResource('Task', {\n  fields: { , },\n});\n`, ':4:13: '],
    ['syntax of JavaScript', `${header}\nconst a = 1;\nconst a = 2;\nexport default a;\n`, ':3:7: '],
  ] as const;
  let messages: readonly string[] = [];
  const folderOf = (index: number): string => join(root, `imported-${index}`, 'resources');

  beforeAll(async () => {
    for (const [index, [, task]] of cases.entries()) {
      await mkdir(folderOf(index), { recursive: true });
      await writeFile(join(folderOf(index), 'board.ts'), first);
      await writeFile(join(folderOf(index), 'task.ts'), task);
    }
    // Node loads the files: a test runner would read them in its own way.
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      `import { loadApplication } from ${JSON.stringify(new URL('./application.ts', import.meta.url).href)};
       const messages = [];
       for (const folder of process.argv.slice(1))
         messages.push(await loadApplication(folder).then(() => '', (error) => error.message));
       console.log(JSON.stringify(messages));`,
      ...cases.map((_, index) => dirname(folderOf(index))),
    ]);
    messages = JSON.parse(stdout) as readonly string[];
  });

  it.each(cases.map(([name, , place], index) => [name, place, index] as const))(
    'names the file with the mistake: %s',
    (_, place, index) => {
      expect(messages[index]).toContain(`${join(folderOf(index), 'task.ts')}${place}`);
    },
  );
});

it('loads model files that import each other, whichever comes first', async () => {
  const service = JSON.stringify(new URL('../index.ts', import.meta.url).href);
  /** A file of a model that names the other one in every option that names a model. */
  const fileOf = (name: string, other: string): string => `
    import { defineResource, equals, field, many, member, via } from ${service};
    import other from './${other.toLowerCase()}.ts';
    const named = (): { name: '${other}' } => other;
    export default defineResource('${name}', {
      fields: { n: field.integer(), other: field.reference(named), user_id: field.owner() },
      relations: { others: many(named, { by: 'other' }) },
      isolation: {
        read: via('other', equals('n', 1), { of: named }),
        write: member('other_id', { of: named, on: 'id' }),
      },
    });`;
  const folder = join(root, 'each-other', 'resources');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'order.ts'), fileOf('Order', 'Invoice'));
  await writeFile(join(folder, 'invoice.ts'), fileOf('Invoice', 'Order'));
  // Node loads the files: a test runner would read them in its own way.
  const load = async (first: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      `import { loadApplication } from ${JSON.stringify(new URL('./application.ts', import.meta.url).href)};
       await import(${JSON.stringify(pathToFileURL(join(folder, first)).href)});
       const { models } = await loadApplication(${JSON.stringify(dirname(folder))});
       console.log(JSON.stringify([...models.values()].map(({ name, relations, rules }) => ({
         name,
         relations: [...relations.values()].map(({ name, model }) => [name, model]),
         rules: [rules.isolation.read, rules.isolation.create].map(({ expression }) => expression.model),
       }))));`,
    ]);
    return JSON.parse(stdout);
  };
  const expected = [
    ['Invoice', 'Order'],
    ['Order', 'Invoice'],
  ].map(([name, other]) => ({
    name,
    relations: [
      ['other', other],
      ['user', 'User'],
      ['others', other],
    ],
    rules: [other, other],
  }));
  expect(await load('order.ts')).toEqual(expected);
  expect(await load('invoice.ts')).toEqual(expected);
});
