import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { chooseMore, demandQuiet, enter, load, site } from './admin-site.ts';

const day = 86_400_000;

describeDatabase('sqlite', 'administration pages: keys', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let owner: TestUser;

    const make = (name: string, days: number | null) =>
      service.ok<{ id: number; key: string }>('POST', '/admin/api_keys', {
        token: root,
        body: {
          api_key: {
            name,
            user_id: owner.id,
            expires_at: days === null ? null : new Date(Date.now() + days * day).toISOString(),
          },
        },
      });
    const shown = (id: number) =>
      service.ok<{ name: string; expires_at: string | null }>('GET', `/admin/api_keys/${id}`, {
        token: root,
      });

    beforeAll(async () => {
      root = await service.admin();
      owner = await service.createUser();
    });

    it('the date that a choice means stands there before the key is made, and beside it when it is', async () => {
      const watched = await enter(open, service, root, `/api_keys/create?user_id=${owner.id}`, {
        language: 'en',
      });
      const { page } = watched;
      await page.getByRole('textbox', { name: 'Name' }).fill('nightly');
      const end = page.getByText('Ends on').locator('time');
      const expected = (days: number): Promise<void> =>
        expect
          .poll(async () => {
            const at = Date.parse((await end.getAttribute('datetime')) ?? '');
            return Math.abs(at - Date.now() - days * day) < 120_000;
          })
          .toBe(true);
      await expected(90);
      const year = new Date(Date.now() + 90 * day).getFullYear();
      // The text has the zone in which the hour is meant.
      expect(await end.textContent()).toMatch(new RegExp(`${year}.*(GMT|UTC|[A-Z]{3,4})`));
      await page.getByRole('button', { name: '365 days' }).click();
      await expected(365);
      await page.getByRole('button', { name: 'Never expires' }).click();
      await expect.poll(() => end.count()).toBe(0);
      await page.getByRole('button', { name: '30 days' }).click();
      await page.getByRole('button', { name: 'Create a key' }).click();
      const made = page.getByRole('main');
      await made.getByText(`Acts as ${owner.username}`).waitFor();
      expect(Date.parse((await made.locator('time').first().getAttribute('datetime')) ?? '')).toBeGreaterThan(
        Date.now() + 29 * day,
      );
      demandQuiet(watched, service);
    });

    it('what is left of a key’s life stands in the list in words; a neglected one is found by a filter', async () => {
      await make('ninety', 90);
      await make('over already', -3);
      await make('endless', null);
      const forgotten = await make('forgotten', 300);
      await service.server.services.database.execute({
        sql: `update api_keys set created_at = '${new Date(Date.now() - 60 * day).toISOString()}' where id = ${forgotten.id}`,
        parameters: [],
      });
      const { page } = await enter(open, service, root, '/api_keys');
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      expect(await row('ninety').textContent()).toContain('剩余 90 天，共 90 天');
      expect(await row('over already').textContent()).toContain('已过期 · 3 天前');
      expect(await row('endless').textContent()).toContain('永不过期');
      expect(await row('forgotten').textContent()).toContain('剩余 300 天，共 360 天');
      expect(await row('forgotten').textContent()).toContain('30 天未使用');
      expect(await row('ninety').textContent()).not.toContain('30 天未使用');
      const filter = encodeURIComponent(JSON.stringify({ neglected: 'true' }));
      await load(page, service, `/api_keys?filter=${filter}&page=1`);
      await page.getByText('30 天未使用 等于 是').waitFor();
      expect(await page.locator('tbody tr').count()).toBe(1);
      await row('forgotten').waitFor();
    });

    it('a key has a page: how it is used, and extend, rename, replace and revoke in place', async () => {
      const { id, key } = await make('reports', 5);
      for (let time = 0; time < 3; time += 1) await service.get('/api/v1/users', { key });
      await service.get('/api/v1/users?page=no', { key });
      const watched = await enter(open, service, root, '/api_keys');
      const { page } = watched;
      await page.getByRole('link', { name: 'reports' }).click();
      await page.getByRole('heading', { name: 'reports' }).waitFor();
      await page.getByText('30 天内的请求').waitFor();
      await page.getByText('共 4').waitFor();
      const legend = page.getByRole('list').filter({ hasText: '失败（400 及以上）' });
      expect(await legend.textContent()).toContain('成功 3');
      expect(await legend.textContent()).toContain('失败（400 及以上） 1');
      await page.getByText('127.0.0.1').first().waitFor();

      await page.getByRole('button', { name: '延期' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await page.getByRole('button', { name: '延期' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '延期' }).click();
      // The new days are added to the existing ones.
      await page.getByText('剩余 95 天，共 95 天').waitFor();
      expect(Date.parse((await shown(id)).expires_at ?? '')).toBeGreaterThan(Date.now() + 94 * day);

      await chooseMore(page, '改名');
      await page.getByRole('dialog').getByRole('textbox', { name: '名称' }).fill('');
      await page.getByRole('dialog').getByRole('button', { name: '保存' }).click();
      await page.getByText('名称不能为空').waitFor();
      await page.getByRole('dialog').getByRole('textbox', { name: '名称' }).fill('weekly reports');
      await page.getByRole('dialog').getByRole('button', { name: '保存' }).click();
      await page.getByRole('heading', { name: 'weekly reports' }).waitFor();

      await page.getByRole('link', { name: '轮换' }).click();
      await page.getByRole('button', { name: '轮换' }).click();
      await page.getByText('旧密钥有效至').waitFor();
      const fresh = await page.getByRole('textbox', { name: '密钥' }).textContent();
      await page.getByRole('checkbox', { name: '我已妥善保存该密钥' }).check();
      await page.getByRole('button', { name: '完成' }).click();

      // Both work during the overlap, and both are shown.
      await page.getByRole('heading', { name: 'weekly reports' }).waitFor();
      await page.getByText('旧密钥，有效至').waitFor();
      for (const each of [key, fresh ?? ''])
        expect((await service.get('/api/v1/users', { key: each })).status).toBe(200);
      await chooseMore(page, '吊销');
      await page.getByRole('dialog').getByRole('button', { name: '吊销' }).click();
      await page.getByRole('heading', { name: 'API 密钥' }).waitFor();
      expect((await service.get('/api/v1/users', { key })).status).toBe(401);
      demandQuiet(watched, service);
    });

    it('a key that is over is not extended, and says what it did', async () => {
      const { id } = await make('gone by', -1);
      const { page } = await enter(open, service, root, `/api_keys/${id}`);
      await page.getByText('30 天内没有请求。').waitFor();
      expect(await page.getByRole('button', { name: '延期' }).count()).toBe(0);
      await page.getByRole('button', { name: '更多操作' }).waitFor();
    });

    it('one’s own sessions: this one is marked, another is ended by itself', async () => {
      const person = await service.createUser(['admin']);
      const elsewhere = await service.signIn(person);
      const watched = await enter(open, service, person, '/');
      const { page } = watched;
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitem', { name: '我的会话' }).click();
      const row = page.getByRole('row').filter({ hasText: '当前会话' });
      await row.waitFor();
      expect(await page.getByText('当前会话').count()).toBe(1);
      expect(await row.getByRole('button').count()).toBe(0);
      await page.getByRole('button', { name: /^结束会话：/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: '结束' }).click();
      await page.getByText('会话已结束').waitFor();
      await expect.poll(() => page.getByRole('button', { name: /^结束会话：/ }).count()).toBe(0);
      expect((await service.get('/admin/session', { cookie: elsewhere })).status).toBe(401);
      demandQuiet(watched, service);
    });

    it('language and theme are chosen in the account menu; without a choice the theme is the system’s', async () => {
      const { page } = await enter(open, service, root, '/roles', { colorScheme: 'dark' });
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const dark = await background();
      const choose = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: /^(账号|Account)$/ }).click();
        await page.getByRole('menuitemradio', { name, exact: true }).click();
        expect(
          await page.getByRole('menuitemradio', { name, exact: true }).getAttribute('aria-checked'),
        ).toBe('true');
        await page.keyboard.press('Escape');
        await expect.poll(() => page.getByRole('menu').count()).toBe(0);
      };
      await choose('浅色');
      await expect.poll(background).not.toBe(dark);
      await choose('跟随系统');
      await expect.poll(background).toBe(dark);
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitemradio', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Roles' }).waitFor();
    });

    it('the start page acts: a key is extended and revoked where it is named', async () => {
      const { id } = await make('runs out', 0.5);
      const idle = await make('lies idle', null);
      await service.server.services.database.execute({
        sql: `update api_keys set created_at = '${new Date(Date.now() - 90 * day).toISOString()}' where id = ${idle.id}`,
        parameters: [],
      });
      await service.login(owner.username, 'wrong');
      const watched = await enter(open, service, root, '/');
      const { page } = watched;
      await page.getByRole('button', { name: `更多操作: runs out（${owner.username}）` }).click();
      await page.getByRole('menuitem', { name: '延期' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '365 天' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '延期' }).click();
      // Elements behind an open dialog have no role: wait until the dialog is gone.
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.getByRole('link', { name: 'runs out' }).count()).toBe(0);
      expect(Date.parse((await shown(id)).expires_at ?? '')).toBeGreaterThan(Date.now() + 364 * day);

      const advice = page.getByRole('group').filter({ hasText: '30 天未使用' });
      await advice.locator('summary').click();
      await page.getByRole('button', { name: `吊销: lies idle（${owner.username}）` }).click();
      await page.getByRole('dialog').getByRole('button', { name: '吊销' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.getByRole('link', { name: 'lies idle' }).count()).toBe(0);

      const failed = page.getByRole('listitem').filter({ hasText: '查看登录失败记录' });
      await failed.getByRole('button', { name: `停用: ${owner.username}` }).waitFor();
      await failed.getByRole('link', { name: '查看登录失败记录' }).click();
      await page.getByRole('heading', { name: '审计', exact: true }).waitFor();
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      demandQuiet(watched, service);
    });

    it('a new installation shows the first steps, until an administrator dismisses them', async () => {
      const { page } = await enter(open, service, root, '/');
      const steps = page.getByRole('region', { name: '开始使用' });
      await steps.getByText('已完成：').first().waitFor();
      await steps.getByRole('link', { name: '为角色授予权限' }).waitFor();
      expect(await steps.textContent()).toContain(`${service.origin}/api/v1/users`);
      await steps.getByRole('button', { name: '不再显示' }).click();
      await expect.poll(() => steps.count()).toBe(0);
      await load(page, service, '/');
      expect(await steps.count()).toBe(0);
    });
  });
});
