import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { linkToken, Mailbox } from '../../tests/support/mailbox.ts';
import { type TestUser, useService } from '../../tests/support/service.ts';
import { createApplication } from '../app/application.ts';
import { alterTable, createTable } from '../database/migrations/application-steps.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import { runConsole, runScript } from './script.ts';
import { testIo } from './test-io.ts';

const fields = { title: field.string({ required: true }), user_id: field.owner() };
const heard: string[] = [];
const note = defineResource('Note', {
  fields,
  ownership: true,
  isolation: true,
  hooks: {
    afterCommit: async ({ record, records }) => {
      const { title } = await records('Note').get(Number(record.id));
      heard.push(String(title));
    },
  },
});
const application = createApplication({
  resources: [note],
  migrations: { '0001_notes': { up: (db, dialect) => createTable(db, dialect, 'notes', { fields }) } },
});

describeEachDatabase('code of the command line beside a service that sends mail', (databases) => {
  const mailbox = new Mailbox();
  const mailing = createApplication({ config: { mail: mailbox.receive } });
  const service = useService(databases, { application: mailing });
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  const invites = async (env: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-invite-'));
    folders.push(folder);
    const path = join(folder, 'invite.ts');
    const name = `invited_${folders.length}`;
    await writeFile(
      path,
      `export default async ({ records }) => {
        const { id } = await records('User').invite({ username: '${name}', email: '${name}@example.com' });
        await records('User').issueToken(id).then((token) => console.log(token));
      };`,
    );
    return runScript(testIo({ env }).io, path, [], () => Promise.resolve(mailing)).then(
      () => undefined,
      (error: Error) => error.message,
    );
  };

  it('an invitation is sent, and its link opens', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    expect(await invites(service.env)).toBe(undefined);
    const [token] = log.mock.calls[0] ?? [];
    expect((await service.get('/api/v1/auth/me', { token: String(token) })).status).toBe(200);
    const message = await mailbox.next();
    expect(message.to).toBe('invited_1@example.com');
    const found = await service.post('/admin/invitation/lookup', { body: { token: linkToken(message) } });
    expect(found.data).toMatchObject({ username: 'invited_1' });
  });

  it('a link or token is refused where the secret of the service is not known', async () => {
    const { JWT_SECRET: _, ...env } = service.env;
    expect(await invites(env)).toMatch(/does not know the secret of the service/);
  });
});

describeEachDatabase('code of the command line', (databases) => {
  const service = useService(databases, { application });
  const open = () => Promise.resolve(application);
  let folder: string;
  let ann: TestUser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatewright-script-'));
    ann = await service.createUser();
  });
  afterAll(() => rm(folder, { recursive: true }));

  const script = async (text: string, ...args: readonly string[]) => {
    const path = join(folder, `${Math.random()}.ts`);
    await writeFile(path, text);
    const { io, written } = testIo({ env: service.env });
    const failed = await runScript(io, path, args, open).then(
      () => undefined,
      (error: Error) => error.message,
    );
    return { failed: failed?.replaceAll(path, 'SCRIPT'), ...written() };
  };

  const typed = async (...lines: readonly string[]): Promise<string> => {
    const { io, written } = testIo({ env: service.env, stdin: `${lines.join('\n')}\n` });
    await runConsole(io, open);
    return written().stdout;
  };

  it('a script acts for the system, and for users by the rules of the API', async () => {
    const { failed } = await script(
      `export default async ({ records, as, args, sql, dialect }) => {
        const [name] = args;
        const { id } = await records('Note').create({ title: dialect });
        const scope = await as(name);
        const own = await scope.records('Note').create({ title: 'of a user' });
        const seen = await scope.records('Note').list();
        if (seen.length !== 1 || seen[0].id !== own.id) throw new Error('another list');
        if (await scope.records('Note').find(id) !== undefined) throw new Error('a foreign record');
        if (await records('Note').count() !== 2) throw new Error('another count');
      };`,
      ann.username,
    );
    expect(failed).toBe(undefined);
    // Hooks after a commit have ended before the database is closed.
    expect(heard.splice(0)).toEqual([databases.dialect, 'of a user']);
    const [line] = await service.ok<{ actor_name: string; detail: object }[]>(
      'GET',
      '/admin/audit?sort=-id&per_page=1',
      {
        token: await service.admin(),
      },
    );
    expect(line).toMatchObject({ actor_kind: 'command line' });
    expect(JSON.stringify(line)).toContain('gatewright run ');
  });

  it('a script that throws fails with what the refusal says, or with the stack', async () => {
    expect(
      (await script(`export default ({ records }) => records('Note').create({ title: '' });`)).failed,
    ).toBe('SCRIPT: Title must not be blank');
    const thrown = await script(`export default async () => { throw new RangeError('too far'); };`);
    expect(thrown.failed).toBe('SCRIPT: too far');
    expect(thrown.stderr).toMatch(/^RangeError: too far\n {4}at /);
    expect((await script(`export default async ({ as }) => as('unknown');`)).failed).toBe(
      'SCRIPT: there is no user unknown',
    );
    expect((await script('export const main = 1;')).failed).toBe('SCRIPT exports no function by default');
  });

  it('neither migrates a database in use: migrate and a start do, and a new one is migrated', async () => {
    const more = createApplication({
      resources: [note],
      migrations: {
        ...application.migrations,
        '0002_drop': { up: (db, dialect) => alterTable(db, dialect, 'notes', { drop: ['title'] }) },
      },
    });
    const { io } = testIo({ env: service.env, stdin: '' });
    const pending = 'migrations are pending (0002_drop): run `gatewright migrate` first';
    const path = join(folder, 'count.ts');
    await writeFile(path, `export default async ({ records }) => { await records('Note').count(); };`);
    const opened = () => Promise.resolve(more);
    await expect(runConsole(io, opened)).rejects.toThrow(pending);
    await expect(runScript(io, path, [], opened)).rejects.toThrow(pending);
    // The title is still there.
    await service.ok('POST', '/api/v1/notes', { token: ann, body: { note: { title: 'kept' } } });
    const env = { ...service.env, DATABASE_URL: await databases.create() };
    await runScript(testIo({ env }).io, path, [], open);
  });

  it('a command on users or keys applies no migration of the application', async () => {
    // Its application is the example of the checkout, whose migrations this database does not have.
    await service.command('key', 'create', '--username', ann.username, '--name', 'made');
    const { database } = service.server.services;
    expect(await database.all({ sql: 'select name from migrations', parameters: [] })).toEqual([
      { name: '0001_notes' },
    ]);
  });

  it('a console evaluates each line, with await', async () => {
    const text = await typed(
      `const { id } = await records('Note').create({ title: 'typed' })`,
      `(await records('Note').get(id)).title`,
      '[1, 2].map((each) => {',
      '    return each * 7;',
      '  })',
      'const wanted = "typed"',
      '(await sql`select title from notes where title = '.concat('$', '{wanted}`).length'),
      `(await as(${JSON.stringify(ann.username)})).principal.username`,
      `await records('Note').get(0)`,
      `'after an error'`,
    );
    expect(text).toContain("'typed'\n");
    expect(text).toContain('[ 7, 14 ]\n');
    expect(text).toContain('1\n');
    expect(text).toContain(`'${ann.username}'\n`);
    expect(text).toContain('record_not_found');
    expect(text).toContain("'after an error'\n");
  });
});
