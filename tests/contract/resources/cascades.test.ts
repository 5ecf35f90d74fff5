import { beforeEach, expect, it } from 'vitest';
import { alterTable, createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { Problem } from '../../../src/kernel/problem.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import type { HookPrincipal } from '../../../src/model/resource.ts';
import type { Scope } from '../../../src/model/scope.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** Records that refer to one by `onDelete: 'cascade'` go with it: whole or not at all, with its hooks, and traced. */

const orderFields = {
  total: field.integer({ default: 0 }),
  first: field.reference('Line', { onDelete: 'cascade' }),
  user_id: field.owner(),
};
const lineFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  parent: field.reference('Line', { onDelete: 'cascade' }),
  name: field.string(),
};
const shipmentFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  line: field.reference('Line', { onDelete: 'restrict' }),
};
const invoiceFields = { line: field.reference('Line', { required: true }) };
const noteFields = { line: field.reference('Line') };
const badgeFields = {
  holder: field.reference('User', { required: true, anyone: true, onDelete: 'cascade' }),
};

interface Heard {
  readonly hook: string;
  readonly id: number;
  readonly principal: HookPrincipal;
  readonly name?: unknown;
}

let heard: Heard[] = [];
/** The behaviour of a line's hook in a test. */
let inLine: (
  scope: Scope,
  line: { id: number; order_id: number; name: string | null },
) => Promise<void> | void = () => {};
let refused: string | undefined;

const order = defineResource('Order', {
  fields: orderFields,
  isolation: true,
  ownership: true,
  hooks: {
    beforeCommit: ({ action, id, principal }) => {
      if (action === 'destroy') heard.push({ hook: 'before Order', id, principal });
    },
    afterCommit: ({ action, id, principal }) => {
      if (action === 'destroy') heard.push({ hook: 'after Order', id, principal });
    },
  },
});
const line = defineResource('Line', {
  fields: lineFields,
  permissions: 'writes',
  hooks: {
    beforeCommit: async ({ action, id, principal, before, addError, ...scope }) => {
      if (action !== 'destroy' || before === undefined) return;
      heard.push({ hook: 'before Line', id, principal, name: before.name });
      if (before.name === refused) addError('name', 'This line stays');
      await inLine(scope as unknown as Scope, before);
    },
    afterCommit: ({ action, id, principal, record }) => {
      if (action === 'destroy') heard.push({ hook: 'after Line', id, principal, name: record.name });
    },
  },
});
const shipment = defineResource('Shipment', { fields: shipmentFields });
const invoice = defineResource('Invoice', { fields: invoiceFields });
const note = defineResource('Note', { fields: noteFields });
const badge = defineResource('Badge', {
  fields: badgeFields,
  hooks: {
    beforeCommit: ({ action, id, principal }) => {
      if (action === 'destroy') heard.push({ hook: 'before Badge', id, principal });
    },
  },
});
const resources = [order, line, shipment, invoice, note, badge];
const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      const { first, ...others } = orderFields;
      await createTable(db, dialect, 'orders', { fields: others });
      await createTable(db, dialect, 'lines', { fields: lineFields });
      await alterTable(db, dialect, 'orders', { add: { first } });
      await createTable(db, dialect, 'shipments', { fields: shipmentFields });
      await createTable(db, dialect, 'invoices', { fields: invoiceFields });
      await createTable(db, dialect, 'notes', { fields: noteFields });
      await createTable(db, dialect, 'badges', { fields: badgeFields });
    },
  },
};

/** Deletes an order in a transaction of its own, which another order's creation is part of. */
const swap = defineEndpoint({
  method: 'POST',
  path: '/swap/:id',
  auth: ['jwt'],
  handle: async ({ params, transaction }) => {
    await transaction(async (scope) => {
      await scope.records(order).create({ total: 77 });
      await scope
        .records(order)
        .remove(Number(params.id))
        .catch(() => {});
    });
  },
});

interface Row {
  readonly id: number;
  readonly [name: string]: unknown;
}

