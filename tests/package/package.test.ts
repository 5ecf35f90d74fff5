import { once } from 'node:events';
import { statSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldKinds } from '../../src/fields/registry.ts';
import { Authenticator } from '../support/authenticator.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { freePort } from '../support/postgres.ts';
import { complaints, MadeApplication, type Package, pack, temporaryDirectory } from './application.ts';

/** One package and one application for the whole file: what it takes to make them is most of the time. */
let directory = '';
let packed: Package;
let app: MadeApplication;
/** Milliseconds that `init` and `npm install` took. */
let madeAfter = Number.NaN;

beforeAll(async () => {
  directory = await temporaryDirectory();
  packed = await pack(directory);
  const begun = performance.now();
  app = await MadeApplication.create(packed, directory);
  expect(await app.npm('install', '--no-audit', '--no-fund', '--prefer-offline')).toMatchObject({
    status: 0,
  });
  madeAfter = performance.now() - begun;
}, 240_000);

afterAll(async () => {
  app?.close();
  await rm(directory, { recursive: true, force: true });
});

describe('the package', () => {
  it('holds what runs, with types and source maps, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    const allowed =
      /^(?:bin\/(?:gatewright|runtime)\.js|dist\/.+\.(?:js|js\.map|d\.ts)|dist\/bundled(?:\.cdx\.json|-licences\.txt)|dist\/admin\/.+|docs\/(?!\.vitepress|contributing).+|(?:docs-page|account-pages)\/.+|package\.json|(?:CHANGELOG|(?:SECURITY|README)(?:\.[\w-]+)?)\.md|LICENSE)$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    expect(paths.filter((path) => /\.test\.(?!yml$)|test-io|(?<!\.d)\.ts$|tsconfig/.test(path))).toEqual([]);
    for (const needed of [
      'README.md',
      'LICENSE',
      'docs/guide/quick-start.md',
      'docs/images/admin-start-zh.webp',
      'docs/deploy/nginx.conf',
      'docs/snippets/receiver.py',
      'dist/index.d.ts',
      'dist/testing/testing.js.map',
      'dist/cli/dev/child.js',
      'dist/cli/mcp/question.js',
      'docs/llms.txt',
      'docs/llms-full.txt',
      'docs/reference/options.schema.json',
      'dist/bundled-licences.txt',
      'dist/admin/THIRD-PARTY.txt',
      'account-pages/main.js',
    ])
      expect(paths).toContain(needed);
    const size = packed.files.reduce((sum, file) => sum + file.size, 0);
    expect(size).toBeLessThan(24 * 1024 * 1024);
  });

  it('the package is small', async () => {
    expect((await readFile(packed.tarball)).length).toBeLessThan(8 * 1024 * 1024);
  });

  it('the package is what publint and Are The Types Wrong ask for', async () => {
    expect(await complaints('publint', ['run', packed.tarball, '--strict'])).toBe('');
    expect(await complaints('attw', [packed.tarball, '--profile', 'esm-only', '--no-emoji'])).toBe('');
  }, 60_000);
});

