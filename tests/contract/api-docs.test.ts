import { expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { startService, useService } from '../support/service.ts';

const description = '/api-docs/openapi.json';

describeDatabase('sqlite', 'the documentation', (databases) => {
  const service = useService(databases, { env: { BASE_URL: 'https://example.com/shop' } });
  const page = '/shop/api-docs';

  it('the documentation is a page that lets nothing in from elsewhere', async () => {
    const { status, headers, text } = await service.get(page);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    expect(text).not.toMatch(/https?:|<script>|style=|onload=/);
  });

  it('serves its parts under the path prefix, named by their content, for good', async () => {
    const { text } = await service.get(page);
    const parts = [...text.matchAll(/(?:src|href)="(api-docs\/assets\/[^"]+)"/g)].map(([, part]) => part);
    const names = parts.map((part) => String(part).replace(/^.*\//, ''));
    expect(names.sort()).toEqual(['early.js', 'icon.svg', 'inter.woff2', 'main.js', 'page.css']);
    for (const part of parts) {
      const { status, headers } = await service.get(`/shop/${part}`);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    const other = String(parts[0]).replace(/[0-9a-f]{16}/, '0'.repeat(16));
    expect((await service.get(`/shop/${other}`)).status).toBe(404);
    for (const name of ['tsconfig.json', 'index.html', '..%2fpackage.json', '__proto__'])
      expect((await service.get(`/shop/${parts[0]?.replace(/[^/]+$/, name)}`)).status).toBe(404);
  });

  it('the documentation is compressed for browsers that take it, and not sent again to browsers that have it', async () => {
    const whole = await service.get(`/shop${description}`);
    const tag = String(whole.headers['etag']);
    expect(JSON.parse(whole.text).servers).toEqual([{ url: 'https://example.com/shop' }]);
    const response = await fetch(`${service.origin}/shop${description}`, {
      headers: { 'accept-encoding': 'gzip', 'if-none-match': tag },
    });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(response.headers.get('etag')).not.toBe(tag);
    expect(await response.text()).toBe(whole.text);
    const refusing = await service.get(`/shop${description}`, { headers: { 'accept-encoding': 'gzip;q=0' } });
    expect(refusing.headers['content-encoding']).toBeUndefined();
    const again = await service.get(`/shop${description}`, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
  });

  it('the documentation is described in the language that is asked for, else in that of the service', async () => {
    const titles = async (query: string) =>
      JSON.parse((await service.get(`/shop${description}${query}`)).text).paths['/api/v1/health'].get.summary;
    expect([await titles(''), await titles('?lang=zh-CN'), await titles('?lang=en')]).toEqual([
      '健康检查',
      '健康检查',
      'Health check',
    ]);
    const { status, json } = await service.get(`/shop${description}?lang=fr`);
    expect([status, json.code]).toEqual([400, 40006]);
  });

  it('describes the API unless the administration area, or both in one, is asked for', async () => {
    const described = async (query: string) =>
      JSON.parse((await service.get(`/shop${description}${query}`)).text);
    const paths = async (query: string): Promise<string[]> => Object.keys((await described(query)).paths);
    const [api, admin] = [await paths('?area=api'), await paths('?area=admin')];
    expect(await paths('')).toEqual(api);
    expect(api).toContain('/api/v1/api_keys');
    expect(admin).toContain('/admin/api_keys');
    expect(admin.filter((path) => api.includes(path))).toEqual([]);
    expect((await paths('?area=all')).sort()).toEqual([...api, ...admin].sort());
    expect((await described('?lang=en')).info.description).toContain('`/api-docs/openapi.json?area=admin`');
    const { status, json } = await service.get(`/shop${description}?area=settings`);
    expect([status, json.code]).toEqual([400, 40006]);
  });

  it('answers nothing where it is switched off', async () => {
    await using off = await startService(databases, { env: { API_DOCS: 'off' } });
    for (const path of ['/api-docs', description, '/api-docs/assets/x/main.js'])
      expect(await off.get(path)).toMatchObject({ status: 404, json: { code: 40401 } });
  });
});
