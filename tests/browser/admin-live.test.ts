import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, load, seed, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: lists that follow along', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const create = async (number: string, amount: number): Promise<number> => {
      const body = { order: { number, amount } };
      return (await service.ok<{ id: number }>('POST', '/admin/records/orders', { token: root, body })).id;
    };
    const change = (id: number, amount: number) =>
      service.ok('PATCH', `/admin/records/orders/${id}`, { token: root, body: { order: { amount } } });
    const remove = (id: number) => service.ok('DELETE', `/admin/records/orders/${id}`, { token: root });
    const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
    const numbers = async (page: Page) =>
      (await page.getByRole('row').allTextContents()).slice(1).map((text) => /[A-Z]-\d/.exec(text)?.[0]);
    const follow = async (page: Page): Promise<void> => {
      await page.getByRole('switch', { name: '实时更新' }).press('Space');
      await page.getByText('已连接', { exact: true }).waitFor();
    };
    const become = (page: Page, state: 'hidden' | 'visible') =>
      page.evaluate(`(() => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));
      })()`);

    it('rows change where they are, new ones are announced, deleted ones stay struck', async () => {
      const [first, second] = [await create('L-1', 100), await create('L-2', 200)];
      const watched = await enter(open, service, root, '/records/orders?sort=amount&order=ASC&perPage=100');
      const { page } = watched;
      const before = await numbers(page);
      await follow(page);
      await change(first, 100_000);
      await row(page, 'L-1').getByText('100,000').waitFor();
      expect(await row(page, 'L-1').getByText('刚刚修改').count()).toBe(1);
      await remove(second);
      await row(page, 'L-2').getByText('已被删除').waitFor();
      const struck = await page.evaluate<string>(`(() => {
        const row = [...document.querySelectorAll('tbody tr')].find((each) => each.textContent.includes('L-2'));
        return getComputedStyle(row).textDecorationLine;
      })()`);
      expect(struck).toBe('line-through');
      await create('L-3', 1);
      const show = page.getByRole('button', { name: '1 条新记录：显示' });
      await show.waitFor();
      // Nothing has moved so far.
      expect(await numbers(page)).toEqual(before);
      expect(await accessibility(page)).toEqual([]);
      await show.press('Enter');
      await row(page, 'L-3').waitFor();
      await row(page, 'L-2').waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: /条新记录/ }).count()).toBe(0);
      expect((await numbers(page)).at(-1)).toBe('L-1');
      demandQuiet(watched, service);
    });

    it('what a filter leaves out is not announced', async () => {
      const filter = encodeURIComponent(JSON.stringify({ 'number@starts_with': 'M-' }));
      const { page } = await enter(open, service, root, `/records/orders?filter=${filter}`);
      await follow(page);
      await create('N-1', 5);
      await create('M-1', 5);
      await page.getByRole('button', { name: '1 条新记录：显示' }).waitFor();
    });

    it('rests while the page is hidden, and misses nothing when it comes back', async () => {
      const id = await create('P-1', 300);
      const { page } = await enter(open, service, root, '/records/orders');
      await follow(page);
      await change(id, 301);
      await row(page, 'P-1').getByText('301').waitFor();
      await become(page, 'hidden');
      await page.getByText('已暂停').waitFor();
      await change(id, 302);
      const address = '**/admin/changes*';
      await page.route(address, (route) => route.abort());
      await become(page, 'visible');
      await page.getByText('未连接，正在重试').waitFor();
      const again = page.waitForRequest(address);
      await page.unroute(address);
      expect(await (await again).headerValue('last-event-id')).toMatch(/^\d+$/);
      await row(page, 'P-1').getByText('302').waitFor();
      await page.getByText('已连接', { exact: true }).waitFor();
      // It is remembered, and there only where something tells of changes.
      await load(page, service, '/records/orders');
      await page.getByText('已连接', { exact: true }).waitFor();
      await load(page, service, '/records/notes');
      expect(await page.getByRole('switch').count()).toBe(0);
    });

    it('says that it was refused, and does not ask for ever', async () => {
      const { page } = await enter(open, service, root, '/records/orders');
      await page.route('**/admin/changes*', (route) =>
        route.fulfill({ status: 403, json: { code: 40300, message: '没有权限' } }),
      );
      await page.getByRole('switch', { name: '实时更新' }).press('Space');
      await page.getByText(/^无法连接：/).waitFor();
    });
  });
});
