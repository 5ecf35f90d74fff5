import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, rested, useBrowser } from '../support/browser.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { demandQuiet, enter, enterByForm, fillSignIn, go, settled, site, visit } from './admin-site.ts';

describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
  const open = useBrowser();

  describeEachDatabase('administration pages', (databases) => {
    const service = useService(databases, site);
    let root: TestUser;
    let viewer: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      viewer = await service.createUser(['viewer'], { username: 'plain', name: 'Plain Person' });
    });

    describe('sign-in', () => {
      it('leads to where the link pointed, query included', async () => {
        const filter = encodeURIComponent(JSON.stringify({ status: 'active' }));
        const watched = await visit(open, service, `/api_keys?filter=${filter}`);
        await fillSignIn(watched.page, root);
        await watched.page.getByRole('heading', { name: 'API 密钥' }).waitFor();
        expect(new URL(watched.page.url()).pathname).toBe('/admin/api_keys');
        await watched.page.getByText('状态 等于 有效').waitFor();
        demandQuiet(watched, service);
      });

      it('sends no request about a session that the browser cannot have, and complains of nothing', async () => {
        const watched = await visit(open, service, '/users');
        const { page, requests, complaints } = watched;
        const aboutSession = () => requests.filter((url) => url.includes('/admin/session'));
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
        await rested(page);
        expect(aboutSession()).toEqual([]);
        expect(complaints).toEqual([]);
        await fillSignIn(page, root);
        await page.getByRole('heading', { name: '用户', exact: true }).waitFor();

        // Without a session behind it the mark of a sign-in costs one request, and is gone.
        await page.context().clearCookies();
        await page.reload();
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
        await rested(page);
        expect(aboutSession()).toHaveLength(2);
        expect(complaints).toHaveLength(1);
        await page.reload();
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
        await rested(page);
        expect(aboutSession()).toHaveLength(2);
        expect(complaints).toHaveLength(1);
      });

      it('asks nothing after a sign-out from everywhere, on the way out or later', async () => {
        // Tokens end with the sessions: the other tests use tokens of the first administrator.
        const person = await service.createUser(['admin']);
        const { page, requests, complaints } = await enterByForm(open, service, person, '/sessions');
        await page.getByRole('button', { name: '结束全部会话' }).click();
        await page.getByRole('dialog').getByRole('button', { name: '结束全部会话' }).click();
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
        await page.goto(`${service.origin}/admin/users`);
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
        await rested(page);
        expect(complaints).toEqual([]);
        expect(requests.filter((url) => url.endsWith('/admin/session'))).toHaveLength(1);
      });

      it('keeps a reload signed in, and a sign-out signed out', async () => {
        const { page } = await enterByForm(open, service, root, '/users');
        await page.reload();
        await page.getByRole('heading', { name: '用户', exact: true }).waitFor();
        await page.getByRole('button', { name: '账号' }).click();
        await page.getByRole('menuitem', { name: '退出登录' }).click();
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
        await page.goto(`${service.origin}/admin/users`);
        await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
      });

      it('refuses a user who is no administrator, and a wrong password', async () => {
        const { page } = await visit(open, service, '/');
        await fillSignIn(page, viewer);
        await page.getByText('该账号无权进入管理后台').waitFor();
        await fillSignIn(page, { username: root.username, password: 'wrong' });
        await page.getByText('账号或密码错误').waitFor();
      });

      it('says how long a lock-out lasts', async () => {
        const locked = await service.createUser(['admin']);
        for (let attempt = 0; attempt < 10; attempt += 1)
          await service.post('/admin/session', { body: { account: locked.username, password: 'wrong' } });
        const { page } = await visit(open, service, '/');
        await fillSignIn(page, locked);
        await page.getByText(/已暂时锁定。请在 1[0-5] 分钟后重试/).waitFor();
      });

      it('asks again in place when the session has ended elsewhere, and goes on where it was', async () => {
        const person = await service.createUser(['admin']);
        const { page } = await enter(open, service, person, '/audit');
        await service.ok('DELETE', '/admin/sessions', { token: person });
        await page.getByRole('link', { name: '角色' }).click();
        await page.getByRole('dialog', { name: '请重新登录' }).waitFor();
        await fillSignIn(page, person);
        await page.getByRole('heading', { name: '角色' }).waitFor();
      });
    });

    describe('keys', () => {
      it('keys are made for any user and shown once; the curl line works', async () => {
        const watched = await enter(open, service, root, `/api_keys/create?user_id=${viewer.id}`);
        const { page } = watched;
        await expect
          .poll(() => page.getByRole('combobox', { name: '所有者' }).inputValue())
          .toBe('plain（Plain Person）');
        await page.getByRole('textbox', { name: '名称' }).fill('夜间报表');
        await page.getByRole('button', { name: '365 天' }).click();
        await page.getByRole('button', { name: '新建密钥' }).click();
        const made = page.getByRole('main');
        const key = (await made.getByRole('textbox', { name: '密钥', exact: true }).textContent()) ?? '';
        expect(key).toMatch(/^[0-9a-f]{64}$/);
        const own = await service.ok<{ username: string }[]>('GET', '/api/v1/users', { key });
        expect(own.map(({ username }) => username)).toEqual(['plain']);
        await made.getByRole('button', { name: '复制' }).first().click();
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
        expect(await made.textContent()).toContain(
          `curl -H 'X-Api-Key: ${key}' '${service.origin}/api/v1/users'`,
        );

        // The page waits for the first request, by any caller; it is left once the key is said to be kept.
        await made.getByRole('button', { name: '测试' }).click();
        await made.getByText(/^200，用时 \d+ 毫秒$/).waitFor();
        await made.getByText('已收到第一次请求').waitFor();
        expect(await made.getByRole('button', { name: '完成' }).isDisabled()).toBe(true);
        await page.getByRole('link', { name: '用户', exact: true }).click();
        await page.getByRole('button', { name: '继续编辑' }).click();
        await made.getByRole('checkbox').check();
        await made.getByRole('button', { name: '完成' }).click();
        await page.locator('tbody').getByText('夜间报表').waitFor();
        expect(await page.content()).not.toContain(key);
        expect(await page.content()).toContain(`${key.slice(0, 8)}****`);
        demandQuiet(watched, service);
      });

      it('a moment that is over is allowed, and warned of', async () => {
        const { page } = await enter(open, service, root, `/api_keys/create?user_id=${viewer.id}`);
        await page.getByRole('textbox', { name: '名称' }).fill('old');
        await page.getByRole('button', { name: '自定义' }).click();
        await page.locator('input[type=datetime-local]').fill('2020-01-01T00:00');
        await page.getByText('该时间已过去').waitFor();
        await page.getByRole('button', { name: '新建密钥' }).click();
        await page.getByRole('button', { name: '完成' }).waitFor();
      });

      it('what the service refuses stands beside the field', async () => {
        const { page } = await enter(open, service, root, '/api_keys/create');
        await page.getByRole('button', { name: '新建密钥' }).click();
        await page.getByText('名称不能为空').waitFor();
        expect(await page.getByRole('textbox', { name: '名称' }).getAttribute('aria-invalid')).toBe('true');
      });

      it('keys are searched, filtered, sorted, and several revoked at once', async () => {
        for (const name of ['sort b', 'sort a', 'sort c'])
          await service.ok('POST', '/admin/api_keys', {
            token: root,
            body: { api_key: { name, user_id: root.id } },
          });
        const { page } = await enter(open, service, root, '/api_keys');
        await page.getByRole('main').getByRole('searchbox').fill('sort ');
        await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
        await page.getByRole('button', { name: '名称' }).click();
        await expect
          .poll(() => page.locator('tbody tr td:nth-child(2)').allTextContents())
          .toEqual(['sort a', 'sort b', 'sort c']);
        await page.getByRole('checkbox', { name: /^选择 sort a（root · / }).check();
        await page.getByRole('checkbox', { name: /^选择 sort c（root · / }).check();
        await page.getByRole('button', { name: '吊销' }).click();
        const dialog = page.getByRole('dialog');
        expect(await dialog.textContent()).toContain('吊销 2 个密钥？');
        await dialog.getByRole('button', { name: '吊销' }).click();
        await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
        const left = await service.ok<{ name: string }[]>('GET', '/admin/api_keys?q=sort', { token: root });
        expect(left.map(({ name }) => name)).toEqual(['sort b']);
      });
    });

    describe('permissions', () => {
      it('a tick is saved at once, holds from the next request on, and is confirmed', async () => {
        const watched = await enter(open, service, root, '/permissions');
        const { page } = watched;
        const boxes = () => page.getByRole('button', { name: '全部展开' }).click();
        await boxes();
        const body = { order: { number: `n-${databases.dialect}`, amount: 1 } };
        const refused = await service.post('/api/v1/orders', { token: viewer, body });
        expect(refused.status).toBe(403);
        await page.getByRole('checkbox', { name: 'viewer: Order 创建' }).check();
        await expect
          .poll(async () => (await service.post('/api/v1/orders', { token: viewer, body })).status)
          .toBe(201);
        await page.getByText('viewer 现在可以创建订单').first().waitFor();

        await page.reload();
        await settled(page);
        await boxes();
        const box = page.getByRole('checkbox', { name: 'viewer: Order 创建' });
        expect(await box.isChecked()).toBe(true);
        await box.uncheck();
        const other = { order: { number: 'another', amount: 1 } };
        await expect
          .poll(async () => (await service.post('/api/v1/orders', { token: viewer, body: other })).status)
          .toBe(403);
        demandQuiet(watched, service);
      });

      it('super_admin holds all and cannot be edited; what is not checked says so', async () => {
        const { page } = await enter(open, service, root, '/permissions');
        expect(await page.getByRole('checkbox', { name: /^super_admin/ }).count()).toBe(0);
        await page.getByRole('button', { name: '全部展开' }).click();
        // Create, update and destroy of five models.
        expect(await page.getByTitle(/未检查/).count()).toBe(5 * 3);
      });
    });

    it('roles are added and removed, with how many hold each', async () => {
      const { page } = await enter(open, service, root, '/roles');
      await page.getByRole('button', { name: '新建角色' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('Not A Name');
      await page.getByRole('dialog').getByRole('button', { name: '保存' }).click();
      await page.getByText('名称格式不正确').waitFor();
      await page.getByRole('dialog').getByRole('textbox').fill('support');
      await page.getByRole('dialog').getByRole('button', { name: '保存' }).click();
      const row = page.getByRole('row', { name: /support/ });
      await row.waitFor();
      await row.getByRole('button', { name: '删除' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      // Rows behind an open dialog have no role: that none is found says something only once it has closed.
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.getByRole('row', { name: /support/ }).count()).toBe(0);
      await go(page, service, '/permissions');
      expect(await page.getByRole('columnheader', { name: 'support' }).count()).toBe(0);
    });
  });
});
