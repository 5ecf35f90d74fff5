import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { type Action, actions, type ResourceModel } from '../../src/model/resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import type { RequestOptions, TestUser } from '../support/service.ts';
import { useService } from '../support/service.ts';
import { testsAll } from '../support/tiers.ts';

const fields = {
  title: field.string({ required: true, max: 50 }),
  amount: field.integer({ default: 1 }),
  secret: field.text(),
  shown: field.boolean({ default: false }),
  user_id: field.owner(),
};

const [jwt, either] = [['jwt'] as const, ['jwt', 'api_key'] as const];

/** A model for every combination of the switches that bear on who reads and writes what. */
const models: readonly ResourceModel[] = ([undefined, 'writes', 'all'] as const).flatMap((permissions) =>
  Array.from({ length: 32 }, (_, bits) => {
    const on = (bit: number): boolean => Math.trunc(bits / 2 ** bit) % 2 === 1;
    const letters = `${permissions?.slice(0, 1) ?? 'n'}${[0, 1, 2, 3, 4].map((bit) => (on(bit) ? 'y' : 'n')).join('')}`;
    return defineResource(`M${letters}`, {
      fields,
      plural: `${letters}_rows`,
      auth: on(0) ? either : jwt,
      isolation: on(1),
      ownership: on(2),
      ...(permissions === undefined ? {} : { permissions }),
      ...(on(3) ? { restricted: ['secret'] as const } : {}),
      ...(on(4)
        ? {
            publicRead: { where: { shown: true } },
            views: { list: ['id', 'title'] as const, detail: ['id', 'title', 'amount', 'shown'] as const },
          }
        : {}),
    });
  }),
);

const migrations = {
  rows: {
    up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) => {
      for (const { table } of models) await createTable(db, dialect, table, { fields });
    },
  },
};

interface MetaField {
  readonly name: string;
  readonly read_only: boolean;
  readonly operators: readonly string[];
  readonly sortable: boolean;
}

interface Metadata {
  readonly model: string;
  readonly fields: readonly MetaField[];
  readonly schemas: Readonly<Record<'create' | 'update' | 'read', { readonly properties: object }>>;
  readonly permissions: Readonly<Record<Action, boolean>>;
  readonly endpoints: readonly {
    readonly action: Action;
    readonly method: string;
    readonly path: string;
    readonly authentication: readonly string[];
  }[];
}

interface Caller {
  readonly user: TestUser;
  readonly credentials: RequestOptions;
}

type Row = Readonly<Record<string, unknown>>;

/** The values of a body: each differs from the row's value without it. */
const sent = (other: number) => ({
  id: 987_654,
  title: 'sent',
  amount: 77,
  secret: 'sent',
  shown: true,
  user_id: other,
  created_at: '2001-01-01T00:00:00.000Z',
  updated_at: '2001-01-01T00:00:00.000Z',
  version: 1234,
});

