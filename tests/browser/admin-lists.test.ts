import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, go, openFilter, seed, settled, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: lists', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    it('a row opens by a click anywhere but on its controls, in a new tab where a link would', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      const row = page.getByRole('row').filter({ hasText: '978-7-102331' });
      const cell = row.getByRole('cell', { name: '978-7-102331' });
      await row.getByRole('checkbox').click();
      await page.getByText('已选 1 项').waitFor();
      expect(page.url()).toMatch(/books$/);

      for (const beside of [
        () => cell.click({ modifiers: ['Control'] }),
        () => cell.click({ button: 'middle' }),
      ]) {
        const opened = page.context().waitForEvent('page');
        await beside();
        const tab = await opened;
        await tab.waitForURL(/\/admin\/records\/books\/64\/show$/);
        await tab.close();
      }
      expect(page.url()).toMatch(/books$/);

      // A text that is being marked is wanted, not the record.
      const box = await cell.boundingBox();
      if (box === null) throw new Error('the cell is not there');
      await page.mouse.move(box.x + 11, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up();
      expect(await page.evaluate<string>('String(window.getSelection())')).toMatch(/^978-7/);
      expect(page.url()).toMatch(/books$/);
      await page.evaluate('window.getSelection().removeAllRanges()');

      await cell.click();
      await page.waitForURL(/books\/64\/show$/);
      await page.goBack();
      await row.getByRole('link', { name: 'Austerlitz' }).press('Enter');
      await page.waitForURL(/books\/64\/show$/);
      demandQuiet(watched, service);
    });

    it('times are relative to now, and exact under the pointer or in the focused row', async () => {
      const { page } = await enter(open, service, root, '/records/books', { timezoneId: 'Asia/Shanghai' });
      await page.getByRole('button', { name: '显示' }).click();
      await page.getByRole('checkbox', { name: '解禁时间' }).check();
      await page.keyboard.press('Escape');
      const row = page.getByRole('row').filter({ hasText: '978-7-102331' });
      const { embargo_until: at } = await service.ok<{ embargo_until: string }>(
        'GET',
        '/admin/records/books/64',
        {
          token: root,
        },
      );
      const time = row.locator(`time[datetime="${at}"]`);
      expect(await time.locator('[aria-hidden]').textContent()).toMatch(/^\d 个月后$/);
      const local = new Intl.DateTimeFormat('zh-CN', {
        dateStyle: 'long',
        timeStyle: 'long',
        timeZone: 'Asia/Shanghai',
      }).format(new Date(at));
      expect(await time.textContent()).toContain(local);
      await time.hover();
      expect(await page.getByRole('tooltip').textContent()).toBe(local);
      await page.keyboard.press('Escape');
      await page.getByRole('tooltip').waitFor({ state: 'detached' });
      // The keyboard reaches the row's link, which is described by all times of the row with their columns.
      await row.getByRole('checkbox').focus();
      await page.keyboard.press('Tab');
      expect(await page.getByRole('tooltip').textContent()).toContain(`解禁时间 · ${local}`);
    });

    it('columns are chosen, ordered and kept, as is how close rows stand; the next list has its own', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      const heads = async (): Promise<string[]> => page.getByRole('columnheader').allInnerTexts();
      // The field for sale stands far behind in the model.
      expect(await heads()).toEqual(['', '书名', 'ISBN', '状态', '作者', '在售', '创建时间']);
      const height = async (): Promise<number> =>
        (await page.getByRole('row').nth(1).boundingBox())?.height ?? 0;
      const before = await height();
      await page.getByRole('button', { name: '显示' }).click();
      expect(await page.getByRole('checkbox', { name: '书名', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('checkbox', { name: 'ISBN' }).uncheck();
      await page.getByRole('checkbox', { name: '页数' }).check();
      await page.getByRole('button', { name: '上移“页数”' }).press('Enter');
      await page.getByRole('button', { name: '紧凑' }).click();
      await page.keyboard.press('Escape');
      const chosen = ['', '书名', '状态', '作者', '在售', '页数', '创建时间'];
      expect(await heads()).toEqual(chosen);
      expect(await height()).toBeLessThan(before);
      await page.reload();
      await page.getByRole('cell', { name: '围城' }).first().waitFor();
      expect(await heads()).toEqual(chosen);
      await go(page, service, '/users');
      expect(await heads()).toEqual(['用户名', '邮箱', '角色', '状态', '两步验证', '创建时间', '操作']);
      await go(page, service, '/records/books');
      await page.getByRole('button', { name: '显示' }).click();
      await page.getByRole('button', { name: '恢复默认' }).click();
      await page.getByRole('button', { name: '宽松' }).click();
      await page.keyboard.press('Escape');
      expect((await heads())[2]).toBe('ISBN');
      demandQuiet(watched, service);
    });

    it('a condition that was chosen applies when the form is left by Escape; one without a value does not', async () => {
      const { page } = await enter(open, service, root, '/records/books');
      const dialog = page.getByRole('dialog', { name: '筛选' });
      const value = dialog.getByLabel('值', { exact: true });
      const filter = () => JSON.parse(new URL(page.url()).searchParams.get('filter') ?? '{}') as unknown;
      const leave = async (): Promise<void> => {
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await settled(page);
      };
      await openFilter(page, '书名');
      await value.waitFor();
      await leave();
      expect(filter()).toEqual({});
      await openFilter(page, '书名');
      await value.fill('边城');
      await leave();
      await openFilter(page, '作者');
      await value.click();
      await page.getByRole('option').nth(1).click();
      await leave();
      expect(filter()).toEqual({ 'title@like': '边城', author_id: expect.stringMatching(/^\d+$/) });
    });

    it('a view is saved, marked when it is changed, renamed, found on another computer, and deleted', async () => {
      const watched = await enter(
        open,
        service,
        root,
        '/records/books?filter=%7B%22status%22%3A%22live%22%7D',
      );
      const { page } = watched;
      await page.getByText('共 22 条').waitFor();
      await page.getByRole('button', { name: '保存为视图' }).click();
      await page.getByLabel('名称').fill('在架图书');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('button', { name: '在架图书', exact: true, pressed: true }).waitFor();
      await page.getByRole('button', { name: '全部', exact: true }).click();
      await page.getByText('共 64 条').waitFor();
      await page.getByRole('button', { name: '在架图书', exact: true }).click();
      await page.getByText('共 22 条').waitFor();

      await page.getByRole('button', { name: '书名' }).click();
      await page.getByRole('button', { name: '在架图书 · 已修改', pressed: true }).waitFor();
      await page.getByRole('button', { name: '保存修改' }).click();
      await page.getByRole('button', { name: '在架图书', exact: true, pressed: true }).waitFor();
      await page.getByRole('button', { name: '视图“在架图书”的操作' }).click();
      await page.getByRole('menuitem', { name: '重命名或共享…' }).click();
      await page.getByLabel('名称').fill('上架');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: '上架', exact: true }).waitFor();
      demandQuiet(watched, service);

      const { page: elsewhere } = await enter(open, service, root, '/records/books');
      await elsewhere.getByRole('button', { name: '上架', exact: true }).click();
      await elsewhere.getByText('共 22 条').waitFor();
      expect(elsewhere.url()).toContain('sort=title');
      await elsewhere.getByRole('button', { name: '视图“上架”的操作' }).click();
      await elsewhere.getByRole('menuitem', { name: '删除' }).click();
      await elsewhere.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await elsewhere.getByText('共 64 条').waitFor();
      await elsewhere.getByRole('group', { name: '视图' }).waitFor({ state: 'detached' });
      const left = await service.ok('GET', '/admin/views', { token: root });
      expect(left).toEqual([]);
    });

    it('a view that is shared is seen by other administrators, who save it under a name of their own', async () => {
      const { page } = await enter(open, service, root, '/records/orders?sort=amount&order=DESC');
      await page.getByRole('button', { name: '保存为视图' }).click();
      await page.getByLabel('名称').fill('最大');
      await page.getByRole('switch', { name: '与所有管理员共享' }).check();
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('button', { name: '最大', exact: true, pressed: true }).waitFor();

      const colleague = await service.createUser(['admin']);
      const { page: theirs } = await enter(open, service, colleague, '/records/orders');
      await theirs.getByRole('button', { name: `最大 · ${root.username}` }).click();
      await expect.poll(() => theirs.url()).toContain('sort=amount');
      await theirs.getByRole('button', { name: '视图“最大”的操作' }).click();
      expect(await theirs.getByRole('menuitem').allTextContents()).toEqual(['另存为…']);
      await theirs.getByRole('menuitem', { name: '另存为…' }).click();
      await theirs.getByLabel('名称').fill('我的');
      await theirs.getByRole('button', { name: '保存', exact: true }).click();
      await theirs.getByRole('button', { name: '我的', exact: true }).waitFor();
    });

    it('dates are filtered by words, which the address keeps, and by the day of the viewer', async () => {
      const watched = await enter(open, service, root, '/records/books', { timezoneId: 'Asia/Shanghai' });
      const { page } = watched;
      await openFilter(page, '解禁时间');
      const form = page.getByRole('dialog');
      await form.getByLabel('值').click();
      await page.getByRole('option', { name: '今后若干天内' }).click();
      await form.getByLabel('天数').fill('10');
      await form.getByRole('button', { name: '应用' }).click();
      await page.getByText('第 1–9 条，共 9 条').waitFor();
      await page.getByRole('button', { name: '解禁时间 在今后 10 天内' }).waitFor();
      expect(decodeURIComponent(page.url())).toContain('"embargo_until@when":"next_10"');

      const { id } = await service.ok<{ id: number }>('POST', '/admin/records/books', {
        token: root,
        // The fourth of March in Shanghai, the third in UTC.
        body: { book: { title: '午夜', embargo_until: '2031-03-03T17:00:00Z' } },
      });
      const on = (day: string) =>
        go(
          page,
          service,
          `/records/books?filter=${encodeURIComponent(`{"embargo_until@when":"on_${day}"}`)}`,
        );
      await on('2031-03-04');
      await page.getByText('第 1–1 条，共 1 条').waitFor();
      await on('2031-03-03');
      await page.getByText('没有匹配的结果').waitFor();
      await service.ok('DELETE', `/admin/records/books/${id}`, { token: root });
      demandQuiet(watched, service);
    });

    it('a field of several records is changed at once, all or none, and a refusal names its record', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      await page.getByRole('checkbox', { name: '选择本页全部' }).check();
      await page.getByText('已选 25 项').waitFor();
      await page.getByRole('button', { name: '选择全部 64 项' }).click();
      await page.getByText('已选 64 项').waitFor();
      await page.getByRole('button', { name: '取消选择' }).click();

      for (const place of [1, 2, 3]) await page.getByRole('row').nth(place).getByRole('checkbox').check();
      await page.getByRole('button', { name: '批量修改' }).click();
      const dialog = page.getByRole('dialog');
      const add = async (name: string): Promise<void> => {
        await dialog.getByLabel('添加要修改的字段').click();
        // A unique value cannot be given to several records.
        expect(await page.getByRole('option', { name: 'ISBN' }).count()).toBe(0);
        await page.getByRole('option', { name }).click();
      };
      await add('页数');
      await dialog.getByRole('textbox', { name: '页数' }).fill('99999');
      await dialog.getByRole('button', { name: '修改 3 条' }).click();
      await dialog.getByText('没有任何记录被修改，3 条被拒绝：').waitFor();
      expect(await dialog.getByRole('link').allTextContents()).toEqual(['#64', '#63', '#62']);
      await dialog.getByRole('textbox', { name: '页数' }).fill('777');
      await add('状态');
      await dialog.getByRole('combobox', { name: '状态' }).click();
      await page.getByRole('option', { name: '下架' }).click();
      await dialog.getByRole('button', { name: '修改 3 条' }).click();
      await page.getByText('已修改 3 条').waitFor();
      for (const id of [62, 63, 64])
        expect(await service.ok('GET', `/admin/records/books/${id}`, { token: root })).toMatchObject({
          pages: 777,
          status: 'withdrawn',
        });
      demandQuiet(watched, service);
    });

    it('a file is imported after a look at what it would do; who is refused comes back as a file', async () => {
      const watched = await enter(open, service, root, '/records/orders/import');
      const { page } = watched;
      const file = '订单号,amount,remark\n2026-1000,5,x\nNEW-1,"7",\nNEW-2,-3,\n,,\n\n,,\n';
      const input = page.locator('input[type=file]');
      await input.setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
      await page.getByText('共 3 行').waitFor();
      await page.getByText('有 2 行只含逗号，不会导入：第 5 和 7 行').waitFor();
      await page.getByLabel('更新已有记录的依据').click();
      await page.getByRole('option', { name: '订单号' }).click();
      expect(await page.getByRole('button', { name: /^导入 0 行/ }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: '预览' }).click();
      await page.getByText('将新建 1 条，更新 1 条，拒绝 1 行。尚未写入任何数据。').waitFor();
      await page.getByText('金额 1990 → 5').waitFor();
      const count = async (): Promise<number> =>
        (await service.get<unknown[]>('/admin/records/orders?filter[number]=NEW-1', { token: root })).data
          .length;
      expect(await count()).toBe(0);
      await page.getByRole('button', { name: '导入 2 行' }).click();
      await page.getByText('已新建 1 条，更新 1 条，拒绝 1 行。').waitFor();
      expect(await count()).toBe(1);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: '下载被拒绝的行' }).click();
      const chunks: Buffer[] = [];
      for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
      expect(Buffer.concat(chunks).toString()).toMatch(/NEW-2,-3,,.*,4\r\n$/);
      demandQuiet(watched, service);
    });
  });
});
