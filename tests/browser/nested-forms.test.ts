import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrations, resources } from '../contract/relations/purchases.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { bundlePage } from '../support/bundle.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

const html =
  '<!doctype html><meta charset="utf-8"><title>Form</title><main></main><script type="module" src="/form.js"></script>';

describe.skipIf(!hasBrowser)('react-jsonschema-form', () => {
  describeDatabase('sqlite', 'renders a record with records within it', (databases) => {
    const open = useBrowser();
    const service = useService(databases, { application: { resources, migrations } });
    let script = '';
    beforeAll(async () => {
      script = await bundlePage(new URL('forms/page.js', import.meta.url));
    }, 60_000);

    const visit = async (user: TestUser, id?: number) => {
      const watched = await open();
      const { page } = watched;
      await page.route('**/form', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.route('**/form.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: script }),
      );
      await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      const record = id === undefined ? '' : `&id=${id}`;
      await page.goto(`${service.origin}/form#token=${user.token}&model=Purchase${record}`);
      await page.locator('form').waitFor();
      return watched;
    };
    const input = (page: Page, name: string) => page.locator(`#root_${name}`);
    const submit = async (page: Page): Promise<{ status: number; data: Row }> => {
      await page.locator('button[type=submit]').click();
      await page.waitForFunction('window.answer !== undefined', undefined, { timeout: 5_000 });
      return page.evaluate('window.answer');
    };
    const add = (page: Page) => page.locator('.rjsf-array-item-add button').last().click();
    const itemsOf = async (token: TestUser, id: number): Promise<Row[]> =>
      service.ok<Row[]>('GET', `/api/v1/items?filter[purchase_id]=${id}`, { token });

    it('creates one with its items', async () => {
      const ann = await service.createUser();
      const { page, complaints } = await visit(ann);
      // Remarks ask for a permission that she has not.
      expect(await page.getByText('Remarks').count()).toBe(0);
      await input(page, 'number').fill('F1');
      await add(page);
      await input(page, 'items_0_quantity').fill('4');
      expect(await page.locator('#root_items_0_purchase_id, #root_items_0__delete').count()).toBe(0);
      const { status, data } = await submit(page);
      expect(status).toBe(201);
      expect(await itemsOf(ann, data.id)).toMatchObject([{ quantity: 4, article_id: null }]);
      expect(complaints).toEqual([]);
    });

    it('changes, deletes and adds items of one, and nothing else', async () => {
      const ann = await service.createUser();
      const { id } = await service.ok<Row>('POST', '/api/v1/purchases', {
        token: ann,
        body: {
          purchase: {
            number: 'F2',
            items: [{ quantity: 1, code: 'a', parts: [{ name: 'p' }] }, { quantity: 2 }, { quantity: 3 }],
          },
        },
      });
      const [one, two, three] = await itemsOf(ann, id);
      const unchanged = await visit(ann, id);
      expect((await submit(unchanged.page)).status).toBe(200);
      const values = ({ updated_at: _at, ...rest }: Row) => rest;
      expect((await itemsOf(ann, id)).map(values)).toEqual(
        [one, two, three].map((each) => values(each as Row)),
      );
      const { page, complaints } = await visit(ann, id);
      await input(page, 'items_0_quantity').fill('9');
      await input(page, 'items_1__delete').check();
      await add(page);
      await input(page, 'items_3_quantity').fill('5');
      expect((await submit(page)).status).toBe(200);
      expect(await itemsOf(ann, id)).toMatchObject([
        { id: one?.id, quantity: 9, code: 'a' },
        { id: three?.id, quantity: 3 },
        { quantity: 5 },
      ]);
      expect(await service.ok<Row[]>('GET', '/api/v1/parts', { token: ann })).toMatchObject([{ name: 'p' }]);
      expect([...complaints, ...unchanged.complaints]).toEqual([]);
    });
  });
});
