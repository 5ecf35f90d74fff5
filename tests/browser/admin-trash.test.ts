import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, chooseMore, demandQuiet, enter, load, seed, settled, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: the trash', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const create = async (number: string): Promise<number> =>
      (
        await service.ok<{ id: number }>('POST', '/admin/records/orders', {
          token: root,
          body: { order: { number, amount: 100 } },
        })
      ).id;
    const remove = (id: number) => service.ok('DELETE', `/admin/records/orders/${id}`, { token: root });
    const deleted = async (number: string): Promise<number> => {
      const id = await create(number);
      await remove(id);
      return id;
    };
    const status = async (id: number): Promise<number> =>
      (await service.get(`/admin/records/orders/${id}`, { token: root })).status;
    const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

    it('what is deleted from a list goes to the trash, and an undo brings it back', async () => {
      const ids = [await create('A-1'), await create('A-2')];
      const watched = await enter(open, service, root, '/records/orders');
      const { page } = watched;
      for (const number of ['A-1', 'A-2']) await row(page, number).getByRole('checkbox').check();
      await page.getByRole('button', { name: '删除' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('可在“已删除”中恢复').waitFor();
      expect(await dialog.getByText('无法撤销').count()).toBe(0);
      await dialog.getByRole('button', { name: '删除' }).click();
      const undo = page.getByRole('button', { name: '撤销' });
      await undo.waitFor();
      await row(page, 'A-1').waitFor({ state: 'detached' });
      expect(await Promise.all(ids.map(status))).toEqual([404, 404]);
      expect(await accessibility(page)).toEqual([]);
      await undo.press('Enter');
      await row(page, 'A-1').waitFor();
      await row(page, 'A-2').waitFor();
      expect(await Promise.all(ids.map(status))).toEqual([200, 200]);
      demandQuiet(watched, service);
    });

    it('so does what is deleted on its own page', async () => {
      const id = await create('B-1');
      const { page } = await enter(open, service, root, `/records/orders/${id}/show`);
      await chooseMore(page, '删除');
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await page.getByRole('heading', { name: '订单', exact: true }).waitFor();
      expect(await status(id)).toBe(404);
      await page.getByRole('button', { name: '撤销' }).click();
      await row(page, 'B-1').waitFor();
      expect(await status(id)).toBe(200);
    });

    it('lists who deleted what and for how long it stays; what cannot come back says why', async () => {
      const [taken, free] = [await deleted('C-1'), await deleted('C-2')];
      await create('C-1');
      const watched = await enter(open, service, root, '/records/orders');
      const { page } = watched;
      await chooseMore(page, '已删除');
      await page.getByRole('heading', { name: '已删除', exact: true }).waitFor();
      await settled(page);
      expect(await row(page, 'C-2').textContent()).toMatch(/root.*剩余 30 天/);
      expect(await page.getByRole('row').nth(1).textContent()).toMatch(/C-2/);
      for (const number of ['C-1', 'C-2']) await row(page, number).getByRole('checkbox').check();
      await page.getByRole('button', { name: '恢复', exact: true }).click();
      const alert = page.getByRole('alert').filter({ hasText: '未能恢复' });
      await alert.waitFor();
      expect(await alert.getByRole('listitem').allTextContents()).toEqual([
        expect.stringMatching(new RegExp(`^#${taken} C-1: 订单号`)),
      ]);
      await row(page, 'C-2').waitFor({ state: 'detached' });
      expect([await status(taken), await status(free)]).toEqual([404, 200]);
      expect(await accessibility(page)).toEqual([]);
      demandQuiet(watched, service);
    });

    it('the address of a deleted record shows it, and brings it back', async () => {
      const id = await deleted('D-1');
      const watched = await enter(open, service, root, `/records/orders/${id}/show`, { language: 'en' });
      const { page } = watched;
      await page.getByRole('heading', { name: 'D-1', exact: true }).waitFor();
      expect(await page.getByRole('alert').textContent()).toMatch(/has been deleted.*root.*30 days left/);
      await page.getByText('100', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('link', { name: 'Edit' }).waitFor();
      expect(await status(id)).toBe(200);
      await load(page, service, '/records/notes/trash');
      await page.getByRole('heading', { name: 'No such page' }).waitFor();
      demandQuiet(watched, service);
    });
  });
});
