import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, load, seed, settled, site } from './admin-site.ts';

describeDatabase('sqlite', 'administration pages: what a row opens', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 120_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    const ask = <Data>(path: string): Promise<Data> => service.ok<Data>('GET', path, { token: root });
    const run = (sql: string) => service.server.services.database.execute({ sql, parameters: [] });

    /** Failed jobs that no file defines, so that no worker runs them. */
    const fail = async (name: string, count: number): Promise<void> => {
      const runs = JSON.stringify([
        {
          attempt: 1,
          started_at: '2026-01-01T03:00:00.000Z',
          ended_at: '2026-01-01T03:00:04.000Z',
          error: 'Error: first',
        },
      ]);
      for (let each = 0; each < count; each += 1)
        await run(`insert into gatewright_jobs (name, input, state, attempts, error, stack, runs, created_at, failed_at)
          values ('${name}', '{"to": "ann@example.com"}', 'failed', 1, 'Error: the whole of a long story, which a list cuts',
            'at send (jobs/mail.ts:7:11)', '${runs}', '2026-01-01T03:00:00.000Z', '2026-01-01T03:00:04.000Z')`);
    };

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    it('opens a job by a click anywhere in its row, with its whole error, its runs and its input', async () => {
      await fail('send_bill', 1);
      const watched = await enter(open, service, root, '/jobs', { language: 'en' });
      const { page } = watched;
      await page.locator('tbody tr', { hasText: 'send_bill' }).locator('td').nth(3).click();
      await page.getByRole('heading', { name: /^send_bill #\d+$/, level: 1 }).waitFor();
      await page.getByRole('alert').getByText('the whole of a long story, which a list cuts').waitFor();
      await page.getByRole('region', { name: 'Stack' }).getByText('at send (jobs/mail.ts:7:11)').waitFor();
      await page
        .getByRole('list', { name: /^send_bill/ })
        .getByText('Error: first')
        .waitFor();
      await page.getByRole('region', { name: 'Input' }).getByText('ann@example.com').first().waitFor();
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: /^Delete: send_bill/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL(/\/admin\/jobs$/);
      demandQuiet(watched, service);
    });

    it('opens a job and a line of the audit log from the keyboard', async () => {
      await fail('by_keys', 1);
      const { page } = await enter(open, service, root, '/jobs');
      await page.locator('tbody tr', { hasText: 'by_keys' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/jobs\/\d+\/show$/);
      await load(page, service, '/audit');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/audit\/\d+\/show$/);
      await page.getByText('操作人').first().waitFor();
      await run("delete from gatewright_jobs where name = 'by_keys'");
    });

    it('runs several failed jobs again, and deletes the rest of a name, in one request each', async () => {
      await fail('many', 4);
      const watched = await enter(open, service, root, '/jobs');
      const { page } = watched;
      const rows = page.locator('tbody tr', { hasText: 'many' });
      await rows.first().getByRole('checkbox').check();
      await rows.nth(1).getByRole('checkbox').check();
      await page.getByRole('button', { name: '重新运行' }).click();
      await page.getByText('2 个任务已排到队首').waitFor();
      const states = async () =>
        (await ask<{ state: string }[]>('/admin/jobs?filter[name]=many')).map(({ state }) => state).sort();
      expect(await states()).toEqual(['failed', 'failed', 'waiting', 'waiting']);
      const [failed] = await ask<{ id: number }[]>('/admin/jobs?filter[name]=many&filter[state]=failed');
      await load(page, service, `/jobs/${failed?.id}/show`);
      await page.getByRole('button', { name: '更多操作' }).click();
      await page.getByRole('menuitem', { name: '删除所有失败的“many”' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
      await expect.poll(states).toEqual(['waiting', 'waiting']);
      await run("delete from gatewright_jobs where name = 'many'");
      demandQuiet(watched, service);
    });

    it.each([
      ['zh-CN', ['资源', '订单', '记录', '新建', '更新']],
      ['en', ['Resource', 'Orders', 'Record', 'Created', 'Updated']],
    ] as const)(
      'the audit log has words for the details of an entry, not keys: %s',
      async (language, words) => {
        await run(`insert into audit (created_at, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name, detail)
        values ('2026-01-02T00:00:00.000Z', 'user', '1', 'root', 'user.view_as', 'user', '1', 'root',
          '{"model":"Order","record":null,"created":3,"updated":0}')`);
        const [entry] = await ask<{ id: number }[]>('/admin/audit?sort=-id&per_page=1');
        const { page } = await enter(open, service, root, `/audit/${entry?.id}/show`, { language });
        const main = page.getByRole('main');
        for (const word of words) await main.getByText(word, { exact: true }).first().waitFor();
        for (const raw of ['model', 'record', 'created', 'updated'])
          expect(await main.getByText(raw, { exact: true }).count()).toBe(0);
        expect(await accessibility(page)).toEqual([]);
      },
    );

    it('opens a rejected request by a click in its row', async () => {
      const viewer = await service.createUser();
      const refused = await service.post('/api/v1/books', { token: viewer, body: { book: { title: 'no' } } });
      expect(refused.status).toBe(403);
      const { page } = await enter(open, service, root, '/explain?tab=refusals');
      const row = page.locator('tbody tr').first();
      await row.waitFor();
      await row.locator('td').nth(1).click();
      await page.waitForURL(/\/explain\?.*was=/);
    });

    it('finds roles, webhooks and jobs in the palette', async () => {
      await fail('palette_job', 1);
      await service.ok('POST', '/admin/webhooks', {
        token: root,
        body: { webhook: { url: 'http://127.0.0.1:9/palette', models: ['Order'], user_id: root.id } },
      });
      const { page } = await enter(open, service, root, '/');
      for (const [words, group, place] of [
        ['editor', '角色', /\/roles\/editor$/],
        ['palette_job', '任务', /\/jobs\/\d+\/show$/],
        ['9/palette', 'Webhook', /\/webhooks\/\d+\/show$/],
      ] as const) {
        await page.keyboard.press('Control+k');
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('combobox').fill(words);
        await dialog.getByRole('group', { name: group, exact: true }).getByRole('option').first().click();
        await page.waitForURL(place);
      }
    });

    it('shows who changed which record, by days, with the name of the record and a link to it', async () => {
      const { id } = await service.ok<{ id: number }>('POST', '/admin/records/orders', {
        token: root,
        body: { order: { number: '2026-7001', amount: 100 } },
      });
      await service.ok('PATCH', `/admin/records/orders/${id}`, {
        token: root,
        body: { order: { amount: 200 } },
      });
      const watched = await enter(open, service, root, '/activity', { language: 'en' });
      const { page } = watched;
      await page.getByText('They are kept for 30 days.').waitFor();
      const change = page
        .getByRole('listitem')
        .filter({ hasText: 'Changed' })
        .filter({ hasText: '2026-7001' });
      await change.getByText('金额').or(change.getByText('Amount')).first().waitFor();
      await change.getByText(root.username).waitFor();
      await page.getByLabel('Kind of change').click();
      await page.getByRole('option', { name: 'Created' }).click();
      await page.waitForURL(/action=create/);
      await expect.poll(() => change.count()).toBe(0);
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('link', { name: '2026-7001' }).first().click();
      await page.waitForURL(new RegExp(`/records/orders/${id}/show$`));
      demandQuiet(watched, service);
    });

    it('says that nothing was found, in place of changes', async () => {
      const { page } = await enter(open, service, root, '/activity?to=2001-01-01');
      await page.getByText('没有找到更改。').waitFor();
    });
  });
});
