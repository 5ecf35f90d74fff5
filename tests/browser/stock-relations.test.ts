import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrations, resources } from '../contract/relations/market.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { bundlePage } from '../support/bundle.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const html =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Orders</title><main></main><script type="module" src="/stock.js"></script>';

interface Line {
  readonly id: number;
  readonly quantity: number;
}

describe.skipIf(!hasBrowser)('a stock react-admin application with relations', () => {
  describeDatabase('sqlite', 'by the providers of this package', (databases) => {
    const open = useBrowser();
    const service = useService(databases, { application: { resources, migrations }, env: { LOCALE: 'en' } });
    let script = '';
    let ann: TestUser;
    let order = 0;

    const make = async (path: string, singular: string, body: object): Promise<number> =>
      (
        await service.ok<{ id: number }>('POST', `/api/v1/${path}`, {
          token: ann,
          body: { [singular]: body },
        })
      ).id;

    beforeAll(async () => {
      script = await bundlePage(new URL('stock/relations.js', import.meta.url), 'production');
      ann = await service.createUser();
      const zoe = await make('customers', 'customer', { name: 'Zoe', country: 'DE' });
      const yan = await make('customers', 'customer', { name: 'Yan', country: 'FR' });
      const lines = [{ quantity: 1 }, { quantity: 2 }, { quantity: 3 }];
      order = await make('orders', 'order', { number: 'A', customer_id: zoe, lines });
      await make('orders', 'order', { number: 'B', customer_id: yan });
    }, 120_000);

    const lines = async (): Promise<readonly number[]> => {
      const path = `/api/v1/orders/${order}?include=lines`;
      const found = await service.ok<{ lines: readonly Line[] }>('GET', path, { token: ann });
      return found.lines.map(({ quantity }) => quantity);
    };

    const signIn = async (page: Page): Promise<void> => {
      await page.locator('input[name=username]').fill(ann.username);
      await page.locator('input[name=password]').fill(ann.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };

    const column = (page: Page, name: string): Promise<string[]> =>
      page.locator(`td.column-${name}`).allInnerTexts();

    it('shows what is embedded and prefetched, filters and sorts across it, and writes rows of a list', async () => {
      const { page } = await open({ locale: 'en-US' });
      await page.route('**/stock', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.route('**/stock.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: script }),
      );
      await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(`${service.origin}/stock`);
      await signIn(page);

      await expect.poll(() => column(page, 'number')).toEqual(['A', 'B']);
      await expect.poll(() => column(page, 'customer_id')).toEqual(['Zoe', 'Yan']);
      expect(new Set(await column(page, 'user\\.username'))).toEqual(new Set([ann.username]));
      // Prefetched with the list: not asked for again.
      expect(asked.filter((url) => url.includes('/customers'))).toEqual([]);
      await page.getByRole('button', { name: 'Sort by Customer' }).click();
      await expect.poll(() => column(page, 'number')).toEqual(['B', 'A']);
      await page.getByLabel('Country').fill('DE');
      await expect.poll(() => column(page, 'number')).toEqual(['A']);

      await page.goto(`${service.origin}/stock#/orders/${order}`);
      const quantities = page.getByLabel('Quantity');
      await expect.poll(() => quantities.count()).toBe(3);
      await quantities.nth(1).fill('20');
      await quantities.first().hover();
      await page.locator('.button-remove-lines-0').click();
      await page.locator('.button-add-lines').click();
      await expect.poll(() => quantities.count()).toBe(3);
      await quantities.nth(2).fill('0');
      await page.getByRole('button', { name: 'Save' }).click();
      // Refused beside the row that it is about.
      await page.getByText(/Quantity must be at least 1/).waitFor();
      expect(await lines()).toEqual([1, 2, 3]);
      await quantities.nth(2).fill('4');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Element updated').waitFor();
      await expect.poll(lines).toEqual([20, 3, 4]);
    }, 60_000);
  });
});
