import { beforeAll, expect, it, vi } from 'vitest';
import { createClient } from '../../client/index.ts';
import { defineEndpoint } from '../../src/endpoints/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Key, useService } from '../support/service.ts';

const header = 'x-auth-token';
const origin = 'https://app.example.com';

const application = {
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/known',
      auth: ['jwt', 'auth_token'],
      handle: ({ principal }) => (principal.kind === 'user' ? [principal.id, principal.method] : null),
    }),
  ],
};

describeEachDatabase('auth_token', (databases) => {
  const service = useService(databases, { application, env: { CORS_ORIGINS: origin, LOCALE: 'en' } });
  let id: number;
  let key: Key;
  beforeAll(async () => {
    const user = await service.createUser();
    id = user.id;
    key = await service.createKey(user);
  });

  it('200 with a key, 401 with another, and a challenge that names the header', async () => {
    const good = await service.get('/api/v1/known', { headers: { [header]: key.key } });
    expect([good.status, good.data]).toEqual([200, [id, 'auth_token']]);
    const bad = await service.get('/api/v1/known', { headers: { [header]: 'x' } });
    expect([bad.status, bad.json['code'], bad.headers['www-authenticate']]).toEqual([
      401,
      40102,
      'Bearer realm="gatewright", AuthToken realm="gatewright", header="X-Auth-Token"',
    ]);
  });

  it('is described, and scripts of other origins may send it', async () => {
    const { text } = await service.get('/api-docs/openapi.json');
    const document = JSON.parse(text);
    expect(document.components.securitySchemes.auth_token).toMatchObject({
      in: 'header',
      name: 'X-Auth-Token',
    });
    expect(document.info.description).toContain('Five methods of authentication');
    const { headers } = await service.request('OPTIONS', '/api/v1/known', {
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    expect(headers['access-control-allow-headers']).toContain('X-Auth-Token');
  });

  it('is explained, page and client send it', async () => {
    const token = await service.admin();
    const query = `api_key_id=${key.id}&method=GET&path=/api/v1/known`;
    const explained = await service.get<{ allowed: boolean; steps: object[] }>(`/admin/explain?${query}`, {
      token,
    });
    expect(explained.data).toMatchObject({ allowed: true });
    expect(explained.data.steps).toContainEqual(
      expect.objectContaining({ rule: 'authentication', because: 'auth_token' }),
    );
    const { text: html } = await service.get('/api-docs');
    const [folder] = /api-docs\/assets\/[0-9a-f]+/.exec(html) ?? [];
    const methods = await (await fetch(`${service.origin}/${folder}/methods.json`)).json();
    vi.stubGlobal('location', new URL('https://api.example.com/api-docs'));
    const page = await import(new URL('../../docs-page/ways.js', import.meta.url).href);
    const way = page.waysOf(methods, { language: 'en', t: {}, document: {} }).get('auth_token');
    expect(way.samples().curl.options).toEqual(['--header "X-Auth-Token: $AUTH_TOKEN"']);
    const client = createClient({ baseUrl: service.origin, auth: { authToken: key.key } });
    expect((await client.sendRequest('GET', '/api/v1/known')).data).toEqual([id, 'auth_token']);
  });
});
