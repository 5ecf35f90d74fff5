/** The command line of `gatewright adopt --policies`: wrong sources, reports, written files and later runs. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOwnTables } from '../../../../tests/support/template.ts';
import { run } from '../../test-io.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const home = process.cwd();
let folder = '';

/** A table with an owner of the service, and one whose users are those of the other program. */
const tables = `
create table notes (id integer primary key, body varchar(80), user_id integer references users(id),
  state varchar(20) not null check (state in ('draft', 'live')));
create table tasks (id integer primary key, body varchar(80), worker varchar(40));`;

beforeEach(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'adopt-policies-'));
  process.chdir(folder);
  await mkdir('resources');
  await writeFile(
    'gatewright.config.ts',
    "import { defineConfig } from 'gatewright';\n\nexport default defineConfig({});\n",
  );
  await makeOwnTables(`sqlite:${join(folder, 'app.db')}`);
  using database = new DatabaseSync('app.db');
  database.exec(tables);
});

afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const adopt = (...options: readonly string[]) =>
  run(['adopt', '--url', `sqlite:${join(folder, 'app.db')}`, ...options]);

const me = { _eq: 'X-Hasura-User-Id' };

const metadata = (table: string, permissions: object) => ({
  metadata: {
    version: 3,
    sources: [{ name: 'default', tables: [{ table: { schema: 'public', name: table }, ...permissions }] }],
  },
});

const read = (filter: object, role = 'author', columns: unknown = '*') => ({
  role,
  permission: { columns, filter },
});

const withHasura = async (content: unknown, ...options: readonly string[]) => {
  await writeFile('hasura.json', typeof content === 'string' ? content : JSON.stringify(content));
  return adopt('--policies', 'hasura:hasura.json', ...options);
};

const model = (name: string): Promise<string> => readFile(`resources/${name}.ts`, 'utf8');

