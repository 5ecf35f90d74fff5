import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { anyOf, equals, own, via } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, useService } from '../../support/service.ts';

const fields = {
  status: field.enum(['open', 'paid']),
  amount: field.integer({ required: true }),
  price: field.decimal(),
  title: field.string(),
  paid_at: field.datetime(),
  secret: field.integer(),
  published: field.boolean(),
  user_id: field.owner(),
  first: field.reference('Parcel', { anyone: true }),
};
const list = ['id', 'status', 'amount', 'price', 'title', 'paid_at'] as const;
const either = ['jwt', 'api_key'] as const;
const methods = { list: either, detail: either, create: either, update: either, destroy: either };

/** One of each rule that decides the content of a list. */
const models = [
  // First, as the other tables refer to its own.
  defineResource('Parcel', {
    fields,
    isolation: { read: anyOf(equals('status', 'paid'), via('first', own()), own()), write: own() },
    ownership: true,
  }),
  defineResource('Sale', { fields, views: { list }, isolation: true, ownership: true, auth: methods }),
  defineResource('Ledger', { fields, permissions: 'all', auth: { ...methods, list: ['jwt', 'signature'] } }),
  defineResource('Bulletin', { fields, views: { list }, publicRead: { where: { published: true } } }),
];

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      for (const { table } of models) await createTable(db, dialect, table, { fields });
    },
  },
};

type Group = Readonly<Record<string, unknown>>;