describeEachDatabase('metadata', (databases) => {
  const service = useService(databases, { application: { resources: models, migrations }, apps: ['shop'] });
  const callers = new Map<string, Caller>();
  // The rules know nothing of the database: on the slower one every fifth combination shows as much. On the other one every
  // third has all values of any three switches; the long tier asks about all.
  const step = databases.dialect === 'postgres' ? 5 : testsAll ? 1 : 3;
  const asked = models.filter((_, index) => index % step === 0);
  let other: TestUser;

  const byToken = (user: TestUser): Caller => ({ user, credentials: { token: user } });
  const byKey = async (user: TestUser): Promise<Caller> => ({
    user,
    credentials: { key: (await service.createKey(user)).key },
  });

  const grant = async (role: string, granted: readonly string[]): Promise<void> => {
    await service.ok('POST', '/admin/roles', {
      token: await service.admin(),
      body: { role: { name: role } },
    });
    for (const { name, rules } of models)
      for (const action of granted)
        if (action !== 'read' || rules.permissions === 'all')
          await service.ok('PUT', `/admin/permissions/${role}/${name}/${action}`, {
            token: await service.admin(),
          });
  };

  beforeAll(async () => {
    await grant('editor', ['create', 'update', 'destroy', 'read']);
    await grant('author', ['create']);
    await grant('corrector', ['update', 'read']);
    const create = (...roles: string[]) => service.createUser(roles);
    const editor = await create('viewer', 'editor');
    other = await create('viewer');
    callers.set('super_admin', byToken(await create('super_admin')));
    callers.set('admin', byToken(await create('admin')));
    callers.set('granted admin', byToken(await create('admin', 'editor')));
    callers.set('granted viewer', byToken(editor));
    callers.set('author', byToken(await create('author')));
    callers.set('corrector', byToken(await create('corrector')));
    callers.set('plain viewer', byToken(await create('viewer')));
    callers.set('key of a granted viewer', await byKey(editor));
    callers.set('key of a viewer', await byKey(other));
  }, 120_000);

  /** The whole row, as the administration area shows it. */
  const rowOf = async ({ path }: ResourceModel, id: number): Promise<Row> =>
    service.ok<Row>('GET', `/admin/records/${path}/${id}`, { token: await service.admin() });

  /** A row of the caller's own, straight into the table. */
  const seed = async ({ table }: ResourceModel, owner: number): Promise<number> => {
    const { database } = service.server.services;
    const at = '2024-01-01T00:00:00.000Z';
    const mark = (n: number): string => (databases.dialect === 'sqlite' ? '?' : `$${n}`);
    const [row] = await database.execute<{ id: number }>({
      sql: `insert into "${table}" ("title", "amount", "secret", "shown", "user_id", "created_at", "updated_at", "version")
        values ('old', 1, 'old', ${mark(1)}, ${mark(2)}, ${mark(3)}, ${mark(4)}, 1) returning "id"`,
      parameters: [false, owner, at, at],
    });
    return Number(row?.id);
  };

  /** Names of the values that stand in the row as they were sent. */
  const taken = (row: Row, values: Row): string[] =>
    Object.keys(values)
      .filter((name) => row[name] === values[name])
      .sort();

  const attempt = async (model: ResourceModel, { credentials, user }: Caller, administers: boolean) => {
    const stranger = user.id === other.id ? await service.admin() : other;
    // Others than administrators name themselves, where a body names the owner of an isolated record.
    const { isolation, ownership } = model.rules;
    const namesItself = isolation !== undefined && !ownership && !administers;
    const values = sent(namesItself ? user.id : stranger.id);
    const base = `/api/v1/${model.path}`;
    const body = { [model.singular]: values };
    const created = await service.post<{ id: number }>(base, { ...credentials, body });
    const mine = await seed(model, user.id);
    const updated = await service.request('PATCH', `${base}/${mine}`, { ...credentials, body });
    // The row may have been given to somebody else, and not be in sight any more.
    const readable = await seed(model, user.id);
    if (model.rules.publicRead !== undefined) await show(model, readable);
    const effects = {
      create: created.status === 201 ? taken(await rowOf(model, created.data.id), values) : [],
      update: updated.status === 200 ? taken(await rowOf(model, mine), values) : [],
    };
    const status: Record<Action, number> = {
      list: (await service.get(`${base}?per_page=1`, credentials)).status,
      detail: (await service.get(`${base}/${readable}`, credentials)).status,
      create: created.status,
      update: updated.status,
      destroy: (await service.delete(`${base}/${await seed(model, user.id)}`, credentials)).status,
    };
    return { effects, status };
  };

  const show = async ({ table }: ResourceModel, id: number): Promise<void> => {
    const on = databases.dialect === 'sqlite' ? '1' : 'true';
    await service.server.services.database.execute({
      sql: `update "${table}" set "shown" = ${on} where "id" = ${id}`,
      parameters: [],
    });
  };

  const names = (schema: { readonly properties: object }): string[] => Object.keys(schema.properties).sort();

  const compare = async (model: ResourceModel, name: string, caller: Caller): Promise<void> => {
    const what = `${model.name}, ${name}`;
    const metadata = await service.ok<Metadata>('GET', `/api/v1/meta/${model.name}`, caller.credentials);
    const { effects, status } = await attempt(model, caller, name.includes('admin'));
    const may = Object.fromEntries(actions.map((action) => [action, status[action] < 300]));
    expect([what, metadata.permissions]).toEqual([what, may]);
    expect([what, names(metadata.schemas.create)]).toEqual([what, effects.create]);
    expect([what, names(metadata.schemas.update)]).toEqual([what, effects.update]);
    const writable = metadata.fields.filter(({ read_only }) => !read_only).map((one) => one.name);
    expect([what, writable.sort()]).toEqual([
      what,
      [...new Set([...effects.create, ...effects.update])].sort(),
    ]);
    await compareReads(model, what, metadata, caller, status);
  };

  /** Whatever is described as readable, filterable or sortable is, and nothing else. */
  const compareReads = async (
    model: ResourceModel,
    what: string,
    { schemas, fields: described }: Metadata,
    { credentials }: Caller,
    status: Readonly<Record<Action, number>>,
  ): Promise<void> => {
    const base = `/api/v1/${model.path}`;
    const read = status.detail < 300 ? model.views.detail : status.list < 300 ? model.views.list : [];
    expect([what, names(schemas.read)]).toEqual([what, [...read].sort()]);
    for (const { name, operators, sortable } of described) {
      const filtered = await service.get(`${base}?per_page=1&filter[${name}][null]=true`, credentials);
      expect([what, name, operators.includes('null')]).toEqual([what, name, filtered.status < 300]);
      const sorted = await service.get(`${base}?per_page=1&sort=${name}`, credentials);
      expect([what, name, sortable]).toEqual([what, name, sorted.status < 300]);
    }
  };

  it('calls a field read-only exactly when writing it has no effect for the caller', async () => {
    for (const model of asked) for (const [name, caller] of callers) await compare(model, name, caller);
  }, 300_000);

  it('says which records a resource under isolation leaves, in the language asked for', async () => {
    const token = await service.admin();
    for (const { name, rules } of asked) {
      const path = `/api/v1/meta/${name}`;
      const { isolation } = await service.ok<{ isolation?: unknown }>('GET', `${path}?lang=en`, { token });
      const read = 'Records where `user_id` is the caller';
      const tree = { kind: 'own', field: 'user_id' };
      const said = { read, write: read, rules: { read: tree, write: tree } };
      expect([name, isolation]).toEqual([name, rules.isolation === undefined ? undefined : said]);
      const chinese = await service.ok<{ isolation?: { read: string } }>('GET', path, { token });
      expect(chinese.isolation?.read).toBe(rules.isolation && '满足以下条件的记录：用户 `user_id` 是调用者');
    }
  });

  it('metadata is for users: strangers and applications are refused, an unknown model is an unknown path', async () => {
    const [model] = models;
    const path = `/api/v1/meta/${model?.name}`;
    expect((await service.get(path)).status).toBe(401);
    expect((await service.get(path, { headers: service.sign('shop', '') })).status).toBe(401);
    const token = await service.admin();
    const unknown = await service.get('/api/v1/meta/Nope', { token });
    expect([unknown.status, unknown.json.code]).toEqual([404, 40401]);
    expect((await service.get(`${path.toLowerCase()}`, { token })).status).toBe(404);
    expect((await service.post(path, { token, body: {} })).status).toBe(405);
  });

  it('names the endpoints that are served, with what they ask for', async () => {
    const open = models.find(({ name }) => name === 'Mwynnny');
    const { endpoints } = await service.ok<Metadata>('GET', `/api/v1/meta/${open?.name}`, {
      token: await service.admin(),
    });
    expect(endpoints).toEqual([
      { action: 'list', method: 'GET', path: '/api/v1/wynnny_rows', authentication: [] },
      { action: 'aggregate', method: 'GET', path: '/api/v1/wynnny_rows/aggregate', authentication: [] },
      { action: 'detail', method: 'GET', path: '/api/v1/wynnny_rows/:id', authentication: [] },
      { action: 'create', method: 'POST', path: '/api/v1/wynnny_rows', authentication: ['jwt', 'api_key'] },
      {
        action: 'update',
        method: 'PATCH',
        path: '/api/v1/wynnny_rows/:id',
        authentication: ['jwt', 'api_key'],
      },
      {
        action: 'destroy',
        method: 'DELETE',
        path: '/api/v1/wynnny_rows/:id',
        authentication: ['jwt', 'api_key'],
      },
    ]);
  });

  describe('administration area', () => {
    const admin = (name: string): RequestOptions => callers.get(name)?.credentials ?? {};

    it('lists the models, paged and filtered as every list', async () => {
      const list = await service.get<Row[]>('/admin/meta?per_page=2&sort=-model', {
        token: await service.admin(),
      });
      expect(list.headers['x-total-count']).toBe(String(models.length));
      expect(list.data).toEqual([
        {
          model: 'Mwyyyyy',
          label: expect.any(String),
          plural_label: expect.any(String),
          path: 'wyyyyy_rows',
          display: '{title}',
          fields: 8,
          opens: 0,
          events: false,
          icon: null,
          menu: null,
        },
        {
          model: 'Mwyyyyn',
          label: expect.any(String),
          plural_label: expect.any(String),
          path: 'wyyyyn_rows',
          display: '{title}',
          fields: 8,
          opens: 0,
          events: false,
          icon: null,
          menu: null,
        },
      ]);
      expect((await service.get('/admin/meta', admin('granted viewer'))).status).toBe(403);
      expect((await service.get('/admin/meta')).status).toBe(401);
    });

    it('compresses metadata for callers that take gzip, and no response with records', async () => {
      const { token } = await service.admin();
      const encodingOf = async (path: string, accepted: string) => {
        const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': accepted };
        const response = await fetch(service.origin + path, { headers });
        expect(await response.json()).toMatchObject({ code: 0 });
        return [response.headers.get('content-encoding'), response.headers.get('vary')?.includes('Encoding')];
      };
      for (const path of ['/admin/meta/Mwyyyyy', '/api/v1/meta/Mwyyyyy']) {
        expect(await encodingOf(path, 'gzip, br')).toEqual(['gzip', true]);
        expect(await encodingOf(path, 'br, gzip;q=0')).toEqual([null, true]);
      }
      expect(await encodingOf('/admin/audit?per_page=100', 'gzip')).toEqual([null, false]);
    });

    it('describes all fields and the endpoints of the area, under the permission check', async () => {
      const path = '/admin/meta/Mwyyyyy';
      const metadata = await service.ok<Metadata>('GET', path, admin('granted admin'));
      expect(metadata.fields.map(({ name }) => name)).toEqual([
        'id',
        ...Object.keys(fields),
        'created_at',
        'updated_at',
      ]);
      expect(metadata.endpoints.map((endpoint) => endpoint.path)).toContain('/admin/records/wyyyyy_rows/:id');
      expect(metadata.permissions).toEqual({
        list: true,
        detail: true,
        create: true,
        update: true,
        destroy: true,
      });
      const { permissions } = await service.ok<Metadata>('GET', path, admin('admin'));
      expect(permissions).toEqual({ list: true, detail: true, create: false, update: false, destroy: false });
      expect((await service.get(path, admin('granted viewer'))).status).toBe(403);
      const cookie = await service.signIn(await service.createUser(['admin']));
      expect((await service.get(path, { cookie })).status).toBe(200);
    });
  });
});