describe('gatewright adopt --policies', () => {
  it.each([
    ['no JSON', 'x', /^gatewright: --policies: hasura\.json could not be read: .*; nothing was written\n$/],
    ['no metadata', '[]', /the file is no object/],
    ['no tables', '{"version":3}', /it has neither sources nor tables/],
    ['a table without a name', '{"version":3,"tables":[{}]}', /tables\[0\]\.table is no object/],
    ['another source', '{"sources":[{"name":"a"},{"name":"b"}]}', /none of its sources is called default/],
    [
      'a role that is no text',
      metadata('notes', { select_permissions: [{ role: 1, permission: {} }] }),
      /notes\.select_permissions\[0\]\.role is no text/,
    ],
  ])('refuses a file with %s', async (_what, content, message) => {
    const { status, stderr } = await withHasura(content);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await readdir('resources')).toEqual([]);
  });

  it('refuses a source that is not there, and one that it does not know', async () => {
    const missing = await adopt('--policies', 'dab:nowhere.json');
    expect([missing.status, missing.stderr]).toEqual([
      2,
      expect.stringContaining('nowhere.json could not be read'),
    ]);
    const directory = await adopt('--policies', 'hasura:resources');
    expect([directory.status, directory.stderr]).toEqual([
      2,
      expect.stringContaining('it is a folder: export the metadata as JSON'),
    ]);
    for (const [source, said] of [
      ['postgrest:x', 'say row-security, hasura:FILE or dab:FILE'],
      ['row-security', 'the database has no row security'],
    ] as const) {
      const { status, stderr } = await adopt('--policies', source);
      expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    expect((await adopt('--caller', 'tasks.worker')).status).toBe(2);
    expect(await readdir('resources')).toEqual([]);
  });

  it('names a table without a model, a role to create, and what stays closed', async () => {
    const content = metadata('notes', {
      select_permissions: [
        read({ user_id: me }),
        read({ state: { _like: 'l%' } }, 'Guest'),
        read({ user_id: me }, 'admin'),
      ],
      update_permissions: [
        {
          role: 'author',
          permission: { columns: ['body', 'user_id'], filter: { user_id: me }, check: null },
        },
      ],
    });
    content.metadata.sources[0]?.tables.push({
      table: { schema: 'public', name: 'gone' },
      select_permissions: [read({})],
    } as never);
    const { stdout } = await withHasura(content);
    expect(stdout).toContain("notes → Note, read (author): own('user_id')");
    expect(stdout).toContain('role author (create it): grant it\n    Note: read\n');
    expect(stdout).toContain('the permissions on public.gone: the schema has no such table');
    expect(stdout).toContain('(Guest, read): state is compared by _like');
    expect(stdout).toContain('(admin, read): a user with the role admin sees every record in the service');
    expect(stdout).toContain('(author, update): rows after the update have another condition than before it');
    const text = await model('note');
    expect(text).toContain("permissions: 'all'");
    expect(text).toContain(
      "  isolation: {\n    read: own('user_id'),\n    create: allOf(equals('id', 1), equals('id', 2)),",
    );
  });

  it('says no owner of a column with ids of the other program, unless the application says whose they are', async () => {
    const content = metadata('tasks', { select_permissions: [read({ worker: me })] });
    const alone = await withHasura(content, '--dry-run');
    expect(alone.stdout).toContain("worker has ids of another program's users: --caller says whose they are");
    let file = '';
    // A module is loaded once in a process.
    const person = async (permissions: string, owner: string) => {
      if (file !== '') await rm(file);
      file = `resources/person${permissions.length}_${owner.length}.ts`;
      await writeFile(
        file,
        `import { defineResource, field } from 'gatewright';\n\nexport default defineResource('Person', {\n${permissions}  fields: { user_id: ${owner}, login: field.string({ max: 40 }) },\n});\n`,
      );
    };
    await person('', 'field.owner({ unique: true })');
    const open = await withHasura(content, '--caller', 'Person.login');
    expect([open.status, open.stderr]).toEqual([2, expect.stringContaining('everyone may write Person')]);
    await person("  permissions: 'all',\n", 'field.owner()');
    const several = await withHasura(content, '--caller', 'Person.login');
    expect([several.status, several.stderr]).toEqual([
      2,
      expect.stringContaining('a user may have several records of Person'),
    ]);
    await person("  permissions: 'all',\n", 'field.owner({ unique: true })');
    const wrong = await withHasura(content, '--caller', 'Person.logn');
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('Person has no field logn: the nearest is "login"'),
    ]);
    const table = await withHasura(content, '--caller', 'tasks.worker');
    expect([table.status, table.stderr]).toEqual([
      2,
      expect.stringContaining('no column of tasks refers to users of the service'),
    ]);
    expect(await readdir('resources')).toHaveLength(1);
    const { stdout } = await withHasura(content, '--caller', 'Person.login');
    expect(stdout).toContain("tasks → Task, read (author): member('worker', { of: 'Person', on: 'login' })");
  });

  it('keeps the rules in later runs, and finds a change of a policy', async () => {
    const content = metadata('notes', { select_permissions: [read({ user_id: me })] });
    expect((await withHasura(content)).status).toBe(0);
    const without = await adopt();
    expect([without.status, without.stderr]).toEqual([
      2,
      expect.stringContaining(
        'the model of notes has rules from --policies hasura: say it again; nothing was written',
      ),
    ]);
    expect((await withHasura(content, '--check')).status).toBe(0);
    const other = metadata('notes', { select_permissions: [read({ state: { _eq: 'live' } })] });
    const changed = await withHasura(other, '--check');
    expect(changed.status).toBe(1);
    expect(changed.stdout).toContain(
      "~ rule read: own('user_id') for author → equals('state', 'live') for author",
    );
    expect(await model('note')).toContain("own('user_id')");
  });

  it('shows and writes the columns of a permission only', async () => {
    const content = metadata('notes', {
      select_permissions: [read({}, 'author', ['id', 'body'])],
      insert_permissions: [
        {
          role: 'author',
          permission: { columns: ['body'], check: {}, set: { user_id: 'X-Hasura-User-Id' } },
        },
      ],
      delete_permissions: [{ role: 'author', permission: { filter: { user_id: me } } }],
    });
    await withHasura(content);
    const text = await model('note');
    expect(text).toContain("views: { detail: ['id', 'body'] }");
    expect(text).toContain('ownership: true');
    expect(text).toContain("restricted: ['state']");
    expect(text).toContain('user_id: field.owner()');
    const hidden = metadata('notes', { select_permissions: [read({}, 'author', ['body'])] });
    expect((await withHasura(hidden, '--dry-run')).stdout).toContain(
      'the role does not read the key, which every record shows',
    );
  });
});
