import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrations, resources } from '../contract/relations/purchases.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, load, settled } from './admin-site.ts';

interface Item {
  readonly id: number;
  readonly quantity: number;
  readonly code: string | null;
}

describeDatabase('sqlite', 'administration pages: records within a record', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, { application: { resources, migrations } });
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
    });

    const itemsOf = (id: number): Promise<Item[]> =>
      service.ok<Item[]>('GET', `/admin/records/items?filter[purchase_id]=${id}&sort=id`, { token: root });
    const made = (number: string, items: readonly object[]) =>
      service.ok<{ id: number }>('POST', '/admin/records/purchases', {
        token: root,
        body: { purchase: { number, items } },
      });
    const row = (page: Page, number: number) => page.getByRole('group', { name: `第 ${number} 行` });
    const writes = (page: Page): string[] => {
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${request.postData()}`);
      });
      return sent;
    };

    it('a record is created with its lines by one write; what is wrong stands at its row', async () => {
      const watched = await enter(open, service, root, '/records/purchases/create');
      const { page } = watched;
      const sent = writes(page);
      await page.getByLabel('Number').fill('N-1');
      const add = page.getByRole('button', { name: '添加 Items' });
      for (const quantity of ['2', '13', '4']) {
        await add.click();
        const last = page.getByRole('group').last();
        await last.getByLabel('Quantity').fill(quantity);
      }
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await row(page, 2).getByText('Not thirteen').waitFor();
      expect(await row(page, 1).getByText('Not thirteen').count()).toBe(0);
      await row(page, 2).getByLabel('Quantity').fill('3');
      expect(await page.getByText('Not thirteen').count()).toBe(0);
      await page.getByRole('button', { name: '移除第 1 行' }).click();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: 'N-1', exact: true }).waitFor();
      const id = Number(/purchases\/(\d+)\/show/.exec(page.url())?.[1]);
      expect((await itemsOf(id)).map(({ quantity }) => quantity)).toEqual([3, 4]);
      // The refused one, and the one that was made.
      expect(sent.filter((each) => each.startsWith('POST'))).toHaveLength(2);
      expect(watched.complaints.filter((text) => !text.includes('422'))).toEqual([]);
    });

    it('lines are changed, added and deleted where they are shown, and others stay as they are', async () => {
      const { id } = await made('N-2', [{ quantity: 1 }, { quantity: 2 }, { quantity: 3 }]);
      const [first, second, third] = await itemsOf(id);
      const watched = await enter(open, service, root, `/records/purchases/${id}/show`);
      const { page } = watched;
      const sent = writes(page);
      await page.getByRole('button', { name: '在此编辑' }).first().click();
      await row(page, 3).getByLabel('Quantity').fill('30');
      await page.getByRole('button', { name: '移除第 2 行' }).click();
      await page.getByRole('button', { name: '添加 Items' }).click();
      await row(page, 3).getByLabel('Quantity').fill('5');
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await expect.poll(async () => (await itemsOf(id)).map(({ quantity }) => quantity)).toEqual([1, 30, 5]);
      expect(sent).toHaveLength(1);
      expect(JSON.parse(sent[0]?.replace(/^PATCH /, '') ?? '')).toEqual({
        purchase: {
          items: [{ id: third?.id, quantity: 30 }, { quantity: 5 }, { id: second?.id, _delete: true }],
        },
      });
      expect((await itemsOf(id)).map((each) => [each.id === first?.id, each.quantity])).toEqual([
        [true, 1],
        [false, 30],
        [false, 5],
      ]);
      await settled(page);
      await page.getByRole('cell', { name: '30', exact: true }).waitFor();
      demandQuiet(watched, service);
    });

    it('lines changed in place stand in their card: one heading, and a bar that covers none of them', async () => {
      const { id } = await made('N-9', [{ quantity: 1 }]);
      const { page } = await enter(open, service, root, `/records/purchases/${id}/show`);
      await page.getByRole('button', { name: '在此编辑' }).first().click();
      const add = page.getByRole('button', { name: '添加 Items' });
      await add.waitFor();
      expect(await page.getByRole('heading', { name: 'Items', exact: true }).count()).toBe(1);
      const save = page.getByRole('button', { name: '保存', exact: true });
      const bar = await save.locator('xpath=..').boundingBox();
      const card = await save
        .locator('xpath=ancestor::*[contains(@class, "MuiPaper-root")][1]')
        .boundingBox();
      const button = await add.boundingBox();
      if (bar === null || card === null || button === null) throw new Error('something is not shown');
      expect(bar.x).toBeGreaterThanOrEqual(card.x);
      expect(bar.x + bar.width).toBeLessThanOrEqual(card.x + card.width);
      expect(bar.y + bar.height).toBeLessThanOrEqual(card.y + card.height);
      expect(button.y + button.height).toBeLessThanOrEqual(bar.y);
    });

    it('input in a row is not lost without being asked, and another one’s version is met', async () => {
      const { id } = await made('N-3', [{ quantity: 1 }]);
      const { page } = await enter(open, service, root, `/records/purchases/${id}`);
      await row(page, 1).getByLabel('Quantity').fill('8');
      await page.getByRole('link', { name: 'Purchase' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: '继续编辑' }).click();
      await service.ok('PATCH', `/admin/records/purchases/${id}`, {
        token: root,
        body: { purchase: { total: 7 } },
      });
      await page.getByRole('button', { name: '保存', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: 'N-3', exact: true }).waitFor();
      expect((await itemsOf(id)).map(({ quantity }) => quantity)).toEqual([8]);
      const { total } = await service.ok<{ total: number }>('GET', `/admin/records/purchases/${id}`, {
        token: root,
      });
      expect(total).toBe(7);
    });

    it('a list of more records than one write takes is left alone', async () => {
      const { id } = await made(
        'N-4',
        Array.from({ length: 200 }, () => ({ quantity: 1 })),
      );
      await service.ok('POST', '/admin/records/items', {
        token: root,
        body: { item: { purchase_id: id, quantity: 1 } },
      });
      const { page } = await enter(open, service, root, `/records/purchases/${id}`);
      await page.getByLabel('Number').fill('N-5');
      expect(await page.getByRole('button', { name: '添加 Items' }).count()).toBe(0);
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: 'N-5', exact: true }).waitFor();
      expect(await itemsOf(id)).toHaveLength(201);
      await load(page, service, `/records/purchases/${id}/show`);
      await page.getByRole('heading', { name: 'Items' }).waitFor();
    });
  });
});
