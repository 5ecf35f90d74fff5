import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import {
  addFilter,
  chooseMore,
  demandQuiet,
  enter,
  go,
  openFilter,
  seed,
  settled,
  site,
} from './admin-site.ts';

interface Book {
  readonly id: number;
  readonly title: string;
  readonly pages: number | null;
  readonly price: string | null;
  readonly attributes: unknown;
  readonly author_id: number | null;
  readonly published_on: string | null;
  readonly embargo_until: string | null;
  readonly available: boolean | null;
}

describeDatabase('sqlite', 'administration pages: records', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const read = (id: number): Promise<Book> =>
      service.ok<Book>('GET', `/admin/records/books/${id}`, { token: root });

    it('a list is filtered by what the metadata offers, sorted, paged and exported', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      await page.getByText('第 1–25 条，共 64 条').waitFor();
      await page.getByRole('button', { name: '第 3 页' }).click();
      await page.getByText('第 51–64 条，共 64 条').waitFor();
      await addFilter(page, '状态', '在架');
      await page.getByText('第 1–22 条，共 22 条').waitFor();
      expect(await page.getByRole('link', { name: 'Ursula K. Le Guin' }).count()).toBeGreaterThan(0);

      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: '导出 CSV' }).click();
      const stream = await (await download).createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      expect(Buffer.concat(chunks).toString().split('\r\n').length).toBe(1 + 22 + 1);
      demandQuiet(watched, service);
    });

    it('a reference is filtered by the name of what it refers to', async () => {
      const { page } = await enter(open, service, root, '/records/books');
      await openFilter(page, '作者');
      const form = page.getByRole('dialog');
      await form.getByLabel('值').fill('Guin');
      await page.getByRole('option', { name: /Ursula/ }).click();
      await form.getByRole('button', { name: '应用' }).click();
      await page.getByText('第 1–16 条，共 16 条').waitFor();
      await page.getByRole('button', { name: '作者 等于 Ursula K. Le Guin' }).waitFor();
    });

    it('a record shows what belongs to it, and leads to all of it and to a further one', async () => {
      const watched = await enter(open, service, root, '/records/authors/2/show');
      const { page } = watched;
      const books = page.getByRole('region', { name: '著作' });
      await page.getByRole('link', { name: '全部 16 条' }).waitFor();
      expect(await books.getByRole('row').count()).toBe(1 + 5);
      // The same in every row, and above them.
      expect(await books.getByRole('columnheader', { name: '作者' }).count()).toBe(0);
      await page.getByRole('link', { name: '新建图书' }).click();
      await page.getByRole('heading', { name: '新建图书' }).waitFor();
      await expect.poll(() => page.getByLabel('作者').inputValue()).toMatch(/Ursula/);
      await go(page, service, '/records/authors/2/show');
      await page.getByRole('link', { name: '全部 16 条' }).click();
      await page.getByText('第 1–16 条，共 16 条').waitFor();
      await page.getByRole('button', { name: '作者 等于 Ursula K. Le Guin' }).waitFor();
      demandQuiet(watched, service);
    });

    it('a record is made with a value of every type', async () => {
      const watched = await enter(open, service, root, '/records/books/create');
      const { page } = watched;
      await page.getByLabel('书名').fill('新书');
      await page.getByLabel('页数').fill('321');
      await page.getByLabel('价格').fill('45.6');
      await page.getByLabel('状态').click();
      await page.getByRole('option', { name: '在架' }).click();
      await page.getByLabel('作者').fill('Guin');
      await page.getByRole('option', { name: /Ursula/ }).click();
      await page.getByLabel('编辑').fill('li_wei');
      await page.getByRole('option', { name: /li_wei/ }).click();
      await page.getByLabel('出版日期').fill('2020-02-29');
      await page.getByLabel('解禁时间').fill('2030-01-02T03:04:05');
      await page.getByLabel('属性（JSON）').fill('{"a": [1, "二"]}');
      await page.getByLabel('简介').fill('第一行\n第二行');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: '新书', exact: true }).waitFor();
      const id = Number(/books\/(\d+)\/show/.exec(page.url())?.[1]);
      expect(await read(id)).toMatchObject({
        title: '新书',
        pages: 321,
        price: '45.60',
        author_id: 2,
        published_on: '2020-02-29',
        attributes: { a: [1, '二'] },
        available: true,
      });
      expect(new Date((await read(id)).embargo_until ?? '').toISOString()).toBe(
        new Date(await page.evaluate<string>(`new Date('2030-01-02T03:04:05').toISOString()`)).toISOString(),
      );
      demandQuiet(watched, service);
    });

    it('every message of the service stands beside its field', async () => {
      const { page } = await enter(open, service, root, '/records/books/3');
      await page.getByLabel('书名').fill('');
      await page.getByLabel('页数').fill('many');
      await page.getByLabel('属性（JSON）').fill('{');
      await page.getByText('不是有效的 JSON').waitFor();
      await page.getByLabel('属性（JSON）').fill('');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByText('书名不能为空').waitFor();
      await page.getByText('页数类型应为整数').waitFor();
      expect(await page.getByLabel('书名').getAttribute('aria-invalid')).toBe('true');
      expect((await read(3)).title).toBe('长安的荔枝');
    });

    it('says of a price that it is no number, and keeps what was typed', async () => {
      const before = await read(5);
      const { page } = await enter(open, service, root, '/records/books/5');
      const price = page.getByLabel('价格', { exact: true });
      await price.fill('cheap');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByText('价格必须是数字', { exact: true }).waitFor();
      expect([await price.inputValue(), await price.getAttribute('aria-invalid')]).toEqual(['cheap', 'true']);
      expect(await read(5)).toEqual(before);
    });

    it('sends only what was changed, and clears what was emptied', async () => {
      const before = await read(4);
      const { page } = await enter(open, service, root, '/records/books/4');
      await page.getByLabel('页数').fill('');
      const sent = page.waitForRequest((request) => request.method() === 'PATCH');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      expect((await sent).postDataJSON()).toEqual({ book: { pages: null } });
      expect(await (await sent).headerValue('if-match')).toMatch(/^"\d+-admin"$/);
      await page.getByRole('heading', { name: before.title, exact: true }).waitFor();
      expect((await read(4)).pages).toBeNull();
    });

    it('keeps the numbers and the order of keys of a JSON field when another field, or a part of it, changes', async () => {
      const exact = '"b":12345678901234567890,"10":{"2":0.1000000000000000055,"1":[-9007199254740993]},"2":1';
      await service.ok('PATCH', '/admin/records/books/6', {
        token: root,
        body: `{"book":{"attributes":{${exact}}}}`,
        headers: { 'content-type': 'application/json' },
      });
      const stored = async (): Promise<string> =>
        (await service.get('/admin/records/books/6', { token: root })).text;
      const save = async (page: Page): Promise<string> => {
        const sent = page.waitForRequest((request) => request.method() === 'PATCH');
        await page.getByRole('button', { name: '保存', exact: true }).click();
        return (await sent).postData() ?? '';
      };
      const { page } = await enter(open, service, root, '/records/books/6');
      await page.getByLabel('页数').fill('612');
      expect(await save(page)).toBe('{"book":{"pages":612}}');
      // Only the page of the record shows it outside a field.
      await page.waitForURL('**/records/books/6/show');
      await page.getByText('12345678901234567890').waitFor();
      expect(await stored()).toContain(`"attributes":{${exact}}`);

      await go(page, service, '/records/books/6');
      const input = page.getByLabel('属性（JSON）');
      const text = await input.inputValue();
      expect(text.replaceAll(/\s/g, '')).toBe(`{${exact}}`);
      await input.fill(text.replace('{', '{"new":98765432109876543210,'));
      expect(await save(page)).toBe(`{"book":{"attributes":{"new":98765432109876543210,${exact}}}}`);
      await page.getByText('98765432109876543210').waitFor();
      expect(await stored()).toContain(`"attributes":{"new":98765432109876543210,${exact}}`);
    });

    it('imports the numbers of a file of JSON lines as they are', async () => {
      const { page } = await enter(open, service, root, '/records/books/import');
      const line =
        '{"title":"exact lines","attributes":{"2":12345678901234567890,"1":0.1000000000000000055}}';
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'books.jsonl', mimeType: 'application/json', buffer: Buffer.from(line) });
      await page.getByRole('button', { name: '预览' }).click();
      await page.getByRole('button', { name: '导入 1 行' }).click();
      await page.getByText('已新建 1 条').waitFor();
      const { text } = await service.get('/admin/records/books?filter[title]=exact%20lines', { token: root });
      expect(text).toContain('"attributes":{"2":12345678901234567890,"1":0.1000000000000000055}');
    });

    it('offers a conflict for comparison: theirs can be taken, or mine put on top', async () => {
      const { page } = await enter(open, service, root, '/records/books/5');
      await page.getByLabel('书名').fill('我的书名');
      await service.ok('PATCH', '/admin/records/books/5', {
        token: root,
        body: { book: { title: '别人的书名', pages: 777 } },
      });
      await page.getByRole('button', { name: '保存', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('记录已被他人修改').waitFor();
      expect(await dialog.getByRole('radiogroup').count()).toBe(1);
      await dialog.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: '我的书名', exact: true }).waitFor();
      expect(await read(5)).toMatchObject({ title: '我的书名', pages: 777 });

      await go(page, service, '/records/books/6');
      await page.getByLabel('书名').fill('又一个');
      await service.ok('PATCH', '/admin/records/books/6', {
        token: root,
        body: { book: { title: '已保存' } },
      });
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('dialog').getByRole('radio', { name: '已保存的值' }).check();
      await page.getByRole('dialog').getByRole('button', { name: '继续编辑' }).click();
      await expect.poll(() => page.getByLabel('书名').inputValue()).toBe('已保存');
    });

    it('a record is deleted after a question', async () => {
      const { page } = await enter(open, service, root, '/records/books/7/show');
      await chooseMore(page, '删除');
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await page.getByRole('heading', { name: '图书', exact: true }).waitFor();
      expect((await service.get('/admin/records/books/7', { token: root })).status).toBe(404);
    });

    it.each([
      ['en', 'Books', 'New book', /^\d+ books$/],
      ['zh-CN', '图书', '新建图书', /^图书（\d+）$/],
    ] as const)(
      'menus, lists and counts name several records, a form names one: %s',
      async (language, several, one, counted) => {
        const { page } = await enter(open, service, root, '/records/books', { language });
        const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
        await heading(several).waitFor();
        await page.getByRole('navigation').getByRole('link', { name: several, exact: true }).waitFor();
        await page.getByRole('main').getByRole('link', { name: one, exact: true }).click();
        await heading(one).waitFor();
        await page.getByRole('main').getByRole('link', { name: several, exact: true }).waitFor();
        await go(page, service, '/records/authors/2/show');
        await page.getByRole('button', { name: /^(More actions|更多操作)$/ }).click();
        await page.getByRole('menuitem', { name: /^(Delete|删除)$/ }).click();
        await page.getByRole('dialog').getByRole('link', { name: counted }).waitFor();
      },
    );

    it('speaks English when asked to, labels of the metadata included', async () => {
      const { page } = await enter(open, service, root, '/records/books', { language: 'en' });
      await page.getByRole('columnheader', { name: 'Title' }).waitFor();
      await page.getByRole('link', { name: 'Overview' }).waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe('en');
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitemradio', { name: '简体中文' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: '书名' }).waitFor();
      await page.reload();
      await settled(page);
      await page.getByRole('columnheader', { name: '书名' }).waitFor();
    });
  });
});
