import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const fields = {
  sku: field.string({ required: true, unique: true, max: 20 }),
  title: field.string({ required: true, max: 40 }),
  price: field.decimal({ scale: 2 }),
  live: field.boolean(),
};
const product = defineResource('Product', { fields, permissions: 'writes' });
const application = {
  resources: [product],
  migrations: {
    '0001_products': {
      up: async (db, dialect) => createTable(db, dialect, product.table, { fields }),
    } satisfies Migration,
  },
};

interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly refused: number;
  readonly lines: readonly {
    readonly line: number;
    readonly action: string;
    readonly id: number | null;
    readonly changes: Readonly<Record<string, readonly unknown[]>>;
    readonly errors: readonly { readonly field: string; readonly message: string }[];
  }[];
}

describeEachDatabase('POST /admin/records/:resource/import', (databases) => {
  const service = useService(databases, { application });
  let root: TestUser;

  beforeAll(async () => {
    root = await service.admin();
    await service.ok('POST', '/admin/records/products', {
      token: root,
      body: { product: { sku: 'A1', title: 'one', price: '5.00', live: true } },
    });
  });

  const send = (body: object, token: TestUser = root) =>
    service.post<Imported>('/admin/records/products/import', { token, body });
  const products = () =>
    service.ok<{ sku: string; title: string; price: string }[]>('GET', '/admin/records/products?sort=sku', {
      token: root,
    });

  const lines = [
    { line: 2, values: { sku: 'A1', title: 'one, again', price: '5.5', live: 'true' } },
    { line: 3, values: { sku: 'B2', title: 'two', price: null, live: 'false' } },
    { line: 4, values: { sku: 'C3', title: '', price: 'much' } },
    { line: 5, values: { sku: 'B2', title: 'two again' } },
  ];

  it('a preview says line by line what would happen, and leaves everything as it is', async () => {
    const before = await products();
    const { status, data } = await send({ preview: true, by: 'sku', texts: true, lines });
    expect(status).toBe(200);
    expect(data).toMatchObject({ created: 1, updated: 1, refused: 2 });
    expect(data.lines.map(({ line, action, id }) => [line, action, id])).toEqual([
      [2, 'update', 1],
      [3, 'create', null],
      [4, 'refuse', null],
      [5, 'refuse', null],
    ]);
    expect(data.lines[0]?.changes).toEqual({ title: ['one', 'one, again'], price: ['5.00', '5.50'] });
    expect(data.lines[2]?.errors.map(({ field: name }) => name).sort()).toEqual(['price', 'title']);
    expect(data.lines[3]?.errors.map(({ field: name }) => name)).toEqual(['sku']);
    expect(await products()).toEqual(before);
    const audit = await service.ok<unknown[]>('GET', '/admin/audit?filter[action]=record.import', {
      token: root,
    });
    expect(audit).toEqual([]);
  });

  it('writes what is good, tells of the rest, and stands in the audit log', async () => {
    const { data } = await send({ by: 'sku', texts: true, lines });
    expect(data).toMatchObject({ created: 1, updated: 1, refused: 2 });
    expect((await products()).map(({ sku, title, price }) => [sku, title, price])).toEqual([
      ['A1', 'one, again', '5.50'],
      ['B2', 'two', null],
    ]);
    const audit = await service.ok<object[]>('GET', '/admin/audit?filter[action]=record.import', {
      token: root,
    });
    expect(audit).toMatchObject([
      { target_kind: 'Product', detail: { created: 1, updated: 1, by: 'sku' }, actor_name: root.username },
    ]);
    // Without `by` every line is a new record, and a value that is there once refuses it.
    const again = await send({ texts: true, lines: lines.slice(0, 1) });
    expect(again.data).toMatchObject({ created: 0, updated: 0, refused: 1 });
  });

  it('refuses a caller who may not write, a field that finds nothing, and more than 500 lines', async () => {
    const admin = await service.createUser(['admin']);
    expect((await send({ by: 'sku', lines: [] }, admin)).status).toBe(200);
    expect(
      (await send({ by: 'sku', lines: [{ line: 1, values: { sku: 'Z', title: 'z' } }] }, admin)).status,
    ).toBe(403);
    expect((await send({ lines: [] }, await service.createUser(['viewer']))).status).toBe(403);
    for (const body of [{ by: 'title', lines: [] }, { lines: [{ line: 1 }] }, { lines: 1 }, { rows: [] }])
      expect((await send(body)).status).toBe(400);
    const many = Array.from({ length: 501 }, (_, line) => ({
      line,
      values: { sku: `S${line}`, title: 'x' },
    }));
    expect((await send({ lines: many })).status).toBe(413);
    expect((await products()).length).toBe(2);
  });
});
