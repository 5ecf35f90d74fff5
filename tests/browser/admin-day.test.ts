import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { demandQuiet, enter, load, seed, site } from './admin-site.ts';

const day = 86_400_000;

describeDatabase('sqlite', 'administration pages: a day’s work', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    });

    const ask = <Data>(path: string): Promise<Data> => service.ok<Data>('GET', path, { token: root });
    const makeKey = (name: string, days: number | null) =>
      service.ok<{ id: number }>('POST', '/admin/api_keys', {
        token: root,
        body: {
          api_key: {
            name,
            user_id: root.id,
            expires_at: days === null ? null : new Date(Date.now() + days * day).toISOString(),
          },
        },
      });
    /** Days until a key ends; null where it never does. */
    const daysOf = async (id: number): Promise<number | null> => {
      const { expires_at: end } = await ask<{ expires_at: string | null }>(`/admin/api_keys/${id}`);
      return end === null ? null : Math.round((Date.parse(end) - Date.now()) / day);
    };

    it('extending a key never shortens it, and one that never expires says what an expiry means', async () => {
      const [long, endless] = [await makeKey('long', 60), await makeKey('endless', null)];
      const watched = await enter(open, service, root, `/api_keys/${long.id}`);
      const { page } = watched;
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: '延期' }).click();
      await dialog.getByText('目前过期时间：').waitFor();
      await dialog.getByRole('button', { name: '自定义' }).click();
      await dialog
        .getByLabel('过期时间')
        .last()
        .fill(new Date(Date.now() + 30 * day).toISOString().slice(0, 16));
      await dialog.getByText('延期不会缩短有效期').waitFor();
      expect(await dialog.getByRole('button', { name: '延期' }).isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: '再加 30 天' }).click();
      await dialog.getByRole('button', { name: '延期' }).click();
      await expect.poll(() => daysOf(long.id)).toBe(90);

      await load(page, service, `/api_keys/${endless.id}`);
      expect(await page.getByRole('button', { name: '延期' }).count()).toBe(0);
      await page.getByRole('button', { name: '设置过期时间' }).click();
      await dialog.getByText('此密钥目前永不过期').waitFor();
      await dialog.getByRole('button', { name: '永不过期' }).click();
      expect(await dialog.getByRole('button', { name: '设置过期时间' }).isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: '30 天', exact: true }).click();
      await dialog.getByRole('button', { name: '设置过期时间' }).click();
      await expect.poll(() => daysOf(endless.id)).toBe(30);
      demandQuiet(watched, service);
    });

    it('a bulk change writes what differs, says how much that was, and can be undone', async () => {
      const versions = (): Promise<unknown[]> =>
        Promise.all(
          [62, 63, 64].map(async (id) => (await ask<unknown[]>(`/api/v1/books/${id}/history`)).length),
        );
      const statuses = () =>
        Promise.all(
          [62, 63, 64].map(
            async (id) => (await ask<{ status: string }>(`/admin/records/books/${id}`)).status,
          ),
        );
      for (const [id, status] of [
        [62, 'live'],
        [63, 'withdrawn'],
        [64, 'draft'],
      ] as const)
        await service.ok('PATCH', `/admin/records/books/${id}`, { token: root, body: { book: { status } } });
      const before = (await versions()) as number[];
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      for (const place of [1, 2, 3]) await page.getByRole('row').nth(place).getByRole('checkbox').check();
      const change = async (to: string): Promise<void> => {
        await page.getByRole('button', { name: '批量修改' }).click();
        await page.getByRole('dialog').getByLabel('添加要修改的字段').click();
        await page.getByRole('option', { name: '状态' }).click();
        await page.getByRole('dialog').getByRole('combobox', { name: '状态' }).click();
        await page.getByRole('option', { name: to }).click();
        await page.getByRole('dialog').getByRole('button', { name: '修改 3 条' }).click();
      };
      await change('下架');
      await page.getByText('已修改 2 条；另有 1 条已是这些值，未改动').waitFor();
      expect(await statuses()).toEqual(['withdrawn', 'withdrawn', 'withdrawn']);
      expect(await versions()).toEqual([(before[0] ?? 0) + 1, before[1], (before[2] ?? 0) + 1]);
      // Somebody else changes one of them meanwhile: that stays.
      await service.ok('PATCH', '/admin/records/books/64', {
        token: root,
        body: { book: { status: 'live' } },
      });
      await page.getByRole('button', { name: '撤销' }).click();
      await page.getByText('已撤销 1 条修改；1 条此后又被修改，保持不变').waitFor();
      expect(await statuses()).toEqual(['live', 'withdrawn', 'live']);
      demandQuiet(watched, service);
    });

    it('an application with a public key gets another one, which the page shows', async () => {
      const pem = (): string =>
        String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));
      const lineOf = (text: string): string => text.split('\n')[1] ?? '';
      const [first, second] = [pem(), pem()];
      const file = join(service.env['DATA_DIR'] ?? '', 'bank.pem');
      await writeFile(file, first);
      await service.command('app', 'create', 'bank', '--public-key', file);
      const { applications } = service.server.services;
      const keys = () => applications.publicKeysOf('bank', service.clock.now());
      await expect.poll(keys, { timeout: 5_000 }).toEqual([lineOf(first)]);
      const watched = await enter(open, service, root, '/applications');
      const { page } = watched;
      await page.getByText(lineOf(first)).waitFor();
      await page.getByRole('button', { name: '更换公钥: bank' }).click();
      await page.getByLabel('新公钥（Ed25519，PEM）').fill(second);
      await page.getByRole('dialog').getByRole('button', { name: '更换公钥' }).click();
      await expect.poll(keys).toEqual([lineOf(second), lineOf(first)]);
      await page.locator('tbody').getByText(lineOf(second)).waitFor();
      demandQuiet(watched, service);
      await service.command('app', 'remove', 'bank');
    });

    it('an application gets another secret, which the browser makes and shows once', async () => {
      const watched = await enter(open, service, root, '/applications');
      const { page } = watched;
      const old = service.secrets.get('shop') ?? '';
      const rotated = page.waitForResponse((each) => each.url().endsWith('/admin/applications/shop/rotate'));
      await page.getByRole('button', { name: '轮换密钥: shop' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '轮换密钥' }).click();
      const answer = await rotated;
      await page.getByText('应用“shop”的新密钥').waitFor();
      const { secret } = answer.request().postDataJSON() as { secret: string };
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(await answer.text()).not.toContain(secret);
      expect(await page.getByRole('dialog').textContent()).toContain(secret);
      for (const each of [secret, old]) {
        const body = JSON.stringify({ order_no: each.slice(0, 8) });
        const headers = service.sign('shop', body, { secret: each });
        expect((await service.post('/api/v1/payment', { body, headers })).status).toBe(201);
      }
      await page.getByRole('dialog').getByRole('checkbox').check();
      await page.getByRole('dialog').getByRole('button', { name: '关闭' }).click();
      expect(await page.getByText(secret).count()).toBe(0);
      demandQuiet(watched, service);
    });

    it('a recurring job that fails is one matter of the start page, and is paused there and resumed at the jobs', async () => {
      const at = (ago: number): string => new Date(Date.now() - ago * 1000).toISOString();
      const run = (sql: string) => service.server.services.database.execute({ sql, parameters: [] });
      await run(
        `insert into gatewright_schedules (name, pattern, ticked_at) values ('stock_report', '0 3 * * * UTC', '${at(60)}')`,
      );
      for (let time = 0; time < 7; time += 1)
        await run(`insert into gatewright_jobs (name, input, state, attempts, error, created_at, failed_at)
          values ('stock_report', '{}', 'failed', 3, 'answered 503', '${at(90)}', '${at(30)}')`);
      const watched = await enter(open, service, root, '/');
      const { page } = watched;
      await page.getByRole('link', { name: 'stock_report 失败 7 次' }).waitFor();
      await page.getByRole('button', { name: '暂停: stock_report' }).click();
      await page.getByText('“stock_report”已在所有实例上暂停').waitFor();
      const paused = async () =>
        (await ask<{ name: string; paused_at: string | null }[]>('/admin/schedules')).filter(
          ({ paused_at }) => paused_at !== null,
        );
      expect((await paused()).map(({ name }) => name)).toEqual(['stock_report']);
      await load(page, service, '/jobs');
      await page.getByText('已暂停').waitFor();
      await page.getByRole('button', { name: '恢复: stock_report' }).click();
      await expect.poll(paused).toEqual([]);
      demandQuiet(watched, service);
    });

    it('a webhook is called working only when something has arrived', async () => {
      const run = (sql: string) => service.server.services.database.execute({ sql, parameters: [] });
      const at = new Date().toISOString();
      const { id } = await service.ok<{ id: number }>('POST', '/admin/webhooks', {
        token: root,
        body: { webhook: { url: 'http://127.0.0.1:9/none', models: ['Order'], user_id: root.id } },
      });
      const watched = await enter(open, service, root, `/webhooks/${id}/show`);
      const { page } = watched;
      await page.getByText('尚未发送').waitFor();
      const outcome = (event: number, state: string) =>
        run(`insert into gatewright_deliveries (webhook_id, event, model, record_id, action, version, message_id, state, created_at, ended_at)
          values (${id}, ${event}, 'Order', 1, 'update', 2, 'm${event}', '${state}', '${at}', '${at}')`);
      await outcome(900_001, 'skipped');
      await load(page, service, `/webhooks/${id}/show`);
      await page.getByText('最近一次未送达').waitFor();
      await outcome(900_002, 'delivered');
      await load(page, service, `/webhooks/${id}/show`);
      await page.getByText('正常', { exact: true }).waitFor();
      demandQuiet(watched, service);
    });

    it('an import names the value that was refused', async () => {
      const watched = await enter(open, service, root, '/records/orders/import');
      const { page } = watched;
      const file = '订单号,amount\nNEW-1,cheap\n';
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
      await page.getByRole('button', { name: '预览' }).click();
      await page.getByText(/金额.*：cheap/).waitFor();
      demandQuiet(watched, service);
    });

    it('a leaked key is found by pasting it, and appears in no address', async () => {
      const person = await service.createUser();
      const { key, name } = await service.createKey(person);
      const watched = await enter(open, service, root, '/users');
      const { page, requests } = watched;
      await page.getByRole('main').getByRole('searchbox').fill(key);
      await page.getByRole('heading', { name }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(key);
      await page.getByRole('option', { name: new RegExp(name) }).waitFor();
      expect(requests.filter((url) => url.includes(key))).toEqual([]);
      expect(page.url()).not.toContain(key);
      demandQuiet(watched, service);
    });

    it('shows what a colleague sees, marked and without anything to change', async () => {
      const person = await service.createUser();
      const watched = await enter(open, service, root, `/users/${person.id}/view?model=authors`);
      const { page } = watched;
      await page.getByText(`您正以 ${person.username} 的视角查看`).waitFor();
      const shown = await service.get<unknown[]>('/api/v1/authors?page=1&per_page=25', { token: person });
      await page.getByText(`${person.username} 可见 ${shown.headers['x-total-count']} 条`).waitFor();
      const main = page.getByRole('main');
      for (const name of ['编辑', '删除', '保存', '新建'])
        expect([name, await main.getByRole('button', { name }).count()]).toEqual([name, 0]);
      // The colleague may read none of these models.
      await load(page, service, `/users/${person.id}/view?model=books`);
      await page.getByText('该用户会被拒绝：无权限').waitFor();
      await page.getByText(`您正以 ${person.username} 的视角查看`).waitFor();
    });

    it('a user who leaves is disabled from the list, with what they own', async () => {
      const person = await service.createUser(['viewer'], { username: 'aaron' });
      await service.createKey(person);
      const watched = await enter(open, service, root, '/users');
      const { page } = watched;
      await page.getByRole('button', { name: '停用: aaron' }).click();
      await page
        .getByRole('list', { name: '此用户拥有或创建的内容' })
        .getByRole('listitem')
        .first()
        .waitFor();
      await page.getByRole('dialog').getByRole('button', { name: '停用' }).click();
      await page.getByText('已停用“aaron”').waitFor();
      expect((await service.get('/api/v1/auth/me', { token: person })).status).toBe(401);
      await page.getByRole('button', { name: '启用: aaron' }).click();
      await page.getByText('已启用“aaron”').waitFor();
      demandQuiet(watched, service);
    });

    it('a link brings its columns along, which leave those of the reader as they are', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      const heads = () => page.getByRole('columnheader').allTextContents();
      await page.getByRole('columnheader', { name: '书名' }).waitFor();
      const usual = await heads();
      await load(page, service, '/records/books?columns=title,pages');
      await page.getByRole('columnheader', { name: '页数' }).waitFor();
      const linked = await heads();
      expect(linked.length).toBeLessThan(usual.length);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: '显示', exact: true }).click();
      await page.getByRole('button', { name: /^复制: 此视图的链接/ }).click();
      await page.getByRole('button', { name: /^已复制: 此视图的链接/ }).waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(
        'columns=title%2Cpages',
      );
      await load(page, service, '/records/books');
      await page.getByRole('columnheader', { name: '书名' }).waitFor();
      expect(await heads()).toEqual(usual);
      demandQuiet(watched, service);
    });

    it('CSV has names in place of the numbers of references', async () => {
      const watched = await enter(open, service, root, '/records/books');
      const { page } = watched;
      const author = await ask<{ name: string }>('/admin/records/authors/1');
      const download = page.waitForEvent('download');
      await page.getByRole('main').getByRole('button', { name: '更多' }).first().click();
      await page.getByRole('menuitem', { name: '导出（引用显示名称）' }).click();
      const chunks: Buffer[] = [];
      for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
      const [head = '', ...lines] = Buffer.concat(chunks).toString().split('\r\n');
      expect(head).toContain('作者');
      expect(lines.some((line) => line.includes(author.name))).toBe(true);
      demandQuiet(watched, service);
    });

    it('the area has pages of response times, of the service, and of what a key calls', async () => {
      const person = await service.createUser();
      const { id, key } = await service.createKey(person);
      await service.get('/api/v1/users', { key });
      const watched = await enter(open, service, root, '/routes');
      const { page } = watched;
      await page.getByText('GET /api/v1/users', { exact: true }).waitFor();
      await load(page, service, '/service');
      await page.getByText('JWT_SECRET').waitFor();
      expect(await page.getByRole('main').textContent()).not.toContain(service.env['JWT_SECRET']);
      await load(page, service, `/api_keys/${id}`);
      await page.getByText('最近调用的接口').waitFor();
      await page.getByText('GET /api/v1/users', { exact: true }).waitFor();
      demandQuiet(watched, service);
    });
  });
});
