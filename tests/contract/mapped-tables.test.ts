import { expect, it } from 'vitest';
import { migrationFile } from '../../src/cli/scaffold/migration-file.ts';
import { planMigration } from '../../src/cli/scaffold/plan-migration.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { readStored } from '../../src/database/migrations.ts';
import { differences } from '../../src/database/schema-differences.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { collectModels } from '../../src/model/models.ts';
import { many } from '../../src/model/relation.ts';
import { member } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const firmFields = { name: field.string({ required: true, max: 40 }) };
const seatFields = { firm: field.reference('Firm', { required: true }), user_id: field.owner() };
const orderFields = {
  code: field.string({ required: true, max: 20, unique: true }),
  total: field.decimal({ index: true }),
  firm: field.reference('Firm', { required: true }),
  note: field.text(),
  number: field.sequence({ per: 'firm' }),
};
const lineFields = {
  order: field.reference('Order', { required: true, same: 'firm', onDelete: 'cascade' }),
  firm: field.reference('Firm', { required: true }),
  label: field.string({ max: 40 }),
};

const firm = defineResource('Firm', {
  fields: firmFields,
  table: { name: 'T Firms', columns: { name: 'firm name' } },
});
const seat = defineResource('Seat', {
  fields: seatFields,
  table: { columns: { firm: 'Of', user_id: 'Holder' } },
});
const order = defineResource('Order', {
  fields: orderFields,
  table: {
    name: 'T_ORDERS',
    // Two fields have each other's names.
    columns: { code: 'note', note: 'code', total: 'order total', firm: 'FIRM', number: 'Nr' },
  },
  isolation: member('firm_id', { of: 'Seat' }),
  relations: { lines: many('Line', { by: 'order', write: true }) },
  search: ['note'],
  history: true,
  events: true,
  trash: true,
});
const line = defineResource('Line', {
  fields: lineFields,
  table: { name: 'T_LINES', columns: { order: 'of order', firm: 'of firm' } },
  history: true,
  trash: true,
});

const resources = [firm, seat, order, line];

const tables = {
  'T Firms': { model: 'Firm', fields: { 'firm name': firmFields.name }, fieldNames: { 'firm name': 'name' } },
  seats: {
    fields: { Of: seatFields.firm, Holder: seatFields.user_id },
    references: { Of: 'T Firms' },
    fieldNames: { Of: 'firm_id', Holder: 'user_id' },
    indexes: [['Holder', 'Of']],
  },
  T_ORDERS: {
    model: 'Order',
    fields: {
      note: orderFields.code,
      'order total': orderFields.total,
      FIRM: orderFields.firm,
      code: orderFields.note,
      Nr: orderFields.number,
    },
    unique: [['FIRM', 'Nr']],
    references: { FIRM: 'T Firms' },
    fieldNames: { note: 'code', code: 'note', 'order total': 'total', FIRM: 'firm_id', Nr: 'number' },
    search: ['code'],
  },
  T_LINES: {
    model: 'Line',
    fields: { 'of order': lineFields.order, 'of firm': lineFields.firm, label: lineFields.label },
    references: { 'of order': { table: 'T_ORDERS', same: 'FIRM' }, 'of firm': 'T Firms' },
    fieldNames: { 'of order': 'order_id', 'of firm': 'firm_id' },
  },
} as const;

