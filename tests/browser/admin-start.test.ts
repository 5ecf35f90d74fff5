import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, enter, load, seedJobs, site } from './admin-site.ts';

describeDatabase('sqlite', 'the start page of the administration pages', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let guessed: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      guessed = await service.createUser(['admin']);
    });

    const ask = <Data>(path: string): Promise<Data> => service.ok<Data>('GET', path, { token: root });

    it('says in one line what needs no attention', async () => {
      const { page } = await enter(open, service, root, '/');
      const calm = page.getByText('其余无需处理');
      await calm.waitFor();
      expect(await calm.textContent()).toContain('没有积压、失败的任务、停用的 Webhook');
      expect(await page.getByRole('listitem').filter({ hasText: '失败的任务' }).count()).toBe(0);
    });

    it('reports no deliveries as overdue that wait for the next attempt of their webhook', async () => {
      const { database } = service.server.services;
      const run = (sql: string) => database.execute({ sql, parameters: [] });
      const at = (seconds: number): string => `'${new Date(Date.now() + seconds * 1000).toISOString()}'`;
      await run(`insert into gatewright_webhooks (url, models, actions, secret, cursor, failures, lane_until, created_at, updated_at)
        values ('https://hooks.example/down', '["Order"]', '[]', '', 0, 5, ${at(600)}, ${at(-900)}, ${at(-900)})`);
      for (const event of [1, 2, 3])
        await run(`insert into gatewright_deliveries (webhook_id, event, model, record_id, action, version, message_id, state, next_at, created_at)
          select max(id), ${event}, 'Order', 1, 'update', 2, 'm${event}', 'waiting', ${at(-300)}, ${at(-300)} from gatewright_webhooks`);
      const { page } = await enter(open, service, root, '/');
      await page.getByText('hooks.example/down').first().waitFor();
      expect(await page.getByText('其余无需处理').textContent()).toContain('没有积压');
      expect(await page.getByRole('heading', { name: '积压' }).count()).toBe(0);
      await run('delete from gatewright_deliveries');
      await run('delete from gatewright_webhooks');
    });

    it('says first how the service is: ready, its database, its disk and the last backup', async () => {
      const { database } = service.server.services;
      const run = (sql: string) => database.execute({ sql, parameters: [] });
      const { page } = await enter(open, service, root, '/', { language: 'en' });
      const state = page.getByRole('region', { name: 'State of the service' });
      expect(await state.textContent()).toMatch(
        /^HealthyDatabase[\d.]+ [kM]BDisk\d+% used, [\d.]+ [GT]B free/,
      );
      expect(await state.textContent()).not.toContain('Backup');
      await run(
        `update gatewright_database set backed_up_at = '${new Date(Date.now() - 9 * 86_400_000).toISOString()}'`,
      );
      await load(page, service, '/');
      await state.getByText('Backup').waitFor();
      const soon = page.getByRole('list', { name: 'Soon' });
      await soon.getByRole('listitem').filter({ hasText: 'Last backup' }).waitFor();
      expect(await accessibility(page)).toEqual([]);
      await run('update gatewright_database set backed_up_at = null');
    });

    it('says how fast responses are and what is refused, each leading to its place, without its own requests', async () => {
      const viewer = await service.createUser();
      for (let time = 0; time < 3; time += 1) await service.get('/api/v1/books', { token: viewer });
      for (let time = 0; time < 10; time += 1)
        await service.post('/api/v1/books', { token: viewer, body: {} });
      const { page } = await enter(open, service, root, '/');
      const figure = (name: string) =>
        page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
      const requests = Number(await figure('请求').locator('dd').textContent());
      const refused = await figure('被拒绝').locator('dd').textContent();
      expect(await figure('p95（24 小时）').locator('dd').textContent()).toMatch(/^≤ \d+ 毫秒$/);
      const slowest = page.getByRole('region', { name: '24 小时内较慢的接口（至少 10 次调用）' });
      await slowest.getByRole('link', { name: 'POST /api/v1/books' }).waitFor();
      // Three calls of the list say nothing about its speed.
      expect(await slowest.getByRole('link', { name: 'GET /api/v1/books' }).count()).toBe(0);
      const most = page.getByRole('region', { name: '24 小时内请求被拒绝的原因' });
      await most.getByRole('listitem').filter({ hasText: 'POST /api/v1/books' }).getByText('10 次').waitFor();
      // Looking is no use of the API, here and at its description: the figures stay as they are.
      expect((await service.get('/api-docs/openapi.json')).status).toBe(200);
      await load(page, service, '/');
      expect(Number(await figure('请求').locator('dd').textContent())).toBe(requests);
      expect(await figure('被拒绝').locator('dd').textContent()).toBe(refused);
      await slowest.getByRole('link', { name: 'POST /api/v1/books' }).click();
      await page.getByRole('heading', { name: '响应时间', level: 1 }).waitFor();
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      await load(page, service, '/');
      for (const [name, heading] of [
        ['p95（24 小时）', '响应时间'],
        ['出错', '响应时间'],
        ['请求', '响应时间'],
        ['被拒绝', '响应时间'],
      ] as const) {
        await figure(name).getByRole('link').click();
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
        await page.goBack();
      }
    });

    it('gives the first steps as lines that can be copied', async () => {
      const { page } = await enter(open, service, root, '/');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: '复制: 用密钥调用 API' }).click();
      await page.getByRole('button', { name: '已复制: 用密钥调用 API' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe(`curl -H 'X-Api-Key: …' ${service.origin}/api/v1/users`);
    });

    it('runs a failed job again, and takes an overdue one away, where they are named', async () => {
      await seedJobs(service);
      const { page } = await enter(open, service, root, '/');
      const failed = page.getByRole('listitem').filter({ hasText: 'ECONNREFUSED' }).first();
      await failed.getByRole('button', { name: /^立即运行: nightly_report/ }).click();
      await page.getByText('任务已排到队首').waitFor();
      const states = async () =>
        (await ask<{ name: string; state: string }[]>('/admin/jobs?sort=id')).map(
          ({ name, state }) => `${name} ${state}`,
        );
      expect(await states()).toEqual(['nightly_report waiting', 'sync_stock waiting']);

      const backlog = page.getByRole('listitem').filter({ hasText: '积压' }).first();
      await backlog.getByRole('link', { name: '1 个任务' }).click();
      await page.getByRole('heading', { name: '任务', level: 1 }).waitFor();
      await page.getByRole('button', { name: /^更多操作: sync_stock/ }).click();
      await page.getByRole('menuitem', { name: '删除' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await expect.poll(states).toEqual(['nightly_report waiting']);
    });

    it('ends the sessions of an account whose password is guessed at', async () => {
      const { page: theirs } = await enter(open, service, guessed, '/users');
      const session = async () =>
        (await theirs.context().request.get(`${service.origin}/admin/session`)).status();
      expect(await session()).toBe(200);
      for (let time = 0; time < 3; time += 1) await service.login(guessed.username, 'wrong');
      const { page } = await enter(open, service, root, '/');
      // Three mistakes are no attack: they are advice.
      const advice = page.getByRole('group').filter({ hasText: '24 小时内登录失败' });
      await advice.locator('summary').click();
      await advice.getByRole('button', { name: `停用: ${guessed.username}` }).waitFor();
      for (let time = 0; time < 2; time += 1) await service.login(guessed.username, 'wrong');
      await load(page, service, '/');
      const now = page.getByRole('list', { name: '立即处理' });
      await now.getByText('密码错误 5 次').waitFor();
      await now.getByRole('button', { name: `更多操作: ${guessed.username}` }).click();
      await page.getByRole('menuitem', { name: '结束会话' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '结束会话' }).click();
      await page.getByText('会话已结束').waitFor();
      expect(await session()).toBe(401);
    });

    it('leads to the permission table of a model without a grant', async () => {
      const { page } = await enter(open, service, root, '/');
      await page.getByText('未授权给任何角色的模型').first().click();
      await page.getByRole('link', { name: '设置权限: 图书' }).click();
      await page.getByRole('heading', { name: '权限管理', level: 1 }).waitFor();
      await page.getByRole('columnheader', { name: /图书/ }).waitFor();
      expect(await page.getByRole('columnheader', { name: /订单|作者/ }).count()).toBe(0);
    });

    it('enables a webhook that was disabled, and sends again what had failed', async () => {
      const { id } = await service.ok<{ id: number }>('POST', '/admin/webhooks', {
        token: root,
        body: { webhook: { url: `${service.origin}/api/v1/inbox`, models: ['Order'], user_id: root.id } },
      });
      const body = { order: { number: '2026-1', amount: 1 } };
      await service.ok('POST', '/admin/records/orders', { token: root, body });
      const states = async () =>
        (await ask<{ state: string }[]>(`/admin/webhooks/${id}/deliveries`)).map(({ state }) => state);
      await expect.poll(states, { timeout: 15_000 }).toEqual(['delivered']);
      // This is the state after an outage of the receiver.
      const { database } = service.server.services;
      for (const sql of [
        `update gatewright_deliveries set state = 'failed', attempts = 8`,
        `update gatewright_webhooks set disabled = true, disabled_reason = 'failed', failures = 8,
          disabled_at = '${new Date().toISOString()}'`,
      ])
        await database.execute({ sql, parameters: [] });
      const { page } = await enter(open, service, root, '/');
      await page.getByRole('button', { name: /^启用并重新发送: / }).click();
      await page.getByText('已重新发送 1 条').waitFor();
      await expect.poll(states, { timeout: 15_000 }).toEqual(['delivered']);
      await load(page, service, '/');
      expect(await page.getByRole('button', { name: /^启用并重新发送: / }).count()).toBe(0);
    });
  });
});
