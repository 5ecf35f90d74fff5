import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../docs/.vitepress/pages.ts';
import { hasBrowser, rested, useBrowser } from '../support/browser.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Serves the built site under a folder, as no address is its own. */
const serveSite = async (): Promise<Server> => {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname).replace(/\/$/, '/index.html');
    try {
      const body = await readFile(join(root, 'docs/.vitepress/dist', path.replace(/^\/manual\//, '')));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
};

/** Variables of the place that publishes the site. */
const env = {
  ...process.env,
  SITE_URL: 'https://docs.example.com/manual/',
  SITE_REPOSITORY: 'https://git.example.com/gate/wright',
};

describe.skipIf(!hasBrowser)('the documentation site', () => {
  const open = useBrowser();
  let server: Server;
  let origin = '';

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['docs/.vitepress/build.ts'], { cwd: root, env });
    server = await serveSite();
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 300_000);

  afterAll(() => server?.close());

  /** Searches for words until a page is among the first three that are found. */
  const finds = async (page: Page, words: string, path: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill(words);
    const firstFound = async (): Promise<readonly string[]> => {
      const found = (await page.locator('#localsearch-list .result').all()).slice(0, 3);
      const links = await Promise.all(found.map((each) => each.getAttribute('href')));
      return links.map((link) => (link ?? '').replace(/^.*\/manual/, '').replace(/#.*/, ''));
    };
    await expect.poll(firstFound).toContain(path);
    await page.keyboard.press('Escape');
  };

  it('finds Chinese and English words, and asks no other host', async () => {
    const { page, requests, complaints } = await open();
    await page.goto(`${origin}/manual/zh/guide/administration.html`);
    await rested(page);
    await finds(page, '权限表', '/zh/guide/administration.html');
    await finds(page, '回收站', '/zh/reference/trash.html');
    await finds(page, '事务', '/zh/guide/transactions.html');
    await page.goto(`${origin}/manual/`);
    await rested(page);
    await finds(page, 'two-step verification', '/reference/two-step-verification.html');
    expect(requests.filter((address) => !address.startsWith(`${origin}/manual/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('copies code, shows no remarks, and leads to the same page in English', async () => {
    const { page, complaints } = await open();
    await page.goto(`${origin}/manual/zh/guide/code.html`);
    await rested(page);
    const block = page.locator('div[class*="language-"]').first();
    await block.hover();
    await block.getByRole('button', { name: '复制代码' }).click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(await block.locator('pre').textContent()).toContain(copied);
    expect(await page.locator('main').textContent()).not.toContain('<!--');
    await page.getByRole('button', { name: '切换语言' }).hover();
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: /Code of your own/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/manual/guide/code.html');
    expect(complaints).toEqual([]);
  });

  it('leads to the source of each page and to the next page, and shows its version', async () => {
    const { page, complaints } = await open();
    const edited = async (path: string) => {
      await page.goto(`${origin}/manual/${path}`);
      return page.locator('.edit-link a').getAttribute('href');
    };
    const sources = 'https://git.example.com/gate/wright/edit/main';
    expect(await edited('guide/keys.html')).toBe(`${sources}/docs/guide/keys.md`);
    expect(await edited('zh/guide/keys.html')).toBe(`${sources}/docs/guide/keys.zh-CN.md`);
    expect(await page.locator('.pager-link.next').count()).toBe(1);
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    await page.getByRole('link', { name: version, exact: true }).first().waitFor();
    const sitemap = await readFile(join(root, 'docs/.vitepress/dist/sitemap.xml'), 'utf8');
    expect(sitemap).toContain('<loc>https://docs.example.com/manual/guide/keys.html</loc>');
    expect(sitemap).toContain('<loc>https://docs.example.com/manual/zh/guide/keys.html</loc>');
    expect(complaints).toEqual([]);
  });

  it('pages of every kind preload their font, have one main part, and pass axe', async () => {
    const { page, complaints } = await open();
    for (const path of ['', 'zh/', 'reference/fields.html', 'zh/reference/trash.html', 'guide/keys.html']) {
      await page.goto(`${origin}/manual/${path}`);
      await rested(page);
      expect(await page.locator('link[rel=preload][as=font]').count(), path).toBe(1);
      expect(await page.locator('main').count(), path).toBe(1);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate(
        `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })`,
      )) as {
        readonly violations: readonly {
          readonly id: string;
          readonly nodes: readonly { readonly target: unknown }[];
        }[];
      };
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`,
      );
      expect([path, found]).toEqual([path, []]);
    }
    expect(complaints).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('the documentation site is no wider than the screen, %s at %i', async (colorScheme, width) => {
    const { page, complaints } = await open({ colorScheme, width });
    for (const path of [
      'zh/',
      'reference/configuration.html',
      'zh/deploy/',
      'files/deploy/nginx-conf.html',
    ]) {
      await page.goto(`${origin}/manual/${path}`);
      await rested(page);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
    }
    expect(complaints).toEqual([]);
  });
});
