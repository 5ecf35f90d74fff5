import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, own } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type RequestOptions, type TestUser, useService } from '../support/service.ts';

/** `POST /api/v1/<resource>/import`: CSV or JSON lines, all or none. */

const fields = {
  tea: {
    sku: field.string({ required: true, unique: true, max: 20 }),
    name: field.string({ max: 20 }),
    price: field.decimal({ scale: 2 }),
    stock: field.integer({ min: 0, default: 7 }),
    cost: field.integer(),
    secret: field.string({ unique: true }),
  },
  chest: { name: field.string({ required: true, max: 20 }), user_id: field.owner() },
  locked: { name: field.string() },
  parcel: { code: field.string({ unique: true }), open: field.boolean() },
} as const;

let saved: string[] = [];
const tea = defineResource('Tea', {
  fields: fields.tea,
  restricted: ['cost', 'secret'],
  views: { detail: ['id', 'sku', 'name', 'price', 'stock', 'cost', 'created_at', 'updated_at'] },
  hooks: {
    beforeSave: ({ values, addError }) => {
      saved.push(String(values.sku));
      if (values.name === 'bad') addError('name', 'not this name');
      if (values.name === 'broken') throw new Error('the hook failed');
    },
  },
});
const chest = defineResource('Chest', { fields: fields.chest, isolation: own(), ownership: true });
/** The code of a parcel is seen once it is open. */
const parcel = defineResource('Parcel', {
  fields: fields.parcel,
  views: { detail: ['id', 'open'], when: [[equals('open', true), ['code']]] },
});
const locked = defineResource('Locked', { fields: fields.locked, permissions: 'writes' });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teas', { fields: fields.tea });
      await createTable(db, dialect, 'chests', { fields: fields.chest });
      await createTable(db, dialect, 'parcels', { fields: fields.parcel });
      await createTable(db, dialect, 'lockeds', { fields: fields.locked });
    },
  },
};

const csv = { 'content-type': 'text/csv' };
const jsonl = { 'content-type': 'application/jsonl' };

interface Result {
  readonly created: number;
  readonly updated: number;
  readonly errors: readonly { readonly field: string; readonly rule: string; readonly message: string }[];
}

