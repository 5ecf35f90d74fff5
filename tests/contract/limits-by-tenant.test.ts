/** Limits that the members of a tenant share: the tenant for which a caller counts, and callers who would escape. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import type { Query } from '../../src/database/database.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import {
  createTable,
  defineEndpoint,
  defineResource,
  field,
  member,
  type RateLimit,
} from '../../src/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Answer, type Service, type TestUser, useService } from '../support/service.ts';

const auth = ['jwt', 'api_key'] as const;
const fields = {
  clinics: { name: field.string() },
  seats: {
    clinic: field.reference('Clinic', { required: true, onDelete: 'cascade' }),
    role: field.enum(['guest', 'doctor', 'owner'], { required: true }),
    user_id: field.owner(),
  },
  notes: { title: field.string(), clinic: field.reference('Clinic', { onDelete: 'cascade' }) },
  pages: { title: field.string() },
  posts: { title: field.string() },
} as const;
const isOwner = member('id', { of: 'Seat', on: 'clinic_id', where: { role: 'owner' } });
const isStaff = member('clinic_id', { of: 'Seat', where: { role: ['doctor', 'owner'] } });
const resources = [
  defineResource('Clinic', {
    fields: fields.clinics,
    auth,
    isolation: isOwner,
    manage: isOwner,
    trash: true,
  }),
  defineResource('Seat', { fields: fields.seats }),
  defineResource('Note', { fields: fields.notes, auth, isolation: { read: 'everyone', write: isStaff } }),
  defineResource('Page', { fields: fields.pages, auth }),
  defineResource('Post', { fields: fields.posts, auth }),
];
const endpoints = [defineEndpoint({ method: 'GET', path: '/open', auth: [], handle: () => 'done' })];
const migrations: Migrations = {
  '0001_clinics': {
    up: async (db, dialect) => {
      for (const name of ['clinics', 'seats', 'notes', 'pages', 'posts'] as const)
        await createTable(db, dialect, name, { fields: fields[name] });
    },
  },
};
const limited = (limits: Readonly<Record<string, RateLimit>>) => ({
  resources,
  endpoints,
  migrations,
  config: { limits },
});

/** The requests that are left, by the names of the limits. */
const leftOf = ({ headers }: Answer): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...String(headers['ratelimit'] ?? '').matchAll(/"(\w+)";r=(\d+)/g)].map(([, name, left]) => [
      name,
      Number(left),
    ]),
  );

const admitted = (answers: readonly Answer[]): number =>
  answers.filter(({ status }) => status === 200).length;

