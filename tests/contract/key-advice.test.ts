import { beforeAll, describe, expect, it } from 'vitest';
import { createTable, defineEndpoint, defineResource, field, many } from '../../src/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const shelfFields = { name: field.string({ required: true }) };
const bookFields = { title: field.string({ required: true }), shelf: field.reference('Shelf') };
const auth = ['jwt', 'api_key'] as const;

const shelf = defineResource('Shelf', {
  fields: shelfFields,
  auth,
  label: { 'zh-CN': '书架', en: 'Shelf' },
  relations: { books: many('Book', { by: 'shelf' }) },
});

const application = {
  resources: [shelf, defineResource('Book', { fields: bookFields, auth })],
  endpoints: [
    defineEndpoint({ method: 'POST', path: '/tidy/:id', auth, summary: 'Tidies up', handle: () => 'done' }),
    defineEndpoint({ method: 'POST', path: '/by-token', handle: () => 'done' }),
    defineEndpoint({
      method: 'POST',
      path: '/new-shelf',
      auth,
      handle: async ({ records }) => (await records(shelf).create({ name: 'by code' })).id,
    }),
  ],
  migrations: {
    '0001-tables': {
      up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) => {
        await createTable(db, dialect, 'shelves', { fields: shelfFields });
        await createTable(db, dialect, 'books', { fields: bookFields, references: { shelf: 'shelves' } });
      },
    },
  },
};

interface Usage {
  readonly scopes: readonly { readonly scope: string; readonly requests: number }[];
  readonly narrower_scopes: readonly string[] | null;
}

type Advice = Readonly<
  Record<
    'endless_keys' | 'neglected_keys' | 'wide_keys',
    {
      readonly count: number;
      readonly keys: readonly { readonly id: number; readonly narrower_scopes?: readonly string[] }[];
    }
  >
>;

const day = 86_400;

