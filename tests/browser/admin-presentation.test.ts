import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, go, highlightOption, seed, settled, site } from './admin-site.ts';

const placeOf = async (locator: Locator) => {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not shown');
  return box;
};

describeDatabase('sqlite', 'administration pages: as the model file presents them', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    it('the menu has the headings of the models, and a long one is narrowed by a few letters', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      const menu = page.getByRole('navigation', { name: '主菜单' });
      const collaboration = menu.getByRole('list', { name: '协作' });
      expect(await collaboration.getByRole('link').allTextContents()).toEqual([
        ...['团队成员', '项目', '任务', '团队'],
      ]);
      expect(await menu.getByRole('list', { name: '数据' }).getByRole('link').allTextContents()).toEqual([
        ...['作者', '图书', '便签'],
      ]);
      // A picture of its own, once these are loaded.
      const drawn = (name: string) => menu.getByRole('link', { name }).locator('svg').innerHTML();
      const table = await drawn('便签');
      await expect.poll(() => drawn('图书')).not.toBe(table);
      const filter = menu.getByRole('searchbox', { name: '筛选菜单' });
      await filter.fill('项');
      expect(await menu.getByRole('link').allTextContents()).toEqual(['项目']);
      await filter.press('Escape');
      expect(await filter.inputValue()).toBe('');
      await filter.fill('协作');
      await filter.press('Enter');
      await page.getByRole('heading', { name: '团队成员', exact: true }).waitFor();
      demandQuiet(watched, service);
    });

    it('a form has two columns where there is room, headings, and the whole width for long texts', async () => {
      const { page } = await enter(open, service, root, '/records/books/3');
      const [title, isbn] = [await placeOf(page.getByLabel('书名')), await placeOf(page.getByLabel('ISBN'))];
      expect(Math.abs(title.y - isbn.y)).toBeLessThan(4);
      expect(isbn.x).toBeGreaterThan(title.x + title.width);
      expect((await placeOf(page.getByLabel('简介'))).width).toBeGreaterThan(title.width * 1.8);
      const sale = page.getByRole('region', { name: '销售信息' });
      await sale.getByLabel('价格').waitFor();
      await page.setViewportSize({ width: 360, height: 780 });
      await expect.poll(async () => (await placeOf(page.getByLabel('ISBN'))).y).toBeGreaterThan(title.y + 30);
      await page.setViewportSize({ width: 1280, height: 900 });
      await go(page, service, '/records/books/3/show');
      await page.getByRole('heading', { name: '销售信息' }).waitFor();
    });

    it('a record shows its latest changes, a long text in part, and who refers to it', async () => {
      const { page } = await enter(open, service, root, '/records/books/11/show');
      const changes = page.locator('section', { has: page.getByRole('heading', { name: '最近的修改' }) });
      await changes.getByText('zhang_min').waitFor();
      await changes
        .getByText('修改 页数、简介')
        .or(changes.getByText(/修改.*页数/))
        .first()
        .waitFor();
      await changes.getByRole('link', { name: '全部历史（4）' }).waitFor();
      const token = root;
      const blurb = '一行\n'.repeat(40);
      await service.ok('PATCH', '/admin/records/books/12', { token, body: { book: { blurb } } });
      await go(page, service, '/records/books/12/show');
      const more = page.getByRole('button', { name: '显示全部' });
      const height = async () => (await placeOf(page.getByText('一行').first())).height;
      const before = await height();
      await more.click();
      expect(await height()).toBeGreaterThan(before * 2);
      // The team does not declare it as a relation.
      await go(page, service, '/records/teams/1/show');
      await page.getByRole('heading', { name: '项目' }).waitFor();
      await page.getByRole('link', { name: '新建项目' }).click();
      await expect.poll(() => page.getByLabel('团队').inputValue()).toMatch(/出版组/);
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
    });

    it('a reference is looked for by the service, by name or number, and says how many there are', async () => {
      const token = root;
      const create = Array.from({ length: 40 }, (_, index) => ({ name: `Ghost ${index + 1}` }));
      await service.ok('POST', '/admin/records/authors/batch', { token, body: { create } });
      const watched = await enter(open, service, root, '/records/books/create');
      const { page } = watched;
      const asked = watched.requests.length;
      await page.getByRole('combobox', { name: '作者' }).pressSequentially('Ghost', { delay: 15 });
      await page.getByText('显示前 12 条，共 40 条。继续输入以缩小范围').waitFor();
      // The page sends no request for each letter.
      const searches = watched.requests
        .slice(asked)
        .filter((url) => /authors\?.*Ghost|authors\?.*G[ho]/.test(url));
      expect(searches.length).toBeLessThan(4);
      await page.getByRole('combobox', { name: '作者' }).fill('#2');
      await page.getByRole('option', { name: /Ursula/ }).waitFor();
      await highlightOption(page);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('combobox', { name: '作者' }).inputValue()).toMatch(/Ursula/);
    });

    it('a table uses a wide window, and a record keeps lines that can be read', async () => {
      const { page } = await enter(open, service, root, '/records/books', { width: 1920 });
      expect((await placeOf(page.locator('main table'))).width).toBeGreaterThan(1500);
      await go(page, service, '/records/books/3/show');
      await page.getByRole('heading', { name: '销售信息' }).waitFor();
      expect((await placeOf(page.locator('main > div > div').first())).width).toBeLessThan(1300);
    });

    it('Enter in the open list of a reference takes an option or nothing, and never saves the form', async () => {
      const watched = await enter(open, service, root, '/records/books/create');
      const { page, requests } = watched;
      const author = page.getByRole('combobox', { name: '作者' });
      await page.getByLabel('书名').fill('Enter');
      await author.fill('无此作者');
      await page.getByRole('option', { name: '新建作者并选用' }).waitFor();
      await page.keyboard.press('Enter');
      // Saved without its author, the form would be gone.
      expect(await author.inputValue()).toBe('无此作者');
      await author.fill('#2');
      await page.getByRole('option', { name: /Ursula/ }).waitFor();
      await highlightOption(page);
      await page.keyboard.press('Enter');
      await expect.poll(() => author.inputValue()).toMatch(/Ursula/);
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: 'Enter' }).waitFor();
      expect(requests.filter((url) => new URL(url).pathname === '/admin/records/books')).toHaveLength(1);
    });

    it.each(['light', 'dark'] as const)('coloured choices are read in %s', async (colorScheme) => {
      const { page } = await enter(open, service, root, '/records/books', { colorScheme });
      const colour = await page.evaluate<string>(`getComputedStyle(
        [...document.querySelectorAll('.choice')].find((each) => each.textContent === '在架')).backgroundColor`);
      expect(colour).toBe(colorScheme === 'light' ? 'rgb(220, 242, 227)' : 'rgb(23, 64, 42)');
      expect(await accessibility(page)).toEqual([]);
    });
  });
});
