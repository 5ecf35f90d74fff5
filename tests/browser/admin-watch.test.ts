import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import {
  addFilter,
  demandQuiet,
  enter,
  enterByForm,
  fillSignIn,
  go,
  load,
  seed,
  settled,
  site,
} from './admin-site.ts';

const exported = async (page: Page): Promise<string[]> => {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: '导出 CSV' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString().split('\r\n').slice(1, -1);
};

const rows = (page: Page) => page.locator('tbody tr');

describeDatabase('sqlite', 'administration pages: what is watched', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let users: readonly TestUser[];

    beforeAll(async () => {
      root = await service.admin();
      users = await seed(service);
    }, 120_000);

    it('keys are filtered by state and owner, which is in the address, and exported as filtered', async () => {
      const { page } = await enter(open, service, root, '/api_keys');
      await addFilter(page, '状态', '已过期');
      await addFilter(page, '所有者', 'maria');
      await expect.poll(() => rows(page).count()).toBe(1);
      expect(await rows(page).textContent()).toMatch(/maria_silva全部权限已过期/);
      expect(await exported(page)).toEqual([expect.stringContaining('maria_silva')]);
      const { page: other } = await enter(open, service, root, new URL(page.url()).pathname.slice(6));
      await other.goto(page.url());
      await settled(other);
      await expect.poll(() => rows(other).count()).toBe(1);
    });

    it('applications are listed with their times, and no secret is anywhere', async () => {
      const watched = await enter(open, service, root, '/applications');
      const { page } = watched;
      expect(await page.locator('tbody code').allTextContents()).toEqual(['shop', 'warehouse']);
      expect(await rows(page).nth(1).textContent()).toContain('从未使用');
      for (const secret of service.secrets.values()) expect(await page.content()).not.toContain(secret);
      expect((await exported(page)).join()).not.toContain([...service.secrets.values()][0]);
      demandQuiet(watched, service);
    });

    it('payments are listed, filtered, and shown as they came', async () => {
      const { page } = await enter(open, service, root, '/payments');
      await expect.poll(() => rows(page).count()).toBe(6);
      await page.getByRole('button', { name: '查看 支付 6 的原文' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.textContent()).toContain('"channel": "wechat"');
      await page.keyboard.press('Escape');
      await addFilter(page, '应用编号', 'warehouse', '等于');
      await page.getByText('没有匹配的结果').waitFor();
    });

    it('the audit log is filtered by person and by time', async () => {
      const [someone] = users;
      if (someone === undefined) throw new Error('nobody was made');
      await service.ok('POST', '/admin/roles', { token: someone, body: { role: { name: 'by_li_wei' } } });
      const { page } = await enter(open, service, root, '/audit');
      await addFilter(page, '操作人', someone.username, '等于');
      await expect.poll(() => rows(page).count()).toBe(1);
      expect(await rows(page).textContent()).toMatch(/li_wei创建角色角色 by_li_wei/);
      expect(await exported(page)).toEqual([expect.stringContaining('by_li_wei')]);
      await addFilter(page, '时间', '2020-01-01T00:00', '小于等于');
      await page.getByText('没有匹配的结果').waitFor();
    });

    it('the permission page says what was changed, and by whom', async () => {
      const [someone] = users;
      await service.ok('PUT', '/admin/permissions/viewer/Author/create', { token: someone });
      const { page } = await enter(open, service, root, '/permissions');
      const change = page.getByRole('listitem').filter({ hasText: 'viewer 现在可以创建作者' });
      expect(await change.textContent()).toMatch(/viewer 现在可以创建作者.*li_wei/);
    });

    it.each(['zh-CN', 'en'] as const)(
      'the audit log is seen whole at 1280 px, whatever names and addresses it has: %s',
      async (language) => {
        const [name, address] = [
          'maria.fernanda.de_oliveira-pereira',
          '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
        ];
        await service.server.services.database.execute({
          sql: `insert into audit (created_at, actor_kind, actor_id, actor_name, action, target_kind, target_id,
              target_name, detail, address)
            values ('2026-01-01T00:00:00.000Z', 'user', '1', '${name}', 'second_factor.recovery_codes', 'user', '1',
              '${name}', '{"fields":["username","email","password"]}', '${address}')`,
          parameters: [],
        });
        const path = '/audit?sort=created_at&order=ASC';
        const { page } = await enter(open, service, root, path, { language, width: 1280 });
        const cell = page.locator('td').filter({ hasText: address }).first();
        await cell.waitFor();
        const hidden = await page.evaluate<number>(`(() => {
          const table = document.querySelector('.MuiTableContainer-root');
          return table.scrollWidth - table.clientWidth;
        })()`);
        expect(hidden).toBeLessThanOrEqual(1);
      },
    );

    it('an access by key is explained, allowed, with a link to the user where it is decided', async () => {
      const { page } = await enter(open, service, root, '/explain');
      await page.getByLabel('调用者').click();
      await page.getByRole('option', { name: 'API 密钥' }).click();
      await page.getByLabel('API 密钥', { exact: true }).fill('zhang');
      await page.getByRole('option').first().click();
      await page.getByLabel('路径').fill('/api/v1/orders');
      await page.getByRole('button', { name: '解释' }).click();
      await page.getByText('允许（200）').waitFor();
      await page.getByLabel('方法').click();
      await page.getByRole('option', { name: 'DELETE' }).click();
      await page.getByLabel('路径').fill('/api/v1/orders/1');
      await page.getByRole('button', { name: '解释' }).click();
      await page.getByText('拒绝（403）').waitFor();
    });

    it('failed sign-ins are counted on the start page', async () => {
      for (let attempt = 0; attempt < 3; attempt += 1)
        await service.post('/admin/session', { body: { account: 'nobody', password: 'wrong' } });
      const { page } = await enter(open, service, root, '/');
      await page.getByText('24 小时内登录失败').first().click();
      const matter = page.getByRole('listitem').filter({ hasText: '查看登录失败记录' });
      expect(
        Number.parseInt((await matter.locator('p').first().textContent()) ?? '', 10),
      ).toBeGreaterThanOrEqual(3);
      // The figures of a plot are in its legend too. One of the plots is folded.
      await page.getByText('按认证方式').first().click();
      await page.getByText(/令牌（JWT） [\d,]+/).waitFor();
      await page.getByText(/4xx [\d,]+/).waitFor();
    });

    it('ends all sessions of one’s own, on every device, and those of no other user', async () => {
      const [person] = [await service.createUser(['admin'])];
      const { page } = await enter(open, service, person, '/sessions');
      const { page: elsewhere } = await enter(open, service, person, '/roles');
      const { page: neighbour } = await enter(open, service, root, '/roles');
      await page.reload();
      await settled(page);
      expect(await rows(page).count()).toBe(2);
      expect(await rows(page).first().textContent()).toMatch(/Chrome \d+ · Linux 127\.0\.0\.1/);
      await page.getByRole('button', { name: '结束全部会话' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '结束全部会话' }).click();
      await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
      await elsewhere.getByRole('link', { name: '用户', exact: true }).click();
      await elsewhere.getByRole('dialog').getByText('会话已结束').waitFor();
      await neighbour.getByRole('link', { name: '用户', exact: true }).click();
      await neighbour.getByRole('heading', { name: '用户', exact: true }).waitFor();
    });

    it('a link to a record survives the sign-in; a foreign one in its place does not', async () => {
      const { page } = await enterByForm(open, service, root, '/records/books/3/show?from=mail');
      await page.getByRole('heading', { name: '长安的荔枝', exact: true }).waitFor();
      expect(page.url()).toBe(`${service.origin}/admin/records/books/3/show?from=mail`);
      const watched = await open();
      await watched.page.goto(`${service.origin}/admin//evil.example/x`);
      await fillSignIn(watched.page, root);
      await watched.page.getByRole('banner').waitFor();
      expect(new URL(watched.page.url()).origin).toBe(service.origin);
      demandQuiet(watched, service);
    });

    it('times are those of the person who looks, and go back as what they are', async () => {
      await service.ok('PATCH', '/admin/records/books/11', {
        token: root,
        body: { book: { embargo_until: '2030-01-02T20:04:05.000Z' } },
      });
      const look = { timezoneId: 'Asia/Shanghai' };
      const { page } = await enter(open, service, root, '/records/books/11/show', look);
      await page.getByText('2030年1月3日 04:04:05').waitFor();
      await go(page, service, '/records/books/11');
      expect(await page.getByLabel('解禁时间').inputValue()).toBe('2030-01-03T04:04:05');
      await page.getByText('时区：Asia/Shanghai').waitFor();
      await page.getByLabel('解禁时间').fill('2030-01-03T00:00:00');
      await page.getByRole('button', { name: '保存' }).click();
      await page.getByText('2030年1月3日 00:00:00').waitFor();
      const { embargo_until: at } = await service.ok('GET', '/admin/records/books/11', { token: root });
      expect(at).toBe('2030-01-02T16:00:00.000Z');
    });

    it('an address that is none of a record or a resource says so', async () => {
      const { page } = await enter(open, service, root, '/users/999999/show');
      for (const path of [
        ...['/users/999999/show', '/users/999999', '/users/x/show'],
        ...['/records/books/999999/show', '/records/books/999999', '/records/books/x'],
      ]) {
        await load(page, service, path);
        await page.getByRole('heading', { name: '记录不存在' }).waitFor();
        expect(await page.getByRole('link', { name: '返回列表' }).count()).toBe(1);
      }
      await load(page, service, '/records/nothing');
      await page.getByRole('heading', { name: '页面不存在' }).waitFor();
      expect(await page.getByRole('link', { name: '回到概览' }).count()).toBe(1);
    });
  });
});