describeEachDatabase('POST /api/v1/<resource>/import', (databases) => {
  const service = useService(databases, {
    application: { resources: [tea, chest, locked, parcel], migrations },
    env: { LOCALE: 'auto' },
    stallTimeoutMs: 300,
  });
  let user: TestUser;
  let other: TestUser;

  beforeAll(async () => {
    user = await service.createUser();
    other = await service.createUser();
  });
  beforeEach(async () => {
    saved = [];
    const teas = await service.ok<{ readonly id: number }[]>('GET', '/api/v1/teas', { token: user });
    for (const { id } of teas) await service.ok('DELETE', `/api/v1/teas/${id}`, { token: user });
  });

  const send = (body: unknown, path = 'teas/import', more: RequestOptions = {}) =>
    service.request<Result>('POST', `/api/v1/${path}`, {
      token: user,
      body,
      ...more,
      headers: { 'accept-language': 'en', ...csv, ...more.headers },
    });
  const teas = () =>
    service.ok<readonly Record<string, unknown>[]>('GET', '/api/v1/teas?sort=sku', { token: user });
  const errorsOf = (answer: Awaited<ReturnType<typeof send>>): readonly string[] => {
    expect(answer.status).toBe(422);
    return answer.data.errors.map((error) => `${error.field} ${error.rule}`);
  };

  it('creates the records of CSV with defaults, types and numbers of its lines', async () => {
    const answer = await send('\ufeffsku,name,price\r\nT-1,"Green, ""fine""",2.50\r\n\r\nT-2,\'=1+1,\r\n');
    expect([answer.status, answer.data]).toEqual([200, { created: 2, updated: 0 }]);
    expect(await teas()).toMatchObject([
      { sku: 'T-1', name: 'Green, "fine"', price: '2.50', stock: 7 },
      { sku: 'T-2', name: '=1+1', price: null, stock: 7 },
    ]);
    expect(saved).toEqual(['T-1', 'T-2']);
  });

  it('creates and updates by JSON lines, and leaves the other fields as they are', async () => {
    await send('sku,name,stock\nT-1,old,3\n');
    const body = '{"sku":"T-1","name":"new"}\n\n{"sku":"T-2"}';
    const answer = await send(body, 'teas/import?update_by=sku', { headers: jsonl });
    expect(answer.data).toEqual({ created: 1, updated: 1 });
    expect(await teas()).toMatchObject([
      { sku: 'T-1', name: 'new', stock: 3 },
      { sku: 'T-2', stock: 7 },
    ]);
  });

  it('updates by id, and reports an id that is not there at its line', async () => {
    await send('sku\nT-1\n');
    const id = Number((await teas())[0]?.['id']);
    expect((await send(`id,name\n${id},named\n`, 'teas/import?update_by=id')).data).toEqual({
      created: 0,
      updated: 1,
    });
    const missing = await send(`id,name\n${id},again\n999999,x\n`, 'teas/import?update_by=id');
    expect(errorsOf(missing)).toEqual(['line.3.id reference']);
    expect(await teas()).toMatchObject([{ name: 'named' }]);
  });

  it('reports all lines at once, in the language of the request, and writes none', async () => {
    const body = 'sku,name,stock\nT-1,a,-1\n,b,x\nT-2,bad,\nT-3,c\nT-4,d,1\nT-4,e,1\n';
    const answer = await send(body);
    expect(errorsOf(answer)).toEqual([
      'line.2.stock minimum',
      'line.3.sku required',
      'line.3.stock type',
      'line.4.name custom',
      'line.5 cells',
      'line.7.sku unique',
    ]);
    expect(answer.data.errors[4]?.message).toBe('it has 2 cells, and the first line 3');
    const chinese = await send(body, 'teas/import', { headers: { 'accept-language': 'zh-CN' } });
    expect(chinese.data.errors[4]?.message).toBe('该行有 2 个单元格，而首行有 3 个');
    expect(await teas()).toEqual([]);
  });

  it.each([
    ['sku,colour\nT,1\n', 'line.1 unknown_field'],
    ['sku,secret\nT,1\n', 'line.1 unknown_field'],
    ['sku,sku\nT,1\n', 'line.1 column_twice'],
    ['sku,\nT,1\n', 'line.1 column_name'],
    ['sku;name\nT;1\n', 'line.1 unknown_field'],
    ['', 'line.1 empty'],
    ['"sku\nT', 'line.1 quote'],
    ['sku,name\n"T"x,1\n', 'line.2 quote'],
    ['sku,name\nT,"1\n2\n', 'line.2 quote'],
    ['sku,name\nT,a\u0000b\n', 'line.2.name pattern'],
    [Buffer.from([0x73, 0x6b, 0x75, 0x0a, 0xff, 0xfe, 0x0a]), 'line.2 utf8'],
  ])('refuses the CSV %j', async (body, error) => {
    expect(errorsOf(await send(body))).toEqual([error]);
    expect(await teas()).toEqual([]);
  });

  it.each([
    ['[1]', 'line.1 json_line'],
    ['{"sku":"a"}\n{"sku":', 'line.2 json_line'],
    ['{"sku":"a\\u0000"}', 'line.1.sku pattern'],
    ['{"sku":"\\ud800"}', 'line.1.sku pattern'],
    [`{"sku":${'['.repeat(5000)}`, 'line.1 json_line'],
    ['{"sku":"a","colour":1}', 'line.1.colour unknown_field'],
    ['{"sku":1}', 'line.1.sku type'],
  ])('refuses the JSON lines %j', async (body, error) => {
    expect(errorsOf(await send(body, 'teas/import', { headers: jsonl }))).toEqual([error]);
    expect(await teas()).toEqual([]);
  });

  it('demands the column by which lines find records, and each value of it once', async () => {
    expect(errorsOf(await send('name\na\n', 'teas/import?update_by=sku'))).toEqual(['line.1 column_missing']);
    const twice = await send('sku,name\nT-1,a\nT-1,b\n', 'teas/import?update_by=sku');
    expect(errorsOf(twice)).toEqual(['line.3.sku unique']);
    expect(await teas()).toEqual([]);
  });

  it('passes over columns that the caller may not set, and refuses them where it is strict', async () => {
    const body = 'id,sku,cost,created_at\n7,T-1,3,2001-01-01T00:00:00.000Z\n';
    expect(errorsOf(await send(body, 'teas/import', { headers: { prefer: 'handling=strict' } }))).toEqual([
      'id ignored',
      'cost ignored',
      'created_at ignored',
    ]);
    expect((await send(body)).data).toEqual({ created: 1, updated: 0 });
    expect(await teas()).toMatchObject([{ sku: 'T-1', cost: null }]);
  });

  it('refuses other types, codings, parameters, callers and methods in their order', async () => {
    const statusOf = async (
      path: string,
      headers: Record<string, string>,
      token: TestUser | undefined = user,
    ) => (await send('sku\nT-1\n', path, { headers, token })).status;
    expect(await statusOf('teas/import', { 'content-type': 'application/json' })).toBe(415);
    expect(await statusOf('teas/import', { 'content-type': 'text/csv; charset=utf-16' })).toBe(415);
    expect(await statusOf('teas/import', { 'content-encoding': 'gzip' })).toBe(415);
    expect(await statusOf('teas/import', { 'content-type': 'text/csv; charset=UTF-8' })).toBe(200);
    for (const query of [
      'update_by=name',
      'update_by=secret',
      'by=sku',
      'update_by=sku&update_by=sku',
      'update_by=',
    ])
      expect(await statusOf(`teas/import?${query}`, {})).toBe(400);
    expect(
      (await service.request('POST', '/api/v1/teas/import', { body: 'sku\n', headers: csv })).status,
    ).toBe(401);
    expect(await statusOf('lockeds/import?by=sku', { 'content-type': 'text/plain' })).toBe(403);
  });

  it('finds no record by a value that some records hide from the caller', async () => {
    expect((await send('code,open\na,true\n', 'parcels/import')).status).toBe(200);
    expect((await send('code,open\na,false\n', 'parcels/import?update_by=code')).status).toBe(400);
    const asRoot = { token: await service.admin() };
    expect((await send('code,open\na,false\n', 'parcels/import?update_by=code', asRoot)).data).toEqual({
      created: 0,
      updated: 1,
    });
  });

  it('changes nothing of other owners, and makes the caller the owner', async () => {
    expect((await send('name\na\nb\n', 'chests/import')).data).toEqual({ created: 2, updated: 0 });
    const [first] = await service.ok<{ readonly id: number }[]>('GET', '/api/v1/chests', { token: user });
    const body = `id,name\n${first?.id},stolen\n`;
    const stolen = await send(body, 'chests/import?update_by=id', { token: other });
    expect(errorsOf(stolen)).toEqual(['line.2.id reference']);
    expect(await service.ok('GET', '/api/v1/chests', { token: other })).toEqual([]);
  });

  it('answers a failed hook as a single write does, and writes nothing', async () => {
    expect((await send('sku,name\nT-1,a\nT-2,broken\n')).status).toBe(500);
    expect(await teas()).toEqual([]);
  });

  it('reports a hundred messages at most, and stops reading after as many flaws', async () => {
    const bad = Array.from({ length: 300 }, (_, n) => `T-${n},-1\n`).join('');
    expect((await send(`sku,stock\n${bad}`)).data.errors).toHaveLength(100);
    saved = [];
    const flawed = `sku,stock\nT-0,1\n${'x\n'.repeat(300)}`;
    expect((await send(flawed)).data.errors).toHaveLength(100);
    expect(saved).toEqual([]);
  });

  it('takes 10,000 lines and no more, and serves others meanwhile', { timeout: 120_000 }, async () => {
    const lines = Array.from({ length: 10_000 }, (_, n) => `C ${n}\n`).join('');
    const tooMany = await send(`name\n${lines}one more\n`, 'chests/import');
    expect([tooMany.status, tooMany.json.code]).toEqual([413, 41302]);
    let ended = false;
    const start = performance.now();
    const imported = send(`name\n${lines}`, 'chests/import', { token: other }).finally(() => {
      ended = true;
    });
    let longest = 0;
    let reads = 0;
    while (!ended) {
      const began = performance.now();
      await service.ok('GET', '/api/v1/teas', { token: user });
      longest = Math.max(longest, performance.now() - began);
      reads += 1;
      await delay(1);
    }
    expect((await imported).data).toEqual({ created: 10_000, updated: 0 });
    process.stdout.write(
      `${reads} reads beside an import, the longest ${longest.toFixed(0)} ms (${databases.dialect})\n`,
    );
    expect(reads).toBeGreaterThan(5);
    // A read that waits for the import would take as long as it; a busy machine slows both.
    expect(longest).toBeLessThan((performance.now() - start) / 2);
  });

  it('refuses a body over BODY_LIMIT', async () => {
    const { status } = await send(`name\n${'x'.repeat(1_100_000)}\n`, 'chests/import');
    expect(status).toBe(413);
  });
});
