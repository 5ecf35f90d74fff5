import { beforeAll, describe, expect, it } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import { createTable, defineEndpoint, defineResource, field, many } from '../../src/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { type Service, type TestUser, useService } from '../support/service.ts';

const parentFields = { name: field.string({ required: true }) };
const childFields = {
  title: field.string({ required: true }),
  live: field.boolean(),
  user_id: field.owner(),
  parent: field.reference('Parent'),
};

const auth = ['jwt', 'api_key'] as const;

const parent = defineResource('Parent', {
  fields: parentFields,
  auth,
  events: true,
  history: true,
  relations: { children: many('Child', { by: 'parent' }) },
});

const application = {
  resources: [
    parent,
    defineResource('Child', { fields: childFields, auth, events: true, ownership: true }),
    defineResource('Poster', {
      fields: childFields,
      auth,
      ownership: true,
      isolation: true,
      publicRead: { where: { live: true }, orOwn: true },
    }),
  ],
  endpoints: [
    defineEndpoint({ method: 'POST', path: '/checkout', auth, handle: () => 'done' }),
    defineEndpoint({ method: 'POST', path: '/refund/:id', auth, handle: () => 'done' }),
    defineEndpoint({ method: 'GET', path: '/by-token', handle: () => 'done' }),
    defineEndpoint({
      method: 'POST',
      path: '/new-parent',
      auth,
      handle: async ({ records }) => (await records(parent).create({ name: 'by code' })).id,
    }),
  ],
  migrations: {
    '0001-tables': {
      up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) => {
        await createTable(db, dialect, 'parents', { fields: parentFields });
        await createTable(db, dialect, 'children', {
          fields: childFields,
          references: { parent: 'parents' },
        });
        await createTable(db, dialect, 'posters', { fields: childFields, references: { parent: 'parents' } });
      },
    },
  },
};

