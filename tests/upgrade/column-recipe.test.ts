import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edits, filesOf, RecipeCopy } from './recipe.ts';

/** The recipe of CONTRIBUTING for a column of the service's own tables, followed in a copy of the source. */

const edits: readonly Edits[] = [
  {
    file: 'src/database/tables/api-key-tables.ts',
    inserted: [
      {
        before: '  },\n  {\n    indexes: {\n      api_keys_created_by',
        text: '    remark: column.text({ nullable: true }),\n  ',
      },
    ],
  },
  {
    file: 'src/database/migrations/core.ts',
    inserted: [
      {
        before: '};\n\n/** The migrations of the service. */',
        text: `  '9000_key_remarks': addColumns('api_keys', { remark: column.text({ nullable: true }) }),\n`,
      },
    ],
  },
  {
    file: 'src/accounts/api-keys/entity.ts',
    inserted: [
      {
        before: '  rotated_at: field.datetime(',
        text: `  remark: field.string({ label: { 'zh-CN': '备注', en: 'Remark' } }),\n`,
      },
    ],
  },
  {
    file: 'admin/src/keys/keys.tsx',
    inserted: [{ before: `  { name: 'created_at', extra: true },\n];`, text: `  'remark',\n` }],
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
console.log(JSON.stringify({ last: applied.at(-1), upgraded, made: made.status, listed: listed.data, none: none.data, own }));
`;

let copy: RecipeCopy;

beforeAll(async () => {
  copy = await RecipeCopy.make();
  await copy.apply(edits);
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

it('a column of API keys in their list takes four edits: tables, list, filter and client follow', async () => {
  expect(filesOf(edits)).toBeLessThanOrEqual(4);
  expect(await copy.run(program, join(copy.folder, 'older.db'))).toMatchObject({
    last: '9000_key_remarks',
    upgraded: [],
    made: 201,
    listed: [{ name: 'k', remark: null }],
    none: [],
    own: true,
  });
}, 60_000);

it('a column of API keys compiles in the service and in the administration area', async () => {
  expect(await copy.refused('service')).toEqual([]);
  expect(await copy.refused('admin')).toEqual([]);
}, 300_000);