describeEachDatabase('aggregates of a resource', (databases) => {
  const service = useService(databases, {
    application: { resources: models, migrations },
    apps: ['shop'],
    env: { LOG_LEVEL: 'warn' },
  });
  const callers = new Map<string, RequestOptions>();

  beforeAll(async () => {
    const [admin, one, other] = [
      await service.admin(),
      await service.createUser(),
      await service.createUser(),
    ];
    callers.set('admin', { token: admin.token });
    callers.set('one', { token: one.token });
    callers.set('other', { token: other.token });
    callers.set('key', { headers: { 'x-api-key': (await service.createKey(one)).key } });
    callers.set('application', { headers: service.sign('shop', '') });
    callers.set('nobody', {});
    for (const { path, singular } of models)
      for (const [index, { token }] of [admin, one, other, one, one].entries()) {
        const values = {
          status: index === 4 ? null : index % 2 === 0 ? 'open' : 'paid',
          amount: index * 1000 + 250,
          price: index === 1 ? null : `${index}.10`,
          title: `t${index}`,
          paid_at: `2026-11-2${index}T20:00:00+01:00`,
          secret: index,
          published: index !== 3,
          first_id: singular === 'parcel' && index === 3 ? 1 : null,
        };
        // The ledger asks the permission table, in which no other user stands.
        const by = singular === 'ledger' ? admin.token : token;
        await service.ok('POST', `/api/v1/${path}`, { token: by, body: { [singular]: values } });
      }
  });

  const as = (name: string): RequestOptions => callers.get(name) ?? {};
  const groups = async (path: string, options: RequestOptions): Promise<readonly Group[]> =>
    (await service.ok<readonly Group[]>('GET', path, options)) as never;

  it('answers groups under the names of fields, spans of time and measures', async () => {
    const path = '/api/v1/sales/aggregate';
    expect(
      await groups(
        `${path}?group=status,paid_at:day&count&sum=amount,price&avg=amount&min=title&max=paid_at&sort=-paid_at_day&offset=+08:00`,
        as('one'),
      ),
    ).toEqual([
      {
        status: null,
        paid_at_day: '2026-11-25',
        count: 1,
        sum_amount: 4250,
        sum_price: '4.10',
        avg_amount: 4250,
        min_title: 't4',
        max_paid_at: '2026-11-24T19:00:00.000Z',
      },
      {
        status: 'paid',
        paid_at_day: '2026-11-24',
        count: 1,
        sum_amount: 3250,
        sum_price: '3.10',
        avg_amount: 3250,
        min_title: 't3',
        max_paid_at: '2026-11-23T19:00:00.000Z',
      },
      {
        status: 'paid',
        paid_at_day: '2026-11-22',
        count: 1,
        sum_amount: 1250,
        sum_price: null,
        avg_amount: 1250,
        min_title: 't1',
        max_paid_at: '2026-11-21T19:00:00.000Z',
      },
    ]);
    expect(await groups(`${path}?group=paid_at:week&count&avg=price`, as('admin'))).toEqual([
      { paid_at_week: '2026-W47', count: 3, avg_price: 1.1 },
      { paid_at_week: '2026-W48', count: 2, avg_price: 3.6 },
    ]);
    expect(await groups(`${path}?count=true&sum=amount&filter[status]=paid&q=T`, as('admin'))).toEqual([
      { count: 2, sum_amount: 4500 },
    ]);
  });

  it('groups by the calendar of a zone, and names an unknown one', async () => {
    const path = '/api/v1/sales/aggregate';
    expect(
      await groups(`${path}?group=paid_at:day&count&filter[amount]=250&zone=Asia/Shanghai`, as('admin')),
    ).toEqual([{ paid_at_day: '2026-11-21', count: 1 }]);
    expect(
      await groups(`${path}?group=paid_at:hour&count&filter[amount]=250&zone=Europe/London`, as('admin')),
    ).toEqual([{ paid_at_hour: '2026-11-20T19', count: 1 }]);
    const message = 'zone 必须是时区名称，例如 Europe/Berlin';
    const unknown = await service.get(`${path}?count&zone=Mars/Olympus`, as('admin'));
    expect([unknown.status, unknown.json]).toMatchObject([
      422,
      { code: 42200, message, data: { errors: [{ field: 'zone', rule: 'time_zone', message }] } },
    ]);
    const both = await service.get(`${path}?count&zone=UTC&offset=Z`, as('admin'));
    expect([both.status, both.json.data]).toMatchObject([
      422,
      { errors: [{ field: 'zone', rule: 'zone_or_offset' }] },
    ]);
  });

  it('pages as lists do', async () => {
    const answer = await service.get<Group[]>('/api/v1/sales/aggregate?group=id&per_page=2', as('admin'));
    expect(answer.data).toHaveLength(2);
    expect(answer.headers['x-total-count']).toBe('5');
    expect(answer.headers['link']).toContain(
      '/api/v1/sales/aggregate?group=id&page=2&per_page=2>; rel="next"',
    );
  });

  describe.each(['sales', 'ledgers', 'parcels', 'bulletins'])('of %s', (path) => {
    it('tells every caller what the list tells them, and refuses whom it refuses', async () => {
      const seen = new Set<number>();
      for (const [name, options] of callers)
        for (const area of ['/api/v1', '/admin/records']) {
          const all = await service.get<{ id: number }[]>(`${area}/${path}`, options);
          const counted = await service.get<Group[]>(`${area}/${path}/aggregate?group=id&count`, options);
          expect([name, area, counted.status]).toEqual([name, area, all.status]);
          if (all.status !== 200) expect(counted.json).toEqual(all.json);
          seen.add(all.status);
          if (all.status !== 200) continue;
          expect(counted.data).toEqual(all.data.map(({ id }) => ({ id, count: 1 })));
          const [whole] = await groups(`${area}/${path}/aggregate?count`, options);
          expect(whole).toEqual({ count: all.data.length });
        }
      expect(seen.has(200)).toBe(true);
      expect(seen.has(401)).toBe(true);
    });
  });

  it('knows fields that only administrators list in their area only', async () => {
    const [hidden] = await groups('/admin/records/sales/aggregate?sum=secret', as('admin'));
    expect(hidden).toEqual({ sum_secret: 10 });
    const refused = await service.get('/api/v1/sales/aggregate?sum=secret', as('admin'));
    expect([refused.status, refused.json.code]).toEqual([400, 40007]);
  });

  it('stands beside the records, of which none is called so', async () => {
    const { token } = await service.admin();
    const record = await service.get('/api/v1/sales/1', { token });
    expect(record.status).toBe(200);
    for (const method of ['PATCH', 'DELETE', 'POST']) {
      const answer = await service.request(method, '/api/v1/sales/aggregate', { token, body: { sale: {} } });
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'GET, HEAD']);
    }
    expect((await service.request('HEAD', '/api/v1/sales/aggregate?count', { token })).status).toBe(200);
    expect((await service.get('/api/v1/sales/aggregates', { token })).status).toBe(404);
  });

  it('the aggregates of a resource are described in the metadata', async () => {
    const meta = await service.ok<{ endpoints: Group[]; fields: Group[] }>(
      'GET',
      '/api/v1/meta/Sale',
      as('one'),
    );
    expect(meta.endpoints).toContainEqual({
      action: 'aggregate',
      method: 'GET',
      path: '/api/v1/sales/aggregate',
      authentication: ['jwt', 'api_key'],
    });
    const described = Object.fromEntries(
      meta.fields.map(({ name, groupable, buckets, measures }) => [name, { groupable, buckets, measures }]),
    );
    expect(described).toMatchObject({
      status: { groupable: true, buckets: [], measures: [] },
      amount: { groupable: true, buckets: [], measures: ['sum', 'avg', 'min', 'max'] },
      paid_at: { buckets: ['hour', 'day', 'week', 'month', 'year'], measures: ['min', 'max'] },
      secret: { groupable: false, buckets: [], measures: [] },
    });
  });
});
