import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Key, type TestUser, useService } from '../../support/service.ts';

const fields = { title: field.string({ required: true }), note: field.text(), user_id: field.owner() };
const order = defineResource('Purchase', {
  fields,
  auth: ['jwt', 'api_key'],
  permissions: 'writes',
  isolation: true,
  ownership: true,
  restricted: ['note'],
});
const report = defineEndpoint({
  method: 'GET',
  path: '/reports/:year',
  roles: ['clerk'],
  handle: () => ({ ok: true }),
});

interface Step {
  readonly rule: string;
  readonly label: string;
  readonly outcome: string;
  readonly because: string;
  readonly reason?: { readonly name: string; readonly params: Readonly<Record<string, unknown>> };
  readonly record?: { readonly path: string; readonly id: number; readonly owner: object | null };
}

interface Explanation {
  readonly allowed: boolean;
  readonly status: number;
  readonly code: number;
  readonly caller: { readonly kind: string; readonly id: number | string | null };
  readonly endpoint: { readonly operation: string } | null;
  readonly steps: readonly Step[];
  readonly decided_by: string;
}

describeEachDatabase('GET /admin/explain', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [order],
      endpoints: [report],
      migrations: {
        '0001_purchases': { up: async (db, dialect) => createTable(db, dialect, order.table, { fields }) },
      },
    },
    apps: ['shop'],
    env: { BASE_URL: 'http://127.0.0.1/base', LOCALE: 'en' },
  });
  let admin: TestUser;
  let viewer: TestUser;
  let key: Key;
  let mine = 0;
  let theirs = 0;

  const base = '/base';
  const ask = (query: Record<string, string | number>, token: TestUser | undefined = admin) =>
    service.get<Explanation>(
      `${base}/admin/explain?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`,
      { token },
    );
  const explain = async (query: Record<string, string | number>): Promise<Explanation> => {
    const answer = await ask(query);
    expect(answer.status).toBe(200);
    return answer.data;
  };
  const inShort = ({ status, steps, decided_by }: Explanation) => ({
    status,
    steps: steps.map(({ rule, outcome }) => `${rule} ${outcome}`),
    decided_by,
  });
  const purchases = `${base}/api/v1/purchases`;

  beforeAll(async () => {
    admin = await service.admin();
    viewer = await service.createUser();
    key = await service.ok<Key>('POST', `${base}/api/v1/api_keys`, {
      token: viewer,
      body: { api_key: { name: 'one' } },
    });
    const insert = (user: number) =>
      service.server.services.database.execute<{ id: number }>({
        sql: `insert into purchases (title, user_id, created_at, updated_at)
          values ('x', ${user}, '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z') returning id`,
        parameters: [],
      });
    [mine, theirs] = [Number((await insert(viewer.id))[0]?.id), Number((await insert(admin.id))[0]?.id)];
  });

  it('lists every rule in its order, with a label and what it was decided by', async () => {
    const explanation = await explain({ user_id: viewer.id, method: 'PATCH', path: `${purchases}/${mine}` });
    const plain = { reason: { name: 'named', params: { text: expect.any(String) } } };
    expect(explanation).toEqual({
      method: 'PATCH',
      path: `${purchases}/${mine}`,
      caller: { kind: 'user', id: viewer.id, name: viewer.username },
      allowed: false,
      status: 403,
      code: 40300,
      endpoint: {
        operation: 'updatePurchase',
        method: 'PATCH',
        path: '/api/v1/purchases/:id',
        authentication: ['jwt', 'api_key'],
      },
      steps: [
        {
          rule: 'route',
          label: 'Endpoint',
          outcome: 'passed',
          because: 'PATCH /api/v1/purchases/:id',
          ...plain,
        },
        { rule: 'authentication', label: 'Authentication', outcome: 'passed', because: 'jwt', ...plain },
        {
          rule: 'permission',
          label: 'Permission check',
          outcome: 'refused',
          because: 'viewer: Purchase update',
          reason: {
            name: 'permission',
            params: { roles: 'viewer', model: 'Purchase', action: 'update' },
          },
          grants: { model: 'Purchase', action: 'update', roles: [{ role: 'viewer', allowed: false }] },
        },
      ],
      decided_by: 'permission',
    });
  });

  it('marks the step that leaves a list only some records, and no step before it', async () => {
    const list = await explain({ user_id: viewer.id, method: 'GET', path: purchases });
    expect([list.allowed, list.decided_by]).toEqual([true, 'isolation']);
    const every = await explain({ user_id: admin.id, method: 'GET', path: purchases });
    expect([every.allowed, every.decided_by]).toEqual([true, 'authentication']);
    const own = await explain({ user_id: viewer.id, method: 'GET', path: `${purchases}/${mine}` });
    expect(own.decided_by).toBe('isolation');
  });

  it('names the record of another user with its owner, so that it can be handed over', async () => {
    const { steps } = await explain({ user_id: viewer.id, method: 'GET', path: `${purchases}/${theirs}` });
    expect(steps.at(-1)).toMatchObject({
      reason: {
        name: 'record_of_other',
        params: { record: 'Purchase x', owner: admin.username, user: viewer.username },
      },
      record: { path: 'purchases', id: theirs, owner: { id: admin.id, name: admin.username } },
    });
  });

  it('says whether a record is in scope, missing, or somebody else’s', async () => {
    const at = (path: string | number) =>
      explain({ user_id: viewer.id, method: 'GET', path: `${purchases}/${path}` });
    const own = await at(mine);
    expect([own.status, own.steps.at(-1)]).toEqual([
      200,
      expect.objectContaining({ rule: 'record', outcome: 'passed' }),
    ]);
    for (const [path, because] of [
      [theirs, `Purchase x belongs to ${admin.username}; ${viewer.username} can access only their own`],
      [999_999, '999999: missing'],
      ['abc', 'abc: missing'],
      ['1e3', '1e3: missing'],
    ] as const) {
      const { status, code, decided_by, steps } = await at(path);
      expect([path, status, code, decided_by]).toEqual([path, 404, 40400, 'record']);
      expect(steps.at(-1)).toMatchObject({
        rule: 'record',
        outcome: 'refused',
        because,
      });
      expect((await service.get(`${purchases}/${path}`, { token: viewer })).status).toBe(404);
    }
    expect(
      inShort(await explain({ user_id: admin.id, method: 'GET', path: `${purchases}/${mine}` })).status,
    ).toBe(200);
  });

  it('matches paths and methods as the router does', async () => {
    const cases = [
      ['GET', purchases, 200],
      ['HEAD', purchases, 200],
      ['PUT', `${purchases}/${mine}`, 403],
      ['PATCH', purchases, 405],
      ['POST', `${purchases}/${mine}`, 405],
      ['GET', '/api/v1/purchases', 404],
      ['GET', `${purchases}/`, 404],
      ['GET', `${base}/api/v1/Purchases`, 404],
      ['GET', `${base}//api/v1/purchases`, 404],
      ['GET', `${base}/api/v1/%70urchases`, 200],
      ['GET', `${purchases}?page=1`, 200],
      ['GET', `${purchases}/${'9'.repeat(300)}`, 404],
      ['GET', `${purchases}/%zz`, 400],
      ['GET', `${purchases}/${mine}%2F..`, 404],
      ['GET', `${base}/api/v1/health`, 200],
      ['GET', `${base}/api/v1/nothing`, 404],
      ['DELETE', `${base}/api/v1/api_keys/${key.id}`, 200],
      ['DELETE', `${base}/api/v1/api_keys/999999`, 404],
      ['GET', `${base}/admin/users`, 403],
      ['GET', `${base}/api/v1/users`, 200],
      ['GET', `${base}/api/v1/auth/me`, 200],
      ['GET', `${base}/api/v1/reports/2024`, 403],
    ] as const;
    for (const [method, path, status] of cases) {
      const explained = await explain({ user_id: viewer.id, method, path });
      expect([method, path, explained.status]).toEqual([method, path, status]);
      // Deleting the key for real would spoil the rest.
      if (method === 'DELETE' && status === 200) continue;
      const real = await service.request(method, path, {
        token: viewer,
        ...(method === 'PUT' || method === 'PATCH' || method === 'POST' ? { body: { purchase: {} } } : {}),
      });
      expect([method, path, real.status]).toEqual([method, path, status]);
      if (method !== 'HEAD') expect([path, explained.code]).toEqual([path, real.json.code]);
    }
    const { steps, endpoint, decided_by } = await explain({
      user_id: viewer.id,
      method: 'POST',
      path: `${base}/api/v1/nothing`,
    });
    expect({ steps, endpoint, decided_by }).toMatchObject({
      endpoint: null,
      decided_by: 'route',
      steps: [{ rule: 'route', outcome: 'refused', because: 'Path does not exist' }],
    });
  });

  it('knows which credentials an endpoint takes', async () => {
    const pay = { method: 'POST', path: `${base}/api/v1/payment` };
    const tried = [
      [{ user_id: viewer.id }, 401, 40100],
      [{ api_key_id: key.id }, 401, 40100],
      [{ app_id: 'shop' }, 201, 0],
      [{}, 401, 40100],
    ] as const;
    for (const [caller, status, code] of tried) {
      const explanation = await explain({ ...caller, ...pay });
      expect([caller, explanation.status, explanation.code]).toEqual([caller, status, code]);
    }
    const { steps } = await explain({ user_id: viewer.id, ...pay });
    expect(steps.at(-1)).toMatchObject({
      rule: 'authentication',
      because: 'user, but the endpoint accepts only signature',
    });
    expect((await explain({ api_key_id: key.id, method: 'GET', path: purchases })).allowed).toBe(true);
    expect(
      (await explain({ api_key_id: key.id, method: 'GET', path: `${base}/api/v1/auth/me` })).status,
    ).toBe(401);
    expect((await explain({ app_id: 'shop', method: 'GET', path: `${base}/api/v1/health` })).decided_by).toBe(
      'open',
    );
    expect(
      (await explain({ user_id: admin.id, method: 'GET', path: `${base}/admin/users` })).decided_by,
    ).toBe('administrator');
  });

  it('follows an expired key, a disabled user, a role and a grant as they change', async () => {
    const user = await service.createUser();
    const token = admin;
    const soon = new Date(service.clock.now() + 60_000).toISOString();
    const keyId = (
      await service.ok<Key>('POST', `${base}/admin/api_keys`, {
        token,
        body: { api_key: { name: 'soon', user_id: user.id, expires_at: soon } },
      })
    ).id;
    const write = { method: 'POST', path: purchases };
    expect((await explain({ api_key_id: keyId, ...write })).decided_by).toBe('permission');
    await service.ok('PUT', `${base}/admin/permissions/viewer/Purchase/create`, { token });
    const granted = await explain({ api_key_id: keyId, ...write });
    expect(inShort(granted)).toEqual({
      status: 201,
      steps: [
        'route passed',
        'authentication passed',
        'permission passed',
        'isolation passed',
        'ownership passed',
        'restricted_fields narrowed',
      ],
      decided_by: 'permission',
    });
    service.clock.advance(120);
    const expired = await explain({ api_key_id: keyId, ...write });
    expect([expired.status, expired.code, expired.decided_by]).toEqual([401, 40102, 'authentication']);
    expect(expired.steps.at(-1)?.because).toBe(`key ${keyId} has expired`);
    service.clock.reset();
    await service.ok('PATCH', `${base}/admin/users/${user.id}`, {
      token,
      body: { user: { disabled: true } },
    });
    const disabled = [
      await explain({ user_id: user.id, ...write }),
      await explain({ api_key_id: keyId, ...write }),
    ];
    expect(disabled.map(({ code, steps }) => [code, steps.at(-1)?.because])).toEqual([
      [40101, `user ${user.username} is disabled`],
      [40102, `user ${user.username} is disabled`],
    ]);
    await service.ok('DELETE', `${base}/admin/permissions/viewer/Purchase/create`, { token });
  });

  it('refuses what it cannot read, and never takes a misspelt caller for a stranger', async () => {
    const request = { method: 'GET', path: purchases };
    const bad = [
      { ...request, method: 'get' },
      { ...request, method: 'OPTIONS' },
      { ...request, path: 'api/v1/purchases' },
      { ...request, path: '/with space' },
      { ...request, path: '/é' },
      { method: 'GET' },
      { path: purchases },
      { ...request, user_id: 'one' },
      { ...request, user_id: '0' },
      { ...request, user_id: '1', api_key_id: '1' },
      { ...request, userid: '1' },
    ];
    for (const query of bad)
      expect([query, (await ask(query as Record<string, string>)).json.code]).toEqual([query, 40006]);
    expect(
      (await service.get(`${base}/admin/explain?method=GET&method=GET&path=/`, { token: admin })).json.code,
    ).toBe(40006);
    for (const caller of [{ user_id: 999_999 }, { api_key_id: 999_999 }, { app_id: 'stranger' }])
      expect((await ask({ ...request, ...caller })).json.code).toBe(40400);
  });

  it('GET /admin/explain is for administrators, records no use and writes nothing', async () => {
    const request = { method: 'GET', path: purchases, api_key_id: key.id };
    expect((await ask(request, viewer)).status).toBe(403);
    expect((await service.get(`${base}/admin/explain?method=GET&path=/`)).status).toBe(401);
    expect((await service.get(`${base}/admin/explain?method=GET&path=/`, { key: key.key })).status).toBe(401);
    expect((await ask(request, await service.createUser(['admin']))).status).toBe(200);
    const text = JSON.stringify(await explain(request));
    expect(text).not.toContain(key.key);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it('GET /admin/explain can explain itself', async () => {
    const path = `${base}/admin/explain?method=GET&path=/`;
    expect((await explain({ user_id: admin.id, method: 'GET', path })).allowed).toBe(true);
    expect((await explain({ user_id: viewer.id, method: 'GET', path })).status).toBe(403);
  });
});