describeEachDatabase('scopes of a key', (databases) => {
  const service = useService(databases, { application });
  let root: TestUser;
  let parentId: number;
  let childId: number;
  beforeAll(async () => {
    root = await service.admin();
    parentId = (await create('parents', { name: 'p' })).id;
    childId = (await create('children', { title: 'c', parent_id: parentId })).id;
  });

  const create = (path: string, values: object) =>
    service.ok<{ id: number }>('POST', `/api/v1/${path}`, {
      token: root,
      body: { [path === 'children' ? 'child' : path.slice(0, -1)]: values },
    });

  const keyWith = async (restrictions: object, user: TestUser = root): Promise<string> => {
    const body = { api_key: { name: 'scoped', ...restrictions } };
    return (await service.ok<{ key: string }>('POST', '/api/v1/api_keys', { token: user, body })).key;
  };
  const codeOf = async (key: string, method: string, path: string, body?: object): Promise<number> =>
    (await service.request(method, `/api/v1/${path}`, { key, ...(body === undefined ? {} : { body }) })).json
      .code;
  const outOfScope = 40_305;

  it('scopes of a key admit what they name, of models and endpoints, and nothing else', async () => {
    const bodies: Readonly<Record<string, object>> = {
      parents: { parent: { name: 'x' } },
      children: { child: { title: 'x' } },
    };
    const tried = async (scopes: readonly string[]): Promise<readonly string[]> => {
      const key = await keyWith({ scopes });
      const made = await create('parents', { name: 'for one key' });
      const calls: readonly (readonly [string, string, string, (object | undefined)?])[] = [
        ['parents:read', 'GET', 'parents'],
        ['parents:read', 'GET', `parents/${made.id}`],
        ['parents:read', 'GET', 'parents/aggregate?count'],
        ['parents:read', 'GET', `parents/${made.id}/history`],
        ['parents:create', 'POST', 'parents', bodies['parents']],
        ['parents:update', 'PATCH', `parents/${made.id}`, bodies['parents']],
        ['parents:destroy', 'DELETE', `parents/${made.id}`],
        ['children:read', 'GET', 'children'],
        ['children:create', 'POST', 'children', bodies['children']],
        ['users:read', 'GET', 'users'],
        ['POST /checkout', 'POST', 'checkout', {}],
        ['POST /refund/:id', 'POST', 'refund/7', {}],
      ];
      const allowed = new Set<string>();
      for (const [scope, method, path, body] of calls) {
        const code = await codeOf(key, method, path, body);
        expect([scope, path, [0, outOfScope].includes(code), code]).toEqual([scope, path, true, code]);
        if (code === 0) allowed.add(scope);
      }
      return [...allowed].sort();
    };
    const all = ['create', 'destroy', 'read', 'update'].map((action) => `parents:${action}`);
    for (const scope of [...all, 'children:read', 'users:read', 'POST /checkout', 'POST /refund/:id'])
      expect(await tried([scope])).toEqual([scope]);
    expect(await tried(['parents:*'])).toEqual(all);
    expect(await tried(['children:create', 'POST /checkout'])).toEqual(['POST /checkout', 'children:create']);
  });

  it('scopes of a key hold on what a request leads to: include, filter, sort, fields of parents, batch, code of the application', async () => {
    const key = await keyWith({ scopes: ['parents:read', 'POST /new-parent'] });
    expect((await service.get('/api/v1/parents', { key })).status).toBe(200);
    const related = ['include=children', 'filter[children.title]=c'];
    for (const query of related)
      expect([query, (await service.get(`/api/v1/parents?${query}&per_page=5`, { key })).status]).toEqual([
        query,
        403,
      ]);
    const whole = await keyWith({ scopes: ['parents:read', 'children:read'] });
    for (const query of related)
      expect([
        query,
        (await service.get(`/api/v1/parents?${query}&per_page=5`, { key: whole })).status,
      ]).toEqual([query, 200]);
    const batch = { create: [{ name: 'x' }] };
    expect(await codeOf(key, 'POST', 'parents/batch', batch)).toBe(outOfScope);
    expect(await codeOf(key, 'POST', 'parents/batch', { delete: [parentId] })).toBe(outOfScope);
    expect(await codeOf(await keyWith({ scopes: ['parents:create'] }), 'POST', 'parents/batch', batch)).toBe(
      0,
    );
    // The endpoint acts for its caller: it writes no more than the key may.
    expect(await codeOf(key, 'POST', 'new-parent', {})).toBe(outOfScope);
    const writes = await keyWith({ scopes: ['parents:create', 'POST /new-parent'] });
    expect(await codeOf(writes, 'POST', 'new-parent', {})).toBe(0);
  });

  it('scopes of a key hold on references: a record that the key may not read is a reference to nothing', async () => {
    const body = { child: { title: 'x', parent_id: parentId } };
    const blind = await service.post('/api/v1/children', {
      key: await keyWith({ scopes: ['children:*'] }),
      body,
    });
    expect(blind.json).toMatchObject({
      code: 42_200,
      data: { errors: [{ field: 'parent_id', rule: 'reference' }] },
    });
    const seeing = await keyWith({ scopes: ['children:*', 'parents:read'] });
    expect((await service.post('/api/v1/children', { key: seeing, body })).status).toBe(201);
  });

  it('scopes of a key hold on streams: the models of the key only', async () => {
    const key = await keyWith({ scopes: ['children:read'] });
    const open = (models: string) =>
      openStream(`${service.origin}/api/v1/changes?models=${models}`, { 'x-api-key': key });
    expect((await open('Parent')).status).toBe(403);
    const stream = await open('Child');
    expect(stream.status).toBe(200);
    const { id } = await create('children', { title: 'streamed' });
    const [event] = await stream.until(1);
    expect(event).toMatchObject({ model: 'Child', id });
    stream.close();
  });

  it('scopes of a key leave public records to everyone, and hide one’s own drafts without the scope', async () => {
    const user = await service.createUser();
    const draft = await service.ok<{ id: number }>('POST', '/api/v1/posters', {
      token: user,
      body: { poster: { title: 'draft', live: false } },
    });
    const live = await service.ok<{ id: number }>('POST', '/api/v1/posters', {
      token: user,
      body: { poster: { title: 'live', live: true } },
    });
    const status = async (key: string, id: number) =>
      (await service.get(`/api/v1/posters/${id}`, { key })).status;
    const without = await keyWith({ scopes: ['parents:read'] }, user);
    expect([await status(without, live.id), await status(without, draft.id)]).toEqual([200, 404]);
    const withScope = await keyWith({ scopes: ['posters:read'] }, user);
    expect([await status(withScope, live.id), await status(withScope, draft.id)]).toEqual([200, 200]);
  });

  it('scopes of a key never add to what the owner may do', async () => {
    const viewer = await service.createUser();
    const key = await keyWith({ scopes: ['users:read'] }, viewer);
    expect((await service.get<{ id: number }[]>('/api/v1/users', { key })).data).toMatchObject([
      { id: viewer.id },
    ]);
  });

  it('scopes of a key show in the metadata: what the key cannot do is not offered', async () => {
    const key = await keyWith({ scopes: ['parents:read'] });
    const { data } = await service.get<{ permissions: Record<string, boolean> }>('/api/v1/meta/Parent', {
      key,
    });
    expect(data.permissions).toMatchObject({
      list: true,
      detail: true,
      create: false,
      update: false,
      destroy: false,
    });
  });

  it('the scopes of a key are explained', async () => {
    await keyWith({ scopes: ['children:read'] });
    const [stored] = await service.ok<{ id: number }[]>('GET', '/admin/api_keys?sort=-id&per_page=1', {
      token: root,
    });
    const explain = (method: string, path: string) =>
      service.ok<object>(
        'GET',
        `/admin/explain?${new URLSearchParams({ api_key_id: String(stored?.id), method, path })}`,
        {
          token: root,
        },
      );
    expect(await explain('GET', '/api/v1/parents')).toMatchObject({
      status: 403,
      code: outOfScope,
      decided_by: 'key_scope',
    });
    expect(await explain('GET', '/api/v1/children')).toMatchObject({ status: 200, code: 0 });
  });

  describe('are checked where a key is made or changed', () => {
    it.each([
      [{ scopes: [] }, 'scopes', 'required'],
      [{ scopes: 'parents:read' }, 'scopes', 'type'],
      [{ scopes: [7] }, 'scopes', 'type'],
      [{ scopes: ['parents:list'] }, 'scopes', 'key_scope'],
      [{ scopes: ['nothing:read'] }, 'scopes', 'key_scope'],
      [{ scopes: ['GET /by-token'] }, 'scopes', 'key_scope'],
      [{ scopes: ['*'] }, 'scopes', 'key_scope'],
      [{ scopes: Array.from({ length: 101 }, () => 'parents:read') }, 'scopes', 'too_many'],
      [{ networks: [] }, 'networks', 'required'],
      [{ networks: ['203.0.113.0/33'] }, 'networks', 'key_network'],
      [{ networks: ['2001:db8::/129'] }, 'networks', 'key_network'],
      [{ networks: ['::ffff:203.0.113.0/24'] }, 'networks', 'key_network'],
      [{ networks: ['10.0.0.0/8', '::1/64'] }, 'networks', 'key_network'],
      [{ networks: ['203.0.113.5/24'] }, 'networks', 'key_network'],
      [{ networks: ['example.com'] }, 'networks', 'key_network'],
      [{ networks: ['10.0.0.0/8 '] }, 'networks', 'key_network'],
    ])('scopes are checked where a key is made or changed: %o', async (restrictions, name, rule) => {
      const expected = { code: 42_200, data: { errors: [{ field: name, rule }] } };
      const body = { api_key: { name: 'k', ...restrictions } };
      expect((await service.post('/api/v1/api_keys', { token: root, body })).json).toMatchObject(expected);
      const managed = { api_key: { name: 'k', user_id: root.id, ...restrictions } };
      expect((await service.post('/admin/api_keys', { token: root, body: managed })).json).toMatchObject(
        expected,
      );
    });
  });

  it('scopes of a key stand in the response, the lists and the audit log; without them nothing changes', async () => {
    const restrictions = {
      scopes: ['parents:read', 'POST /checkout'],
      networks: ['203.0.113.0/24', '2001:db8::/32'],
    };
    const body = { api_key: { name: 'both', ...restrictions } };
    const made = await service.ok<{ id: number }>('POST', '/api/v1/api_keys', { token: root, body });
    expect(made).toMatchObject(restrictions);
    const own = await service.ok<{ id: number }[]>('GET', '/api/v1/api_keys', { token: root });
    expect(own.find(({ id }) => id === made.id)).toMatchObject(restrictions);
    expect(await service.ok('GET', `/admin/api_keys/${made.id}`, { token: root })).toMatchObject(
      restrictions,
    );
    const [entry] = await service.ok<{ detail: object }[]>(
      'GET',
      '/admin/audit?filter[action]=key.create&sort=-id&per_page=1',
      {
        token: root,
      },
    );
    expect(entry?.detail).toMatchObject(restrictions);
    const plain = await service.ok<object>('POST', '/api/v1/api_keys', {
      token: root,
      body: { api_key: { name: 'plain' } },
    });
    expect(Object.keys(plain)).toEqual(['id', 'name', 'key', 'expires_at', 'created_at']);
  });

  it('the scopes of a key can be changed and removed by an administrator, from the next request on', async () => {
    const key = await keyWith({ scopes: ['children:read'] });
    const [{ id } = { id: 0 }] = await service.ok<{ id: number }[]>(
      'GET',
      '/admin/api_keys?sort=-id&per_page=1',
      { token: root },
    );
    const change = (fields: object) =>
      service.ok('PATCH', `/admin/api_keys/${id}`, { token: root, body: { api_key: fields } });
    expect(await codeOf(key, 'GET', 'parents')).toBe(outOfScope);
    await change({ scopes: ['parents:read'] });
    expect([await codeOf(key, 'GET', 'parents'), await codeOf(key, 'GET', 'children')]).toEqual([
      0,
      outOfScope,
    ]);
    await change({ name: 'renamed' });
    expect(await codeOf(key, 'GET', 'children')).toBe(outOfScope);
    await change({ scopes: null });
    expect(await codeOf(key, 'DELETE', `children/${childId}`)).toBe(0);
  });
});