describe('a new application', () => {
  it('passes its own tests and type check', async () => {
    const [tests, types] = await Promise.all([app.npm('test'), app.npm('run', 'types')]);
    expect(tests).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 3\b/) });
    expect(types).toMatchObject({ status: 0 });
  }, 60_000);

  it('the steps of its workflow pass, and nothing needs the files for assistants and editors', async () => {
    const env = { DATA_DIR: join(directory, 'workflow-data'), LOCALE: 'en' };
    expect(await app.gatewright(['migrate'], env)).toMatchObject({ status: 0 });
    expect(await app.gatewright(['audit', '--strict', '--allow', 'Note'], env)).toMatchObject({ status: 0 });
    const added = ['AGENTS.md', '.mcp.json', '.editorconfig', '.github'];
    for (const name of added) {
      expect(await readdir(app.folder)).toContain(name);
      await rm(join(app.folder, name), { recursive: true });
    }
    expect(await app.gatewright(['migrate', '--check'], env)).toMatchObject({ status: 0 });
    expect(await app.npm('test')).toMatchObject({ status: 0 });
  }, 60_000);

  it('a new application is never written over', async () => {
    const before = await readFile(join(app.folder, 'package.json'), 'utf8');
    const again = await app.gatewright(['init', '.']);
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
    expect(await readFile(join(app.folder, 'package.json'), 'utf8')).toBe(before);
  });

  it('starts again after a change, tells what is wrong with one, and leaves no process behind', async () => {
    const { child, line } = app.spawn(['dev'], { PORT: '0', DATA_DIR: join(directory, 'dev-data') });
    const curl = await line('Try  curl');
    const [, url = '', token = ''] = /curl (\S+) -H "Authorization: Bearer (\S+)"/.exec(curl) ?? [];
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ data: [] })]);

    const file = join(app.folder, 'resources', 'note.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('max: 200', 'max: -1'));
    expect(await line('note.ts:')).toMatch(/note\.ts:5:5$/);
    await writeFile(file, text);
    await line('Restarted on');
    const restarted = performance.now();
    await writeFile(file, text.replace('max: 200', 'max: 100'));
    await line('Restarted on');
    // A second alone; other tests run on the same machine.
    expect(performance.now() - restarted).toBeLessThan(5_000);
    await writeFile(file, text);
    const again = await line('Restarted on http');
    const origin = again.slice(again.indexOf('http'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect
      .poll(() =>
        fetch(`${origin}/api/v1/health`).then(
          () => 'alive',
          () => 'gone',
        ),
      )
      .toBe('gone');
  }, 60_000);
});

describe.skipIf(!hasBrowser)('a newcomer with a browser', () => {
  const open = useBrowser();

  it('a newcomer sees a list, signed in, within a minute and a half of an empty folder', async () => {
    const begun = performance.now();
    const password = 'tulip-anvil-47 kettle';
    const { child, line } = app.spawn(['dev'], {
      PORT: '0',
      DATA_DIR: join(directory, 'first-data'),
      ADMIN_PASSWORD: password,
    });
    const [, url = '', token = ''] =
      /curl (\S+) -H "Authorization: Bearer (\S+)"/.exec(await line('Try  curl')) ?? [];
    const created = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ note: { title: 'First' } }),
    });
    expect(created.status).toBe(201);
    const { page, complaints } = await open({ fresh: true });
    await page.goto(new URL('/admin/records/notes', url).href);
    await page.locator('input[name=username]').fill('admin');
    await page.locator('input[name=password]').fill(password);
    await page.locator('button[type=submit]').click();
    await page.locator('main tbody').getByText('First').waitFor();
    const [making, seeing] = [madeAfter, performance.now() - begun];
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
    console.log(
      `from nothing to a signed-in list: ${seconds(making + seeing)}, ${seconds(making)} of them for init and npm install`,
    );
    expect(complaints).toEqual([]);
    // A minute is the promise on a machine of one's own, with the packages in npm's cache; tests share theirs.
    expect(making + seeing).toBeLessThan(90_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }, 120_000);
});

/**
 * A whole application that states its types: models, hooks, endpoints, jobs, problems, SQL, a client, tests.
 * Lines behind `@ts-expect-error` must not compile.
 */
