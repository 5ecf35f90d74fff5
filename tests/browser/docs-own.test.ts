import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const customer = {
  fields: { name: field.string({ required: true }), user_id: field.owner() },
  isolation: true,
  ownership: true,
} as const;

const parcel = {
  fields: {
    note: field.string({ required: true }),
    customer: field.reference('Customer', { required: true }),
    user_id: field.owner(),
  },
  isolation: true,
  ownership: true,
} as const;

const goTo = async (page: Page, operation: string): Promise<void> => {
  await page.evaluate(`location.hash = '#/${operation}'`);
  await page.locator(`.navigation [data-operation="${operation}"][aria-current]`).waitFor();
};

const signIn = async (page: Page, { username, password }: TestUser): Promise<void> => {
  await page.locator('header .account').click();
  await page.getByLabel('Account', { exact: true }).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

describe.skipIf(!hasBrowser)('the documentation page of a reader with records', () => {
  describeDatabase('sqlite', 'in a browser', (databases) => {
    const service = useService(databases, {
      application: {
        resources: [defineResource('Customer', customer), defineResource('Parcel', parcel)],
        migrations: {
          '0001_customers': {
            up: (db, dialect) => createTable(db, dialect, 'customers', { fields: customer.fields }),
          },
          '0002_parcels': {
            up: (db, dialect) => createTable(db, dialect, 'parcels', { fields: parcel.fields }),
          },
        },
      },
      env: { LOCALE: 'en' },
    });
    const open = useBrowser();

    const made = async (path: string, token: TestUser, body: object): Promise<number> =>
      (await service.ok<{ readonly id: number }>('POST', `/api/v1/${path}`, { token, body })).id;

    it('samples name records of the reader, and none of others', async () => {
      const [ann, bob] = [await service.createUser(), await service.createUser()];
      const ids: Record<string, readonly [customer: number, parcel: number]> = {};
      for (const person of [ann, bob, ann]) {
        const customer_id = await made('customers', person, { customer: { name: person.username } });
        const parcel_id = await made('parcels', person, { parcel: { note: 'fragile', customer_id } });
        ids[person.username] = [customer_id, parcel_id];
      }
      const [ownCustomer, ownParcel] = ids[bob.username] ?? [];
      const { page, complaints } = await open();
      await page.goto(`${service.origin}/api-docs?lang=en#/getParcel`);
      const id = page.locator('.try').getByLabel('id *', { exact: true });
      await id.waitFor();
      expect(await id.inputValue()).toBe('');
      expect(await page.locator('.sender').count()).toBe(0);

      await signIn(page, bob);
      await expect.poll(() => id.inputValue()).toBe(String(ownParcel));
      expect(await page.locator('.samples pre').textContent()).toContain(`/parcels/${ownParcel}`);
      expect(await page.locator('.try .sender').textContent()).toBe(`as ${bob.username}`);

      await goTo(page, 'createParcel');
      const body = async () => JSON.parse(await page.locator('.try textarea').inputValue());
      await expect.poll(body).toEqual({ parcel: { note: 'note', customer_id: ownCustomer } });
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await expect.poll(() => page.locator('.result .badge').textContent()).toBe('201');

      // A call that deletes begins without a record.
      await goTo(page, 'deleteParcel');
      await id.waitFor();
      expect(await id.inputValue()).toBe('');

      // The next list is asked for again: the reader has made a parcel. A value of the reader stays.
      await goTo(page, 'updateParcel');
      await expect.poll(async () => Number(await id.inputValue())).toBeGreaterThan(Number(ownParcel));
      await id.fill('12345');
      await goTo(page, 'getParcel');
      await goTo(page, 'updateParcel');
      expect(await id.inputValue()).toBe('12345');
      expect(complaints).toEqual([]);
    });

    it('rules that narrow a call differ from gates that it passes, and long types open on demand', async () => {
      const { page, complaints } = await open();
      await page.goto(`${service.origin}/api-docs?lang=en#/listParcels`);
      const narrows = page.locator('.trace .narrows');
      await narrows.waitFor();
      expect(await narrows.allTextContents()).toEqual([expect.stringMatching(/^Isolation: /)]);
      expect(await page.locator('.trace li').count()).toBeGreaterThan(2);

      await goTo(page, 'createApiKey');
      const choices = page.locator('details.choices').first();
      await choices.locator('summary').waitFor();
      expect(await choices.locator('summary').textContent()).toMatch(/^\d+ choices$/);
      const height = async (): Promise<number> => (await choices.boundingBox())?.height ?? 0;
      const closed = await height();
      expect(closed).toBeLessThan(40);
      await choices.locator('summary').click();
      await expect.poll(height).toBeGreaterThan(closed);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate(
        `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
      )) as { readonly violations: readonly { readonly id: string }[] };
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
});
