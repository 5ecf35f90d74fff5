import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt, root } from '../tour/service.ts';

/** The recipe of CONTRIBUTING for a column of the service's own tables, followed in a copy of the source. */

const run = promisify(execFile);

/** An edit by hand: a text before the first place of another one in the file that declares something. */
interface Edit {
  readonly declares: string;
  readonly before: string;
  readonly insert: string;
}

const edits: readonly Edit[] = [
  {
    declares: 'export const apiKeysTable = table(',
    before: '  },\n  {\n    indexes: {\n      api_keys_created_by',
    insert: '    remark: column.text({ nullable: true }),\n  ',
  },
  {
    declares: 'export const coreSet: MigrationSet',
    before: '};\n\n/** The migrations of the service. */',
    insert: `  '9000_key_remarks': addColumns('api_keys', { remark: column.text({ nullable: true }) }),\n`,
  },
  {
    declares: 'export const ownKeyEntity',
    before: '  rotated_at: field.datetime(',
    insert: `  remark: field.string({ label: { 'zh-CN': '备注', en: 'Remark' } }),\n`,
  },
  {
    declares: 'export const keyColumns',
    before: `  { name: 'created_at', extra: true },\n];`,
    insert: `  'remark',\n`,
  },
];

/** Run in the copy: a new database and an older one, the list, the records of the client. */
const program = `
import { clientRecords } from './scripts/client-records.ts';
import { coreSet } from './src/database/migrations/core.ts';
import { migrateAll } from './src/database/migrations/runner.ts';
import { openDatabase } from './src/database/open.ts';
import { databaseTarget } from './src/database/targets.ts';
import { createApplication } from './src/app/application.ts';
import { testApplication } from './src/testing/testing.ts';
import { createOlderTables } from './tests/support/older-database.ts';

const older = 'sqlite:' + process.argv[2];
await createOlderTables(older, 'sqlite');
const { applied } = await migrateAll(databaseTarget(older), [coreSet]);
const database = await openDatabase(older);
const upgraded = await database.all({ sql: 'select remark from api_keys', parameters: [] });
await database.close();
const app = await testApplication({ application: createApplication({}) });
const made = await app.as('admin').post('/api/v1/api_keys', { api_key: { name: 'k' } });
const listed = await app.as('super_admin').get('/admin/api_keys?sort=remark');
const none = await app.as('super_admin').get('/admin/api_keys?filter[remark]=x');
await app.close();
const own = /readonly remark: string \\| null;/.test(clientRecords());
console.log(JSON.stringify({ applied, upgraded, made: made.status, listed: listed.data, none: none.data, own }));
`;

let copy: string;

const holding = async (text: string): Promise<string> => {
  for (const file of globSync('{src,admin/src}/**/*.{ts,tsx}', { cwd: copy }))
    if ((await readFile(join(copy, file), 'utf8')).includes(text)) return join(copy, file);
  throw new Error(`no file has ${text}`);
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatewright-column-'));
  for (const part of [
    'src',
    'admin',
    'bin',
    'client',
    'scripts',
    'tests/support',
    'tsconfig.json',
    'package.json',
  ])
    await cp(join(root, part), join(copy, part), { recursive: true });
  // The types of models, which the client names by the package.
  await ensureBuilt();
  for (const part of ['node_modules', 'dist']) await symlink(join(root, part), join(copy, part));
  for (const { declares, before, insert } of edits) {
    const file = await holding(declares);
    const text = await readFile(file, 'utf8');
    expect(text).toContain(before);
    await writeFile(
      file,
      text.replace(before, () => insert + before),
    );
  }
}, 60_000);
afterAll(() => rm(copy, { recursive: true, force: true }));

const node = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, args, { cwd: copy }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
};

it('a column of API keys in their list takes four edits: tables, list, filter and client follow', async () => {
  expect(edits.length).toBeLessThanOrEqual(4);
  await writeFile(join(copy, 'program.ts'), program);
  const { applied, upgraded, made, listed, none, own } = JSON.parse(
    await node('program.ts', join(copy, 'older.db')),
  );
  expect(applied.at(-1)).toBe('9000_key_remarks');
  expect(upgraded).toEqual([]);
  expect(made).toBe(201);
  expect(listed).toMatchObject([{ name: 'k', remark: null }]);
  expect(none).toEqual([]);
  expect(own).toBe(true);
}, 60_000);

it('a column of API keys compiles in the service and in the administration area', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const extended = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: false },
    include: ['src', 'client', 'scripts/client-records.ts'],
    exclude: ['**/*.test.ts', '**/test-*.ts'],
  };
  await writeFile(join(copy, 'tsconfig.copy.json'), JSON.stringify(extended));
  await node(tsc, '-p', 'tsconfig.copy.json');
  await node(tsc, '-p', 'admin', '--incremental', 'false');
}, 300_000);
