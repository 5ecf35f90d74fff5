import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, chooseMore, demandQuiet, enter, seed, settled, site } from './admin-site.ts';

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
      await chooseMore(page, '复制为新记录');
      await page.waitForURL(/\/records\/books\/create\?from=11$/);
      await settled(page);
      const note = page.getByRole('alert').filter({ hasText: '内容复制自' });
      expect(await note.textContent()).toBe('内容复制自“长安的荔枝”。以下字段的值不可重复，未复制：ISBN。');
      expect(await page.getByLabel('书名').inputValue()).toBe('长安的荔枝');
      expect(await page.getByLabel('ISBN').inputValue()).toBe('');
      expect(await accessibility(page)).toEqual([]);
      // A copied value was not typed: leaving loses nothing.
      await page.getByRole('link', { name: '取消' }).click();
      await page.waitForURL(/\/records\/books\/11\/show$/);
      await chooseMore(page, '复制为新记录');
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
      await page.getByRole('button', { name: '更多操作' }).press('Enter');
      await page
        .getByRole('menuitem', { name: '复制为新记录', disabled: true })
        .getByText('无权新建订单')
        .waitFor();
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
      // Errors are shown as ever, and the input stays.
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
      await expect.poll(() => author.inputValue()).toBe('Ursula K. Le Guin（#2）');
      await page.getByLabel('书名').fill('又一本');
      await page.getByRole('button', { name: '保存并继续新建' }).click();
      await expect.poll(() => page.getByLabel('书名').inputValue()).toBe('');
      await expect.poll(() => author.inputValue()).toBe('Ursula K. Le Guin（#2）');
      await page.goto(`${service.origin}/admin/records/books/3`);
      await page.getByRole('button', { name: '保存', exact: true }).waitFor();
      expect(await page.getByRole('button', { name: '保存并继续新建' }).count()).toBe(0);
    });

    it('makes what is referred to in place, and takes it', async () => {
      const watched = await enter(open, service, root, '/records/books/create');
      const { page } = watched;
      await page.getByLabel('书名').fill('有新作者的书');
      const author = page.getByRole('combobox', { name: '作者' });
      await author.fill('沈从文');
      const option = page.getByRole('option', { name: '新建作者并选用' });
      await option.waitFor();
      const dialog = page.getByRole('dialog', { name: '新建作者' });
      // Options that arrive later take the highlight away, also between two keys.
      await expect
        .poll(
          async () => {
            await author.press('ArrowUp');
            if ((await option.getAttribute('class'))?.includes('Mui-focused') !== true) return false;
            await author.press('Enter');
            return dialog.waitFor({ timeout: 2_000 }).then(
              () => true,
              () => false,
            );
          },
          { timeout: 20_000 },
        )
        .toBe(true);
      expect(await dialog.getByLabel('姓名').inputValue()).toBe('沈从文');
      expect(await accessibility(page)).toEqual([]);
      // An error stays in the dialog.
      await dialog.getByLabel(/website/i).fill('no address');
      await dialog.getByRole('button', { name: '保存', exact: true }).click();
      await dialog.getByText('1 处错误').waitFor();
      await dialog.getByLabel(/website/i).fill('https://example.com/shen');
      await dialog.getByRole('button', { name: '保存', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => author.inputValue()).toMatch(/^沈从文（#\d+）$/);
      expect(await page.getByLabel('书名').inputValue()).toBe('有新作者的书');
      expect(new URL(page.url()).pathname).toBe('/admin/records/books/create');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      const made = await recordOf('books', await shownId(page));
      expect((await recordOf('authors', Number(made['author_id'])))['name']).toBe('沈从文');
      demandQuiet(watched, service);
    });

    it('asks before input in the dialog is lost, and leaves the form as it was', async () => {
      const { page } = await enter(open, service, root, '/records/books/create');
      await page.getByLabel('书名').fill('未保存');
      await page.getByRole('combobox', { name: '作者' }).fill('无此作者');
      await page.getByRole('option', { name: '新建作者并选用' }).click();
      const dialog = page.getByRole('dialog', { name: '新建作者' });
      await dialog.getByLabel('姓名').fill('改了名的作者');
      await page.keyboard.press('Escape');
      const question = page.getByRole('dialog', { name: '放弃未保存的修改？' });
      await question.getByRole('button', { name: '继续编辑' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await dialog.getByLabel('姓名').inputValue()).toBe('改了名的作者');
      await dialog.getByRole('button', { name: '取消' }).click();
      await question.getByRole('button', { name: '不保存并离开' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.getByLabel('书名').inputValue()).toBe('未保存');
      await expect.poll(() => page.getByRole('combobox', { name: '作者' }).inputValue()).toBe('');
    });

    it('offers only what the signed-in user may create', async () => {
      const plain = await service.createUser(['editor', 'admin']);
      const { page } = await enter(open, service, plain, '/records/books/create');
      await page.getByRole('combobox', { name: '作者' }).fill('马伯庸');
      await page.getByRole('option', { name: '马伯庸（#3）' }).waitFor();
      await expect.poll(() => page.getByRole('option').count()).toBe(1);
    });
  });
});
