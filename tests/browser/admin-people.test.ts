import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import {
  accessibility,
  addFilter,
  chooseMore,
  demandQuiet,
  enter,
  fillSignIn,
  go,
  load,
  seed,
  settled,
  site,
  visit,
} from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: people and access', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let users: readonly TestUser[];

    beforeAll(async () => {
      root = await service.admin();
      users = await seed(service);
    }, 120_000);

    it('a user is made, changed, given a password, disabled and deleted', async () => {
      const watched = await enter(open, service, root, '/users/create');
      const { page } = watched;
      await page.getByLabel('用户名').fill('root');
      await page.getByLabel('邮箱').fill('new.person@example.com');
      await page.getByRole('radio', { name: '由管理员设置' }).check();
      await page.getByLabel('密码').fill('12345678');
      await page.getByRole('button', { name: '保存' }).click();
      await page.getByText('用户名已被使用').waitFor();
      await page.getByText('密码过于常见').waitFor();
      await page.getByLabel('用户名').fill('new_person');
      await page.getByLabel('密码').fill('grille-tulip-92 x');
      await page.getByRole('checkbox', { name: 'editor' }).check();
      await page.getByRole('button', { name: '保存' }).click();
      await page.getByRole('heading', { name: 'new_person' }).waitFor();
      const login = await service.login('new_person', 'grille-tulip-92 x');
      expect(login.status).toBe(200);
      const { token } = login.data;

      await page.getByRole('button', { name: '设置新密码' }).click();
      await page.getByRole('button', { name: '生成强密码' }).click();
      const made = await page.getByRole('dialog').getByLabel('新密码').inputValue();
      expect(made).toMatch(/^[a-zA-Z2-9]{20}$/);
      await page.getByRole('dialog').getByRole('button', { name: '设置新密码' }).click();
      await page.getByText('密码已重置').waitFor();
      expect((await service.login('new_person', made)).status).toBe(200);

      await page.getByRole('link', { name: '编辑' }).click();
      await page.getByRole('switch', { name: '停用' }).check();
      await page.getByRole('button', { name: '保存' }).click();
      await page.getByText('已停用').waitFor();
      expect((await service.get('/api/v1/auth/me', { token })).status).toBe(401);

      await chooseMore(page, '删除');
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await page.getByRole('heading', { name: '用户', exact: true }).waitFor();
      await expect.poll(() => page.getByText('new_person').count()).toBe(0);
      demandQuiet(watched, service);
    });

    it('one’s own password is changed with the current one, and one stays signed in', async () => {
      const person = await service.createUser(['admin']);
      const watched = await enter(open, service, person, `/users/${person.id}/show`);
      const { page } = watched;
      const elsewhere = await service.signIn(person);
      // A user cannot reset their own.
      expect(await page.getByRole('button', { name: '设置新密码' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: '结束会话' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: '重置链接' }).count()).toBe(0);
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitem', { name: '修改密码' }).click();
      await page.getByRole('heading', { name: '修改密码' }).waitFor();
      const submit = page.getByRole('main').getByRole('button', { name: '修改密码' });
      expect(await submit.isDisabled()).toBe(true);
      await page.getByLabel('当前密码').fill('not this one');
      await page.getByLabel('新密码').fill('lamp under the stair');
      await submit.click();
      await page.getByText('当前密码错误').waitFor();
      await page.getByLabel('当前密码').fill(person.password);
      await page.getByLabel('新密码').fill('Gatewright-26');
      await submit.click();
      await page.getByText('密码不能以服务名或账号名称为主').waitFor();
      await page.getByLabel('新密码').fill('lamp under the stair');
      expect(await page.getByLabel('新密码').getAttribute('type')).toBe('password');
      await page.getByRole('checkbox', { name: '显示密码' }).check();
      expect(await page.getByLabel('新密码').getAttribute('type')).toBe('text');
      await submit.click();
      await page.getByText('密码已修改').waitFor();
      await page.getByRole('heading', { name: '概览' }).waitFor();
      await go(page, service, '/users');
      await page.getByRole('heading', { name: '用户', exact: true }).waitFor();
      expect((await service.get('/admin/session', { cookie: elsewhere })).status).toBe(401);
      expect((await service.login(person.username, 'lamp under the stair')).status).toBe(200);
      demandQuiet(watched, service);
    });

    it('a user who must change the password sees nothing else, changes it and goes on', async () => {
      const person = await service.createUser(['admin']);
      const { page: adminPage } = await enter(open, service, root, `/users/${person.id}/show`);
      await adminPage.getByRole('button', { name: '设置新密码' }).click();
      const dialog = adminPage.getByRole('dialog');
      await dialog.getByLabel('新密码').fill('a password for now');
      expect(await dialog.getByRole('checkbox', { name: '登录后须先改密' }).isChecked()).toBe(false);
      await dialog.getByRole('checkbox', { name: '登录后须先改密' }).check();
      await dialog.getByRole('button', { name: '设置新密码' }).click();
      await adminPage.getByText('密码已重置').waitFor();
      await adminPage.getByRole('definition').getByText('须改密').waitFor();

      const watched = await visit(open, service, '/users');
      const { page } = watched;
      await fillSignIn(page, { ...person, password: 'a password for now' });
      await page.getByRole('heading', { name: '请先修改密码' }).waitFor();
      expect([await page.getByRole('banner').count(), await page.getByRole('navigation').count()]).toEqual([
        0, 0,
      ]);
      await page.reload();
      await page.getByRole('heading', { name: '请先修改密码' }).waitFor();
      await page.getByLabel('当前密码').fill('a password for now');
      await page.getByLabel('新密码').fill('a password for now');
      await page.getByRole('button', { name: '修改密码' }).click();
      await page.getByText('密码不能与当前密码相同').waitFor();
      await page.getByLabel('新密码').fill('lamp under the stair');
      await page.getByRole('button', { name: '修改密码' }).click();
      // The page goes on to where the link pointed.
      await page.getByRole('heading', { name: '用户', exact: true }).waitFor();
      await settled(page);
      demandQuiet(watched, service);

      // Asked for while somebody works: the next thing they do shows it.
      await adminPage.getByRole('link', { name: '编辑' }).click();
      await adminPage.getByRole('switch', { name: '登录后须先改密' }).check();
      await adminPage.getByRole('button', { name: '保存' }).click();
      await adminPage.getByRole('definition').getByText('须改密').waitFor();
      await page.getByRole('link', { name: 'API 密钥' }).click();
      await page.getByRole('heading', { name: '请先修改密码' }).waitFor();
      await page.getByRole('button', { name: '退出登录' }).click();
      await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
      // The page does not hold it against the next person.
      await fillSignIn(page, root);
      await page.getByRole('banner').waitFor();
    });

    it('an administrator ends the sessions of somebody else', async () => {
      const person = await service.createUser(['admin']);
      const cookie = await service.signIn(person);
      const { page } = await enter(open, service, root, `/users/${person.id}/show`);
      await page.getByRole('button', { name: '结束会话' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '结束会话' }).click();
      await page.getByText('会话已结束').waitFor();
      expect((await service.get('/admin/session', { cookie })).status).toBe(401);
      await go(page, service, '/audit');
      await page.getByText('结束全部会话').first().waitFor();
    });

    it('a list that was read a moment ago shows what was made and deleted since', async () => {
      const { page } = await enter(open, service, root, '/users');
      // No time passes for the page: what it has read is never too old by itself.
      await page.clock.setFixedTime(new Date());
      await go(page, service, '/api_keys');
      await page.getByRole('link', { name: '新建密钥' }).click();
      await page.getByRole('combobox', { name: '所有者' }).fill('sun_li');
      await page.getByRole('option', { name: /sun_li/ }).click();
      await page.getByRole('textbox', { name: '名称' }).fill('made just now');
      await page.getByRole('button', { name: '新建密钥' }).click();
      await page.getByRole('checkbox', { name: '我已妥善保存该密钥' }).check();
      await page.getByRole('button', { name: '完成' }).click();
      await page.locator('tbody').getByText('made just now').waitFor();

      await page.getByRole('link', { name: '图书' }).click();
      await page.locator('tbody a[href$="/books/64/show"]').click();
      await chooseMore(page, '删除');
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await page.locator('tbody a[href$="/books/63/show"]').waitFor();
      // The former records may be seen until the new answer is there, and no longer.
      await page.locator('tbody a[href$="/books/64/show"]').waitFor({ state: 'detached' });
    });

    it('an admin is offered nothing on a super_admin', async () => {
      const admin = await service.createUser(['admin']);
      const { page } = await enter(open, service, admin, `/users/${root.id}/show`);
      expect(await page.getByRole('button', { name: '删除' }).count()).toBe(0);
      expect(await page.getByRole('link', { name: '编辑' }).count()).toBe(0);
      await go(page, service, '/users/create');
      expect(await page.getByRole('checkbox', { name: 'super_admin' }).isDisabled()).toBe(true);
    });

    it('a role has a page: holders, grants that are ticked there, row rules, history, what deleting takes', async () => {
      const { page } = await enter(open, service, root, '/roles');
      await page.getByRole('link', { name: 'editor', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'editor' }).waitFor();
      const holders = page.getByRole('table', { name: '持有人' });
      await holders.getByRole('link', { name: 'zhang_min' }).waitFor();
      expect(await holders.getByRole('link', { name: 'wang_fang' }).count()).toBe(0);
      // The page shows whose rows a grant reaches.
      const grants = page.getByRole('region', { name: '各资源的权限' });
      const project = grants
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: '项目', exact: true }) });
      await expect.poll(() => project.textContent()).toMatch(/读取：.*团队成员.*创建、修改、删除：/);
      const box = page.getByRole('checkbox', { name: 'editor: Order 删除' });
      await box.check();
      const history = page.getByRole('region', { name: '变更记录' });
      await history.getByText('editor 现在可以删除订单').waitFor();
      await box.uncheck();
      await history.getByText('editor 不能再删除订单').waitFor();
      for (const [method, path, body] of [
        ['POST', '/admin/roles', { role: { name: 'packer' } }],
        ['PUT', '/admin/permissions/packer/Order/update', undefined],
      ] as const)
        await service.ok(method, path, { token: root, body });
      await load(page, service, '/roles/packer');
      await page.getByRole('button', { name: '删除', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('该角色的 1 项权限将一并收回：').waitFor();
      await dialog.getByText('订单：修改').waitFor();
      await dialog.getByRole('button', { name: '删除' }).click();
      await page.getByRole('heading', { level: 1, name: '角色' }).waitFor();
      expect((await service.get('/admin/roles/packer', { token: root })).status).toBe(404);
    });

    it('explains a refusal, and leads to where it is changed', async () => {
      const { page } = await enter(open, service, root, '/explain');
      await page.getByLabel('用户', { exact: true }).fill('wang');
      await page.getByRole('option', { name: 'wang_fang（王芳）' }).click();
      await page.getByLabel('方法').click();
      await page.getByRole('option', { name: 'POST' }).click();
      await page.getByLabel('路径').fill('/api/v1/books');
      await page.getByRole('button', { name: '解释' }).click();
      await page.getByText('拒绝（403）').waitFor();
      const decisive = page.getByRole('listitem').filter({ hasText: '起决定作用' });
      expect(await decisive.textContent()).toContain('权限检查');
      // The answer has an address of its own.
      await page.reload();
      await page.getByText('拒绝（403）').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: '起决定作用' })
        .getByRole('link', { name: '前往修改' })
        .click();
      await page.getByRole('heading', { name: '权限管理' }).waitFor();
    });

    it('a refusal of the last day leads to its explanation, is granted in place, and taken back', async () => {
      const person = users[2];
      if (person === undefined) throw new Error('nobody was seeded');
      const body = { book: { title: '试' } };
      const refused = async () => (await service.post('/api/v1/books', { token: person, body })).status;
      expect(await refused()).toBe(403);
      const { page } = await enter(open, service, root, '/explain?tab=refusals');
      await page.getByRole('link', { name: '解释 POST /api/v1/books' }).first().click();
      await page.getByText('拒绝（403）').waitFor();
      await page.getByText('viewer：未授予').waitFor();
      expect(await page.getByRole('textbox', { name: '路径' }).inputValue()).toBe('/api/v1/books');
      await page.getByRole('button', { name: '授予 viewer' }).click();
      await page.getByText('当时被拒绝（40300），现在会被允许。').waitFor();
      await page.getByText('viewer：已授予').waitFor();
      expect(await refused()).toBe(201);
      await page.getByRole('button', { name: '撤销' }).click();
      await page.getByText('viewer：未授予').waitFor();
      expect(await refused()).toBe(403);

      // Another role gets it, and the verdict on this caller stays.
      await page.getByRole('button', { name: '授予其他角色' }).click();
      const saved = page.waitForResponse((response) => response.url().includes('/admin/explain'));
      await page.getByRole('menuitem', { name: /授予 auditor/ }).click();
      await saved;
      await page.getByText('拒绝（403）').waitFor();
      const auditor = await service.createUser(['auditor']);
      expect((await service.post('/api/v1/books', { token: auditor, body })).status).toBe(201);
    });

    it('a refusal of credentials that are over says what to do', async () => {
      const owner = await service.createUser(['viewer']);
      const { key } = await service.createKey(owner, new Date(Date.now() - 60_000).toISOString());
      expect((await service.get('/api/v1/books', { key })).status).toBe(401);
      const { page } = await enter(open, service, root, '/explain?tab=refusals');
      await page
        .getByRole('row')
        .filter({ hasText: `${owner.username} 的密钥` })
        .getByRole('link', { name: '解释 GET /api/v1/books' })
        .click();
      await page.getByText('当时凭据无效（40102）。').waitFor();
      await page
        .getByText(/^密钥 \d+ 已过期$/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: '查看密钥' }).click();
      await page.getByText('已过期').first().waitFor();
    });

    it('a revoked key that somebody sends still is named, with who ended it, and the explanation says what to do', async () => {
      const owner = await service.createUser(['viewer']);
      const { id, name, key } = await service.createKey(owner);
      await service.ok('DELETE', `/admin/api_keys/${id}`, { token: root });
      expect((await service.get('/api/v1/books', { key })).status).toBe(401);
      const { page } = await enter(open, service, root, '/explain?tab=refusals');
      const row = page.getByRole('row').filter({ hasText: `${owner.username} 的密钥“${name}”（已吊销）` });
      await row.getByText(/^由 root 吊销于 /).waitFor();
      await row.getByRole('link', { name: '解释 GET /api/v1/books' }).click();
      await page.getByText('密钥已吊销，但仍有人在使用。').waitFor();
      await page
        .getByText(new RegExp(`^${owner.username} 的密钥 ${name} 已于 .* 由 root 吊销$`))
        .first()
        .waitFor();
      expect(await page.getByRole('link', { name: '查看密钥' }).count()).toBe(0);
      expect(await accessibility(page)).toEqual([]);
    });

    it('the start page counts what needs attention and leads to it', async () => {
      const { page } = await enter(open, service, root, '/');
      const keys = await service.ok<{ expires_at: string | null }[]>('GET', '/admin/api_keys', {
        token: root,
      });
      const soon = keys.filter(({ expires_at: at }) => {
        const days = at === null ? Number.NaN : (Date.parse(at) - Date.now()) / 86_400_000;
        return days > 0 && days <= 30;
      });
      const matters = page.getByRole('list', { name: '即将发生' });
      await matters
        .getByRole('button', { name: /^更多操作: / })
        .first()
        .click();
      await page.getByRole('menuitem', { name: `查看即将到期的密钥 (${soon.length})` }).click();
      await settled(page);
      await expect.poll(() => page.locator('tbody tr').count()).toBe(soon.length);
      await go(page, service, '/');
      await page.getByRole('button', { name: '30 天' }).click();
      await page.getByText('按认证方式').first().click();
      await page.getByRole('img', { name: '按认证方式' }).waitFor();
    });

    it('the audit log is filtered by person and action, and exported as it is filtered', async () => {
      const { page } = await enter(open, service, root, '/audit');
      await addFilter(page, '操作', '创建角色');
      const made = await service.ok<readonly unknown[]>(
        'GET',
        '/admin/audit?filter[action]=role.create&per_page=100',
        {
          token: root,
        },
      );
      expect(made.length).toBeGreaterThan(1);
      await expect.poll(() => page.locator('tbody tr').count()).toBe(made.length);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: '导出 CSV' }).click();
      const stream = await (await download).createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const lines = Buffer.concat(chunks).toString().split('\r\n').slice(0, -1);
      expect(lines).toHaveLength(made.length + 1);
      expect(lines[0]).toMatch(/^\uFEFFid,created_at,actor_kind/);
      expect(lines.slice(1).every((line) => line.includes('role.create'))).toBe(true);
    });

    it('goes anywhere by keyboard alone', async () => {
      const { page } = await visit(open, service, '/');
      await page.locator('input[name=username]').waitFor();
      // The first input has the focus; Tab and Enter do the rest.
      await page.keyboard.type(root.username);
      await page.keyboard.press('Tab');
      await page.keyboard.type(root.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: '概览' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await page.keyboard.type('wang_fang');
      await page.getByRole('option', { name: /wang_fang/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'wang_fang' }).waitFor();
      // Beginning at the top, Tab reaches the skip link first, and it goes to the content.
      await load(page, service, '/api_keys');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('跳到正文');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('content');
      const reached = new Set<string>();
      for (let press = 0; press < 25; press += 1) {
        await page.keyboard.press('Tab');
        reached.add(
          await page.evaluate(
            `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`,
          ),
        );
      }
      for (const name of ['导出 CSV', '新建密钥', '搜索', '筛选', '选择本页全部', '有效期'])
        expect([...reached]).toContain(name);
    });

    it('a viewer opens nothing: neither by cookie nor by token', async () => {
      const [, viewer] = users;
      if (viewer === undefined) throw new Error('nobody was made');
      const { page } = await visit(open, service, '/users');
      await fillSignIn(page, viewer);
      await page.getByText('该账号无权进入管理后台').waitFor();
      const { page: inside } = await enter(open, service, root, '/');
      // A super_admin who loses the role loses the pages with the next request.
      const person = await service.createUser(['admin']);
      const { page: other } = await enter(open, service, person, '/roles');
      await service.ok('PATCH', `/admin/users/${person.id}`, {
        token: root,
        body: { user: { roles: ['viewer'] } },
      });
      await other.getByRole('link', { name: 'API 密钥' }).click();
      await other.getByText('无权限').first().waitFor();
      await settled(inside);
    });
  });
});
