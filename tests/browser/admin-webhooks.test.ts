import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver, verifies } from '../support/receiver.ts';
import { type TestUser, useService } from '../support/service.ts';
import {
  accessibility,
  chooseMore,
  demandQuiet,
  enter,
  go,
  load,
  seed,
  settled,
  site,
} from './admin-site.ts';

interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly disabled: boolean;
  readonly actions: readonly string[];
}

describeDatabase('sqlite', 'administration pages: webhooks', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const receiving = async (respond: () => number, run: (receiver: Receiver) => Promise<void>) => {
      const receiver = await startReceiver(respond);
      try {
        await run(receiver);
      } finally {
        await receiver.close();
      }
    };
    const order = (number: string) =>
      service.ok('POST', '/admin/records/orders', { token: root, body: { order: { number, amount: 5 } } });
    const webhooks = () => service.ok<Webhook[]>('GET', '/admin/webhooks', { token: root });
    const secretIn = async (page: Page): Promise<string> => {
      const dialog = page.getByRole('dialog');
      const secret = (await dialog.getByRole('textbox', { name: '密钥' }).textContent()) ?? '';
      await dialog.getByRole('button', { name: '复制' }).click();
      await dialog.getByRole('button', { name: '已复制' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
      expect(await dialog.getByRole('button', { name: '关闭' }).isDisabled()).toBe(true);
      await dialog.getByRole('checkbox').check();
      await dialog.getByRole('button', { name: '关闭' }).click();
      return secret;
    };

    it('what fails stands first, and the overview leads to what was disabled', async () => {
      const watched = await enter(open, service, root, '/');
      const { page } = watched;
      await page.getByRole('link', { name: /hooks\.example\.com/ }).click();
      await page.getByText('多次尝试均失败，已自动停用').first().waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Webhook', exact: true }).click();
      await page.getByRole('heading', { name: 'Webhook', exact: true }).waitFor();
      await settled(page);
      const rows = page.getByRole('row');
      await rows.nth(3).waitFor();
      const texts = (await rows.allTextContents()).slice(1);
      expect(texts.slice(0, 2).sort()).toEqual([
        expect.stringMatching(/nowhere连续失败 \d+ 次/),
        expect.stringMatching(/hooks\.example\.com.*多次尝试均失败，已自动停用/),
      ]);
      expect(texts[2]).toMatch(/inbox正常/);
      expect(await accessibility(page)).toEqual([]);
      demandQuiet(watched, service);
    });

    it('a webhook is made, its secret shown once, and what it sends verifies', () =>
      receiving(
        () => 204,
        async (receiver) => {
          const watched = await enter(open, service, root, '/webhooks/create');
          const { page } = watched;
          await page.getByLabel('地址').fill('ftp://nowhere');
          await page.getByRole('button', { name: '新建 Webhook' }).click();
          await expect.poll(() => page.getByLabel('地址').getAttribute('aria-invalid')).toBe('true');
          await page.getByLabel('地址').fill(receiver.url);
          await page.getByLabel('资源').click();
          expect(await page.getByRole('option').allTextContents()).toEqual(['订单']);
          // Nothing is highlighted: Enter must not send the form.
          await page.keyboard.press('Enter');
          await page.getByRole('option', { name: '订单' }).click();
          await page.keyboard.press('Escape');
          await page.getByLabel('修改').uncheck();
          await page.getByLabel('以此用户的权限').fill('root');
          await page.getByRole('option', { name: /root/ }).click();
          await page.getByRole('button', { name: '新建 Webhook' }).click();
          const secret = await secretIn(page);
          const sent = watched.requests.filter((url) => url.endsWith('/admin/webhooks'));
          expect(sent).toHaveLength(2);
          await page.getByRole('heading', { name: `127.0.0.1:${receiver.port}/hook` }).waitFor();
          await page.getByText('还没有发送记录。').waitFor();
          await page.getByRole('button', { name: '发送测试' }).click();
          await page.getByText(/测试消息已送达。 204/).waitFor();
          await order('W-1');
          await expect.poll(() => receiver.received.length).toBe(2);
          expect(receiver.received.map((each) => verifies(secret, each))).toEqual([true, true]);
          expect((await webhooks()).find(({ url }) => url === receiver.url)?.actions).toEqual([
            'create',
            'destroy',
          ]);
          demandQuiet(watched, service);
        },
      ));

    it('shows what was sent and answered, and sends it again', () => {
      let status = 500;
      return receiving(
        () => status,
        async (receiver) => {
          const { id } = await service.ok<Webhook>('POST', '/admin/webhooks', {
            token: root,
            body: { webhook: { url: receiver.url, models: ['Order'], user_id: root.id } },
          });
          await order('W-2');
          await expect.poll(() => receiver.received.length).toBe(1);
          const watched = await enter(open, service, root, `/webhooks/${id}/show`);
          const { page } = watched;
          const delivery = page.getByRole('region', { name: '发送记录' }).getByRole('row').nth(1);
          await expect.poll(() => delivery.textContent()).toMatch(/重试.*创建 订单\s#\d+.*500 · \d+ ms/);
          await delivery.getByRole('button', { name: /^查看/ }).press('Enter');
          const dialog = page.getByRole('dialog');
          expect(await dialog.getByRole('region', { name: '最近的请求：请求体' }).textContent()).toMatch(
            /W-2/,
          );
          expect(await dialog.getByRole('region', { name: '最近的请求：请求头' }).textContent()).toMatch(
            /webhook-signature: v1,/,
          );
          expect(await dialog.getByRole('region', { name: '最近的响应：响应体' }).textContent()).toBe(
            'answered 500',
          );
          expect(await accessibility(page)).toEqual([]);
          await page.keyboard.press('Escape');
          // On a machine that is busy it was tried again by itself meanwhile.
          const before = receiver.received.length;
          status = 204;
          await delivery.getByRole('button', { name: /^重新发送/ }).click();
          await expect.poll(() => delivery.textContent()).toMatch(/已送达/);
          expect(receiver.received.length).toBeGreaterThan(before);
          demandQuiet(watched, service);
        },
      );
    });

    it('says until when it pauses and why, and is tried at once', () => {
      let status = 500;
      return receiving(
        () => status,
        async (receiver) => {
          const { id } = await service.ok<Webhook>('POST', '/admin/webhooks', {
            token: root,
            body: { webhook: { url: receiver.url, models: ['Order'], user_id: root.id } },
          });
          for (let n = 1; n <= 12; n += 1) await order(`P-${n}`);
          const watched = await enter(open, service, root, `/webhooks/${id}/show`);
          const { page } = watched;
          const alert = page.getByRole('main').getByRole('alert');
          const said = /^连续失败 \d+ 次，暂停至 \d+:\d\d:\d\d · HTTP 500 “answered 500”/;
          await alert.filter({ hasText: said }).waitFor();
          expect(await accessibility(page)).toEqual([]);
          await page.setViewportSize({ width: 400, height: 800 });
          // The page follows a change of its size with a delay.
          await expect
            .poll(() => page.evaluate('document.documentElement.scrollWidth'))
            .toBeLessThanOrEqual(400);
          const before = receiver.received.length;
          status = 204;
          await alert.getByRole('button', { name: '立即重试' }).click();
          // The pause would have lasted half a minute.
          await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThan(before);
          await alert.filter({ hasText: '连续失败' }).waitFor({ state: 'detached' });
          demandQuiet(watched, service);
        },
      );
    });

    it('a webhook is switched off and on, given another secret, changed and deleted', () =>
      receiving(
        () => 204,
        async (receiver) => {
          const { id } = await service.ok<Webhook>('POST', '/admin/webhooks', {
            token: root,
            body: { webhook: { url: receiver.url, models: ['Order'], user_id: root.id } },
          });
          const { page } = await enter(open, service, root, `/webhooks/${id}/show`);
          await chooseMore(page, '停用');
          await page.getByRole('alert').filter({ hasText: '由管理员关闭' }).waitFor();
          await page.getByRole('button', { name: '重新启用' }).click();
          await page.getByRole('button', { name: '重新启用' }).waitFor({ state: 'detached' });
          await chooseMore(page, '轮换密钥');
          await page.getByRole('dialog').getByRole('button', { name: '轮换密钥' }).click();
          await page.getByRole('dialog').getByText('密钥已轮换').waitFor();
          const secret = await secretIn(page);
          await page.getByText('旧密钥有效至').waitFor();
          await order('W-3');
          await expect.poll(() => receiver.received.length).toBe(1);
          expect(receiver.received.map((each) => verifies(secret, each))).toEqual([true]);
          await go(page, service, `/webhooks/${id}`);
          await page.getByLabel('删除').uncheck();
          await page.getByRole('button', { name: '保存' }).click();
          await page.getByText('创建、修改', { exact: true }).waitFor();
          await chooseMore(page, '删除');
          await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
          await page.getByRole('heading', { name: 'Webhook', exact: true }).waitFor();
          expect((await webhooks()).some((each) => each.id === id)).toBe(false);
          await load(page, service, `/webhooks/${id}/show`);
          await page.getByRole('heading', { name: '记录不存在' }).waitFor();
        },
      ));
  });
});
