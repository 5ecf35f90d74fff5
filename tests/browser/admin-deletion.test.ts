import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, chooseMore, demandQuiet, enter, seed, settled, site } from './admin-site.ts';

/** Leaves a picture, if they are asked for. */
const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
};

describeDatabase('sqlite', 'administration pages: what a deletion does', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let users: readonly TestUser[];

    beforeAll(async () => {
      root = await service.admin();
      users = await seed(service);
    }, 120_000);

    it('says whose references become empty, and leads to these', async () => {
      const watched = await enter(open, service, root, '/records/authors/2/show');
      const { page } = watched;
      await chooseMore(page, '删除');
      const dialog = page.getByRole('dialog', { name: '删除“Ursula K. Le Guin”？' });
      await dialog.getByRole('heading', { name: '引用将被清空' }).waitFor();
      await dialog.getByText('字段“作者”').waitFor();
      expect(await dialog.getByRole('button', { name: '删除' }).isEnabled()).toBe(true);
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
      await dialog.getByRole('link', { name: '图书（16）' }).click();
      await page.getByText('第 1–16 条，共 16 条').waitFor();
      await page.getByRole('button', { name: '作者 等于 Ursula K. Le Guin' }).waitFor();
      demandQuiet(watched, service);
    });

    it('says at once that a record stays, what keeps it, and of several which others go', async () => {
      const token = root;
      const { id } = await service.ok<{ id: number }>('POST', '/admin/records/teams', {
        token,
        body: { team: { name: 'Nobody' } },
      });
      const { page } = await enter(open, service, root, '/records/teams/1/show');
      await chooseMore(page, '删除');
      const kept = page.getByRole('dialog', { name: '删除“出版组”？' });
      await kept.getByRole('heading', { name: '阻止删除' }).waitFor();
      await kept.getByText('请先删除“阻止删除”的记录，或解除其引用。').waitFor();
      expect(await kept.getByRole('button', { name: '删除' }).isDisabled()).toBe(true);
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await kept.waitFor({ state: 'hidden' });

      await page.goto(`${service.origin}/admin/records/teams`);
      await settled(page);
      await page.getByRole('checkbox', { name: '选择本页全部' }).check();
      await page.getByRole('button', { name: '删除' }).click();
      const several = page.getByRole('dialog', { name: '删除 3 项？' });
      await several.getByText('所选 3 项中有 2 项无法删除。').waitFor();
      await several.getByRole('link', { name: '团队成员（3）' }).waitFor();
      await several.getByRole('button', { name: '删除其余 1 项' }).click();
      await page.getByText('第 1–2 条，共 2 条').waitFor();
      expect((await service.request('GET', `/admin/records/teams/${id}`, { token })).status).toBe(404);
    });

    it('forgets the former values of a record after it has said what goes and what stays', async () => {
      const { page } = await enter(open, service, root, '/records/books/1/show');
      await chooseMore(page, '清除历史值');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('作者、时间与审计记录保留。').waitFor();
      await dialog.getByText('此操作无法撤销。').waitFor();
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
      await picture(page, 'forget-zh-light');
      await dialog.getByRole('button', { name: '清除历史值' }).click();
      await page.getByText('历史值已清除').waitFor();
      await dialog.waitFor({ state: 'hidden' });
      expect((await service.get('/admin/records/books/1', { token: root })).status).toBe(200);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 360, height: 740 });
      await chooseMore(page, '清除历史值');
      await dialog.getByText('此操作无法撤销。').waitFor();
      await settled(page);
      await picture(page, 'forget-zh-dark-narrow');
      const overflow = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBe(false);
    });

    it('tells of a user, a role and a webhook what goes with them', async () => {
      const user = users.at(1);
      const { page } = await enter(open, service, root, `/users/${user?.id}/show`);
      await chooseMore(page, '删除');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('link', { name: '团队成员（2）' }).waitFor();
      await dialog.getByRole('link', { name: /^密钥（\d+）$/ }).click();
      await page.getByRole('heading', { name: 'API 密钥' }).waitFor();
      // A role that users hold has no such button. This one is granted after the page was drawn.
      const token = root;
      await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'reviewer' } } });
      await page.goto(`${service.origin}/admin/roles`);
      await settled(page);
      const remove = (role: RegExp) =>
        page.getByRole('row', { name: role }).getByRole('button', { name: '删除' });
      expect(await remove(/editor/).count()).toBe(0);
      const roles = ['editor', 'reviewer'];
      await service.ok('PATCH', `/admin/users/${user?.id}`, { token, body: { user: { roles } } });
      await remove(/reviewer/).click();
      await dialog.getByText('请先从持有此角色的用户处收回。').waitFor();
      await dialog.getByText(/^用户（\d+）$/).waitFor();
      expect(await dialog.getByRole('button', { name: '删除' }).isDisabled()).toBe(true);
      await page.goto(`${service.origin}/admin/webhooks/2/show`);
      await settled(page);
      await chooseMore(page, '删除');
      await dialog.getByText(/^发送记录（\d+）$/).waitFor();
    });
  });
});
