import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edit, filesEdited, RecipeCopy } from './recipe.ts';

/** The recipe of CONTRIBUTING for a column of the service's own tables, followed in a copy of the source. */

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

let copy: RecipeCopy;

beforeAll(async () => {
  // Builds the service where no other test has.
  copy = await RecipeCopy.following(edits);
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

it('a column of API keys in their list takes four edits: tables, list, filter and client follow', async () => {
  expect(filesEdited(edits)).toBeLessThanOrEqual(4);
  const { applied, upgraded, made, listed, none, own } = (await copy.run(
    program,
    join(copy.folder, 'older.db'),
  )) as {
    applied: readonly string[];
    [name: string]: unknown;
  };
  expect(applied.at(-1)).toBe('9000_key_remarks');
  expect(upgraded).toEqual([]);
  expect(made).toBe(201);
  expect(listed).toMatchObject([{ name: 'k', remark: null }]);
  expect(none).toEqual([]);
  expect(own).toBe(true);
}, 60_000);

it('a column of API keys compiles in the service and in the administration area', async () => {
  await copy.compile();
}, 300_000);
