import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, chooseMore, demandQuiet, enter, go, seed, settled, site } from './admin-site.ts';

interface Book {
  readonly id: number;
  readonly title: string;
  readonly pages: number | null;
}

describeDatabase('sqlite', 'administration pages: the timeline of a record', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const read = (id: number) => service.ok<Book>('GET', `/admin/records/books/${id}`, { token: root });
    const change = (id: number, book: object) =>
      service.ok('PATCH', `/admin/records/books/${id}`, { token: root, body: { book } });
    const version = (page: Page, number: number) =>
      page.getByRole('listitem', { name: `版本 ${number}`, exact: true });
    const askToRestore = async (page: Page, number: number) => {
      await version(page, number).getByRole('button', { name: '恢复到此版本' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('term').first().waitFor();
      return dialog;
    };

    it('says what was done by whom, and shows each change as its field is read', async () => {
      const watched = await enter(open, service, root, '/records/books/11/show');
      const { page } = watched;
      await chooseMore(page, '历史');
      await page.getByRole('heading', { name: /^历史：图书 · / }).waitFor();
      await settled(page);
      expect(await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        '版本 4',
        '版本 3',
        '版本 2',
        '版本 1',
      ]);
      const newest = version(page, 4);
      expect(await newest.getByText('当前').count()).toBe(1);
      expect(await newest.getByRole('button', { name: '恢复到此版本' }).count()).toBe(0);
      expect(await newest.getByRole('term').allTextContents()).toEqual(['作者', '解禁时间', '在售', '属性']);
      expect(await newest.getByRole('definition').allTextContents()).toEqual([
        expect.stringMatching(/马伯庸.*George Eliot/),
        expect.stringMatching(/修改前 \d+年.*→修改后 —$/),
        '修改前 是→修改后 否',
        expect.stringMatching(/新增 "travel"/),
      ]);
      const byKey = version(page, 3);
      expect(await byKey.textContent()).toMatch(/zhang_min · 密钥 #\d+/);
      const blurb = byKey.getByRole('region', { name: /简介/ });
      expect(await blurb.locator('ins').allTextContents()).not.toEqual([]);
      const folded = (await blurb.textContent()) ?? '';
      await byKey.getByRole('button', { name: '显示全文' }).click();
      expect((await blurb.textContent())?.length).toBeGreaterThan(folded.length);
      await version(page, 1).getByRole('button', { name: '12 个字段的值' }).press('Enter');
      await version(page, 1).getByRole('term').first().waitFor();
      expect(await accessibility(page)).toEqual([]);
      demandQuiet(watched, service);
    });

    it('restores a version after it has shown what would change now', async () => {
      const before = await read(12);
      await change(12, { title: '第二版', pages: 500 });
      await change(12, { title: '第三版' });
      const watched = await enter(open, service, root, '/records/books/12/history');
      const { page } = watched;
      const dialog = await askToRestore(page, 1);
      expect(await dialog.getByRole('definition').allTextContents()).toEqual([
        `修改前 第三版→修改后 ${before.title}`,
        `修改前 500→修改后 ${before.pages}`,
      ]);
      expect(await accessibility(page)).toEqual([]);
      await dialog.getByRole('button', { name: '恢复' }).click();
      await version(page, 4).waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(await read(12)).toMatchObject({ title: before.title, pages: before.pages });
      const again = version(page, 1).getByRole('button', { name: '恢复到此版本' });
      await again.click();
      await dialog.getByText('无需恢复').waitFor();
      expect(await dialog.getByRole('button', { name: '恢复' }).isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => version(page, 1).locator('button:focus').count()).toBe(1);
      demandQuiet(watched, service);
    });

    it('a change that came meanwhile is shown before anything is written', async () => {
      await change(13, { title: '第二版' });
      const { page } = await enter(open, service, root, '/records/books/13/history');
      const dialog = await askToRestore(page, 1);
      await change(13, { pages: 999 });
      await dialog.getByRole('button', { name: '恢复' }).click();
      await dialog.getByText('记录在此期间已被修改').waitFor();
      await expect.poll(() => dialog.getByRole('term').allTextContents()).toEqual(['书名', '页数']);
      expect(await read(13)).toMatchObject({ title: '第二版', pages: 999 });
      await dialog.getByRole('button', { name: '恢复' }).click();
      await version(page, 4).waitFor();
    });

    it('what the service refuses stands beside the field that it is about', async () => {
      const { isbn } = await service.ok<{ isbn: string }>('GET', '/admin/records/books/14', { token: root });
      await change(14, { isbn: '978-0-1' });
      await change(15, { isbn });
      const { page } = await enter(open, service, root, '/records/books/14/history');
      const dialog = await askToRestore(page, 1);
      await dialog.getByRole('button', { name: '恢复' }).click();
      await expect
        .poll(() => dialog.getByRole('definition').getByRole('alert').textContent())
        .toMatch(/ISBN/);
      expect(await accessibility(page)).toEqual([]);
    });

    it('older versions come when they are asked for', async () => {
      for (let pages = 1; pages <= 24; pages += 1) await change(16, { pages: 1000 + pages });
      const { page } = await enter(open, service, root, '/records/books/16/history');
      const items = page.getByRole('listitem', { name: /^版本/ });
      expect(await items.count()).toBe(20);
      await page.getByRole('button', { name: '更早的版本（已显示 20，共 25）' }).click();
      await version(page, 1).waitFor();
      expect(await items.count()).toBe(25);
      expect(await page.getByRole('button', { name: /更早的版本/ }).count()).toBe(0);
    });

    it('a deleted record keeps its history, and its own address leads there', async () => {
      const { page } = await enter(open, service, root, '/records/books/65/show', { language: 'en' });
      await page.getByRole('heading', { name: '#65', exact: true }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'This record has been deleted.' }).waitFor();
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('heading', { name: 'History: Book · 绝版书' }).waitFor();
      await settled(page);
      expect(await page.getByRole('alert').textContent()).toMatch(/has been deleted/);
      expect(await page.getByRole('button', { name: 'Restore this version' }).count()).toBe(0);
      for (const [path, missing] of [
        ['/records/books/9999/history', 'No such record'],
        ['/records/books/x/show', 'No such record'],
        ['/records/notes/1/history', 'No such page'],
      ] as const) {
        await go(page, service, path);
        await page.getByRole('heading', { name: missing }).waitFor();
      }
    });
  });
});