describeEachDatabase('onDelete: cascade', (databases) => {
  const service = useService(databases, {
    application: { resources, migrations, endpoints: [swap] },
    env: { LOCALE: 'en', TRANSACTION_TIMEOUT: '30' },
  });
  beforeEach(() => {
    heard = [];
    inLine = () => {};
    refused = undefined;
  });

  const sql = (text: string) => service.server.services.database.execute<Row>({ sql: text, parameters: [] });
  const create = async (key: string, values: object, token: TestUser): Promise<Row> =>
    service.ok<Row>('POST', `/api/v1/${key}s`, { token, body: { [key]: values } });
  const count = async (table: string, where = '1 = 1'): Promise<number> =>
    Number((await sql(`select count(*) as n from ${table} where ${where}`))[0]?.['n']);
  const idsOf = (hook: string) => heard.filter((each) => each.hook === hook).map(({ id }) => id);

  const setUp = async () => {
    const [admin, token] = [await service.admin(), await service.createUser()];
    const { id } = await create('order', {}, token);
    const line = (name: string, parent: number | null = null, of = id) =>
      create('line', { order_id: of, name, parent_id: parent }, admin);
    return { admin, token, id, line };
  };

  it('takes along what refers to a record, with its hooks on behalf of the system, and leaves traces', async () => {
    const { admin, token, id, line } = await setUp();
    const one = await line('one');
    const two = await line('two', one.id);
    const { id: other } = await create('order', {}, token);
    const kept = await line('kept', null, other);
    const noted = await create('note', { line_id: two.id }, admin);
    await create('shipment', { order_id: id, line_id: one.id }, admin);
    const tag = (await service.get(`/api/v1/notes/${noted.id}`, { token })).headers['etag'];
    // The caller may delete no line and no shipment by themselves.
    expect((await service.delete(`/api/v1/lines/${one.id}`, { token })).status).toBe(403);
    await service.ok('DELETE', `/api/v1/orders/${id}`, { token });
    expect(await sql(`select id, name from lines where order_id in (${id}, ${other})`)).toEqual([
      { id: kept.id, name: 'kept' },
    ]);
    expect(await count('shipments', `order_id = ${id}`)).toBe(0);
    const left = await service.get<Row>(`/api/v1/notes/${noted.id}`, { token });
    expect([left.data['line_id'], left.headers['etag'] === tag]).toEqual([null, false]);

    const system = { kind: 'system', reason: `onDelete: Order ${id}` };
    const user = expect.objectContaining({ kind: 'user', id: token.id });
    await expect.poll(() => heard.length).toBe(6);
    expect(heard.filter(({ hook }) => hook.startsWith('before'))).toEqual([
      { hook: 'before Order', id, principal: user },
      { hook: 'before Line', id: one.id, principal: system, name: 'one' },
      { hook: 'before Line', id: two.id, principal: system, name: 'two' },
    ]);
    expect(heard).toContainEqual({ hook: 'after Line', id: two.id, principal: system, name: 'two' });
    expect(heard).toContainEqual({ hook: 'after Order', id, principal: user });
    const audit = await service.ok<Row[]>('GET', '/admin/audit?sort=-id&per_page=3', { token: admin });
    expect(audit.map((entry) => [entry['action'], entry['target_kind'], entry['detail']])).toEqual(
      expect.arrayContaining(
        ['Line', 'Line', 'Shipment'].map((kind) => ['record.destroy', kind, { reason: system.reason }]),
      ),
    );
    for (const entry of audit) expect(JSON.stringify(entry)).toContain(token.username);
  });

  it('a cascade is whole or not at all: what keeps one of them keeps all, and so does a hook', async () => {
    const { admin, token, id, line } = await setUp();
    const one = await line('one');
    const two = await line('two', one.id);
    const held = await create('invoice', { line_id: two.id }, admin);
    const tag = (await service.get(`/api/v1/orders/${id}`, { token })).headers['etag'];
    inLine = async (scope, { order_id }) =>
      void (await scope.records('Order').update(order_id, { total: 5 }));
    const refusal = await service.delete(`/api/v1/orders/${id}`, { token });
    expect([refusal.status, refusal.json.code]).toEqual([409, 40902]);
    await sql(`delete from invoices where id = ${held.id}`);
    refused = 'two';
    const stays = await service.delete(`/api/v1/orders/${id}`, { token });
    expect([stays.status, stays.json.message]).toEqual([422, 'This line stays']);
    expect(await count('lines', `order_id = ${id}`)).toBe(2);
    expect((await service.get(`/api/v1/orders/${id}`, { token })).headers['etag']).toBe(tag);
    expect(
      await count('audit', `action = 'record.destroy' and cast(detail as text) like '%Order ${id}"%'`),
    ).toBe(0);
    // Within a transaction that goes on, nothing of it stands either.
    const swapped = await service.post(`/api/v1/swap/${id}`, { token, body: {} });
    expect(swapped.status).toBe(422);
    expect(await count('orders', 'total = 77')).toBe(0);
    expect(idsOf('after Line')).toEqual([]);

    // A hook may write the very record that goes, also where its version was asked for.
    refused = undefined;
    const path = `/api/v1/orders/${id}`;
    expect((await service.delete(path, { token, headers: { 'if-match': '"9-detail"' } })).status).toBe(412);
    const gone = await service.delete(path, { token, headers: { 'if-match': String(tag) } });
    expect(gone.status).toBe(200);
    expect(await count('lines', `order_id = ${id}`)).toBe(0);
  });

  it('ends in circles, of records and of models, with every hook run once', async () => {
    const { admin, token, id, line } = await setUp();
    const one = await line('one');
    const two = await line('two', one.id);
    const three = await line('three', two.id);
    await service.ok('PATCH', `/api/v1/lines/${one.id}`, {
      token: admin,
      body: { line: { parent_id: three.id } },
    });
    await service.ok('PATCH', `/api/v1/orders/${id}`, { token, body: { order: { first_id: two.id } } });
    await service.ok('DELETE', `/api/v1/lines/${three.id}`, { token: admin });
    expect(await count('lines', `order_id = ${id}`)).toBe(0);
    expect(await count('orders', `id = ${id}`)).toBe(0);
    expect(idsOf('before Line').sort()).toEqual([one.id, two.id, three.id].sort());
    expect(idsOf('before Order')).toEqual([id]);
    await expect.poll(() => idsOf('after Line').sort()).toEqual([one.id, two.id, three.id].sort());
    await expect.poll(() => idsOf('after Order')).toEqual([id]);
    const own = await create('order', {}, token);
    const self = await line('self', null, own.id);
    await service.ok('PATCH', `/api/v1/lines/${self.id}`, {
      token: admin,
      body: { line: { parent_id: self.id } },
    });
    await service.ok('DELETE', `/api/v1/lines/${self.id}`, { token: admin });
    expect(await count('lines', `id = ${self.id}`)).toBe(0);
  });

  it('takes along what a hook adds in the meantime, and passes over what it takes away', async () => {
    const { token, id, line } = await setUp();
    const one = await line('one');
    const two = await line('two');
    inLine = async (scope, { id: at, order_id, name }) => {
      if (name === 'one') {
        await scope.records('Line').create({ order_id, name: 'added' });
        await scope.records('Line').remove(two.id);
      }
      if (name === 'added') expect(at).toBeGreaterThan(two.id);
    };
    await service.ok('DELETE', `/api/v1/orders/${id}`, { token });
    expect(await count('lines', `order_id = ${id}`)).toBe(0);
    const names = () => heard.filter(({ hook }) => hook === 'after Line').map(({ name }) => name);
    await expect.poll(() => names().sort()).toEqual(['added', 'one', 'two']);
    expect(idsOf('before Line').filter((each) => each === two.id)).toHaveLength(1);
    expect(idsOf('before Line')).toContain(one.id);
  });

  it('passes over what a hook has refer to something else', async () => {
    const { token, id, line } = await setUp();
    const { id: other } = await create('order', {}, token);
    const one = await line('one');
    const two = await line('two', one.id);
    inLine = async (scope, { name }) => {
      if (name === 'one')
        await scope.records('Line').update(two.id, { order_id: other, parent_id: null, name: 'moved' });
    };
    await service.ok('DELETE', `/api/v1/orders/${id}`, { token });
    expect(await sql(`select id, order_id, name from lines where id in (${one.id}, ${two.id})`)).toEqual([
      { id: two.id, order_id: other, name: 'moved' },
    ]);
    await expect.poll(() => idsOf('after Line')).toEqual([one.id]);
    expect(await count('audit', `action = 'record.destroy' and target_id = '${two.id}'`)).toBe(0);
  });

  it('holds in the administration area, in code and for users', async () => {
    const { admin, id, line, token } = await setUp();
    await line('one');
    await service.ok('DELETE', `/admin/records/orders/${id}`, { token: admin });
    expect(await count('lines', `order_id = ${id}`)).toBe(0);

    const second = await create('order', {}, token);
    await line('two', null, second.id);
    await service.server.services.systemScope('tidy').records('Order').remove(second.id);
    expect(await count('lines', `order_id = ${second.id}`)).toBe(0);

    const third = await create('order', {}, token);
    await line('three', null, third.id);
    await service.ok('POST', `/api/v1/swap/${third.id}`, { token, body: {} });
    expect(await count('lines', `order_id = ${third.id}`)).toBe(0);
    expect(await count('orders', 'total = 77')).toBe(1);

    const user = await service.createUser();
    const [mine, theirs] = [
      await create('badge', { holder_id: user.id }, admin),
      await create('badge', { holder_id: token.id }, admin),
    ];
    await service.ok('DELETE', `/admin/users/${user.id}`, { token: admin });
    expect(await sql('select id from badges')).toEqual([{ id: theirs.id }]);
    const principal = { kind: 'system', reason: `onDelete: User ${user.id}` };
    expect(heard).toContainEqual({ hook: 'before Badge', id: mine.id, principal });
    expect((await service.delete(`/admin/users/${user.id}`, { token: admin })).status).toBe(404);
  });

  it('leaves no line behind while lines are added and orders deleted', async () => {
    const { admin, token } = await setUp();
    const second = await service.secondInstance();
    let created = 0;
    for (let round = 0; round < 8; round += 1) {
      const { id } = await create('order', {}, token);
      const adding = Array.from({ length: 6 }, (_, index) =>
        (index % 2 === 0 ? service : second).post('/api/v1/lines', {
          token: admin,
          body: { line: { order_id: id, name: `${index}` } },
        }),
      );
      const removing = [service, second].map((each) => each.delete(`/api/v1/orders/${id}`, { token }));
      const added = (await Promise.all(adding)).map(({ status }) => status);
      expect(added.filter((status) => status !== 201 && status !== 422)).toEqual([]);
      created += added.filter((status) => status === 201).length;
      const removed = (await Promise.all(removing)).map(({ status }) => status).sort();
      expect(removed).toEqual([200, 404]);
      expect(await count('lines', `order_id = ${id}`)).toBe(0);
    }
    // The hook ran once for each of them, whichever side found it.
    await expect.poll(() => idsOf('after Line').length).toBe(created);
    expect(new Set(idsOf('after Line')).size).toBe(created);
  });

  const insertLines = async (id: number, many: number, chained = false): Promise<void> => {
    const at = `'2026-01-01T00:00:00.000Z'`;
    const from = Number((await sql('select coalesce(max(id), 0) as n from lines'))[0]?.['n']) + 1;
    const seeded = databases.dialect === 'postgres' ? ' overriding system value' : '';
    const rows = Array.from(
      { length: many },
      (_, index) =>
        `(${from + index}, ${id}, ${chained && index > 0 ? from + index - 1 : 'null'}, ${at}, ${at})`,
    );
    await sql(
      `insert into lines (id, order_id, parent_id, created_at, updated_at)${seeded} values ${rows.join(',')}`,
    );
    if (databases.dialect === 'postgres')
      await sql(`alter table lines alter column id restart with ${from + many}`);
  };

  it('a cascade is bounded: more than 1,000 records, or more than 500 in a row, are refused', async () => {
    const { admin, token, id } = await setUp();
    await insertLines(id, 1_001);
    const refusal = await service.delete(`/api/v1/orders/${id}`, { token });
    expect([refusal.status, refusal.json.code]).toEqual([409, 40907]);
    expect(refusal.json.message).toContain('1000');
    expect(await count('lines', `order_id = ${id}`)).toBe(1_001);
    const [first] = await sql(`select min(id) as id from lines where order_id = ${id}`);
    await service.ok('DELETE', `/api/v1/lines/${first?.id}`, { token: admin });
    await service.ok('DELETE', `/api/v1/orders/${id}`, { token });
    expect(await count('lines', `order_id = ${id}`)).toBe(0);

    const deep = await create('order', {}, token);
    await insertLines(deep.id, 502, true);
    const [top] = await sql(`select min(id) as id from lines where order_id = ${deep.id}`);
    const tooDeep = await service.delete(`/api/v1/lines/${top?.id}`, { token: admin });
    expect([tooDeep.status, tooDeep.json.code]).toEqual([409, 40907]);
    await service.ok('DELETE', `/api/v1/lines/${Number(top?.id) + 1}`, { token: admin });
    expect(await count('lines', `order_id = ${deep.id}`)).toBe(1);
  });

  it('stands in metadata and description', async () => {
    const token = await service.admin();
    const { fields } = await service.ok<{ fields: Row[] }>('GET', '/api/v1/meta/Shipment', { token });
    expect(
      fields.filter((each) => 'on_delete' in each).map((each) => [each['name'], each['on_delete']]),
    ).toEqual([
      ['order_id', 'cascade'],
      ['line_id', 'restrict'],
    ]);
    const { paths, components } = JSON.parse((await service.get('/api-docs/openapi.json')).text);
    expect(paths['/api/v1/lines/{id}'].delete.description).toContain(
      'Deleted with it: `Order.first_id`, `Line.parent_id`; Becomes null: `Note.line_id`; Blocks the deletion: `Shipment.line_id`, `Invoice.line_id`',
    );
    const { $ref } = paths['/api/v1/orders/{id}'].delete.responses['409'];
    const problems = JSON.stringify(components.responses[$ref.replace('#/components/responses/', '')]);
    expect(problems).toContain('40907');
    expect(new Problem('cascade_too_large').status).toBe(409);
  });
});
