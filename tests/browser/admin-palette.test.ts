import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, seed, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages, the palette', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 120_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const paletteOf = async (page: Page) => {
      await page.keyboard.press('Control+k');
      const dialog = page.getByRole('dialog');
      const input = dialog.getByRole('combobox');
      await input.waitFor();
      return { dialog, input, status: dialog.getByRole('status').last() };
    };

    it('leads to a record by its words, without a mouse', async () => {
      const watched = await enter(open, service, root, '/roles');
      const { page } = watched;
      const { dialog, input, status } = await paletteOf(page);
      await page.keyboard.type('2026-1003');
      const orders = dialog.getByRole('group', { name: '订单' });
      await orders.getByRole('option', { name: '2026-1003' }).waitFor();
      await expect.poll(() => status.textContent()).toBe('找到 1 条记录');
      // The chosen entry is announced to screen readers.
      const chosen = await input.getAttribute('aria-activedescendant');
      expect(await page.locator(`[id="${chosen}"]`).textContent()).toBe('2026-1003#4');
      expect(await accessibility(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/records\/orders\/4\/show$/);
      await page.getByRole('heading', { name: /2026-1003/ }).waitFor();
      demandQuiet(watched, service);
    });

    it('shows pages first, then a handful of each list, and the way to all of them', async () => {
      const { page } = await enter(open, service, root, '/roles');
      const { dialog } = await paletteOf(page);
      await page.keyboard.type('边城');
      const books = dialog.getByRole('group', { name: '图书' });
      await books.getByRole('option').nth(5).waitFor();
      expect(await books.getByRole('option').count()).toBe(6);
      await books.getByRole('option', { name: '在全部图书中查找“边城”' }).click();
      await page.waitForURL(/\/records\/books\?filter=/);
      await expect.poll(() => page.getByRole('row').count()).toBe(9);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('用户');
      const groups = dialog.getByRole('group');
      await groups.first().waitFor();
      expect(await groups.first().getAttribute('aria-label')).toBe('用户与密钥');
    });

    it('shows what the last words have found, however late the answer to others comes', async () => {
      const { page } = await enter(open, service, root, '/roles');
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const late: Promise<void>[] = [];
      await page.route(/\/admin\/search\?q=Middlemarch$/, async (route) => {
        const passed = held.then(() => route.continue().catch(() => {}));
        late.push(passed);
        await passed;
      });
      const { dialog, input, status } = await paletteOf(page);
      const asked = page.waitForRequest(/q=Middlemarch$/);
      await input.fill('Middlemarch');
      await asked;
      await expect.poll(() => status.textContent()).toBe('正在查找记录…');
      await input.fill('Kindred');
      await dialog
        .getByRole('option', { name: /^Kindred/ })
        .first()
        .waitFor();
      letGo();
      await Promise.all(late);
      await expect.poll(() => status.textContent()).toBe('找到 5 条记录');
      expect(await dialog.getByRole('option', { name: /^Middlemarch/ }).count()).toBe(0);
    });

    it('says that records could not be looked for, and still leads to pages', async () => {
      const { page } = await enter(open, service, root, '/roles');
      await page.route(/\/admin\/search/, (route) => route.abort());
      const { dialog, status } = await paletteOf(page);
      await page.keyboard.type('审计');
      await expect.poll(() => status.textContent()).toBe('记录查找失败，仍可前往页面。');
      await dialog.getByRole('option', { name: '审计' }).click();
      await page.getByRole('heading', { name: '审计' }).waitFor();
    });

    it('says why a record was found that does not have the words in its name', async () => {
      const book = { blurb: '一部写给 Liesegang 环的书' };
      await service.ok('PATCH', '/admin/records/books/12', { token: root, body: { book } });
      const { page } = await enter(open, service, root, '/roles');
      const { dialog } = await paletteOf(page);
      await page.keyboard.type('liesegang');
      await dialog.getByRole('option', { name: book.blurb }).waitFor();
      expect(await accessibility(page)).toEqual([]);
    });

    it('finds only what the signed-in user may read', async () => {
      const plain = await service.createUser(['admin']);
      const { page } = await enter(open, service, plain, '/roles');
      const { dialog, status } = await paletteOf(page);
      await page.keyboard.type('2026-1003');
      await dialog.getByRole('option', { name: '2026-1003' }).waitFor();
      await page.getByRole('combobox').fill('Kindred');
      await expect.poll(() => status.textContent()).toBe('找到 0 条记录');
    });
  });
});
