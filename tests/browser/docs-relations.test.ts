import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { migrations, resources } from '../contract/relations/market.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

/** Pictures are kept for people to look at. */
const screenshots = process.env['SCREENSHOTS'] !== undefined;
const folder = fileURLToPath(new URL('screenshots/', import.meta.url));

describe.skipIf(!hasBrowser)('the documentation page of relations', () => {
  describeDatabase('sqlite', 'in a browser', (databases) => {
    const service = useService(databases, { application: { resources, migrations } });
    const open = useBrowser();

    it('tells each relation once, and sends what is included', async () => {
      const token = await service.createUser();
      const customer = await service.ok<{ readonly id: number }>('POST', '/api/v1/customers', {
        token,
        body: { customer: { name: 'Zoe', country: 'DE' } },
      });
      const body = { order: { number: 'A1', customer_id: customer.id } };
      await service.ok('POST', '/api/v1/orders', { token, body });
      const { page, complaints } = await open();
      await page.goto(`${service.origin}/api-docs?lang=en#/listOrders`);
      const about = page.locator('main');
      await about.getByText('Items, with include=lines').waitFor();
      expect(await about.getByText('OrderLineRelated').count()).toBe(0);
      // Records lead to each other in circles: those of the lines are in the lines' own operations.
      const names = await about.locator('td code').allTextContents();
      expect(names).toContain('data[].lines');
      expect(names.filter((name) => name.startsWith('data[].lines.'))).toEqual([]);
      await about.getByText('OrderLine[]', { exact: true }).waitFor();
      await about.getByText('Customer | null', { exact: true }).waitFor();
      const text = (await about.textContent()) ?? '';
      expect(text).toContain('Filter and sort by fields of customer, parent, user: filter[customer.name]=…');
      expect(text).toContain('A filter by fields of lines, filter[lines.quantity]=…');

      await page.locator('header .account').click();
      const dialog = page.getByRole('dialog');
      const form = dialog.locator('form', { has: page.getByLabel('JWT', { exact: true }) });
      await form.getByLabel('JWT', { exact: true }).fill(token.token);
      await form.getByRole('button', { name: 'Use' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByLabel('per_page', { exact: true }).fill('5');
      await page.getByLabel('include', { exact: true }).fill('customer,lines');
      await page.getByLabel('fields[customer]', { exact: true }).fill('country');
      // The samples have what is sent.
      await expect.poll(() => about.textContent()).toMatch(/fields(?:\[|%5B)customer(?:\]|%5D)=country/);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('.result .badge').waitFor();
      expect(JSON.parse((await page.locator('.result .answer').textContent()) ?? '').data).toMatchObject([
        { number: 'A1', customer: { country: 'DE' }, lines: [] },
      ]);
      expect(complaints).toEqual([]);
    });

    it('begins a body with its required fields, and lists the fields of what is created within it', async () => {
      const { page } = await open();
      const begun = async (route: string) => {
        await page.goto(`${service.origin}/api-docs?lang=en#/${route}`);
        await page.locator('.try textarea').waitFor();
        return JSON.parse(await page.locator('.try textarea').inputValue());
      };
      expect(await begun('createOrder')).toEqual({ order: { number: 'number' } });
      const names = await page.locator('.about td code').allTextContents();
      expect(names).toContain('order.lines[].quantity');
      expect(await begun('updateOrder')).toEqual({ order: { number: 'number' } });
      expect((await begun('batchOrders')).create).toEqual([{ number: 'number' }]);
    });

    it('begins a body with a decimal that is one, and is sent as shown', async () => {
      const { token } = await service.createUser();
      const { page, complaints } = await open();
      await page.goto(`${service.origin}/api-docs?lang=en#/createProduct`);
      await page.locator('header .account').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('JWT', { exact: true }).fill(token);
      await dialog
        .locator('form', { has: page.getByLabel('JWT', { exact: true }) })
        .getByRole('button', { name: 'Use' })
        .click();
      await dialog.waitFor({ state: 'detached' });
      const shown = JSON.parse(await page.locator('.try textarea').inputValue());
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      const answer = page.locator('.result .answer');
      await answer.waitFor();
      expect([await page.locator('.result .badge').textContent(), await answer.textContent()]).toEqual([
        '201',
        expect.stringContaining(JSON.stringify(shown.product.price)),
      ]);
      expect(complaints).toEqual([]);
    });

    it('the documentation page of relations is usable in both languages, both themes, at any width', async () => {
      if (screenshots) await mkdir(folder, { recursive: true });
      for (const lang of ['zh-CN', 'en'])
        for (const colorScheme of ['light', 'dark'] as const) {
          const { page, complaints } = await open({ colorScheme });
          await page.goto(`${service.origin}/api-docs?lang=${lang}#/listOrders`);
          await page.locator('.about').waitFor();
          await page.evaluate(axe.source);
          for (const width of [1280, 360])
            for (const route of ['listOrders', 'aggregateOrders', 'getProduct', 'updateOrder']) {
              await page.setViewportSize({ width, height: 900 });
              await page.evaluate(`location.hash = '#/${route}'`);
              await page.locator('.about').waitFor();
              const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
              const { violations }: { violations: { id: string }[] } = await page.evaluate(
                'axe.run(document, { resultTypes: ["violations"] })',
              );
              expect([lang, width, route, overflow, violations.map(({ id }) => id)]).toEqual([
                ...[lang, width, route, 0],
                [],
              ]);
              const name = `docs-relations-${route}-${lang}-${colorScheme}-${width}.png`;
              if (screenshots) await page.screenshot({ path: join(folder, name), fullPage: true });
            }
          expect(complaints).toEqual([]);
          await page.close();
        }
    }, 120_000);
  });
});
