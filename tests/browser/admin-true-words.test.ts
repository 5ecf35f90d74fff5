import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, enter } from './admin-site.ts';

const fields = { number: field.string({ required: true }), user_id: field.owner() };
const order = defineResource('Order', {
  label: { 'zh-CN': '订单', en: 'Order' },
  fields,
  isolation: true,
});

/** The folder for pictures, if somebody wants to look. */
const pictures = process.env['PICTURES'];

describeDatabase('sqlite', 'administration pages: what they say is so', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 90_000 }, () => {
    const open = useBrowser();
    const mails: unknown[] = [];
    const service = useService(databases, {
      application: {
        resources: [order],
        migrations: {
          '0001_orders': { up: (db, dialect) => createTable(db, dialect, 'orders', { fields }) },
        },
        config: { mail: async (mail: unknown) => void mails.push(mail) },
      },
      env: { LOCALE: 'auto' },
    });
    let root: TestUser;
    let tom: TestUser;
    let id = 0;
    beforeAll(async () => {
      root = await service.admin();
      tom = await service.createUser();
      const body = { order: { number: 'A-10007', user_id: root.id } };
      id = (await service.ok<{ id: number }>('POST', '/admin/records/orders', { token: root, body })).id;
    });

    const look = async (path: string, english: boolean, sight: object = {}) => {
      const language = english ? 'en' : 'zh-CN';
      return (await enter(open, service, root, path, { ...sight, language })).page;
    };

    const explained = (path: string): string =>
      `/explain?${new URLSearchParams({ user_id: String(tom.id), method: 'GET', path })}`;

    it('a list that row rules narrow is marked at that step, with words that it can be empty', async () => {
      const page = await look(explained('/api/v1/orders'), true);
      await page.getByText('A list is empty where no record meets these conditions.').waitFor();
      await page.getByRole('heading', { name: /only records in scope, perhaps none/ }).waitFor();
      const marked = page.getByRole('listitem').filter({ hasText: 'Data isolation' });
      expect(await marked.first().textContent()).toContain('decides');
      const passed = page.getByRole('listitem').filter({ hasText: 'Authentication' });
      expect(await passed.first().textContent()).not.toContain('decides');
      expect(await accessibility(page)).toEqual([]);
      if (pictures) await page.screenshot({ path: `${pictures}/explain-list-en.png`, fullPage: true });
    });

    it('the record of another user is named with its owner, and with what can be done', async () => {
      for (const [english, sentence, handOver] of [
        [true, `Order A-10007 belongs to root; ${tom.username} can access only their own`, 'Hand over'],
        [false, `订单 A-10007 属于 root；${tom.username} 只能访问自己的记录`, '移交'],
      ] as const) {
        const sight = english ? {} : { width: 400, colorScheme: 'dark' };
        const page = await look(explained(`/api/v1/orders/${id}`), english, sight);
        await page.getByRole('heading', { name: new RegExp(sentence) }).waitFor();
        if (pictures)
          await page.screenshot({ path: `${pictures}/explain-record-${english}.png`, fullPage: true });
        await page.getByRole('link', { name: handOver }).click();
        await page.waitForURL(`**/admin/records/orders/${id}`);
      }
    });

    it('rejected requests are listed by their cause, and a cause opens to its requests', async () => {
      const out = service.createUser();
      const path = `/api/v1/orders/${id}`;
      for (const asked of [path, path, path])
        expect((await service.get(asked, { token: (await out).token })).status).toBe(404);
      for (const [english, times, sight] of [
        [true, '3×', {}],
        [false, '3 次', { width: 400, colorScheme: 'dark' }],
      ] as const) {
        const page = await look('/explain?tab=refusals', english, sight);
        const cause = page.locator('summary').filter({ hasText: (await out).username });
        expect(await cause.textContent()).toMatch(/^GET \/api\/v1\/orders\/:id · .* · 40400 /);
        expect(await cause.textContent()).toContain(times);
        await cause.click();
        const request = page.locator('details').getByRole('link', { name: path, exact: false }).first();
        expect(await request.getAttribute('href')).toContain(encodeURIComponent(path));
        expect(await accessibility(page)).toEqual([]);
        if (pictures) await page.screenshot({ path: `${pictures}/causes-${english}.png`, fullPage: true });
      }
    });

    it('an unknown path is said in the language of the page', async () => {
      for (const [english, sentence] of [
        [true, 'Path does not exist'],
        [false, '路径不存在'],
      ] as const) {
        const page = await look(explained('/api/v1/nowhere'), english);
        await page.getByRole('heading', { name: new RegExp(sentence) }).waitFor();
      }
    });

    it('an invitation says that its link is sent by mail, and asks for no copy', async () => {
      const page = await look('/users/create', true);
      await page.getByText('a mail with a link is sent to the email address').waitFor();
      await page.getByLabel('Username').fill('ines');
      await page.getByLabel(/^Email/).fill('ines.lopez@example.com');
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The link is sent to ines.lopez@example.com.').waitFor();
      expect(await dialog.getByRole('checkbox').count()).toBe(0);
      if (pictures) await page.screenshot({ path: `${pictures}/invited.png` });
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('heading', { name: 'ines' }).waitFor();
      await page.getByRole('button', { name: 'Invitation link' }).click();
      await page.getByText('A mail with the link is sent to ines.lopez@example.com.').waitFor();
      await expect.poll(() => mails.length).toBe(1);
    });

    it('a leaver is disabled, and enabled, on the page of the user', async () => {
      const leaver = await service.createUser();
      const page = await look(`/users/${leaver.id}/show`, true);
      if (pictures) await page.screenshot({ path: `${pictures}/user.png` });
      expect(await page.getByRole('button', { name: 'Set a new password' }).count()).toBe(1);
      await page.getByRole('button', { name: `Disable: ${leaver.username}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: `Enable: ${leaver.username}` }).waitFor();
      expect((await service.get('/api/v1/orders', { token: leaver })).status).toBe(401);
      await page.getByRole('button', { name: `Enable: ${leaver.username}` }).click();
      await page.getByRole('button', { name: `Disable: ${leaver.username}` }).waitFor();
      const narrow = await look(`/users/${leaver.id}/show`, false, { width: 400, colorScheme: 'dark' });
      if (pictures) await narrow.screenshot({ path: `${pictures}/user-400.png` });
    });
  });
});
