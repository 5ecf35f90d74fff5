import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, seed, settled, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages, making records', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 120_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const recordOf = (path: string, id: number) =>
      service.ok<Record<string, unknown>>('GET', `/admin/records/${path}/${id}`, { token: root });
    const shownId = async (page: Page): Promise<number> => {
      await page.waitForURL(/\/\d+\/show$/);
      return Number(/(\d+)\/show$/.exec(page.url())?.[1]);
    };

    it('duplicates a record: everything but what is there once, and says so', async () => {
      const watched = await enter(open, service, root, '/records/books/11/show');
      const { page } = watched;
      await page.getByRole('link', { name: '复制为新记录' }).click();
      await page.waitForURL(/\/records\/books\/create\?from=11$/);
      await settled(page);
      const note = page.getByRole('alert').filter({ hasText: '内容复制自' });
      expect(await note.textContent()).toBe('内容复制自 长安的荔枝。 以下字段的值不可重复，未复制：ISBN。');
      expect(await page.getByLabel('书名').inputValue()).toBe('长安的荔枝');
      expect(await page.getByLabel('ISBN').inputValue()).toBe('');
      expect(await accessibility(page)).toEqual([]);
      // What was copied was not typed: leaving loses nothing.
      await page.getByRole('link', { name: '取消' }).click();
      await page.waitForURL(/\/records\/books\/11\/show$/);
      await page.getByRole('link', { name: '复制为新记录' }).click();
      await page.getByLabel('ISBN').fill('978-copy');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      const id = await shownId(page);
      const [old, made] = [await recordOf('books', 11), await recordOf('books', id)];
      const own = new Set(['id', 'isbn', 'created_at', 'updated_at']);
      const rest = (record: object) =>
        Object.fromEntries(Object.entries(record).filter(([name]) => !own.has(name)));
      expect(rest(made)).toEqual(rest(old));
      expect(made['isbn']).toBe('978-copy');
      demandQuiet(watched, service);
    });

    it('leads to a page that says so where the record to duplicate is not there', async () => {
      const { page } = await enter(open, service, root, '/records/books/create?from=99999');
      await page.getByRole('heading', { name: '记录不存在' }).waitFor();
    });

    it('says why somebody who may not create cannot duplicate', async () => {
      const plain = await service.createUser(['admin']);
      const { page } = await enter(open, service, plain, '/records/orders/1/show');
      await page.getByRole('button', { name: '复制为新记录' }).press('Enter');
      await page.getByRole('dialog', { name: '无权新建订单' }).waitFor();
    });

    it('saves and goes on with an empty form, its first field in focus', async () => {
      const watched = await enter(open, service, root, '/records/authors/create');
      const { page } = watched;
      const another = page.getByRole('button', { name: '保存并继续新建' });
      const name = page.getByLabel('姓名');
      for (const typed of ['甲', '乙']) {
        await name.fill(typed);
        await another.click();
        await expect.poll(() => name.inputValue()).toBe('');
        await expect.poll(() => page.evaluate<string>('document.activeElement.name')).toBe('name');
      }
      await page.getByText('作者 #6 已保存，可继续填写下一条。').waitFor();
      expect((await recordOf('authors', 5))['name']).toBe('甲');
      expect((await recordOf('authors', 6))['name']).toBe('乙');
      // What is wrong is said as ever, and what was typed stays.
      await another.click();
      await page.getByText('1 处错误').waitFor();
      await name.fill('丙');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      expect(await shownId(page)).toBe(7);
      demandQuiet(watched, service);
    });

    it('keeps what the address says for each further record, and is not offered where one is changed', async () => {
      const { page } = await enter(open, service, root, '/records/books/create?author_id=2');
      const author = page.getByRole('combobox', { name: '作者' });
      await expect.poll(() => author.inputValue()).toBe('Ursula K. Le Guin (#2)');
      await page.getByLabel('书名').fill('又一本');
      await page.getByRole('button', { name: '保存并继续新建' }).click();
      await expect.poll(() => page.getByLabel('书名').inputValue()).toBe('');
      await expect.poll(() => author.inputValue()).toBe('Ursula K. Le Guin (#2)');
      await page.goto(`${service.origin}/admin/records/books/3`);
      await page.getByRole('button', { name: '保存', exact: true }).waitFor();
      expect(await page.getByRole('button', { name: '保存并继续新建' }).count()).toBe(0);
    });
  });
});
