import { beforeAll, describe, expect, it } from 'vitest';
import { isNetwork } from '../../admin/src/keys/network.ts';
import { isNetwork as isNetworkOfService } from '../../src/auth/client-network.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, load, settled, site } from './admin-site.ts';

const month = 31 * 86_400_000;

describe('a network that is typed', () => {
  it.each([
    ...['203.0.113.0/24', '10.0.0.1', '2001:db8::/32', '::1', '::ffff:10.0.0.1', '0.0.0.0/0', '::/128'],
    ...['203.0.113.0/33', '2001:db8::/129', '256.1.1.1', '01.2.3.4', '1.2.3', 'example.com', '10.0.0.0/', ''],
    ...['10.0.0.0/8 ', '1::2::3', '/24', '10.0.0.0/8/8'],
  ])('%s is judged as the service does', (text) => {
    expect(isNetwork(text)).toBe(isNetworkOfService(text));
  });
});

describeDatabase('sqlite', 'administration pages: what keys may do', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let owner: TestUser;
    beforeAll(async () => {
      root = await service.admin();
      owner = await service.createUser();
    });

    interface Key {
      readonly id: number;
      readonly key: string;
      readonly scopes: readonly string[] | null;
      readonly networks: readonly string[] | null;
    }
    const make = (name: string, more: object = {}) =>
      service.ok<Key>('POST', '/admin/api_keys', {
        token: root,
        body: { api_key: { name, user_id: owner.id, ...more } },
      });
    const stored = async (name: string): Promise<Key | undefined> =>
      (
        await service.ok<Key[]>('GET', `/admin/api_keys?filter[name]=${encodeURIComponent(name)}`, {
          token: root,
        })
      )[0];

    it('a key is made for some actions from some networks, by keyboard; what is wrong is said at its line', async () => {
      const watched = await enter(open, service, root, `/api_keys/create?user_id=${owner.id}`, {
        language: 'en',
      });
      const { page } = watched;
      await page.getByRole('textbox', { name: 'Name' }).fill('reader');
      await page.getByRole('radio', { name: 'Only what is chosen' }).press('Space');
      const table = page.getByRole('table', { name: 'Choose what the key may do' });
      await table.getByRole('checkbox', { name: 'Authors: Read' }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Space');
      expect(await table.getByRole('checkbox', { name: 'Orders: Read' }).isChecked()).toBe(true);
      await page.getByText('Orders read').waitFor();
      await page.getByRole('button', { name: 'Add a network' }).click();
      await page.keyboard.type('127.0.0.0/40');
      // The new line has the focus before the browser sees another key, however slow its next frame is.
      const focused = await page.evaluate(`(async () => {
        const key = { key: 'Enter', bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key));
        await Promise.resolve();
        return document.activeElement.getAttribute('aria-label');
      })()`);
      expect(focused).toBe('Network 2');
      await page.keyboard.type('2001:db8::/32');
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('“127.0.0.0/40” is not an address or network').waitFor();
      expect(await page.getByText('“2001:db8::/32” is no').count()).toBe(0);
      expect(await stored('reader')).toBeUndefined();
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('textbox', { name: 'Network 1' }).fill('127.0.0.0/8');
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('heading', { name: 'Key “reader” has been created' }).waitFor();
      await page.getByText('May: Orders read').waitFor();
      // The call that is shown is one that the key may make.
      await page.getByRole('button', { name: 'Test it' }).click();
      await page.getByText(/^200 in/).waitFor();
      expect(await stored('reader')).toMatchObject({
        scopes: ['orders:read'],
        networks: ['127.0.0.0/8', '2001:db8::/32'],
      });
      demandQuiet(watched, service);
    });

    it('its page has its gates; scopes, networks and limits are changed, and the audit log says from what to what', async () => {
      const { id } = await make('gated', { scopes: ['orders:*'], networks: ['10.0.0.0/8'] });
      const { page } = await enter(open, service, root, `/api_keys/${id}`);
      const gates = page.getByRole('list', { name: '请求依次经过' });
      await gates.getByText('10.0.0.0/8').waitFor();
      await gates.getByText('订单（读取、创建、修改、删除）').waitFor();
      await page.getByRole('button', { name: '更多操作' }).click();
      await page.getByRole('menuitem', { name: '修改权限范围、网段与限速' }).click();
      await page.getByRole('checkbox', { name: '订单: 删除' }).uncheck();
      await page.getByRole('button', { name: '移除网段 1' }).click();
      await page.getByRole('spinbutton', { name: '请求数', exact: true }).fill('120');
      await page.getByRole('spinbutton', { name: '突发请求数' }).fill('20');
      await page.getByRole('spinbutton', { name: '月配额' }).fill('10000');
      await page.getByRole('button', { name: '保存' }).click();
      await gates.getByText('每分钟 120 次；一次最多 20 次；每月 10000 次').waitFor();
      expect(await stored('gated')).toMatchObject({
        limit: { max: 120, window: '1m', burst: 20 },
        quota: 10_000,
      });
      await gates.getByText('订单（读取、创建、修改）').waitFor();
      await gates.getByText('任何地址').waitFor();
      await load(page, service, '/audit');
      const row = page.getByRole('row').filter({ hasText: '修改密钥' }).first();
      expect(await row.textContent()).toMatch(
        /订单（读取、创建、修改、删除）.*→.*订单（读取、创建、修改）.*10\.0\.0\.0\/8.*→.*任何地址/,
      );
    });

    it('a key that only reads is narrowed to that where it is advised', async () => {
      const { id, key } = await make('only reads');
      await service.get('/api/v1/orders', { key });
      const { keyUses, keyUsage, database } = service.server.services;
      await Promise.all([keyUses.flush(), keyUsage.flush()]);
      await database.execute({
        sql: `update api_keys set created_at = '${new Date(Date.now() - month).toISOString()}',
          last_used_at = '${new Date().toISOString()}' where id = ${id}`,
        parameters: [],
      });
      const { page } = await enter(open, service, root, '/api_keys', { language: 'en' });
      const advice = page.getByRole('region', { name: 'Advice' });
      await advice.getByText('Could be read-only').waitFor();
      await advice.getByRole('button', { name: 'Narrow to what it used: only reads' }).click();
      await page.getByRole('dialog').getByText('Orders read').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Narrow to what it used' }).click();
      await page.getByText('Key “only reads” has been narrowed').waitFor();
      await expect.poll(() => advice.getByText('Could be read-only').count()).toBe(0);
      expect((await stored('only reads'))?.scopes).toEqual(['orders:read']);
    });

    it('an explanation has the scope and the network of a key as steps, and marks the deciding one once', async () => {
      const { id } = await make('explained', { scopes: ['books:read'], networks: ['10.0.0.0/8'] });
      const { page } = await enter(open, service, root, `/explain?api_key_id=${id}`, { language: 'en' });
      const ask = async (path: string, address: string): Promise<void> => {
        await page.getByRole('textbox', { name: 'Path' }).fill(path);
        await page.getByRole('textbox', { name: 'From address' }).fill(address);
        await page.getByRole('button', { name: 'Explain', exact: true }).click();
      };
      await ask('/api/v1/orders', '10.1.1.1');
      await page.getByText('Needs Orders read').first().waitFor();
      await page.getByText('The key has: Books read').waitFor();
      expect(await page.getByText('decides', { exact: true }).count()).toBe(1);
      await ask('/api/v1/books', '192.0.2.1');
      await page.getByText('it ends at “Networks of the key”').waitFor();
      expect(await page.getByText('decides', { exact: true }).count()).toBe(1);
    });

    it('a user’s page shows where they are signed in; one’s own other sessions end and this one stays', async () => {
      const [person, boss] = [await service.createUser(['admin']), await service.createUser(['super_admin'])];
      const cookie = await service.signIn(person);
      const watched = await enter(open, service, boss, `/users/${person.id}/show`);
      const { page } = watched;
      const section = page.getByRole('region', { name: '登录情况' });
      await section.getByText('127.0.0.1').waitFor();
      await section.getByRole('button', { name: '结束会话' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '结束会话' }).click();
      await section.getByText('没有有效的会话。').waitFor();
      expect((await service.get('/admin/session', { cookie })).status).toBe(401);
      const elsewhere = await service.signIn(boss);
      await load(page, service, '/sessions');
      await page.getByRole('button', { name: '退出其他会话' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '退出其他会话' }).click();
      await page.getByText('其他会话已结束').waitFor();
      expect((await service.get('/admin/session', { cookie: elsewhere })).status).toBe(401);
      await page.getByText('当前会话', { exact: true }).waitFor();
      demandQuiet(watched, service);
    });

    it('a service account is made for a person; it has an owner and keys, and nothing about a password', async () => {
      const watched = await enter(open, service, root, '/users/create', { language: 'en' });
      const { page } = watched;
      await page.getByRole('radio', { name: 'Service account' }).check();
      await page.getByRole('textbox', { name: 'Username' }).fill('exporter');
      await page.getByRole('button', { name: 'Save' }).click();
      // An owner is needed.
      await page.locator('[aria-invalid="true"]').first().waitFor();
      await page.getByRole('combobox', { name: 'Responsible person' }).fill(owner.username);
      await page.getByRole('option', { name: new RegExp(owner.username) }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'exporter' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: owner.username }).waitFor();
      expect(await page.getByRole('button', { name: 'Set a new password' }).count()).toBe(0);
      expect(await page.getByRole('region', { name: 'Signed in' }).count()).toBe(0);
      expect(await accessibility(page)).toEqual([]);
      await load(page, service, '/users');
      await page.getByText(`service account of ${owner.username}`).waitFor();
      demandQuiet(watched, service);
    });

    it.each([
      ['zh-CN', 'dark', 360],
      ['en', 'light', 360],
    ] as const)('the pages are accessible in %s, %s, %i px wide', async (language, colorScheme, width) => {
      const { id } = await make('shown', { scopes: ['orders:read', 'users:read'], networks: ['10.0.0.0/8'] });
      const look = { language, colorScheme, width, height: 780 };
      const { page } = await enter(open, service, root, `/api_keys/${id}`, look);
      const paths = [`${id}`, `${id}/access`, `${id}/rotate`, 'create'].map((path) => `/api_keys/${path}`);
      for (const path of [...paths, `/users/${owner.id}/show`, '/sessions', '/api_keys']) {
        await load(page, service, path);
        if (path.endsWith('create')) await page.locator('input[type=radio][value=chosen]').check();
        await settled(page);
        expect([path, await accessibility(page)]).toEqual([path, []]);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([path, isWide]).toEqual([path, false]);
      }
    });
  });
});
