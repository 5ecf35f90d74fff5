import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, go, load, seed, settled, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: row rules', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let editor: TestUser;
    let reader: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      const [, second, third] = await seed(service);
      if (second === undefined || third === undefined) throw new Error('nobody was made');
      [editor, reader] = [second, third];
    }, 120_000);

    const question = (user: TestUser, method: string, path: string): string =>
      `/explain?${new URLSearchParams({ user_id: String(user.id), method, path: `/api/v1/${path}` })}`;

    it('a refusal is explained condition by condition, up to the list where it is changed', async () => {
      const watched = await enter(open, service, root, question(reader, 'PATCH', 'tasks/1'));
      const { page } = watched;
      await page.getByText('拒绝（403）').waitFor();
      const [read, write] = await page.getByRole('list', { name: '条件' }).all();
      if (read === undefined || write === undefined) throw new Error('there are no conditions');
      expect(await read.textContent()).toBe(
        [
          ...['以下任一条件', '成立'],
          ...['“负责人”是调用者', '不成立', '任务 #1'],
          ...['“项目”所指的“项目”满足', '成立', '项目 #1'],
          ...['以下任一条件', '成立'],
          ...['调用者有一条“团队成员”，其“团队”与此处的“团队”相同', '成立', '团队成员 #3'],
          ...['“可见范围”为“公开”', '不成立', '项目 #1'],
        ].join(''),
      );
      const decisive = write.getByRole('listitem').filter({ hasText: '起决定作用' }).last();
      expect(await decisive.textContent()).toContain('（角色：编辑）不成立起决定作用');
      expect(await page.getByText('起决定作用', { exact: true }).count()).toBe(1);
      await decisive.getByRole('link', { name: '调用者的团队成员' }).click();
      await page.getByRole('heading', { name: '团队成员' }).waitFor();
      await settled(page);
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      await page.goBack();
      await page.getByRole('link', { name: '团队成员 #3' }).click();
      await page.getByRole('heading', { name: '#3', exact: true }).waitFor();
      demandQuiet(watched, service);
    });

    it('shows the list of a colleague as their own: table, search, order, and what they do not see', async () => {
      const { width, ...look } = { width: 1280, language: 'en' } as const;
      const watched = await enter(open, service, root, `/users/${reader.id}/view/teams`, { width, ...look });
      const { page, requests } = watched;
      await page.getByText(`You are viewing as ${reader.username}`).waitFor();
      const missing = page.getByRole('status').filter({ hasText: '1 record is hidden' });
      expect(await missing.textContent()).toMatch(
        new RegExp(`^${reader.username} sees 1.*hidden: .*Explain$`),
      );
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      const rail = await page.locator('[data-rail]').boundingBox();
      expect([rail?.x, rail?.width, rail?.height]).toEqual([0, 3, page.viewportSize()?.height]);
      await missing.getByRole('link', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Explain access' }).waitFor();
      expect(new URL(page.url()).searchParams.get('path')).toBe('/api/v1/teams');

      await load(page, service, `/users/${reader.id}/view/projects`);
      const names = () => page.locator('tbody td[data-cell~=names]').allTextContents();
      await expect.poll(names).toEqual(['Website', '秋季书目']);
      await page.getByRole('button', { name: 'Name', exact: true }).click();
      await expect.poll(names).toEqual(['Website', '秋季书目']);
      await page.getByRole('button', { name: 'Name', exact: true }).click();
      await expect.poll(names).toEqual(['秋季书目', 'Website']);
      expect(await accessibility(page)).toEqual([]);
      // The team is a number: its name would be read with the rights of the administrator.
      const own = requests.filter((url) => /admin\/records\//.test(url));
      expect(own.filter((url) => !url.includes('per_page=1'))).toEqual([]);
      await page.getByRole('link', { name: 'Website' }).click();
      await page.getByRole('heading', { name: 'Website', level: 2 }).waitFor();
      expect(await page.getByText('#2', { exact: true }).count()).toBe(1);
      expect(requests.filter((url) => /admin\/records\/teams\?(?!.*per_page=1)/.test(url))).toEqual([]);
      demandQuiet(watched, service);
    });

    it('a record that a colleague does not reach is missing for an administrator who looks as them', async () => {
      const { page } = await enter(open, service, root, `/users/${reader.id}/view/teams/2`, {
        language: 'en',
      });
      await page.getByText(`You are viewing as ${reader.username}`).waitFor();
      await page
        .getByRole('alert')
        .filter({ has: page.getByRole('link', { name: 'Explain' }) })
        .waitFor();
      expect(await page.getByText('Digital').count()).toBe(0);
    });

    it('what only a record decides is shown open, in the language of the page', async () => {
      const list = question(reader, 'GET', 'projects');
      const { page } = await enter(open, service, root, list, { language: 'en' });
      await page.getByText('Every record in the list must meet these conditions:').waitFor();
      const conditions = page.getByRole('list', { name: 'Conditions' });
      await conditions.getByText('Visibility is Public').waitFor();
      expect(await conditions.textContent()).not.toMatch(/holds|does not|decides/);
      await go(page, service, question(reader, 'POST', 'projects'));
      await page.getByText('The result depends on the request body:').waitFor();
    });

    it('a person’s page says what their memberships open, and leads there', async () => {
      const watched = await enter(open, service, root, `/users/${editor.id}/show`, { language: 'en' });
      const { page } = watched;
      const section = page.getByRole('region', { name: 'Access through memberships' });
      await section.getByText('Editor').waitFor();
      const lines = (await section.getByRole('listitem').allInnerTexts()).map((line) =>
        line.replaceAll(/\s+/g, ' '),
      );
      expect(lines).toEqual([
        '#1 Team 出版组 Role Editor gives access to Teams (read and write) Projects (read and write) Tasks (read and write)',
        '#2 Team Digital Role Viewer gives access to Teams (read and write) Projects (read) Tasks (read)',
      ]);
      await section.getByRole('listitem').first().getByRole('link', { name: 'Projects' }).click();
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
      await expect
        .poll(() => page.locator('tbody tr').allInnerTexts())
        .toEqual([expect.stringContaining('秋季书目')]);
      demandQuiet(watched, service);
    });

    it('somebody without memberships is given one from their page', async () => {
      const person = await service.createUser();
      const watched = await enter(open, service, root, `/users/${person.id}/show`);
      const { page } = watched;
      await page.getByText('还没有“团队成员”。添加一条，即可向该用户开放团队、项目、任务。').waitFor();
      await page.getByRole('link', { name: '添加团队成员' }).click();
      await page.getByRole('heading', { name: '新建团队成员' }).waitFor();
      await expect
        .poll(() => page.getByLabel('用户', { exact: true }).inputValue())
        .toContain(person.username);
      await page.getByLabel(/^团队/).fill('出版');
      await page.getByRole('option', { name: '出版组' }).click();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: /^#\d+$/ }).waitFor();
      const projects = await service.ok<unknown[]>('GET', '/api/v1/projects', { token: person });
      expect(projects).toHaveLength(2);
      await go(page, service, `/users/${person.id}/show`);
      const section = page.getByRole('region', { name: '凭成员身份可访问的内容' });
      await section.getByRole('link', { name: '出版组' }).waitFor();
      expect(await section.textContent()).toContain('项目（读）');
      demandQuiet(watched, service);
    });

    it('an administrator’s page says that memberships add nothing', async () => {
      const { page } = await enter(open, service, root, `/users/${root.id}/show`);
      await page.getByText('管理员可访问所有记录，与成员身份无关。').waitFor();
    });
  });
});
