import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, rested, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { enter, go, hintSession, pages, seed, settled, site } from './admin-site.ts';

/** Sum of the layout shifts that no key and no click caused. */
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

    it.each([
      ['start', '/admin/'],
      ['list', '/admin/records/books'],
      ['record', `/admin${pages['book-show']}`],
      ['explain', `/admin${pages.explain}`],
      ['documentation', '/api-docs?lang=en#/createBook'],
    ])(
      'nothing moves when a page is visited for the first time, with nothing in the cache: %s',
      async (_name, path) => {
        const { page: signedIn } = await enter(open, service, root, '/');
        const { page } = await open({ fresh: true });
        await page.context().addCookies(await signedIn.context().cookies());
        await hintSession(page);
        await watchShifts(page);
        await page.goto(service.origin + path);
        await page.locator('h1, h2').first().waitFor();
        await rested(page);
        expect(await page.evaluate<number>('window.shifted')).toBeLessThanOrEqual(0.02);
        await page.context().close();
      },
    );

    it('a first list is fifteen requests, with nothing in the cache', async () => {
      const { page: signedIn } = await enter(open, service, root, '/');
      const { page, requests } = await open({ fresh: true });
      await page.context().addCookies(await signedIn.context().cookies());
      await hintSession(page);
      await page.goto(`${service.origin}/admin/records/books`);
      await page.locator('tbody tr').first().waitFor();
      await settled(page);
      expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(15);
      await page.context().close();
    });

    it('a theme that was chosen is there from the first paint on, whatever the system prefers', async () => {
      const { page } = await enter(open, service, root, '/roles', { colorScheme: 'light' });
      const ground = () =>
        page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      const light = await ground();
      await page.evaluate(`localStorage['RaStoregatewright.theme'] = JSON.stringify('dark')`);
      // No script of the pages runs: what is seen then is the first paint.
      await page.route(/assets\/app-[^/]*\.js$/, (route) => route.abort());
      await page.reload({ waitUntil: 'domcontentloaded' });
      expect(await ground()).toBe('rgb(15, 19, 20)');
      expect(light).toBe('rgb(250, 250, 248)');
    });

    it('every page begins and ends at the same edges, and lists do so further apart in a wide window', async () => {
      const { page } = await enter(open, service, root, '/', { width: 1920 });
      const edgesOf = async (
        names: readonly ((typeof watched)[number] | 'book-create' | 'permissions' | 'history')[],
      ) => {
        const edges = new Set<string>();
        for (const name of names) {
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
        return [...edges];
      };
      const lists = ['books', 'keys', 'users'] as const;
      const others = watched.filter((name) => !lists.some((list) => list === name));
      const ofLists = await edgesOf(lists);
      const ofOthers = await edgesOf([...others, 'book-create', 'permissions', 'history']);
      expect([ofLists.length, ofOthers.length]).toEqual([1, 1]);
      expect(ofLists).not.toEqual(ofOthers);
      await page.setViewportSize({ width: 1280, height: 860 });
      expect(await edgesOf(['start', 'books', 'book-show', 'users'])).toHaveLength(1);
    });

    it('single keys search, go through rows, create, edit and say what they do', async () => {
      const { page } = await enter(open, service, root, '/records/books');
      const focused = () => page.evaluate<string>('document.activeElement.getAttribute("href") ?? ""');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      expect(await focused()).toMatch(/books\/63\/show$/);
      await page.keyboard.press('k');
      expect(await focused()).toMatch(/books\/64\/show$/);
      await page.keyboard.press('/');
      await page.keyboard.type('ck');
      expect(await page.getByRole('searchbox', { name: '搜索' }).inputValue()).toBe('ck');
      await page.getByRole('searchbox', { name: '搜索' }).blur();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: '键盘快捷键' }).waitFor();
      // A dialog has the keys.
      await page.keyboard.press('c');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(page.url()).not.toContain('create');
      await page.keyboard.press('c');
      await page.waitForURL(/books\/create$/);
      await page.goto(`${service.origin}/admin/records/books/64/show`);
      await settled(page);
      await page.keyboard.press('e');
      await page.waitForURL(/books\/64$/);
    });

    it('the palette does what the menus do', async () => {
      const { page } = await enter(open, service, root, '/roles');
      const choose = async (words: string, option: string): Promise<void> => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill(words);
        await page.getByRole('option', { name: option }).click();
      };
      await choose('外观', '外观：深色');
      await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      await choose('新建图书', '新建图书');
      await page.waitForURL(/books\/create$/);
      await choose('退出', '退出登录');
      await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
    });

    it('requests ask for messages in the language of the page, not in that of the browser', async () => {
      for (const language of ['zh-CN', 'en'] as const) {
        const { page } = await enter(open, service, root, '/roles', { language });
        const asked = page.waitForRequest((request) => request.url().includes('/admin/users'));
        await go(page, service, '/users');
        expect((await asked).headers()['accept-language']).toBe(language);
      }
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