describeEachDatabase('the use of a key by scope', (databases) => {
  const service = useService(databases, { application });
  let root: TestUser;
  let shelfId: number;
  /** The token counts from now, wherever the clock stands. */
  const token = () => service.server.services.tokens.issue(root.id, service.clock.unix() + day);
  const admin = <Data>(method: string, path: string, body?: object) =>
    service.ok<Data>(method, `/admin${path}`, { token: token(), ...(body === undefined ? {} : { body }) });
  const make = (restrictions: object = {}) =>
    admin<{ id: number; key: string }>('POST', '/api_keys', {
      api_key: { name: 'k', user_id: root.id, ...restrictions },
    });
  const usage = (id: number) => admin<Usage>('GET', `/api_keys/${id}/usage`);
  const used = async (id: number) => (await usage(id)).scopes.map(({ scope }) => scope).sort();
  /** Writes what is pending, and the last uses of keys, which another batch would write within seconds. */
  const settle = async (): Promise<void> => {
    const { keyUsage, keyUses, database } = service.server.services;
    await Promise.all([keyUsage.flush(), keyUses.flush()]);
    await database.execute({
      sql: `update api_keys set last_used_at = '${new Date(service.clock.now()).toISOString()}'
        where id in (select key_id from gatewright_key_uses)`,
      parameters: [],
    });
  };

  beforeAll(async () => {
    root = await service.admin();
    const body = { shelf: { name: 'first' } };
    shelfId = (await service.ok<{ id: number }>('POST', '/api/v1/shelves', { token: root, body })).id;
  });

  it('counts all that a request needs: its action, references, includes, what code does for its caller', async () => {
    const calls: readonly (readonly [expected: string[], method: string, path: string, body?: object])[] = [
      [['shelves:read'], 'GET', 'shelves'],
      [['shelves:read'], 'GET', `shelves/${shelfId}`],
      [['books:read', 'shelves:read'], 'GET', 'shelves?include=books&per_page=5'],
      [['books:read', 'shelves:read'], 'GET', 'books?filter[shelf.name]=x&per_page=5'],
      // A body may name a shelf.
      [['books:create', 'shelves:read'], 'POST', 'books', { book: { title: 'a', shelf_id: shelfId } }],
      [['users:read'], 'GET', 'users'],
      [['POST /tidy/:id'], 'POST', 'tidy/7', {}],
      [['POST /new-shelf', 'shelves:create'], 'POST', 'new-shelf', {}],
      [['shelves:create'], 'POST', 'shelves/batch', { create: [{ name: 'b' }] }],
      // Metadata has the relations to models that the caller may read.
      [['books:read'], 'GET', 'meta/Shelf'],
    ];
    for (const [expected, method, path, body] of calls) {
      const { id, key } = await make();
      await service.ok(method, `/api/v1/${path}`, { key, ...(body === undefined ? {} : { body }) });
      expect([path, await used(id)]).toEqual([path, expected]);
      // The scopes that are counted are enough for the same request.
      await admin('PATCH', `/api_keys/${id}`, { api_key: { scopes: expected } });
      await service.ok(method, `/api/v1/${path}`, { key, ...(body === undefined ? {} : { body }) });
    }
  });

  it('counts each request, and none that the policy refused', async () => {
    const { id, key } = await make({ scopes: ['shelves:read'] });
    for (let time = 0; time < 3; time += 1) await service.get('/api/v1/shelves', { key });
    await service.get('/api/v1/books', { key });
    expect((await usage(id)).scopes).toMatchObject([{ scope: 'shelves:read', requests: 3 }]);
    await service.secondInstance().then(async (second) => {
      await second.get('/api/v1/shelves', { key });
      await second.server.services.keyUses.flush();
    });
    expect((await usage(id)).scopes).toMatchObject([{ scope: 'shelves:read', requests: 4 }]);
  });

  describe('advises', () => {
    it('advises to narrow a key that did less than it may, once it is 30 days old', async () => {
      const [wide, exact, idle] = [await make(), await make({ scopes: ['shelves:read'] }), await make()];
      const read = async (key: string) => service.ok('GET', '/api/v1/shelves', { key });
      try {
        await read(wide.key);
        await settle();
        expect((await usage(wide.id)).narrower_scopes).toBeNull();
        service.clock.advance(31 * day);
        await read(wide.key);
        await read(exact.key);
        await service.ok('GET', '/api/v1/books', { key: wide.key });
        const late = await make();
        await read(late.key);
        await settle();
        const asked = async (id: number) => (await usage(id)).narrower_scopes;
        expect(await asked(wide.id)).toEqual(['shelves:read', 'books:read']);
        expect([await asked(exact.id), await asked(idle.id), await asked(late.id)]).toEqual([
          null,
          null,
          null,
        ]);
        const advice = await admin<Advice>('GET', '/api_keys/advice');
        const ids = (of: keyof Advice) => advice[of].keys.map(({ id }) => id);
        expect(ids('wide_keys')).toContain(wide.id);
        expect(ids('wide_keys')).not.toContain(exact.id);
        expect(ids('wide_keys')).not.toContain(late.id);
        expect(advice.wide_keys.keys.find(({ id }) => id === wide.id)?.narrower_scopes).toEqual([
          'shelves:read',
          'books:read',
        ]);
        // It is taken, and nothing is left to advise.
        await admin('PATCH', `/api_keys/${wide.id}`, { api_key: { scopes: await asked(wide.id) } });
        await read(wide.key);
        expect(await asked(wide.id)).toBeNull();
      } finally {
        service.clock.reset();
      }
    });

    it('advises nothing for a key of which less is known than it did', async () => {
      const { id, key } = await make();
      try {
        service.clock.advance(31 * day);
        await service.ok('GET', '/api/v1/shelves', { key });
        await settle();
        expect((await usage(id)).narrower_scopes).toEqual(['shelves:read']);
        await service.server.services.database.execute({
          sql: `delete from gatewright_key_uses where key_id = ${id}`,
          parameters: [],
        });
        expect((await usage(id)).narrower_scopes).toBeNull();
      } finally {
        service.clock.reset();
      }
    });

    it('advises to give endless keys an end', async () => {
      const endless = await make();
      const ending = await make({ expires_at: new Date(service.clock.now() + day * 1000).toISOString() });
      const { endless_keys } = await admin<Advice>('GET', '/api_keys/advice');
      const ids = endless_keys.keys.map(({ id }) => id);
      expect([ids.includes(endless.id), ids.includes(ending.id)]).toEqual([true, false]);
      const { attention } = await admin<{ attention: Advice }>('GET', '/stats');
      expect(attention.endless_keys.count).toBe(endless_keys.count);
    });
  });

  it('the use of a key is swept with the days that no page shows, and goes with its key', async () => {
    const [kept, removed] = [await make(), await make()];
    for (const { key } of [kept, removed]) await service.get('/api/v1/shelves', { key });
    await settle();
    const rows = async ({ id }: { readonly id: number }) =>
      (
        await service.server.services.database.execute({
          sql: `select scope from gatewright_key_uses where key_id = ${id}`,
          parameters: [],
        })
      ).length;
    expect([await rows(kept), await rows(removed)]).toEqual([1, 1]);
    await service.get('/api/v1/shelves', { key: removed.key });
    await admin('DELETE', `/api_keys/${removed.id}`);
    await settle();
    expect(await rows(removed)).toBe(0);
    await service.server.services.keyUses.sweep(service.clock.now() + 29 * day * 1000);
    expect(await rows(kept)).toBe(1);
    await service.server.services.keyUses.sweep(service.clock.now() + 33 * day * 1000);
    expect(await rows(kept)).toBe(0);
  });

  it('the scopes that keys can have are listed with their labels', async () => {
    const scopes = await admin<{ scope: string; label: string }[]>('GET', '/api_keys/scopes?lang=en');
    expect(scopes).toContainEqual({ scope: 'shelves:update', label: 'Shelves' });
    expect(scopes).toContainEqual({ scope: 'users:read', label: 'Users' });
    expect(scopes).toContainEqual({ scope: 'POST /tidy/:id', label: 'Tidies up' });
    expect(scopes.map(({ scope }) => scope)).not.toContain('POST /by-token');
    const chinese = await admin<typeof scopes>('GET', '/api_keys/scopes?lang=zh-CN');
    expect(chinese).toContainEqual({ scope: 'shelves:update', label: '书架' });
    for (const path of ['scopes', 'advice'])
      expect(
        (await service.get(`/admin/api_keys/${path}`, { token: await service.createUser() })).status,
      ).toBe(403);
  });

  it('a key gets advice about itself, and about no other', async () => {
    const restrictions = { scopes: ['shelves:read'], networks: ['127.0.0.0/8'] };
    const { id, key } = await make(restrictions);
    const shown = await service.ok<object>('GET', '/api/v1/api_keys/current', { key });
    expect(shown).toMatchObject({ id, name: 'k', key: `${key.slice(0, 8)}****`, ...restrictions });
    expect(JSON.stringify(shown)).not.toContain(key);
    expect((await service.get('/api/v1/api_keys/current', { token: root })).status).toBe(401);
    expect((await service.get('/api/v1/api_keys', { key })).status).toBe(401);
  });

  it('the description names the scope that each endpoint needs', async () => {
    const { json } = await service.get('/api-docs/openapi.json');
    const { paths } = json as unknown as {
      paths: Record<string, Record<string, { 'x-gatewright': { scope?: string | null } }>>;
    };
    const scopeAt = (method: string, path: string) =>
      paths[`/api/v1/${path}`]?.[method]?.['x-gatewright'].scope;
    expect(scopeAt('get', 'shelves')).toBe('shelves:read');
    expect(scopeAt('patch', 'shelves/{id}')).toBe('shelves:update');
    expect(scopeAt('post', 'tidy/{id}')).toBe('POST /tidy/:id');
    expect([scopeAt('post', 'shelves/batch'), scopeAt('post', 'by-token')]).toEqual([undefined, undefined]);
  });

  it('a change of a key is in the audit log with the values before and after', async () => {
    const { id } = await make({ networks: ['10.0.0.0/8'] });
    await admin('PATCH', `/api_keys/${id}`, {
      api_key: { scopes: ['shelves:read'], networks: null, expires_at: '2099-01-01' },
    });
    const [entry] = await admin<{ detail: object }[]>(
      'GET',
      '/audit?filter[action]=key.update&sort=-id&per_page=1',
    );
    expect(entry?.detail).toEqual({
      user_id: root.id,
      scopes: ['shelves:read'],
      networks: null,
      expires_at: '2099-01-01T00:00:00.000Z',
      before: { scopes: null, networks: ['10.0.0.0/8'], expires_at: null },
    });
  });

  describe('explain', () => {
    const explain = (id: number, path: string, address?: string) =>
      admin<{
        code: number;
        decided_by: string;
        steps: { rule: string; outcome: string; key?: { needed: string | null; held: string[] } }[];
      }>(
        'GET',
        `/explain?${new URLSearchParams({
          ...{ api_key_id: String(id), method: 'GET', path: `/api/v1/${path}` },
          ...(address === undefined ? {} : { address }),
        })}`,
      );

    it('an explanation has the networks and the scopes of a key as steps, and one that decides', async () => {
      const { id } = await make({ scopes: ['shelves:read'], networks: ['203.0.113.0/24'] });
      const steps = async (path: string, address?: string) => {
        const { code, decided_by, steps: all } = await explain(id, path, address);
        const own = all.filter(({ rule }) => rule.startsWith('key_'));
        expect(all.filter(({ rule }) => rule === decided_by)).toHaveLength(1);
        return [code, decided_by, ...own.map(({ rule, outcome }) => `${rule} ${outcome}`)];
      };
      const inside = ['key_network passed', 'key_scope passed'];
      expect((await steps('shelves', '203.0.113.9')).slice(2)).toEqual(inside);
      expect((await steps('shelves')).slice(2)).toEqual(['key_network narrowed', 'key_scope passed']);
      expect(await steps('books', '203.0.113.9')).toEqual([
        ...[40_305, 'key_scope'],
        ...['key_network passed', 'key_scope refused'],
      ]);
      expect(await steps('shelves', '198.51.100.7')).toEqual([40_102, 'key_network', 'key_network refused']);
      const { steps: all } = await explain(id, 'books', '203.0.113.9');
      expect(all.find(({ rule }) => rule === 'key_scope')?.key).toEqual({
        needed: 'books:read',
        held: ['shelves:read'],
      });
    });

    it('400: an address that is none', async () => {
      const { id } = await make();
      const query = new URLSearchParams({
        api_key_id: String(id),
        method: 'GET',
        path: '/',
        address: 'here',
      });
      expect((await service.get(`/admin/explain?${query}`, { token: root })).status).toBe(400);
    });
  });
});