describe('the types of an application', () => {
  const settings = {
    target: 'es2024',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    allowImportingTsExtensions: true,
    // The files of the package are compiled too, down to the types of its dependencies.
    skipLibCheck: false,
    // Each declaration has to name its types by what the package exports.
    declaration: true,
    emitDeclarationOnly: true,
    outDir: 'out',
  };

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])(
    'the types of an application hold under moduleResolution %s, and can be declared',
    async (moduleResolution, module) => {
      const folder = join(app.folder, `typed-${moduleResolution}`);
      await cp(join(import.meta.dirname, 'typed'), folder, { recursive: true });
      const compilerOptions = { ...settings, module, moduleResolution };
      const config = { compilerOptions, include: ['**/*.ts'], exclude: ['out'] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      expect(await app.tsc('-p', folder)).toEqual({ status: 0, stdout: '', stderr: '' });
      const declared = (await readdir(join(folder, 'out'), { recursive: true })).filter((name) =>
        name.endsWith('.d.ts'),
      );
      expect(declared).toContain(join('resources', 'everything.d.ts'));
      for (const name of declared)
        expect(await readFile(join(folder, 'out', name), 'utf8')).not.toContain('gatewright/dist');
      await rm(folder, { recursive: true });
    },
    120_000,
  );
});

describe('a package that only some applications need', () => {
  const configFile = () => join(app.folder, 'gatewright.config.ts');
  const provider = "oidc({ issuer: 'https://id.example', client: 'shop' })";

  it.each([
    ['DATABASE_URL', { DATABASE_URL: 'postgres://u:hidden@db.example/shop' }, '', 'pg@8'],
    ['METRICS_PORT', { METRICS_PORT: '0' }, '', 'prom-client@15'],
    ['mail', {}, "mail: { smtp: 'smtps://mail.example', from: 'a@example.com' }", 'nodemailer@10'],
    ['providers', {}, `providers: { company: ${provider} }`, 'openid-client@6 jose@6'],
  ] as const)(
    '%s without its package refuses the start and the audit with the command that installs it',
    async (_setting, env, option, packages) => {
      const before = await readFile(configFile(), 'utf8');
      await writeFile(
        configFile(),
        `import { defineConfig, oidc } from 'gatewright';\nvoid oidc;\nexport default defineConfig({ ${option} });\n`,
      );
      try {
        const data = { PORT: '0', DATA_DIR: join(directory, 'missing-data') };
        for (const command of ['start', 'audit']) {
          const { status, stderr } = await app.gatewright([command], { ...data, ...env });
          expect([command, status, stderr]).toEqual([command, 1, expect.stringContaining(packages)]);
          expect(stderr).toContain('npm install ');
          expect(stderr).not.toMatch(/^\s+at /m);
          expect(stderr).not.toContain('hidden');
        }
      } finally {
        await writeFile(configFile(), before);
      }
    },
    60_000,
  );

  it('pg is named by commands that take a URL as well', async () => {
    const env = {
      DATA_DIR: join(directory, 'missing-data'),
      TO_DATABASE_URL: 'postgres://u:hidden@db.example/x',
    };
    const { status, stderr } = await app.gatewright(['move'], env);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^gatewright: .*the package pg: npm install pg@8$/m),
    ]);
  }, 60_000);

  it('the driver is in package.json where init was given --with pg', async () => {
    const folder = join(directory, 'on-postgres');
    expect(await app.gatewright(['init', folder, '--with', 'pg'])).toMatchObject({ status: 0 });
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({ gatewright: expect.any(String), pg: expect.stringMatching(/^\^8\./) });
    const refused = await app.gatewright(['init', join(directory, 'none'), '--with', 'mysql']);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--with mysql: the packages are @opentelemetry/api, jose,'),
    ]);
  });
});

/** A field of every type that the registry has. */
const fieldOf = (kind: string): string => {
  const types: Readonly<Record<string, string>> = {
    enum: 'enum=draft,live:default=draft',
    reference: 'reference=Author',
    decimal: 'decimal:scale=3:min=0',
    string: 'string:required:unique:max=80',
    integer: 'integer:index',
  };
  return `some_${kind}:${types[kind] ?? kind}`;
};

