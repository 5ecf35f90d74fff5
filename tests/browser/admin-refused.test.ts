import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, seed, site } from './admin-site.ts';

/** True if the whole focused element stands between the bar above and the bar below. */
const focusInSight = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  const below = [...document.querySelectorAll('button[type=submit]')].at(-1).getBoundingClientRect().top;
  return top >= 56 && bottom <= below;
})()`;

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.getAttribute("name") ?? document.activeElement.id');

describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
  const open = useBrowser();

  describeDatabase('sqlite', 'administration pages: a refused save', (databases) => {
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      await seed(service);
      root = await service.admin();
    }, 120_000);

    it('leads to the first wrong field and from one to the next, and counts changes and errors', async () => {
      const { page } = await enter(open, service, root, '/records/books/3', { height: 500 });
      await page.getByLabel('书名').fill('');
      await page.getByLabel('页数').fill('many');
      await page.getByLabel('属性（JSON）').fill('{');
      await page.getByText('3 处修改 · 1 处错误').waitFor();
      const save = page.getByRole('button', { name: '保存', exact: true });

      // No JSON: nothing is sent, and the save leads to it.
      expect(await save.isEnabled()).toBe(true);
      await page.getByLabel('书名').focus();
      await save.click();
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
      await expect.poll(() => page.evaluate(focusInSight)).toBe(true);
      await page.getByLabel('属性（JSON）').fill('');

      await save.click();
      await page.getByText('3 处修改 · 2 处错误').waitFor();
      await expect.poll(() => focused(page)).toBe('title');
      await expect.poll(() => page.evaluate(focusInSight)).toBe(true);
      await page.getByRole('button', { name: '下一处错误' }).click();
      await expect.poll(() => focused(page)).toBe('pages');
      await expect.poll(() => page.evaluate(focusInSight)).toBe(true);
      await page.getByRole('button', { name: '下一处错误' }).click();
      await expect.poll(() => focused(page)).toBe('title');
      await page.getByRole('button', { name: '上一处错误' }).click();
      await expect.poll(() => focused(page)).toBe('pages');
      expect(await accessibility(page)).toEqual([]);

      // A field that is edited again loses its error.
      await page.getByLabel('页数').fill('12');
      await page.getByText('3 处修改 · 1 处错误').waitFor();
    });

    it('a text that is not JSON comes back with what else was discarded', async () => {
      const { page } = await enter(open, service, root, '/records/books/3');
      const attributes = page.getByLabel('属性（JSON）');
      const saved = await attributes.inputValue();
      await page.getByLabel('页数').fill('77');
      await attributes.fill('{ "half": ');
      await page.getByText('2 处修改 · 1 处错误').waitFor();
      await page.getByRole('button', { name: '放弃修改' }).click();
      await expect.poll(() => attributes.inputValue()).toBe(saved);
      await page.getByRole('button', { name: '撤销' }).click();
      await page.getByText('2 处修改 · 1 处错误').waitFor();
      expect(await attributes.inputValue()).toBe('{ "half": ');
      expect(await page.getByLabel('页数').inputValue()).toBe('77');
    });

    it('an error of what the form does not have is said in words', async () => {
      const { page } = await enter(open, service, root, '/records/books/4');
      const errors = [{ field: 'lines.0.amount', rule: 'min', message: '数量不能小于 1' }];
      await page.route('**/admin/records/books/4', async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue();
        await route.fulfill({ status: 422, json: { code: 42200, message: '', data: { errors } } });
      });
      await page.getByLabel('书名').fill('别处有误');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('alert').getByText('数量不能小于 1').waitFor();
      await page.getByRole('alert').getByText('lines.0.amount').waitFor();
      await page.getByText('1 处修改 · 1 处错误').waitFor();
    });

    it('changes are taken back, and back again', async () => {
      const { page } = await enter(open, service, root, '/records/books/5');
      const before = await page.getByLabel('书名').inputValue();
      await page.getByLabel('书名').fill('一时兴起');
      await page.getByRole('button', { name: '放弃修改' }).click();
      expect(await page.getByLabel('书名').inputValue()).toBe(before);
      await page.getByRole('button', { name: '撤销' }).click();
      expect(await page.getByLabel('书名').inputValue()).toBe('一时兴起');
    });

    it('a conflict shows as mine what I touched, is settled field by field, and takes the rest', async () => {
      const watched = await enter(open, service, root, '/records/books/8');
      const { page } = watched;
      await page.getByLabel('书名').fill('我的');
      await page.getByLabel('页数').fill('111');
      await page.getByLabel('ISBN').fill('mine-8');
      await service.ok('PATCH', '/admin/records/books/8', {
        token: root,
        body: { book: { title: '别人的', pages: 222, price: '9.90', status: 'withdrawn' } },
      });
      await page.getByRole('button', { name: '保存', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: '记录已被他人修改' });
      const part = (name: string) => dialog.getByRole('region', { name });
      await dialog.waitFor();
      expect(await dialog.getByRole('radiogroup').count()).toBe(2);
      expect(await part('仅您修改了').locator('dt').allTextContents()).toEqual(['ISBN']);
      const theirs = await part('仅对方修改了').locator('dt').allTextContents();
      expect(theirs).toContain('价格');
      expect(theirs).not.toContain('书名');
      expect(await accessibility(page)).toEqual([]);
      await dialog
        .getByRole('radiogroup', { name: '页数' })
        .getByRole('radio', { name: /已保存/ })
        .check();
      await dialog.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: '我的', exact: true }).waitFor();
      expect(await service.ok('GET', '/admin/records/books/8', { token: root })).toMatchObject({
        title: '我的',
        isbn: 'mine-8',
        pages: 222,
        price: '9.90',
      });
      demandQuiet(watched, service);
    });

    it('a save whose answer got lost is saved once, and the second try ends well', async () => {
      const { page } = await enter(open, service, root, '/records/notes/create');
      let lost = 0;
      await page.route('**/admin/records/notes', async (route) => {
        if (route.request().method() !== 'POST' || lost > 0) return route.continue();
        lost += 1;
        await route.fetch();
        await route.abort();
      });
      await page.getByLabel('标题').fill('只记一次');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('alert').getByText('无法连接到服务').waitFor();
      expect(await page.getByLabel('标题').inputValue()).toBe('只记一次');
      await page.getByRole('button', { name: '重试' }).click();
      await page.getByRole('heading', { name: '只记一次', exact: true }).waitFor();
      const notes = await service.ok<{ title: string }[]>('GET', '/admin/records/notes', { token: root });
      expect(notes.filter(({ title }) => title === '只记一次')).toHaveLength(1);
    });

    it('a change whose answer got lost is found to be saved', async () => {
      const { page } = await enter(open, service, root, '/records/books/9');
      let lost = 0;
      await page.route('**/admin/records/books/9', async (route) => {
        if (route.request().method() !== 'PATCH' || lost > 0) return route.continue();
        lost += 1;
        await route.fetch();
        await route.abort();
      });
      await page.getByLabel('书名').fill('已经存了');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('button', { name: '重试' }).click();
      await page.getByRole('heading', { name: '已经存了', exact: true }).waitFor();
    });

    it('no answer within a minute is reported, after a note about the wait, and the input stays', async () => {
      const { page } = await enter(open, service, root, '/records/books/10');
      await page.route('**/admin/records/books/10', (route) =>
        route.request().method() === 'PATCH' ? undefined : route.continue(),
      );
      await page.clock.install();
      await page.getByLabel('书名').fill('慢');
      const asked = page.waitForRequest((request) => request.method() === 'PATCH');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await asked;
      // The measured wait begins once the page shows that it is busy.
      await expect.poll(() => page.getByRole('button', { name: '放弃修改' }).isDisabled()).toBe(true);
      await page.clock.fastForward(7_000);
      await page.getByText('保存所需时间比平时长').waitFor();
      await page.clock.fastForward(55_000);
      await page.getByText('服务在一分钟内没有响应').waitFor();
      expect(await page.getByLabel('书名').inputValue()).toBe('慢');
    });
  });
});