describeEachDatabase('the reasons of an explanation', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [order],
      endpoints: [report],
      migrations: {
        '0001_purchases': { up: async (db, dialect) => createTable(db, dialect, order.table, { fields }) },
      },
    },
    apps: ['shop'],
    env: { LOCALE: 'auto' },
  });

  it('the reasons of an explanation are in the language of the request, for every kind of refusal', async () => {
    const token = await service.admin();
    const [viewer, other] = [await service.createUser(), await service.createUser()];
    const key = await service.ok<Key>('POST', '/api/v1/api_keys', {
      token: viewer,
      body: { api_key: { name: 'one', scopes: ['purchases:create'] } },
    });
    const { id } = await service.ok<{ id: number }>('POST', '/admin/records/purchases', {
      token,
      body: { purchase: { title: 'x', user_id: other.id } },
    });
    const asked: Record<string, string | number>[] = [
      { user_id: viewer.id, method: 'GET', path: '/api/v1/nowhere' },
      { user_id: viewer.id, method: 'PUT', path: '/api/v1/purchases' },
      { user_id: viewer.id, method: 'GET', path: `/api/v1/purchases/${id}` },
      { user_id: viewer.id, method: 'GET', path: '/api/v1/purchases/999' },
      { user_id: viewer.id, method: 'POST', path: '/api/v1/purchases' },
      { user_id: viewer.id, method: 'GET', path: '/api/v1/purchases' },
      { user_id: viewer.id, method: 'GET', path: '/api/v1/reports/2024' },
      { user_id: viewer.id, method: 'POST', path: '/api/v1/payment' },
      { user_id: viewer.id, method: 'GET', path: '/admin/users' },
      { api_key_id: key.id, method: 'GET', path: '/api/v1/purchases' },
      { app_id: 'shop', method: 'POST', path: '/api/v1/purchases' },
      { method: 'GET', path: '/api/v1/purchases' },
    ];
    /** Names of the service and of this test stand in texts of every language. */
    const isName = (word: string): boolean =>
      word === word.toLowerCase().replaceAll(/[^a-z_]/g, '') &&
      [
        'jwt',
        'session',
        'signature',
        'api_key',
        'viewer',
        'clerk',
        'user_id',
        'note',
        'x',
        'http_signature',
      ].includes(word);
    const wordsOf = (text: string): readonly string[] =>
      (text.match(/[A-Za-z_]{2,}/g) ?? []).filter(
        (word) => !isName(word) && !['GET', 'POST', 'PUT', 'API', 'Purchase', 'shop'].includes(word),
      );
    const foreign: string[] = [];
    for (const query of asked) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const explained = await service.get<Explanation>(`/admin/explain?${search}`, {
        token,
        headers: { 'Accept-Language': 'zh-CN' },
      });
      for (const { because, rule, outcome, reason } of explained.data.steps) {
        if (rule === 'route' && outcome === 'passed') continue;
        const names = [viewer.username, other.username, 'purchases:create', 'purchases:read'];
        const rest = names.reduce((text, name) => text.replaceAll(name, ''), because);
        // A row rule is in the notation of models; its conditions are what a reader gets.
        if (rule === 'isolation' && reason?.name === 'named') continue;
        if (wordsOf(rest).length > 0) foreign.push(`${search}: ${rule}: ${because}`);
      }
    }
    expect(foreign).toEqual([]);
    const english = await service.get<Explanation>(
      `/admin/explain?user_id=${viewer.id}&method=GET&path=/api/v1/purchases/${id}`,
      { token, headers: { 'Accept-Language': 'en' } },
    );
    expect(english.data.steps.at(-1)?.because).toBe(
      `Purchase x belongs to ${other.username}; ${viewer.username} can access only their own`,
    );
  });
});