describeDatabase('postgres', 'an application with every field type, on SQLite and then', (databases) => {
  // A migration that is generated against the first serves the second as well.
  const dialects = ['sqlite', 'postgres'] as const;
  const urls: Record<string, string> = {};
  let env: Record<string, string> = {};
  const values = {
    some_string: 'Dune',
    some_text: 'long\ntext',
    some_integer: 412,
    some_number: 1.5,
    some_decimal: '12.500',
    some_boolean: true,
    some_date: '2024-02-29',
    some_datetime: '2024-02-29T12:00:00.000Z',
    some_json: { a: [1, null] },
    some_email: 'a@example.com',
    some_url: 'https://example.org/',
    some_uuid: '9f8b4b0e-7d7c-4a55-9f3b-0a4f9b9d1c11',
    some_reference_id: 1,
  };

  beforeAll(async () => {
    urls['sqlite'] = `sqlite:${join(directory, 'every.db')}`;
    urls['postgres'] = await databases.create();
    const driver = await app.npm(
      'install',
      'pg@8',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
    );
    expect(driver).toMatchObject({ status: 0 });
  }, 120_000);

  const use = (dialect: string): void => {
    env = {
      PORT: '0',
      DATABASE_URL: urls[dialect] ?? '',
      DATA_DIR: join(directory, `data-${dialect}`),
      ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
      LOG_LEVEL: 'warn',
    };
  };

  /** Runs the service for the time of some requests, as its administrator. */
  const serving = async <T>(
    work: (ask: (method: string, path: string, body?: unknown) => Promise<Answer>) => Promise<T>,
  ) => {
    const { child, line } = app.spawn(['start'], env);
    const greeting = await line('Gatewright answers on ');
    const origin = greeting.slice(greeting.indexOf('http'));
    const ask = async (method: string, path: string, body?: unknown, token?: string): Promise<Answer> => {
      const answer = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, ...((await answer.json()) as { data: never; message: string }) };
    };
    const { data } = await ask('POST', '/auth/login', { account: 'admin', password: env['ADMIN_PASSWORD'] });
    const { token } = data as { token: string };
    const result = await work((method, path, body) => ask(method, path, body, token));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    return result;
  };

  interface Answer {
    readonly status: number;
    readonly message: string;
    readonly data: Record<string, unknown>;
  }

  const gatewright = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await app.gatewright(args, env);
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };

  const model = () => join(app.folder, 'resources', 'sample.ts');

  it.each(dialects)(
    'an application with every field type is generated, migrated, started and called: %s',
    async (dialect) => {
      use(dialect);
      if (dialect === 'sqlite') {
        await gatewright('generate', 'resource', 'Author', 'name:string:required');
        await gatewright('generate', 'resource', 'Sample', ...fieldKinds.map(fieldOf));
      }
      const plan = await gatewright('migrate', '--plan');
      expect(plan).toContain('create table "samples"');
      const { applied } = JSON.parse(await gatewright('migrate', '--json')) as { applied: string[] };
      expect(applied).toEqual(expect.arrayContaining(['0001_notes', '0002_authors', '0003_samples']));
      await serving(async (ask) => {
        expect(await ask('POST', '/authors', { author: { name: 'Herbert' } })).toMatchObject({ status: 201 });
        const created = await ask('POST', '/samples', { sample: values });
        expect(created).toMatchObject({ status: 201, data: { ...values, some_enum: 'draft' } });
        const taken = await ask('POST', '/samples', { sample: values });
        expect([taken.status, taken.message]).toEqual([422, expect.any(String)]);
        expect(await ask('PATCH', '/samples/1', { sample: { some_integer: 413 } })).toMatchObject({
          data: { some_integer: 413 },
        });
      });
    },
    60_000,
  );

  it.each(dialects)(
    'renames a field and changes a type without losing a row: %s',
    async (dialect) => {
      use(dialect);
      if (dialect === 'sqlite') {
        const text = await readFile(model(), 'utf8');
        const changed = text
          .replace('some_integer: field.integer(', 'page_count: field.integer(')
          .replace('some_number: field.number()', 'some_number: field.string()');
        await writeFile(model(), changed);
        const refused = await app.gatewright(['start'], env);
        expect([refused.status, refused.stderr]).toEqual([
          1,
          expect.stringMatching(/samples\.page_count: the database has no such column/),
        ]);
        const undeclared = await app.gatewright(['generate', 'migration', 'pages'], env);
        expect([undeclared.status, undeclared.stderr]).toEqual([
          1,
          expect.stringContaining('--rename samples.some_integer=page_count'),
        ]);
        await gatewright('generate', 'migration', 'pages', '--rename', 'samples.some_integer=page_count');
      }
      await gatewright('migrate');
      await serving(async (ask) => {
        const { some_integer: _, ...kept } = values;
        expect(await ask('GET', '/samples/1')).toMatchObject({
          data: { ...kept, page_count: 413, some_number: '1.5' },
        });
        expect(await ask('DELETE', '/authors/1')).toMatchObject({ status: 200 });
        expect(await ask('GET', '/samples/1')).toMatchObject({ data: { some_reference_id: null } });
      });
    },
    60_000,
  );
});

