import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, enter, go, load, seed, site } from './admin-site.ts';

describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
  const open = useBrowser();

  describeDatabase('sqlite', 'administration pages: what cannot be had or done', (databases) => {
    const service = useService(databases, site);
    let root: TestUser;
    let admin: TestUser;

    beforeAll(async () => {
      await seed(service);
      root = await service.admin();
      admin = await service.createUser(['admin'], { username: 'plain_admin' });
    }, 120_000);

    it.each(['/records/books', '/records/books/3/show', '/records/books/3', '/users/3/show', '/audit'])(
      'a failure at %s offers another try in place, whatever failed',
      async (path) => {
        const { page } = await enter(open, service, root, '/permissions');
        const api = /\/admin\/(records|users|audit)(\/|\?|$)/;
        const isData = (url: URL, type: string): boolean =>
          type === 'fetch' && api.test(url.pathname + url.search);
        let broken = true;
        await page.route('**/*', (route) => {
          const request = route.request();
          if (!broken || !isData(new URL(request.url()), request.resourceType())) return route.continue();
          return route.fulfill({ status: 500, json: { code: 50000, message: 'broken' } });
        });
        await go(page, service, path);
        const retry = page.getByRole('button', { name: '重试', exact: true }).first();
        await retry.waitFor();
        const refused = page.waitForResponse((response) => response.status() === 500);
        await retry.click();
        await refused;
        await retry.waitFor();
        // It is said in its place, in the language of the page, and not at the edge in that of the answer.
        expect(await page.getByText('broken').count()).toBe(0);
        broken = false;
        await retry.click();
        await expect.poll(() => page.getByRole('button', { name: '重试', exact: true }).count()).toBe(0);
      },
    );

    it.each([
      ['/records/authors/2/show', /\/admin\/records\/books\?/, '著作'],
      ['/roles/editor', /\/admin\/roles\/editor\/users\?/, '持有人'],
      ['/users/3/show', /\/admin\/api_keys\?/, 'API 密钥'],
      ['/explain?tab=refusals', /\/admin\/refusals\?/, '最近被拒绝的请求'],
      ['/webhooks/2/show', /\/admin\/webhooks\/2\/deliveries\?/, '发送记录'],
      ['/records/orders/trash', /\/admin\/records\/orders\?.*trashed=true/, '订单 · 已删除'],
    ])(
      'a list at %s that cannot be had says so in its place, and comes with another try',
      async (path, list, label) => {
        const stranger = await service.createUser();
        expect((await service.get('/admin/users', { token: stranger })).status).toBe(403);
        const { page } = await enter(open, service, root, '/permissions');
        let asked = 0;
        let broken = true;
        await page.route(list, (route) => {
          if (route.request().resourceType() !== 'fetch') return route.continue();
          asked += 1;
          return broken
            ? route.fulfill({ status: 500, json: { code: 50000, message: 'broken' } })
            : route.continue();
        });
        await go(page, service, path);
        const retry = page.getByRole('button', { name: '重试', exact: true });
        await retry.waitFor();
        expect(asked).toBeGreaterThan(0);
        // Once, in its place, and the rest of the page stands.
        expect(await retry.count()).toBe(1);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const rows = page.getByRole('region', { name: label, exact: true }).locator('tbody tr');
        expect(await rows.count()).toBe(0);
        expect(await page.getByText('broken').count()).toBe(0);
        expect(await accessibility(page)).toEqual([]);
        broken = false;
        await retry.click();
        await rows.first().waitFor();
        expect(await retry.count()).toBe(0);
      },
    );

    it.each([
      ['/records/notes/999/show', '/records/notes'],
      ['/records/notes/999', '/records/notes'],
      // Its model keeps history; that of the next one has a trash too.
      ['/records/books/9999/show', '/records/books'],
      ['/records/orders/9999/show', '/records/orders'],
      ['/users/999/show', '/users'],
      ['/webhooks/999/show', '/webhooks'],
    ])('a record that is not there, %s, leads to its list', async (path, list) => {
      const { page, complaints } = await enter(open, service, root, path);
      await page.getByRole('heading', { name: '记录不存在' }).waitFor();
      // The browser says so of each refusal: the record is asked for once.
      expect(complaints).toEqual([expect.stringContaining('404')]);
      await page.getByRole('link', { name: '返回列表' }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/admin${list}`);
    });

    it('says at once that the service is unreachable where the browser is offline', async () => {
      const { page } = await enter(open, service, root, '/records/books/11');
      for (const path of ['/records/books', '/records/books/11/history', '/records/orders/trash'])
        await go(page, service, path);
      await go(page, service, '/records/books/12');
      await page.context().setOffline(true);
      await page.getByRole('textbox', { name: '书名' }).fill('失联');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByText('无法连接到服务').first().waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: '放弃修改' }).click();
      await page.context().setOffline(true);
      for (const path of ['/records/books?page=2', '/records/books/13', '/records/books/14/history']) {
        await page.evaluate(`history.pushState({ idx: 9, key: ${JSON.stringify(path)} }, '', '/admin${path}');
          dispatchEvent(new PopStateEvent('popstate', { state: history.state }))`);
        await page.getByText('无法连接到服务').first().waitFor();
      }
      await page.context().setOffline(false);
      // The page may be faster: it asks again by itself once the browser says that there is a network.
      const again = page.getByRole('button', { name: '重试', exact: true });
      const history = page.getByRole('heading', { name: /^历史/ });
      await again.or(history).first().waitFor();
      await again.click({ timeout: 2_000 }).catch(() => {});
      await history.waitFor();
    });

    it('the page says that it is on its way before its scripts are there', async () => {
      const { page } = await open({ fresh: true });
      const held: (() => Promise<void>)[] = [];
      let holding = true;
      await page.route('**/admin/assets/*.js', (route) => {
        // The theme is no script of the pages: it is there before the first paint, so that nothing flashes.
        if (!holding || route.request().url().includes('first-theme')) return route.continue();
        held.push(() => route.continue());
      });
      await page.goto(`${service.origin}/admin/`, { waitUntil: 'commit' });
      const waiting = page.getByText('正在加载…');
      await waiting.waitFor();
      expect(await page.getByText('Loading…').isVisible()).toBe(false);
      expect(await page.evaluate("getComputedStyle(document.querySelector('.arriving')).display")).toBe(
        'grid',
      );
      holding = false;
      for (const go of held) await go();
      await page.locator('input[name=username]').waitFor();
      expect(await page.locator('.arriving').count()).toBe(0);
    });

    it('a page that is long in coming says so', async () => {
      const { page } = await enter(open, service, root, '/permissions');
      await page.route('**/admin/records/books/3', () => {});
      await page.clock.install();
      const asked = page.waitForRequest('**/admin/records/books/3');
      await page.evaluate(`history.pushState({ idx: 9, key: 'x' }, '', '/admin/records/books/3/show');
        dispatchEvent(new PopStateEvent('popstate', { state: history.state }))`);
      await asked;
      await page.getByRole('progressbar', { name: '正在加载…' }).first().waitFor();
      // The clock of what waits begins when it is drawn, which may be after the request.
      const word = async (): Promise<number> => {
        await page.clock.fastForward(7_000);
        return page.getByText('加载所需时间比平时长').count();
      };
      await expect.poll(word, { interval: 500 }).toBe(1);
      await page.clock.fastForward(60_000);
      await page.getByText('服务在一分钟内没有响应').waitFor();
      await page.getByRole('button', { name: '重试', exact: true }).waitFor();
    });

    it('a refused user reads why, with a link to where the permission is granted', async () => {
      const { page } = await enter(open, service, admin, '/records/orders/3/show');
      const edit = page.getByRole('button', { name: '编辑' });
      expect(await edit.getAttribute('aria-disabled')).toBe('true');
      const reason = '您的角色（admin）无权编辑订单。';
      expect(await page.locator(`[id="${await edit.getAttribute('aria-describedby')}"]`).textContent()).toBe(
        reason,
      );
      expect(await accessibility(page)).toEqual([]);
      await edit.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByText(reason).waitFor();
      await page.getByRole('dialog').getByRole('link', { name: '权限管理' }).click();
      await page.getByRole('heading', { name: '权限管理' }).waitFor();
      // The page says so before anything is typed that could not be saved.
      await go(page, service, '/records/orders/3');
      await page.getByText(reason).waitFor();
      expect(await page.locator('form').count()).toBe(0);
      await go(page, service, '/records/orders');
      await page.getByRole('button', { name: '新建订单' }).waitFor();
    });

    it('a caller who may not change or delete several records sees why at the button', async () => {
      const { page } = await enter(open, service, admin, '/records/orders');
      await page.getByRole('checkbox').nth(1).check();
      for (const [name, reason] of [
        ['批量修改', '无权编辑订单。'],
        ['删除', '无权删除订单。'],
      ] as const) {
        const button = page.getByRole('button', { name, exact: true });
        expect(await button.getAttribute('aria-disabled')).toBe('true');
        await button.press('Enter');
        await page.getByRole('dialog').getByText(reason).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await go(page, service, '/records/orders/trash');
      await page.getByText('恢复所需的权限与新建相同').waitFor();
      expect(await accessibility(page)).toEqual([]);
      const token = await service.admin();
      await service.ok('PUT', '/admin/permissions/admin/Book/read', { token });
      await load(page, service, '/records/books/11/history');
      await page.getByText('恢复到旧版本即为编辑').waitFor();
      expect(await page.getByRole('button', { name: '恢复到此版本' }).count()).toBe(0);
      await service.ok('DELETE', '/admin/permissions/admin/Book/read', { token });
    });

    it('where records may not be read the page says so, and shows them once that is granted', async () => {
      const watched = await enter(open, service, admin, '/roles');
      const { page } = watched;
      const reason = page.getByText('您的角色（admin）无权查看图书。');
      for (const path of ['', '/3/show', '/11/history']) {
        await go(page, service, `/records/books${path}`);
        await reason.waitFor();
        // Another try would be refused again.
        expect([path, await page.getByRole('button', { name: '重试', exact: true }).count()]).toEqual([
          path,
          0,
        ]);
      }
      await go(page, service, '/records/books/import');
      await page.getByText('您的角色（admin）无权新建图书。').waitFor();
      // Among what belongs to a record too.
      await go(page, service, '/records/authors/2/show');
      await reason.waitFor();
      expect(await accessibility(page)).toEqual([]);
      // Nothing was asked for that would be refused.
      expect(watched.complaints).toEqual([]);
      await page.getByRole('main').getByRole('link', { name: '权限管理' }).first().click();
      await page.getByRole('button', { name: '全部展开' }).click();
      const read = page.getByRole('checkbox', { name: 'admin: Book 读取', exact: true });
      await read.check();
      await page.getByText('admin 现在可以读取图书').first().waitFor();
      await page.getByRole('navigation').getByRole('link', { name: '图书', exact: true }).click();
      await page.locator('tbody tr').first().waitFor();
      const token = await service.admin();
      await service.ok('DELETE', '/admin/permissions/admin/Book/read', { token });
    });
  });
});
