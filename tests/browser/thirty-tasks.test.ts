import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { enter, seed, settled, site } from './admin-site.ts';

/**
 * Counts presses of the pointer. A click on a label is one, although the browser also clicks its input; a press that is
 * repeated within 50 ms, because the page moved beneath it, is no second one.
 */
const counter = `addEventListener('pointerdown', ({ timeStamp }) => {
  if (timeStamp - (window.pressed ?? -1e9) > 50) window.clicks = (window.clicks ?? 0) + 1;
  window.pressed = timeStamp;
}, true);`;

interface Task {
  readonly name: string;
  /** Clicks from the overview to the end of the task. Typing is not counted. */
  readonly clicks: number;
  readonly run: (page: Page) => Promise<void>;
}

describeDatabase('sqlite', 'administration pages: thirty tasks, by the click', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;
    let leaver: TestUser;
    let page: Page;

    const send = <Data>(method: 'POST' | 'PATCH', path: string, body: object): Promise<Data> =>
      service.ok<Data>(method, path, { token: root, body });

    const link = (name: string): Locator =>
      page.getByRole('navigation').getByRole('link', { name, exact: true });
    const button = (name: string | RegExp): Locator =>
      page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
    const dialog = (): Locator => page.getByRole('dialog').last();
    const inDialog = (name: string | RegExp): Locator =>
      dialog().getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
    const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text }).first();
    const more = async (name: string): Promise<void> => {
      await button('更多操作').click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
      leaver = await service.createUser(['viewer'], { username: 'aaron' });
      const { key } = await send<{ key: string }>('POST', '/admin/api_keys', {
        api_key: { name: 'reports', user_id: leaver.id, expires_at: null },
      });
      await service.get('/api/v1/users', { key });
      await service.post('/api/v1/books', { token: leaver, body: { book: { title: 'refused' } } });
    }, 120_000);

    const tasks: readonly Task[] = [
      {
        name: 'create a key that only reads orders',
        // One more where the list of users moves under the pointer.
        clicks: 7,
        run: async () => {
          await link('API 密钥').click();
          await page.getByRole('main').getByRole('link', { name: /^新建/ }).first().click();
          await page.getByRole('textbox', { name: '名称' }).fill('orders reader');
          await page.getByRole('combobox', { name: '所有者' }).fill('root');
          await page.getByRole('option', { name: /root/ }).click();
          await page.getByRole('radio', { name: '仅限所选' }).check();
          await page.getByRole('checkbox', { name: '订单: 读取' }).check();
          await button('新建密钥').click();
          await page.getByRole('heading', { name: /orders reader/ }).waitFor();
        },
      },
      {
        name: 'extend a key',
        clicks: 5,
        run: async () => {
          await link('API 密钥').click();
          await page.getByRole('link', { name: 'reports', exact: true }).click();
          await button('设置过期时间').click();
          await inDialog('30 天').click();
          await inDialog('设置过期时间').click();
          await button('延期').waitFor();
        },
      },
      {
        name: 'see the calls of a key',
        clicks: 2,
        run: async () => {
          await link('API 密钥').click();
          await page.getByRole('link', { name: 'reports', exact: true }).click();
          await page.getByText('最近调用的接口').waitFor();
        },
      },
      {
        name: 'find the owner of a leaked key',
        clicks: 1,
        run: async () => {
          const { key, name } = await service.createKey(leaver);
          await link('用户').click();
          await page.getByRole('main').getByRole('searchbox').fill(key);
          await page.getByRole('heading', { name }).waitFor();
        },
      },
      {
        name: 'revoke a key',
        clicks: 5,
        run: async () => {
          await link('API 密钥').click();
          await page.getByRole('link', { name: 'reports', exact: true }).click();
          await more('吊销');
          await inDialog('吊销').click();
          await page.getByRole('heading', { name: 'API 密钥' }).waitFor();
        },
      },
      {
        name: 'invite a user',
        clicks: 4,
        run: async () => {
          await link('用户').click();
          await page.getByRole('main').getByRole('link', { name: /^新建/ }).first().click();
          await page.getByLabel('用户名').fill('invited');
          await page.getByLabel('邮箱').fill('invited@example.com');
          await button('保存').click();
          await dialog().getByRole('textbox', { name: '链接' }).waitFor();
          await dialog().getByRole('checkbox').check();
          await page.keyboard.press('Escape');
        },
      },
      {
        name: 'reset a password',
        clicks: 5,
        run: async () => {
          await link('用户').click();
          await page.getByRole('link', { name: 'aaron', exact: true }).click();
          await button('设置新密码').click();
          await button('生成强密码').click();
          await inDialog('设置新密码').click();
          await page
            .getByText(/密码已重置|已重置/)
            .first()
            .waitFor();
        },
      },
      {
        name: 'view as a colleague',
        clicks: 4,
        run: async () => {
          await link('用户').click();
          await page.getByRole('link', { name: 'aaron', exact: true }).click();
          await button('更多操作').click();
          await page.getByRole('menuitem').first().click();
          await page.getByText('您正以 aaron 的视角查看').waitFor();
        },
      },
      {
        name: 'disable a user who leaves',
        clicks: 3,
        run: async () => {
          await link('用户').click();
          await button('停用: aaron').click();
          await inDialog('停用').click();
          await page.getByText('已停用“aaron”').waitFor();
        },
      },
      {
        name: 'create a role',
        clicks: 3,
        run: async () => {
          await link('角色').click();
          await button('新建角色').click();
          await dialog().getByRole('textbox', { name: '名称' }).fill('support');
          await inDialog(/保存|新建/).click();
          await page.getByRole('heading', { name: 'support' }).or(row('support')).first().waitFor();
        },
      },
      {
        name: 'grant a right in the permission table',
        // With more than six models the column is opened first.
        clicks: 3,
        run: async () => {
          await link('权限管理').click();
          await button(/^support: Order · /).click();
          await page.locator('input[value="support Order update"]').check();
          await page.getByText('support 现在可以修改订单').first().waitFor();
        },
      },
      {
        name: 'find out why a request was refused',
        clicks: 3,
        run: async () => {
          await link('权限解释').click();
          await page.getByRole('tab', { name: '最近被拒绝的请求' }).click();
          await page.getByRole('main').getByRole('link', { name: /POST/ }).first().click();
          await page.getByRole('heading', { name: /拒绝/ }).first().waitFor();
        },
      },
      {
        name: 'filter a list by a state',
        clicks: 4,
        run: async () => {
          await link('图书').click();
          await button('筛选').click();
          await dialog().getByRole('menuitem', { name: '状态', exact: true }).click();
          await dialog()
            .getByRole('checkbox', { name: '下架' })
            .or(dialog().getByText('下架'))
            .first()
            .click();
          await expect.poll(() => page.url()).toContain('withdrawn');
          await page.keyboard.press('Escape');
        },
      },
      {
        name: 'change three records at once',
        clicks: 9,
        run: async () => {
          await link('图书').click();
          await page.locator('tbody tr').nth(2).waitFor();
          for (const place of [1, 2, 3]) await page.getByRole('row').nth(place).getByRole('checkbox').check();
          await button('批量修改').click();
          await dialog().getByLabel('添加要修改的字段').click();
          await page.getByRole('option', { name: '页数' }).click();
          await dialog().locator('input[inputmode=numeric]').fill('77');
          await inDialog('修改 3 条').click();
          await page.getByText(/已修改 3 条/).waitFor();
        },
      },
      {
        name: 'undo it',
        clicks: 1,
        run: async () => {
          await button('撤销').click();
          await page.getByText(/已撤销/).waitFor();
        },
      },
      {
        name: 'edit a record',
        clicks: 4,
        run: async () => {
          await link('订单').click();
          await page.getByRole('link', { name: '2026-1000', exact: true }).click();
          await page.getByRole('link', { name: '编辑' }).click();
          await page.getByLabel('金额').fill('4711');
          await button('保存').click();
          await page
            .getByText(/4,?711/)
            .first()
            .waitFor();
        },
      },
      {
        name: 'see who changed a price',
        clicks: 4,
        run: async () => {
          await link('图书').click();
          await page.getByRole('main').getByRole('searchbox').fill('978-7-100370');
          await page
            .locator('tbody tr')
            .filter({ hasText: '978-7-100370' })
            .getByRole('link')
            .first()
            .click();
          await more('历史');
          await page.getByText('39.90').first().waitFor();
        },
      },
      {
        name: 'delete a record',
        clicks: 5,
        run: async () => {
          await link('订单').click();
          await page.getByRole('link', { name: '2026-1001', exact: true }).click();
          await more('删除');
          await inDialog('删除').click();
          await page.getByRole('heading', { name: '订单', exact: true }).waitFor();
        },
      },
      {
        name: 'restore it from the trash',
        clicks: 5,
        run: async () => {
          await link('订单').click();
          await more('已删除');
          await row('2026-1001').getByRole('checkbox').check();
          await button('恢复').click();
          await row('2026-1001').waitFor({ state: 'detached' });
        },
      },
      {
        name: 'hand a record over to another user',
        clicks: 5,
        run: async () => {
          await link('团队成员').click();
          await page.locator('tbody tr').first().getByRole('link').first().click();
          await page.getByRole('link', { name: '编辑' }).click();
          await page.getByRole('combobox', { name: '用户' }).fill('liu_yang');
          await page.getByRole('option', { name: /liu_yang/ }).click();
          await button('保存').click();
          await page.getByRole('main').getByText('liu_yang').first().waitFor();
        },
      },
      {
        name: 'share a view, with its columns',
        clicks: 5,
        run: async () => {
          await link('图书').click();
          await button('显示').click();
          await page.getByRole('checkbox', { name: '页数' }).check();
          await button(/^复制: 此视图的链接/).click();
          await button(/^已复制: 此视图的链接/).waitFor();
        },
      },
      {
        name: 'export a list with names instead of ids',
        clicks: 3,
        run: async () => {
          await link('图书').click();
          const download = page.waitForEvent('download');
          await page.getByRole('main').getByRole('button', { name: '更多' }).first().click();
          await page.getByRole('menuitem', { name: '导出（引用显示名称）' }).click();
          await download;
        },
      },
      {
        name: 'see which value an import refuses',
        clicks: 4,
        run: async () => {
          await link('订单').click();
          await more('导入');
          const file = join(service.env['DATA_DIR'] ?? '', 'orders.csv');
          await writeFile(file, '订单号,amount\nNEW-1,cheap\n');
          await page.locator('input[type=file]').setInputFiles(file);
          await button('预览').click();
          await page.getByText(/金额.*：cheap/).waitFor();
        },
      },
      {
        name: 'create a webhook',
        clicks: 8,
        run: async () => {
          await link('Webhook').click();
          await page.getByRole('main').getByRole('link', { name: /^新建/ }).first().click();
          await page.getByLabel('地址').fill(`${service.origin}/api/v1/inbox`);
          await page.getByLabel('资源').click();
          await page.getByRole('option', { name: '订单' }).click();
          await page.keyboard.press('Escape');
          await page.getByLabel('以此用户的权限').fill('root');
          await page.getByRole('option', { name: /root/ }).click();
          await button('新建 Webhook').click();
          await dialog().getByRole('checkbox').check();
          await inDialog('关闭').click();
        },
      },
      {
        name: 'send a test message',
        clicks: 1,
        run: async () => {
          await button('发送测试').click();
          await page.getByText(/20\d/).first().waitFor();
        },
      },
      {
        name: 'run a failed job again',
        clicks: 1,
        run: async () => {
          await button(/^立即运行: nightly_report/)
            .first()
            .click();
          await button(/^立即运行: nightly_report/)
            .first()
            .waitFor({ state: 'detached' });
        },
      },
      {
        name: 'rotate the secret of an application',
        clicks: 5,
        run: async () => {
          await link('应用').click();
          await button('轮换密钥: shop').click();
          await inDialog('轮换密钥').click();
          await page.getByText('应用“shop”的新密钥').waitFor();
          await dialog().getByRole('checkbox').check();
          await inDialog('关闭').click();
        },
      },
      {
        name: 'find the slowest route',
        clicks: 1,
        run: async () => {
          await link('响应时间').click();
          await page.getByRole('heading', { name: '响应时间', level: 1 }).waitFor();
          await page.locator('tbody tr').first().waitFor();
        },
      },
      {
        name: 'see version and settings',
        clicks: 1,
        run: async () => {
          await link('关于此服务').click();
          await page.getByText('JWT_SECRET').waitFor();
        },
      },
      {
        name: 'end the own other sessions',
        clicks: 4,
        run: async () => {
          await enter(open, service, root, '/');
          await button('账号').click();
          await page.getByRole('menuitem', { name: '我的会话' }).click();
          await button('退出其他会话').click();
          await inDialog('退出其他会话').click();
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        },
      },
    ];

    /** Tasks, each with the one that goes on where it ended. */
    const continued: Readonly<Record<string, string>> = {
      'change three records at once': 'undo it',
      'create a webhook': 'send a test message',
    };
    const later = Object.values(continued);

    it('the tasks are thirty', () => expect(tasks).toHaveLength(30));

    it.each(tasks.filter(({ name }) => !later.includes(name)))(
      'takes as few clicks as stated: $name',
      async (first) => {
        ({ page } = await enter(open, service, root, '/'));
        await page.addInitScript(counter);
        await page.reload();
        await settled(page);
        for (const task of [first, ...tasks.filter(({ name }) => name === continued[first.name])]) {
          await page.evaluate('window.clicks = 0');
          await task.run(page);
          const used = await page.evaluate<number>('window.clicks');
          console.log(`${used} clicks: ${task.name}`);
          expect(used).toBeLessThanOrEqual(task.clicks);
        }
      },
    );
  });
});
