import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, seed, settled, site } from './admin-site.ts';

const dialogOf = (page: Page) => page.getByRole('dialog', { name: '请重新登录' });

describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
  const open = useBrowser();

  describeDatabase('sqlite', 'administration pages: the session ends', (databases) => {
    const service = useService(databases, site);
    let root: TestUser;
    let person: TestUser;

    const signIn = async (page: Page, { username, password }: TestUser): Promise<void> => {
      await dialogOf(page).getByLabel('用户名或邮箱').fill(username);
      await dialogOf(page).getByLabel('密码').fill(password);
      await dialogOf(page).getByRole('button', { name: '登录' }).click();
    };
    // Tokens end with the sessions: each time takes one of its own.
    const end = async () =>
      service.ok('DELETE', '/admin/sessions', { token: await service.tokenOf(person.id) });
    const titleOf = async (id: number): Promise<string> =>
      (await service.ok<{ title: string }>('GET', `/admin/records/books/${id}`, { token: root })).title;

    beforeAll(async () => {
      await seed(service);
      root = await service.admin();
      person = await service.createUser(['super_admin'], { username: 'person' });
    }, 120_000);

    it('a form whose session ends is signed in again in place, and the refused request itself saves what was typed', async () => {
      const watched = await enter(open, service, person, '/records/books/3');
      const { page } = watched;
      await page.getByLabel('书名').fill('会话之外');
      await end();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await dialogOf(page).getByText('会话已结束').waitFor();
      expect(await dialogOf(page).getByLabel('用户名或邮箱').inputValue()).toBe('person');
      expect(await accessibility(page)).toEqual([]);
      // No way past it.
      await page.keyboard.press('Escape');
      await dialogOf(page).getByLabel('密码').fill('wrong');
      await dialogOf(page).getByRole('button', { name: '登录' }).click();
      await dialogOf(page).getByText('账号或密码错误').waitFor();
      await dialogOf(page).getByLabel('密码').fill(person.password);
      await dialogOf(page).getByRole('button', { name: '登录' }).click();
      await page.getByRole('heading', { name: '会话之外', exact: true }).waitFor();
      expect(await titleOf(3)).toBe('会话之外');
      demandQuiet(watched, service);
    });

    it('a page whose session ends shows one dialog for all that it asks for, and all of it arrives', async () => {
      const { page } = await enter(open, service, person, '/audit');
      await end();
      await page.getByRole('link', { name: '概览' }).click();
      await dialogOf(page).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(1);
      await signIn(page, person);
      await dialogOf(page).waitFor({ state: 'detached' });
      await settled(page);
      await page.getByRole('heading', { name: '概览' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    it('goes on by itself where they have signed in on another page of the browser', async () => {
      const { page } = await enter(open, service, person, '/audit');
      await end();
      await page.getByRole('link', { name: '角色' }).click();
      await dialogOf(page).waitFor();
      await page.context().clearCookies();
      const data = { account: person.username, password: person.password };
      await page.context().request.post(`${service.origin}/admin/session`, { data });
      await page.evaluate('dispatchEvent(new Event("focus"))');
      await page.getByRole('heading', { name: '角色' }).waitFor();
    });

    it('another user who signs in sees a notice, saves nothing, and is led out', async () => {
      const { page } = await enter(open, service, person, '/records/books/4');
      const before = await titleOf(4);
      await page.getByLabel('书名').fill('不是我写的');
      await end();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await dialogOf(page).waitFor();
      await signIn(page, root);
      await dialogOf(page).getByText(`现在登录的是 ${root.username}`).waitFor();
      expect(await titleOf(4)).toBe(before);
      await dialogOf(page)
        .getByRole('button', { name: `以 ${root.username} 的身份重新开始` })
        .click();
      await page.getByRole('heading', { name: '概览' }).waitFor();
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menu').waitFor();
      expect(await titleOf(4)).toBe(before);
    });

    it('a password that has to be changed first hides the page, and gives it back as it was', async () => {
      const late = await service.createUser(['super_admin'], { username: 'late' });
      const { page } = await enter(open, service, late, '/records/books/5');
      await page.getByLabel('书名').fill('密码之后');
      await service.ok('PATCH', `/admin/users/${late.id}`, {
        token: root,
        body: { user: { must_change_password: true } },
      });
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByLabel('当前密码').fill(late.password);
      await page.getByLabel('新密码').fill('a-new-Password-of-late-7');
      await page.getByRole('button', { name: '修改密码' }).click();
      await page.getByLabel('书名').waitFor();
      expect(await page.getByLabel('书名').inputValue()).toBe('密码之后');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: '密码之后', exact: true }).waitFor();
    });

    it('signing out asks before input is lost, and the session stays until then', async () => {
      const { page } = await enter(open, service, person, '/records/books/6');
      await page.getByLabel('书名').fill('还在');
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitem', { name: '退出登录' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '继续编辑' }).click();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: '还在', exact: true }).waitFor();
    });

    it('a change of language, which redraws the page, asks before', async () => {
      const { page } = await enter(open, service, person, '/records/books/7');
      await page.getByLabel('书名').fill('两种语言');
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitemradio', { name: 'English' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '继续编辑' }).click();
      expect(await page.getByLabel('书名').inputValue()).toBe('两种语言');
    });
  });
});