describeEachDatabase('networks of a key', (databases) => {
  const service = useService(databases, { application, env: { TRUST_PROXY: '1' } });
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  it('networks of a key admit their addresses, however they are written; from elsewhere the key is unknown', async () => {
    const root = await service.admin();
    const networks = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'];
    const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
      token: root,
      body: { api_key: { name: 'k', networks } },
    });
    const codes = async (of: Service, addresses: readonly string[]) =>
      Promise.all(
        addresses.map(
          async (address) => (await of.get('/api/v1/users', { key, ...from(address) })).json.code,
        ),
      );
    const inside = [
      '203.0.113.1',
      '::ffff:203.0.113.255',
      '2001:db8:ffff::1',
      '2001:0DB8::5',
      '198.51.100.7',
    ];
    expect(await codes(service, inside)).toEqual(inside.map(() => 0));
    const outside = [
      '203.0.114.1',
      '198.51.100.8',
      '2001:db9::1',
      '::1',
      '127.0.0.1',
      '::ffff:198.51.100.8',
      'unknown',
    ];
    expect(await codes(service, outside)).toEqual(outside.map(() => 40_102));
    const unknown = await service.get('/api/v1/users', { key: 'f'.repeat(64), ...from('203.0.113.1') });
    const elsewhere = await service.get('/api/v1/users', { key, ...from('203.0.114.1') });
    expect(elsewhere.text).toBe(unknown.text);
  });

  it('networks of IPv6 admit no caller of IPv4; mapped ones are those of IPv4', async () => {
    const root = await service.admin();
    const codes = async (networks: readonly string[], stored = networks) => {
      const { id, key } = await service.ok<{ id: number; key: string }>('POST', '/api/v1/api_keys', {
        token: root,
        body: { api_key: { name: 'k', networks } },
      });
      await service.server.services.database.execute({
        sql: `update api_keys set networks = '${JSON.stringify(stored)}' where id = ${id}`,
        parameters: [],
      });
      return Promise.all(
        ['198.51.100.7', '::ffff:198.51.100.7', '2001:db8::1'].map(
          async (address) => (await service.get('/api/v1/users', { key, ...from(address) })).json.code,
        ),
      );
    };
    expect(await codes(['::/0'])).toEqual([40_102, 40_102, 0]);
    expect(await codes(['0.0.0.0/0'])).toEqual([0, 0, 40_102]);
    expect(await codes(['::ffff:198.51.100.0/120'])).toEqual([0, 0, 40_102]);
    // Such networks were once taken.
    expect(await codes(['::1'], ['::ffff:203.0.113.0/24', '::1/64'])).toEqual([40_102, 40_102, 40_102]);
    expect(await codes(['::1'], ['::ffff:0.0.0.0/24', '2001:db8::/32'])).toEqual([40_102, 40_102, 0]);
  });
});

/** The application of the command line in a checkout. */
const newsroom = await loadApplication('examples/newsroom');

describeEachDatabase('restrictions of a key that the command line makes', (databases) => {
  const service = useService(databases, { application: newsroom });
  const create = (...more: string[]) =>
    service.command('key', 'create', '--username', 'root', '--name', 'cli', '--json', ...more);

  it('the restrictions of a key from the command line are those that it names, and checked', async () => {
    const { stdout } = await create(
      '--network',
      '127.0.0.0/8',
      '--scope',
      'users:read',
      '--scope',
      'articles:*',
    );
    const { key } = JSON.parse(stdout) as { key: string };
    const [users, articles] = [
      await service.get('/api/v1/users', { key }),
      await service.get('/api/v1/articles', { key }),
    ];
    expect([users.status, articles.status]).toEqual([200, 200]);
    const other = JSON.parse((await create('--scope', 'articles:read')).stdout) as { key: string };
    expect((await service.get('/api/v1/users', { key: other.key })).json.code).toBe(40_305);
    await expect(create('--scope', 'nothing:read')).rejects.toThrow('nothing:read');
    await expect(create('--network', 'nowhere')).rejects.toThrow('nowhere');
  });
});
