import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { startService, useService } from '../support/service.ts';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));

const hrefsOf = (html: string): readonly string[] =>
  [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, href = '']) => href);

describeDatabase('sqlite', 'the handbook', (databases) => {
  const service = useService(databases, { env: { BASE_URL: 'https://example.com/shop' } });
  const start = '/shop/api-docs/handbook';

  /** Every page and file that links lead to from a page on, by its path. */
  const walk = async (first: string): Promise<ReadonlyMap<string, { status: number; text: string }>> => {
    const found = new Map<string, { status: number; text: string }>();
    const open = [first];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (found.has(path)) continue;
      const { status, text, headers } = await service.get(path);
      found.set(path, { status, text });
      if (!String(headers['content-type']).startsWith('text/html') || path === '/shop/api-docs') continue;
      for (const href of hrefsOf(text).filter((each) => !/^[a-z]+:/.test(each))) {
        const { pathname, search } = new URL(href, `http://x${path}`);
        open.push(pathname + search);
      }
    }
    return found;
  };

  it('the handbook has every document, and no link in it leads nowhere', async () => {
    const found = await walk(start);
    expect([...found].filter(([, { status }]) => status !== 200).map(([path]) => path)).toEqual([]);
    const paths = [...found.keys()];
    for (const folder of ['tutorial', 'guide', 'reference'])
      for (const file of readdirSync(`${docs}${folder}`).filter((name) => name.endsWith('.md')))
        expect(paths).toContain(`${start}/${folder}/${file.replace(/\.md$/, '')}`);
    const pages = [...found].filter(([path]) => /handbook\/\w+\/[^.]+(?:\.zh-CN)?$/.test(path));
    expect(pages.length).toBeGreaterThan(90);
    for (const [path, { text }] of pages)
      for (const href of hrefsOf(text).filter((each) => each.includes('#') && !/^[a-z]+:/.test(each))) {
        const { pathname, hash } = new URL(href, `http://x${path}`);
        expect(found.get(pathname)?.text, `${path}: ${href}`).toContain(
          `id="${decodeURIComponent(hash.slice(1))}"`,
        );
      }
  }, 120_000);

  it('shows documents as pages without a script, for which nothing is loaded from elsewhere', async () => {
    const { status, headers, text } = await service.get(`${start}/guide/quick-start`);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(String(headers['content-security-policy'])).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(text).toContain('<h1 id="quick-start">Quick start</h1>');
    expect(text).toContain('<pre><code class="language-bash">');
    expect(text).not.toMatch(/<script|src="https?:|<!-- /);
  });

  it('shows its pictures, and a link to a page for contributors as text', async () => {
    const { text } = await service.get(`${start}/guide/administration`);
    expect(text).toContain('<img src="../images/admin-permissions-en.webp" alt="The permission table">');
    const { text: overview } = await service.get(`${start}/package/README`);
    expect(overview).toMatch(/versions, figures and method\./);
    expect(overview).not.toContain('contributing/speed.md');
  });

  it('leads from a page to its translation, and back', async () => {
    const { text } = await service.get(`${start}/guide/quick-start`);
    expect(text).toContain('<a href="quick-start.zh-CN">简体中文</a>');
    const translated = await service.get(`${start}/guide/quick-start.zh-CN`);
    expect(translated.text).toContain('<html lang="zh-CN">');
    expect(translated.text).toContain('<a href="quick-start">English</a>');
  });

  it('lists the pages in the language that is asked for, else in that of the service', async () => {
    const titleOf = async (query: string) =>
      /<h1>(.*?)<\/h1>/.exec((await service.get(start + query)).text)?.[1];
    expect([await titleOf(''), await titleOf('?lang=zh-CN'), await titleOf('?lang=en')]).toEqual([
      '使用手册',
      '使用手册',
      'Handbook',
    ]);
  });

  it('the handbook has pictures and deployment files, and nothing else of the package', async () => {
    const picture = await service.get(`${start}/images/admin-start-en.webp`);
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/webp']);
    const unit = await service.get(`${start}/deploy/nginx.conf`);
    expect([unit.status, unit.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    for (const path of [
      'package/package.json',
      'guide/..%2f..%2fpackage.json',
      'guide/%2e%2e',
      '__proto__/constructor',
      'src/index.ts',
      'guide/none.md',
      'guide/none',
      'guide/quick-start.md.md',
    ])
      expect((await service.get(`${start}/${path}`)).status, path).toBe(404);
  });

  const asMarkdown = { headers: { accept: 'text/markdown' } };

  /** Where the links of a Markdown text lead, from its own address. */
  const linksOf = (text: string, address: string): readonly string[] =>
    [...text.replaceAll(/^ *```.*?^ *```$|`[^`\n]+`/gms, '').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => new URL(target, `http://x${address}`).pathname);

  it('each document is Markdown at its address with .md, and for callers that prefer Markdown', async () => {
    const address = `${start}/guide/quick-start`;
    const source = await service.get(`${address}.md`);
    expect(source.status).toBe(200);
    expect(source.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(source.text).toMatch(/^# Quick start$/m);
    const preferred = await service.get(address, asMarkdown);
    expect(preferred.text).toBe(source.text);
    const page = await service.get(address, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<link rel="alternate" href="quick-start.md" type="text/markdown">');
    for (const { headers } of [preferred, page]) expect(String(headers['vary'])).toMatch(/\bAccept(?:,|$)/);
  });

  it('the documents for machines are served, and no link in them leads nowhere', async () => {
    const open = ['/shop/llms.txt', '/shop/llms-full.txt'];
    const seen = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const { status, headers, text } = await service.get(path);
      expect(status, path).toBe(200);
      if (String(headers['content-type']).startsWith('text/markdown') && path !== '/shop/api-docs.md')
        open.push(...linksOf(text, path));
    }
    expect(seen).toContain('/shop/api-docs.md');
    expect(seen).toContain(`${start}/reference/resource.md`);
    expect(seen).toContain(`${start}/package/SECURITY.md`);
    const contents = await service.get(start, asMarkdown);
    expect(contents.text).toContain('](handbook/guide/quick-start.md): ');
  }, 60_000);

  it('the description of the API is Markdown for callers that prefer it', async () => {
    const page = await service.get('/shop/api-docs', asMarkdown);
    expect(page.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(String(page.headers['vary'])).toMatch(/\bAccept(?:,|$)/);
    expect((await service.get('/shop/api-docs')).headers['content-type']).toBe('text/html; charset=utf-8');
    const { text } = await service.get('/shop/api-docs.md?lang=en');
    expect(text).toContain('\n### POST /api/v1/auth/login\n\nSign in\n');
    expect(text).toMatch(/^\| `account` \| string \|.*required/m);
    expect(text).not.toMatch(/undefined|\[object|\| {2}\|$/);
    const { paths } = (await service.get('/shop/api-docs/openapi.json')).json as unknown as {
      paths: Readonly<Record<string, object>>;
    };
    for (const [path, item] of Object.entries(paths))
      for (const method of Object.keys(item))
        expect(text).toContain(`\n### ${method.toUpperCase()} ${path}\n`);
  });

  it('the handbook is gone with the documentation', async () => {
    await using off = await startService(databases, { env: { API_DOCS: 'off' } });
    for (const path of ['/api-docs/handbook', '/api-docs/handbook/guide/quick-start.md', '/llms.txt'])
      expect(await off.get(path)).toMatchObject({ status: 404, json: { code: 40401 } });
  });
});