describeEachDatabase('limits by tenant', (databases) => {
  const service = useService(databases, {
    application: limited({
      notes: { per: 'clinic', max: 6, window: '1h', each: 4 },
      pages: { per: 'Seat.clinic', max: 100, window: '1h' },
      posts: { per: 'clinic', max: 3, window: '1h' },
      'GET /open': { per: 'clinic', max: 6, window: '1h', each: 2 },
    }),
  });
  let other: Service;
  let root: TestUser;
  beforeAll(async () => {
    other = await service.secondInstance();
    root = await service.admin();
  });

  const record = async (path: string, key: string, values: object): Promise<number> => {
    const body = { [key]: values };
    return (await service.ok<{ id: number }>('POST', `/admin/records/${path}`, { token: root, body })).id;
  };
  const clinic = () => record('clinics', 'clinic', { name: 'Park' });
  const join = (clinic_id: number, { id }: { readonly id: number }, role = 'doctor') =>
    record('seats', 'seat', { clinic_id, user_id: id, role });
  const leave = (seat: number) => service.ok('DELETE', `/admin/records/seats/${seat}`, { token: root });
  /** A new user who works in these clinics, in this order. */
  const worker = async (...clinics: readonly number[]): Promise<TestUser> => {
    const user = await service.createUser();
    for (const each of clinics) await join(each, user);
    return user;
  };
  const ask = (token: TestUser, at: Service = service) => at.get('/api/v1/notes', { token });
  const use = async (user: TestUser, count: number): Promise<void> => {
    for (let each = 0; each < count; each += 1) expect((await ask(user)).status).toBe(200);
  };
  /** Two workers use up what a clinic has. */
  const exhaust = async (id: number): Promise<void> => {
    await use(await worker(id), 4);
    await use(await worker(id), 2);
  };

  it('members of a tenant share a bucket, whichever key they use and whichever instance they ask', async () => {
    const [park, sea] = [await clinic(), await clinic()];
    const [ann, ben, eve] = [await worker(park), await worker(park), await worker(sea)];
    const { key } = await service.createKey(ann, undefined, ['notes:read']);
    const first = await ask(ann);
    expect(leftOf(first)).toEqual({ caller: 3, default: 5 });
    expect(first.headers['ratelimit-policy']).toBe('"caller";q=4;w=3600, "default";q=6;w=3600');
    expect(leftOf(await ask(ben, other))).toEqual({ caller: 3, default: 4 });
    expect(leftOf(await other.get('/api/v1/notes', { key }))).toEqual({ caller: 2, default: 3 });
    expect(leftOf(await ask(eve, other))).toEqual({ caller: 3, default: 5 });
    await use(ben, 3);
    const refused = await ask(ann, other);
    expect(refused).toMatchObject({ status: 429, json: { code: 42900 } });
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': expect.stringMatching(/"default";q=6;w=3600$/),
      'retry-after': expect.stringMatching(/^(600|59\d)$/),
    });
    expect((await ask(eve)).status).toBe(200);
  });

  it('a member has no more than `each`, and leaves the rest to the others', async () => {
    const park = await clinic();
    const [ann, ben] = [await worker(park), await worker(park)];
    await use(ann, 4);
    const refused = await ask(ann);
    expect([refused.status, leftOf(refused)]).toEqual([429, { caller: 0 }]);
    expect((await ask(ann, other)).status).toBe(429);
    expect(leftOf(await ask(ben))).toEqual({ caller: 3, default: 1 });
  });

  it('requests that the tenant refuses take nothing from the bucket of their caller', async () => {
    using _first = service.askFirstWorker();
    const park = await clinic();
    const ben = await service.createUser();
    const seat = await join(park, ben);
    await use(ben, 1);
    await use(await worker(park), 4);
    await use(await worker(park), 1);
    for (let count = 0; count < 5; count += 1) {
      const refused = await ask(ben);
      expect([refused.status, leftOf(refused)]).toEqual([429, { default: 0 }]);
    }
    await leave(seat);
    expect(leftOf(await ask(ben))).toEqual({ caller: 2 });
  });

  it('a user of several tenants counts for the one of the oldest membership', async () => {
    const [park, sea] = [await clinic(), await clinic()];
    const [ann, ben, eve] = [await worker(park, sea), await worker(park), await worker(sea)];
    await use(ann, 3);
    expect(leftOf(await ask(ben))).toEqual({ caller: 3, default: 2 });
    expect(leftOf(await ask(eve))).toEqual({ caller: 3, default: 5 });
  });

  it('a tenant that is used up refuses no user of another tenant whom it makes a member', async () => {
    const [park, sea] = [await clinic(), await clinic()];
    const ann = await worker(park);
    await exhaust(sea);
    await join(sea, ann, 'owner');
    expect(leftOf(await ask(ann))).toEqual({ caller: 3, default: 5 });
  });

  it('a user of a tenant that is used up gains nothing from joining another', async () => {
    const [park, sea] = [await clinic(), await clinic()];
    const ann = await worker(park);
    await exhaust(park);
    expect((await ask(ann)).status).toBe(429);
    await join(sea, ann, 'owner');
    expect((await ask(ann)).status).toBe(429);
    expect(leftOf(await ask(await worker(sea)))).toEqual({ caller: 3, default: 5 });
  });

  it('one limit shows without `each`, and users who go from tenant to tenant gain nothing', async () => {
    const view = (token: TestUser, at: Service = service) => at.get('/api/v1/posts', { token });
    const [park, sea] = [await clinic(), await clinic()];
    const [ann, ben] = [await worker(park), await worker(park)];
    const first = await view(ann);
    expect(first.headers['ratelimit-policy']).toBe('"default";q=3;w=3600');
    expect(leftOf(first)).toEqual({ default: 2 });
    expect(leftOf(await view(ben, other))).toEqual({ default: 1 });
    expect(leftOf(await view(ann))).toEqual({ default: 0 });
    expect((await view(ben)).status).toBe(429);
    const eve = await service.createUser();
    for (let left = 2; left >= 0; left -= 1) expect(leftOf(await view(eve))).toEqual({ default: left });
    await join(sea, eve);
    const refused = await view(eve, other);
    expect([refused.status, leftOf(refused)]).toEqual([429, { default: 0 }]);
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': '"default";q=3;w=3600',
      'retry-after': expect.stringMatching(/^(1200|1[01]\d\d)$/),
    });
    expect(leftOf(await view(await worker(sea)))).toEqual({ default: 2 });
  });

  it('a user who goes from tenant to tenant takes the bucket of the caller along', async () => {
    const ann = await service.createUser();
    let asked = 0;
    for (let count = 0; count < 4; count += 1) {
      const each = await clinic();
      const seat = await join(each, ann);
      asked += admitted([await ask(ann), await ask(ann, other)]);
      await leave(seat);
    }
    expect(asked).toBe(4);
    const last = await clinic();
    await join(last, ann);
    expect((await ask(ann)).status).toBe(429);
    expect(leftOf(await ask(await worker(last)))).toEqual({ caller: 3, default: 5 });
  });

  it('only memberships that meet the condition count', async () => {
    const [park, sea] = [await clinic(), await clinic()];
    const ann = await service.createUser();
    await join(park, ann, 'guest');
    expect(leftOf(await ask(ann))).toEqual({ caller: 3 });
    await join(sea, ann);
    expect(leftOf(await ask(ann))).toEqual({ caller: 2, default: 5 });
  });

  it('callers without a tenant have a bucket of their own, and anonymous ones that of their network', async () => {
    expect(leftOf(await ask(await service.createUser()))).toEqual({ caller: 3 });
    const statuses = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await (count === 1 ? other : service).get('/api/v1/open')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('a service account counts for the record that owns it, whatever memberships it has', async () => {
    const [park, sea] = [await clinic(), await clinic()];
    const ann = await service.createUser();
    await join(park, ann, 'owner');
    const account = await service.ok<{ id: number }>('POST', '/api/v1/service_accounts', {
      token: ann,
      body: { service_account: { name: 'ERP', owner: { model: 'Clinic', id: park } } },
    });
    await join(sea, account);
    const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
      token: ann,
      body: { api_key: { name: 'night', service_account_id: account.id } },
    });
    expect(leftOf(await service.get('/api/v1/notes', { key }))).toEqual({ caller: 3, default: 5 });
    expect(leftOf(await ask(await worker(park)))).toEqual({ caller: 3, default: 4 });
    expect(leftOf(await ask(await worker(sea)))).toEqual({ caller: 3, default: 5 });
  });

  it('requests that the limit of a key refuses take nothing from the tenant', async () => {
    using _first = service.askFirstWorker();
    const park = await clinic();
    const ann = await worker(park);
    const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
      token: ann,
      body: { api_key: { name: 'job', limit: { max: 1, window: '1h' } } },
    });
    const statuses = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await service.get('/api/v1/notes', { key })).status);
    expect(statuses).toEqual([200, 429, 429]);
    expect(leftOf(await ask(await worker(park)))).toEqual({ caller: 3, default: 4 });
  });

  it('limits by tenant are explained as they stand, without counting', async () => {
    const park = await clinic();
    const ann = await worker(park);
    const explain = async () => {
      const query = new URLSearchParams({ method: 'GET', path: '/api/v1/notes', user_id: String(ann.id) });
      const { code, steps } = await other.ok<{
        readonly code: number;
        readonly steps: readonly { readonly rule: string; readonly because: string }[];
      }>('GET', `/admin/explain?${query}`, { token: root });
      return [code, ...steps.filter(({ rule }) => rule === 'rate_limit').map(({ because }) => because)];
    };
    await ask(ann);
    const one = [0, 'caller：剩余 3 / 4', 'default：剩余 5 / 6'];
    await expect.poll(explain).toEqual(one);
    expect(await explain()).toEqual(one);
    await use(await worker(park), 4);
    await use(await worker(park), 1);
    await expect.poll(explain).toEqual([42900, 'caller：剩余 3 / 4', 'default：剩余 0 / 6']);
  });

  it('many requests of several members hold for two instances within five in a hundred', async () => {
    const park = await clinic();
    const team = [await worker(park), await worker(park), await worker(park)];
    const burst = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          (index % 2 === 0 ? service : other).get('/api/v1/pages', { token: team[index % 3] ?? root }),
        ),
      );
    let total = 0;
    for (let round = 0; round < 5; round += 1) total += admitted(await burst(36));
    expect(total).toBeGreaterThanOrEqual(100);
    expect(total).toBeLessThanOrEqual(105);
  });

  it('memberships are read for requests that such a limit counts, and for no others', async () => {
    using _first = service.askFirstWorker();
    const ann = await worker(await clinic());
    const { database } = service.server.services;
    const read: string[] = [];
    for (const method of ['get', 'all', 'scan', 'execute'] as const) {
      const original = database[method].bind(database) as (query: Query) => Promise<never>;
      vi.spyOn(database, method).mockImplementation((query: Query) => {
        if (query.sql.includes('from "seats"')) read.push(query.sql);
        return original(query);
      });
    }
    try {
      expect((await service.get('/api/v1/auth/me', { token: ann })).status).toBe(200);
      expect(read).toHaveLength(0);
      await use(ann, 4);
      expect(read).toHaveLength(4);
      // Known to have nothing left: refused from memory.
      for (let count = 0; count < 3; count += 1) expect((await ask(ann)).status).toBe(429);
      expect(read).toHaveLength(4);
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe('the options of a limit by tenant', () => {
  it.each<[object, string]>([
    [{ per: '' }, 'limits.notes.per must be a text, not ""'],
    [{ per: 'user' }, 'limits.notes.per must be "caller", "network" or a tenant, "clinic", not "user"'],
    [{ each: 2 }, 'limits.notes.each needs a tenant as `per`'],
    [{ per: 'network', each: 2 }, 'limits.notes.each needs a tenant as `per`'],
    [{ per: 'clinic', each: 7 }, 'limits.notes.each must be at most `max`'],
    [{ per: 'clinic', each: 0 }, 'limits.notes.each must be a whole number from 1'],
  ])('%j is refused: %s', (limit, message) => {
    const notes = { max: 6, window: '1m', ...limit } as RateLimit;
    expect(() => createApplication(limited({ notes }))).toThrow(`configuration: ${message}`);
  });
});