describeEachDatabase('tables and columns of other names', (databases) => {
  const service = useService(databases, {
    application: {
      resources,
      migrations: {
        '0001_tables': {
          up: async (db, dialect) => {
            for (const [table, definition] of Object.entries(tables))
              await createTable(db, dialect, table, definition);
          },
        },
      },
    },
  });
  const path = (rest: string) => `/api/v1/${rest}`;

  const stage = async () => {
    const [admin, user, stranger] = [
      await service.admin(),
      await service.createUser(),
      await service.createUser(),
    ];
    const made = (rest: string, body: object) =>
      service.ok<{ id: number }>('POST', path(rest), { token: admin, body });
    const ours = await made('firms', { firm: { name: 'Ours' } });
    const theirs = await made('firms', { firm: { name: 'Theirs' } });
    await made('seats', { seat: { firm_id: ours.id, user_id: user.id } });
    return { admin, user, stranger, ours, theirs };
  };

  it('tables of other names come of the written migration, without a difference', async () => {
    const database = await databases.open(await databases.create());
    const ask = async <Row>(sql: string) => database.all<Row & object>({ sql, parameters: [] });
    const stored = await readStored(ask as never, database.dialect);
    const models = collectModels(resources);
    const none = { tables: new Map(), columns: new Map(), fill: new Map(), allowDrop: false };
    const { operations } = planMigration(models, stored, none);
    const text = migrationFile(operations, models);
    for (const part of [
      "createTable(db, dialect, 'T_ORDERS', {\n    model: 'Order',",
      "'order total': field.decimal({ index: true }),",
      "fieldNames: { note: 'code', 'order total': 'total', FIRM: 'firm_id', code: 'note', Nr: 'number' },",
      "'of order': { table: 'T_ORDERS', same: 'FIRM' },",
      "search: ['code'],",
    ])
      expect(text).toContain(part);
    const { database: served } = service.server.services;
    const made = async <Row>(sql: string) => served.all<Row & object>({ sql, parameters: [] });
    expect(differences(models, await readStored(made as never, served.dialect))).toEqual([]);
  });

  it('tables of other names are read and written by the names of the fields', async () => {
    const { user, stranger, ours, theirs } = await stage();
    const code = `A${ours.id}`;
    const body = { order: { code, total: '5.50', firm_id: ours.id, note: 'blue paint' } };
    const created = await service.ok<Record<string, unknown>>('POST', path('orders'), { token: user, body });
    expect(created).toMatchObject({ code, total: '5.50', firm_id: ours.id, note: 'blue paint', number: '1' });
    const at = path(`orders/${created['id']}`);
    const list = (query: string, token = user) =>
      service.ok<readonly object[]>('GET', path(`orders?filter[firm_id]=${ours.id}&${query}`), { token });
    expect(await list('filter[total][gte]=5&sort=-total,code')).toEqual([created]);
    expect(await list('q=paint')).toEqual([created]);
    expect(await list('filter[firm.name]=Ours&sort=firm.name')).toEqual([created]);
    const whole = await service.ok<object>('GET', `${at}?include=firm`, { token: await service.admin() });
    expect(whole).toEqual({ ...created, firm: expect.objectContaining({ name: 'Ours' }) });
    expect(await list('', stranger)).toEqual([]);
    expect((await service.get(at, { token: stranger })).status).toBe(404);
    const groups = await service.get(path('orders/aggregate?group=firm_id&sum=total'), { token: user });
    expect([groups.status, groups.text]).toEqual([200, expect.stringContaining('5.5')]);
    const taken = await service.post(path('orders'), { token: user, body });
    expect([taken.status, taken.json.data]).toEqual([
      422,
      { errors: [expect.objectContaining({ field: 'code' })] },
    ]);
    const elsewhere = { order: { ...body.order, code: `${code}x`, firm_id: theirs.id } };
    expect((await service.post(path('orders'), { token: user, body: elsewhere })).status).toBeGreaterThan(
      399,
    );
    const line = { order_id: created['id'], firm_id: theirs.id, label: 'x' };
    const apart = await service.post(path('lines'), { token: await service.admin(), body: { line } });
    expect([apart.status, apart.json.data]).toEqual([
      422,
      { errors: [expect.objectContaining({ field: 'order_id' })] },
    ]);
  });

  it('tables of other names leave nothing but names of fields in history, events and trash', async () => {
    const { admin, user, ours } = await stage();
    const body = {
      order: {
        code: `B${ours.id}`,
        total: '1',
        firm_id: ours.id,
        lines: [{ firm_id: ours.id, label: 'one' }],
      },
    };
    const created = await service.ok<{ id: number }>('POST', path('orders'), { token: admin, body });
    const at = path(`orders/${created.id}`);
    const { headers } = await service.get(at, { token: user });
    const update = { order: { note: 'changed', total: '2' } };
    const old = await service.request('PUT', at, {
      token: user,
      body: update,
      headers: { 'if-match': '"7"' },
    });
    expect(old.status).toBe(412);
    const etag = String(headers['etag']);
    await service.ok('PUT', at, { token: user, body: update, headers: { 'if-match': etag } });
    const history = await service.ok<readonly { changes: readonly { field: string }[] }[]>(
      'GET',
      `${at}/history`,
      { token: user },
    );
    expect(JSON.stringify(history)).toMatch(/"note"/);
    expect(JSON.stringify(history)).not.toMatch(/order total|FIRM|T_ORDERS/);
    await service.ok('DELETE', at, { token: admin });
    const { database } = service.server.services;
    const names = database.dialect.names;
    let found = 0;
    for (const [table, columns] of [
      ['gatewright_history', 'cast(before as text) as b, cast(after as text) as a'],
      ['gatewright_events', 'cast(reach as text) as a'],
      ['gatewright_event_inbox', 'cast(reach as text) as a'],
      ['gatewright_trash', 'cast(record as text) as a'],
    ]) {
      const rows = await database.all({
        sql: `select ${columns} from ${names.written(table ?? '')}`,
        parameters: [],
      });
      found += rows.length;
      expect(JSON.stringify(rows)).not.toMatch(/order total|of order|of firm|firm name|Holder|FIRM/);
    }
    expect(found).toBeGreaterThan(3);
    const restored = await service.post(`/admin/records/orders/${created.id}/restore`, { token: admin });
    expect(restored.status).toBe(200);
    const again = await service.ok<object>('GET', `${at}?include=lines`, { token: user });
    expect(again).toMatchObject({
      note: 'changed',
      total: '2.00',
      lines: [{ label: 'one', firm_id: ours.id }],
    });
  });
});
