import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { enter, pages, seed, settled, site } from './admin-site.ts';

/** Sum of the layout shifts that nobody caused by a key or a click. */
const watchShifts = (page: Page) =>
  page.addInitScript(`window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });`);

/** The pages that are looked at most. */
const watched = ['start', 'books', 'book-show', 'keys', 'key-show', 'users', 'user-show', 'explain'] as const;

describeDatabase('sqlite', 'the design of the administration pages', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 120_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    it('nothing moves while a page arrives', async () => {
      const { page } = await enter(open, service, root, '/');
      await watchShifts(page);
      const shifts: Record<string, number> = {};
      for (const name of watched) {
        await page.goto(`${service.origin}/admin${pages[name]}`);
        await settled(page);
        const shifted = await page.evaluate<number>('window.shifted');
        if (shifted > 0.02) shifts[name] = shifted;
      }
      expect(shifts).toEqual({});
    });

    it('a theme that was chosen is there from the first paint on, whatever the system prefers', async () => {
      const { page } = await enter(open, service, root, '/roles', { colorScheme: 'light' });
      const ground = () =>
        page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      const light = await ground();
      await page.evaluate(`localStorage['RaStoregatewright.theme'] = JSON.stringify('dark')`);
      // No script of the pages runs: what is seen then is the first paint.
      await page.route(/assets\/index-[^/]*\.js$/, (route) => route.abort());
      await page.reload({ waitUntil: 'domcontentloaded' });
      expect(await ground()).toBe('rgb(15, 19, 20)');
      expect(light).toBe('rgb(250, 250, 248)');
    });

    it('every page begins and ends at the same edges', async () => {
      const { page } = await enter(open, service, root, '/', { width: 1920 });
      const edges = new Set<string>();
      for (const name of [...watched, 'book-create', 'permissions', 'history']) {
        const path = name === 'history' ? '/records/books/11/history' : pages[name];
        await page.goto(`${service.origin}/admin${path}`);
        await settled(page);
        edges.add(
          await page.evaluate<string>(`(() => {
            const { left, right } = document.querySelector('main h1').closest('main > div > div').getBoundingClientRect();
            return left + ' to ' + right;
          })()`),
        );
      }
      expect([...edges]).toHaveLength(1);
    });

    it('a row of a list is one line, and a record two lines on a telephone', async () => {
      const { page } = await enter(open, service, root, '/records/books');
      const heights = () =>
        page.evaluate<number[]>(
          `[...new Set([...document.querySelectorAll('tbody tr, main ul > li')].map((row) => Math.round(row.getBoundingClientRect().height)))]`,
        );
      expect(Math.max(...(await heights()))).toBeLessThanOrEqual(37);
      await page.setViewportSize({ width: 360, height: 780 });
      await settled(page);
      expect(Math.max(...(await heights()))).toBeLessThanOrEqual(56);
      const first = await page.locator('main ul > li').first().boundingBox();
      expect(first?.y).toBeLessThan(260);
    });
  });
});
