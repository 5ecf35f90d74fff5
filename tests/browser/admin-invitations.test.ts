import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser, type Watched } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { demandQuiet, enter, fillSignIn, go, load, settled, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: invitations', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
    });

    const choose = async (page: Page, password: string): Promise<void> => {
      await page.getByLabel('新密码').fill(password);
      await page.getByRole('button', { name: '设置密码' }).click();
    };

    /** Opens a link in a browser that has never been here. */
    const follow = async (url: string): Promise<Watched> => {
      const watched = await open();
      await watched.page.goto(url);
      return watched;
    };

    /** The link of the dialog that shows it once. */
    const takeLink = async (page: Page): Promise<string> => {
      const dialog = page.getByRole('dialog');
      const url = (await dialog.getByRole('textbox', { name: '链接' }).textContent()) ?? '';
      expect(url).toMatch(new RegExp(`^${service.origin}/account/invitation#[\\w-]{43}$`));
      await dialog.getByRole('button', { name: '复制' }).click();
      await dialog.getByRole('button', { name: '已复制' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
      await page.keyboard.press('Escape');
      expect(await dialog.getByRole('button', { name: '关闭' }).isDisabled()).toBe(true);
      await dialog.getByRole('checkbox').check();
      await dialog.getByRole('button', { name: '关闭' }).click();
      return url;
    };

    it('an administrator is invited, sets a password by the link, and signs in with it', async () => {
      const inviting = await enter(open, service, root, '/users/create');
      const { page } = inviting;
      await page.getByLabel('用户名').fill('new_admin');
      await page.getByLabel('邮箱').fill('new.admin@example.com');
      expect(await page.getByRole('radio', { name: '通过链接邀请' }).isChecked()).toBe(true);
      expect(await page.locator('input[type=password]').count()).toBe(0);
      expect(await page.getByRole('switch', { name: '登录后须先改密' }).count()).toBe(0);
      await page.getByRole('checkbox', { name: 'admin', exact: true }).check();
      await page.getByRole('button', { name: '保存' }).click();
      const url = await takeLink(page);
      await page.getByRole('heading', { name: 'new_admin' }).waitFor();
      await page.getByText('待设置密码').waitFor();
      expect(await page.content()).not.toContain(url.slice(-43));

      const invited = await follow(url);
      const guest = invited.page;
      await guest.getByText('此链接用于为账号“new_admin”设置密码。').waitFor();
      await guest.getByText('new.admin@example.com').waitFor();
      // Out of the address bar, of the history and of what the router remembers.
      await expect.poll(() => guest.url()).toBe(`${service.origin}/account/invitation`);
      expect(await guest.evaluate('history.length')).toBe(2);
      expect(
        await guest.evaluate('JSON.stringify([history.state, { ...localStorage, ...sessionStorage }])'),
      ).not.toContain(url.slice(-43));
      expect(invited.requests.filter((each) => each.includes('/admin/session'))).toEqual([]);

      await choose(guest, '12345678');
      await guest.getByText('密码过于常见').waitFor();
      await choose(guest, 'new_admin1');
      await guest.getByText('密码不能以服务名或账号名称为主').waitFor();
      await choose(guest, 'lamp under the stair');
      await guest.getByText('账号“new_admin”现在可以用新密码登录。').waitFor();
      await guest.getByRole('link', { name: '前往登录' }).click();
      await fillSignIn(guest, { username: 'new_admin', password: 'lamp under the stair' });
      await guest.getByRole('heading', { name: '概览' }).waitFor();
      await settled(guest);
      demandQuiet(invited, service);

      // The used link gives a finder nothing.
      const { page: again } = await follow(url);
      await again.getByText('邀请链接已使用过').waitFor();
      expect(await again.locator('input').count()).toBe(0);
      await go(page, service, '/users');
      await page.getByRole('link', { name: 'new_admin' }).waitFor();
      await expect.poll(() => page.getByText('待设置密码').count()).toBe(0);
      demandQuiet(inviting, service);
    });

    it('a user whose link could not be made is there all the same, and gets one on their page', async () => {
      const { page } = await enter(open, service, root, '/users/create');
      await page.route(/\/admin\/users\/\d+\/invitation$/, (route) => route.abort(), { times: 1 });
      await page.getByLabel('用户名').fill('half_made');
      await page.getByLabel('邮箱').fill('half.made@example.com');
      await page.getByRole('button', { name: '保存' }).click();
      await page.getByText('用户已创建，但链接未能生成').waitFor();
      await page.getByRole('heading', { name: 'half_made' }).waitFor();
      await page.getByRole('button', { name: '邀请链接' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '生成链接' }).click();
      const url = await takeLink(page);
      await page.getByRole('definition').getByText('到期：').waitFor();
      const { page: guest } = await follow(url);
      await choose(guest, 'lamp under the stair');
      await guest.getByRole('heading', { name: '密码已设置' }).waitFor();
      expect((await service.login('half_made', 'lamp under the stair')).status).toBe(200);
    });

    it('a reset link works beside the session of somebody else, and leaves it alone', async () => {
      const person = await service.createUser(['viewer']);
      const watched = await enter(open, service, root, `/users/${person.id}/show`);
      const { page } = watched;
      await page.getByRole('button', { name: '重置链接' }).click();
      await page.getByRole('dialog').getByText('在使用链接之前，当前密码仍然有效').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: '生成链接' }).click();
      const url = await takeLink(page);
      expect((await service.login(person.username, person.password)).status).toBe(200);

      // The same browser: the session is root's.
      await page.goto(url);
      await page.getByText(`此链接用于为账号“${person.username}”设置密码。`).waitFor();
      await choose(page, 'lamp under the stair');
      await page.getByRole('heading', { name: '密码已设置' }).waitFor();
      expect((await service.login(person.username, person.password)).status).toBe(401);
      expect((await service.login(person.username, 'lamp under the stair')).status).toBe(200);
      await load(page, service, `/users/${person.id}/show`);
      await page.getByRole('banner').waitFor();
      demandQuiet(watched, service);
    });

    it('an admin makes none for a super_admin, and none is for oneself or for a disabled user', async () => {
      const admin = await service.createUser(['admin']);
      const disabled = await service.createUser(['viewer']);
      const body = { user: { disabled: true } };
      await service.ok('PATCH', `/admin/users/${disabled.id}`, { token: root, body });
      const { page } = await enter(open, service, admin, `/users/${disabled.id}/show`);
      await page.getByRole('button', { name: '设置新密码' }).waitFor();
      expect(await page.getByRole('button', { name: '重置链接' }).count()).toBe(0);
      for (const user of [root, admin]) {
        await go(page, service, `/users/${user.id}/show`);
        expect(await page.getByRole('button', { name: /链接/ }).count()).toBe(0);
      }
    });
  });
});
