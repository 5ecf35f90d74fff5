import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { exchange } from '../support/raw-socket.ts';
import { startService, useService } from '../support/service.ts';

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describeDatabase('sqlite', 'the shell of the administration pages', (databases) => {
  const service = useService(databases);

  it.each([
    '/admin',
    '/admin/',
    '/admin/users',
    '/admin/users/5/show',
    '/admin/roles/admin',
    '/admin/session',
  ])('GET %s: a page for a browser, the envelope for everybody else', async (path) => {
    const page = await service.get(path, { headers: html });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<div id="root">');
    expect(page.headers['vary']).toBe('Accept, Accept-Encoding');
    const other = await service.get(path, { headers: { Accept: 'application/json' } });
    expect(other.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(other.headers['vary']).toBe('Accept');
    expect(other.json.code).toBeGreaterThan(0);
  });

  it('the shell of the administration pages is for reads only, and below /admin only', async () => {
    expect((await service.post('/admin/users', { headers: html, body: {} })).status).toBe(401);
    expect((await service.get('/administrators', { headers: html })).json.code).toBe(40401);
    expect((await service.get('/api/v1/users', { headers: html })).status).toBe(401);
    const head = await service.request('HEAD', '/admin/users', { headers: html });
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/html; charset=utf-8',
    ]);
  });

  it('carries a policy with one inline script, which its hash names, and another nonce every time', async () => {
    const answers = await Promise.all([1, 2].map(() => service.get('/admin', { headers: html })));
    const nonces = answers.map(({ headers, text }) => {
      const policy = String(headers['content-security-policy']);
      expect(policy).not.toContain('unsafe');
      const inline = [...text.matchAll(/<script(?: nonce="[^"]*")?>([\s\S]*?)<\/script>/g)].map(
        ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
      );
      expect(inline).toHaveLength(1);
      expect(policy).toContain(`default-src 'none'; script-src 'self' ${inline.join(' ')};`);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).not.toContain('__NONCE__');
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
      expect(text).toContain(`nonce="${nonce}"`);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
    expect(answers[0]?.headers['strict-transport-security']).toBeUndefined();
  });

  describe('assets', () => {
    const script = async (): Promise<string> => {
      const { text } = await service.get('/admin', { headers: html });
      return /src="([^"]+\/app-[^"]+\.js)"/.exec(text)?.[1] ?? '';
    };

    it('assets are compressed as the browser takes them, and kept for a year', async () => {
      const path = await script();
      const types = { br: 'br', gzip: 'gzip', 'br;q=0, gzip': 'gzip', identity: undefined };
      for (const [accepted, encoding] of Object.entries(types)) {
        const { status, headers } = await service.get(path, { headers: { 'Accept-Encoding': accepted } });
        expect([status, headers['content-encoding']]).toEqual([200, encoding]);
        expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
        expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
        expect(headers['vary']).toBe('Accept, Accept-Encoding');
      }
    });

    it.each(['nothing.js', '..%2findex.html', 'index.html', '%00.js', 'constructor'])(
      '%s is no file',
      async (name) => {
        expect((await service.get(`/admin/assets/${name}`)).json.code).toBe(40401);
      },
    );
  });

  it('speaks of https where the service is https, and of the base path where there is one', async () => {
    await using other = await startService(databases, {
      env: { BASE_URL: 'https://example.com/base', LOCALE: 'en' },
    });
    const { headers, text } = await other.get('/base/admin/users', { headers: html });
    const secure = 'max-age=31536000';
    expect(headers['strict-transport-security']).toBe(secure);
    for (const path of ['/base/api/v1/health', '/base/api/v1/users', '/base/api-docs', '/nothing'])
      expect((await other.get(path)).headers['strict-transport-security']).toBe(secure);
    expect((await exchange(other.port, 'no HTTP\r\n\r\n')).toLowerCase()).toContain(
      `strict-transport-security: ${secure}`,
    );
    expect(text).toContain('src="/base/admin/assets/');
    expect(text).toContain('lang="en"');
    expect((await other.get('/admin', { headers: html })).json.code).toBe(40401);
  });
});