describe('a new application, installed without what it is developed with', () => {
  /**
   * Holds what an application has to install for Gatewright: at most 32 packages and 31 MB of files, beside the Node
   * of the platform. A new package at run time has to be argued in docs/decisions/0001-layers-and-libraries.md.
   */
  const demandLight = async (): Promise<void> => {
    const modules = join(app.folder, 'node_modules');
    const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, unknown>>;
    };
    expect(Object.keys(packages).length).toBeLessThanOrEqual(32);
    const files = await readdir(modules, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter(
        (each) =>
          each.isFile() && !/[\\/]node-(?:linux|darwin|win|bin)-[\w-]+([\\/]|$)/.test(each.parentPath),
      )
      .map((each) => statSync(join(each.parentPath, each.name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(31e6);
  };

  /** The administrator adds a passkey and signs in with it: its package is part of the build. */
  const addPasskey = async (origin: string, password: string): Promise<void> => {
    const send = async (path: string, body: object, cookie = '') => {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
      const response = await fetch(`${origin}/admin${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return { response, data: ((await response.json()) as { data: Record<string, unknown> }).data };
    };
    const asked = (challenge: unknown) => ({ challenge: String(challenge), origin, rpId: 'localhost' });
    const authenticator = new Authenticator();
    const account = { account: 'admin', password };
    const { response: signedIn } = await send('/session', account);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0];
    const { data: options } = await send('/second-factor/passkeys/options', { password }, cookie);
    const made = { name: 'key', response: authenticator.create(asked(options['challenge'])) };
    expect((await send('/second-factor/passkeys', made, cookie)).response.status).toBe(201);
    const { data: first } = await send('/session', account);
    const { challenge } = first['passkey_options'] as { challenge: string };
    const second = { ticket: first['ticket'], passkey: authenticator.get(asked(challenge)) };
    const wrong = { ...second, passkey: new Authenticator().get(asked(challenge)) };
    expect((await send('/session/second-factor', wrong)).response.status).toBe(401);
    expect((await send('/session/second-factor', second)).response.status).toBe(200);
  };

  it('starts on the Node that it brings, whatever is on the path, and takes passkeys', async () => {
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(join(app.folder, 'package.json'), 'utf8'),
    );
    expect([Object.keys(dependencies), Object.keys(devDependencies)]).toEqual([
      ['gatewright'],
      ['@types/node', 'typescript'],
    ]);
    const installed = await app.npm('ci', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline');
    expect(installed).toMatchObject({ status: 0 });
    await demandLight();
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const password = 'tulip-anvil-47 kettle';
    const { child, line } = app.spawn(['start'], {
      PORT: String(port),
      BASE_URL: origin,
      ADMIN_PASSWORD: password,
      DATA_DIR: join(directory, 'production-data'),
    });
    await line('Gatewright answers on');
    expect((await fetch(`${origin}/api/v1/health?ready`)).status).toBe(200);
    await addPasskey(origin, password);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 240_000);
});
