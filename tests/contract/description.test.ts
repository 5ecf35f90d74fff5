import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { conformance } from '../support/conformance.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';
import type { RequestOptions } from '../support/http-client.ts';
import { useEveryFactor } from '../support/second-factor.ts';
import { useService } from '../support/service.ts';

const application = await loadApplication(fileURLToPath(new URL('../../examples/newsroom', import.meta.url)));
const desk = await loadApplication(fileURLToPath(new URL('../../examples/teams', import.meta.url)));

interface Described {
  readonly method: string;
  readonly path: string;
  readonly id: string;
}

const operationsOf = (document: JsonObject): Described[] =>
  Object.entries(document['paths'] as Record<string, Record<string, JsonObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      id: String(operation['operationId']),
    })),
  );

describeEachDatabase('the API description', (databases) => {
  // Passkeys need a name that browsers take for safe.
  const service = useService(databases, {
    application,
    apps: ['shop'],
    env: { BASE_URL: 'http://localhost:0' },
  });

  const describedService = async () => {
    const document = await service.get('/api-docs/openapi.json?lang=en&area=all');
    expect(document.status).toBe(200);
    const description = JSON.parse(document.text) as JsonObject;
    const conform = conformance(description);
    const problems: string[] = [];
    const ask = async <Data = JsonObject>(method: string, path: string, options?: RequestOptions) => {
      const { status, headers, text } = await service.request(method, path, options);
      problems.push(...conform.check({ method, path, status, headers, text }));
      return { status, headers, data: (text === '' ? {} : JSON.parse(text).data) as Data };
    };
    return { ask, problems, conform, operations: operationsOf(description) };
  };

  it('describes every answer to a stranger, a viewer and the wrong body', async () => {
    const { ask, problems, operations } = await describedService();
    const viewer = await service.createUser();
    const admin = await service.admin();
    for (const { method, path, id } of operations) {
      // Operations that would end the credentials of this test.
      if (path.startsWith('/api-docs') || ['deleteSessions', 'logout'].includes(id)) continue;
      const actual = path.replaceAll(/\{(\w+)\}/g, (_whole, name) => (name === 'id' ? '999999' : 'nothing'));
      await ask(method, actual);
      await ask(method, actual, { token: 'x' });
      await ask(method, actual, { key: 'x', headers: { 'x-app-id': 'shop' } });
      await ask(method, actual, { cookie: 'gatewright_session=x' });
      for (const token of [viewer.token, admin.token]) {
        await ask(method, actual, { token });
        await ask(method, actual, { token, body: '{"' });
        await ask(method, actual, { token, body: [] });
        await ask(method, actual, { token, body: {} });
        await ask(method, actual, { token, body: 'x', headers: { 'content-type': 'text/plain' } });
        await ask(method, `${actual}?per_page=0&fields=nothing`, { token });
        await ask(method, `${actual}?sort=nothing`, { token });
      }
      await ask('OPTIONS', actual);
    }
    await ask('GET', '/api/v1/nothing');
    await ask('DELETE', '/api/v1/health');
    await ask('GET', '/api/v1/notes/%ff');
    expect(problems).toEqual([]);
  });

  it('describes every success', async () => {
    const { ask, problems, operations, conform } = await describedService();
    const admin = await service.admin();
    const { token } = admin;
    const user = await service.createUser();
    await ask('POST', '/api/v1/auth/login', { body: { account: user.username, password: user.password } });
    await ask('POST', '/api/v1/auth/login', { body: { account: user.username, password: 'wrong' } });
    await ask('PUT', '/api/v1/auth/password', {
      token: user.token,
      body: { current_password: user.password, password: 'another good word 12' },
    });
    const { data: again } = await ask<{ token: string }>('POST', '/api/v1/auth/login', {
      body: { account: user.username, password: 'another good word 12' },
    });
    const key = await ask<{ id: number }>('POST', '/api/v1/api_keys', {
      token: again.token,
      body: { api_key: { name: 'k', expires_at: '2040-01-01' } },
    });
    const payment = '{"order_no":"A1","amount":12.5}';
    for (const method of ['POST', 'POST'])
      await ask(method, '/api/v1/payment', { body: payment, headers: service.sign('shop', payment) });
    const created = await ask<{ id: number }>('POST', '/admin/api_keys', {
      token,
      body: { api_key: { name: 'k', user_id: user.id } },
    });
    const leaked = await ask<{ key: string }>('POST', '/admin/api_keys', {
      token,
      body: { api_key: { name: 'found', user_id: user.id } },
    });
    await ask('POST', '/admin/api_keys/find', { token, body: { key: leaked.data.key } });
    const account = { service_account: { name: 'Reports' } };
    for (const body of [account, { service_account: {} }])
      await ask('POST', '/api/v1/service_accounts', { token, body });
    await ask('GET', '/api/v1/api_keys/current', { key: leaked.data.key });
    for (const [area, id, by] of [
      ['/api/v1', key.data.id, again.token],
      ['/admin', created.data.id, token],
    ] as const)
      await ask('POST', `${area}/api_keys/${id}/rotate`, { token: by, body: {} });
    const person = await ask<{ id: number }>('POST', '/admin/users', {
      token,
      body: {
        user: { username: 'eve', email: 'eve@example.com', password: 'a good word 12', roles: ['admin'] },
      },
    });
    const link = await ask<{ url: string }>('POST', `/admin/users/${person.data.id}/invitation`, { token });
    const invitation = { token: new URL(link.data.url).hash.slice(1), password: 'a good word 12' };
    await ask('POST', '/admin/invitation/lookup', { body: invitation });
    await ask('POST', '/admin/invitation', { body: invitation });
    await ask('GET', `/admin/users/${person.data.id}`, { token });
    await ask('GET', `/admin/users/${person.data.id}/sessions`, { token });
    for (const list of ['users', 'api_keys', 'jobs']) await ask('GET', `/admin/lists/${list}`, { token });
    await ask('GET', '/admin/lists/nothing', { token });
    await ask('PATCH', `/admin/users/${person.data.id}`, { token, body: { user: { name: 'Eve' } } });
    await ask('PUT', `/admin/users/${person.data.id}`, { token, body: { user: { email: 'x' } } });
    const due = { must_change_password: true, end_sessions: true };
    await ask('PATCH', `/admin/users/${person.data.id}`, { token, body: { user: due } });
    const ofEve = { token: await service.tokenOf(person.data.id) };
    await ask('POST', '/admin/session', { body: { account: 'eve', password: 'a good word 12' } });
    await ask('GET', '/admin/session', ofEve);
    await ask('GET', '/admin/users', ofEve);
    await ask('POST', `/admin/users/${person.data.id}/logout`, { token });
    await ask('PUT', '/admin/password', {
      token: await service.tokenOf(person.data.id),
      body: { current_password: 'a good word 12', password: 'a better word 12' },
    });
    await useEveryFactor(service, ask, token);
    const [job] = await service.server.services.database.execute<{ id: number }>({
      sql: `insert into gatewright_jobs (name, input, state, created_at)
        values ('report', '{}', 'failed', '2026-11-21T00:00:00.000Z') returning id`,
      parameters: [],
    });
    await ask('POST', `/admin/jobs/${job?.id}/repeat`, { token });
    await service.server.services.database.execute({
      sql: `insert into gatewright_schedules (name, pattern, ticked_at)
        values ('report', '0 3 * * *', '2026-11-21T00:00:00.000Z')`,
      parameters: [],
    });
    await ask('GET', '/admin/schedules/report', { token });
    for (const verb of ['pause', 'resume']) await ask('POST', `/admin/schedules/report/${verb}`, { token });
    const rotation = { secret: 'ab'.repeat(32), overlap: 60 };
    await ask('POST', '/admin/applications/shop/rotate', { token, body: rotation });
    const replacement = {
      public_key: 'MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=',
      overlap: 60,
    };
    await ask('POST', '/admin/applications/shop/public_key', { token, body: replacement });
    await ask('POST', '/admin/roles', { token, body: { role: { name: 'editor' } } });
    const view = { resource: 'users', name: 'all', query: { sort: { field: 'id', order: 'ASC' } } };
    const saved = await ask<{ id: number }>('POST', '/admin/views', { token, body: { view } });
    await ask('PATCH', `/admin/views/${saved.data.id}`, { token, body: { view: { name: 'everybody' } } });
    await ask('PUT', '/admin/permissions/editor/Order/create', { token });
    const permission = { role: 'editor', model: 'Order', action: 'update', allowed: true };
    await ask('PUT', '/admin/permissions', { token, body: { permissions: [permission] } });
    await ask('GET', '/admin/roles/editor', { token });
    await ask('GET', '/admin/roles/editor/users', { token });
    const session = await ask('POST', '/admin/session', {
      body: { account: admin.username, password: admin.password },
    });
    const cookie = String(session.headers['set-cookie']?.[0]).split(';')[0] ?? '';
    const records: string[] = [];
    for (const [path, name, values] of [
      ['notes', 'note', { title: 'a', body: null }],
      ['orders', 'order', { number: 'N1', amount: 5, internal_note: 'x' }],
      ['articles', 'article', { title: 'a', body: 'b', published: true }],
    ] as const)
      for (const area of ['/api/v1', '/admin/records']) {
        const body = {
          [name]: 'number' in values ? { ...values, number: `${values.number}${area}` } : values,
        };
        const made = await ask<{ id: number }>('POST', `${area}/${path}`, {
          token,
          body,
          headers: { 'idempotency-key': `${area}-${path}` },
        });
        expect([path, made.status]).toEqual([path, 201]);
        const record = `${area}/${path}/${made.data.id}`;
        records.push(record);
        if (area === '/api/v1')
          for (const shown of ['', `/${made.data.id}`])
            await ask('GET', `/admin/users/${admin.id}/view/${path}${shown}`, { token });
        await ask('POST', `${area}/${path}`, {
          token,
          body,
          headers: { 'idempotency-key': `${area}-${path}` },
        });
        await ask('POST', `${area}/${path}`, { token, body: { [name]: {} } });
        const shown = await ask('GET', record, { token });
        await ask('GET', record, { token, headers: { 'if-none-match': String(shown.headers['etag']) } });
        await ask('HEAD', record, { token });
        await ask('PATCH', record, { token, body, headers: { 'if-match': '"9-detail"' } });
        await ask('PATCH', record, { token, body });
        await ask('PUT', record, { token, body });
        const batch = `${area}/${path}/batch`;
        await ask('POST', batch, {
          token,
          body: { update: [{ id: made.data.id, ...body[name] }], delete: [] },
        });
        await ask('POST', batch, { token, body: { create: [{}], delete: [0] } });
        await ask('POST', batch, { token, body: { creates: [] } });
        if (area === '/api/v1') {
          const headers = { 'content-type': 'application/jsonl' };
          for (const line of [values, {}])
            await ask('POST', `${area}/${path}/import`, { token, body: JSON.stringify(line), headers });
          continue;
        }
        for (const lines of [[{ line: 2, values }], [{ line: 3, values: {} }]])
          await ask('POST', `${area}/${path}/import`, { token, body: { preview: true, lines } });
      }
    for (const { method, path } of operations) {
      if (method !== 'GET' || path.includes('{')) continue;
      if (path.startsWith('/api-docs')) continue;
      await ask(method, path, { token });
      await ask(method, `${path}?page=1&per_page=1`, { token });
      await ask(method, `${path}?fields=id`, { token });
      if (path.endsWith('/aggregate'))
        await ask(method, `${path}?group=created_at:week&count&min=created_at&sum=id&avg=id`, { token });
    }
    for (const record of [...records, `/admin/users/${user.id}`, '/admin/roles/editor'])
      if (record.startsWith('/admin')) await ask('GET', `${record}/references`, { token });
    for (const path of ['notes', 'orders', 'articles'])
      await ask('GET', `/admin/records/${path}/references?ids=1,2`, { token });
    await ask('GET', `/admin/explain?user_id=${user.id}&method=GET&path=/api/v1/orders/1`, { token });
    await ask('GET', '/admin/explain?method=GET', { token });
    await ask('GET', '/admin/search?q=7', { token });
    await ask('GET', '/admin/search', { token });
    const ofKey = `/admin/api_keys/${created.data.id}`;
    await ask('GET', ofKey, { token });
    await ask('GET', `${ofKey}/usage`, { token });
    for (const path of ['scopes', 'advice']) await ask('GET', `/admin/api_keys/${path}`, { token });
    await ask('PATCH', ofKey, { token, body: { api_key: { expires_at: '2020-01-01' } } });
    await ask('PATCH', ofKey, { token, body: { api_key: { expires_at: null } } });
    for (const record of records)
      if (record.startsWith('/admin')) await ask('POST', `${record}/forget`, { token });
    for (const record of records) await ask('DELETE', record, { token });
    await ask('DELETE', `/api/v1/api_keys/${key.data.id}`, { token: again.token });
    await ask('POST', '/api/v1/auth/logout', { token: again.token });
    await ask('DELETE', `/admin/api_keys/${created.data.id}`, { token });
    await ask('DELETE', `/admin/views/${saved.data.id}`, { token });
    await ask('GET', `/admin/jobs/${job?.id}`, { token });
    for (const verb of ['repeat', 'delete'])
      await ask('POST', `/admin/jobs/${verb}`, { token, body: { name: 'no job has this name' } });
    const [line] = await service.ok<{ id: number }[]>('GET', '/admin/audit?per_page=1', { token });
    await ask('GET', `/admin/audit/${line?.id}`, { token });
    await ask('DELETE', `/admin/jobs/${job?.id}`, { token });
    await ask('DELETE', '/admin/permissions/editor/Order/create', { token });
    await ask('DELETE', '/admin/roles/editor', { token });
    await ask('DELETE', '/admin/roles/admin', { token });
    await ask('DELETE', `/admin/users/${person.data.id}`, { token });
    await ask('DELETE', `/admin/users/${admin.id}`, { token });
    const sessions = await ask<readonly { id: number }[]>('GET', '/admin/sessions', { cookie });
    await ask('POST', '/admin/session', { body: { account: admin.username, password: admin.password } });
    const [other] = (await ask<readonly { id: number }[]>('GET', '/admin/sessions?sort=-id', { cookie }))
      .data;
    expect(other?.id).not.toBe(sessions.data[0]?.id);
    await ask('DELETE', `/admin/sessions/${other?.id}`, {
      cookie,
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    await ask('DELETE', `/admin/sessions/${other?.id}`, { token });
    await ask('POST', '/admin/session/token', { cookie });
    await ask('POST', '/admin/session/token', { cookie, headers: { 'sec-fetch-site': 'same-origin' } });
    await ask('DELETE', '/admin/session', { cookie });
    await ask('DELETE', '/admin/session', { cookie, headers: { 'sec-fetch-site': 'same-origin' } });
    await ask('DELETE', '/admin/sessions', { token });
    expect(problems).toEqual([]);
    const successes = conform.unseen().filter((name) => / 20\d$/.test(name) && !/ApiDoc|ApiDesc/.test(name));
    expect(successes).toEqual([]);
  });
});

describeDatabase('sqlite', 'the API description of an application with events', (databases) => {
  const service = useService(databases, {
    application: desk,
  });

  it('names every tag in Chinese', async () => {
    const { text } = await service.get('/api-docs/openapi.json?lang=zh-CN&area=all');
    const { tags } = JSON.parse(text) as {
      readonly tags: readonly { readonly name: string; readonly 'x-displayName': string }[];
    };
    expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining(['Changes', 'Webhooks']));
    expect(tags.filter((tag) => !/\p{Script=Han}/u.test(tag['x-displayName']))).toEqual([]);
  });
});
