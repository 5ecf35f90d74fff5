import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

describe.skipIf(!hasBrowser)('the documentation page, where requests come to nothing', () => {
  describeDatabase('sqlite', 'in a browser', (databases) => {
    const service = useService(databases, { env: { LOCALE: 'en' } });
    const open = useBrowser();

    const visit = async (path: string) => {
      const { page } = await open();
      await page.goto(`${service.origin}/api-docs?lang=en#/${path}`);
      await page.locator('main h1').first().waitFor();
      const result = page.locator('.result');
      return { page, result, send: () => page.getByRole('button', { name: 'Send', exact: true }).click() };
    };

    it('says that the service is unreachable, and goes on once it answers again', async () => {
      const { page, result, send } = await visit('getHealth');
      const unreachable =
        'The service cannot be reached. Check that it is running and that the network works.';
      await page.context().setOffline(true);
      await send();
      await result.getByText(unreachable).waitFor();
      await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Account', { exact: true }).fill('ada');
      await dialog.getByLabel('Password', { exact: true }).fill('lovelace');
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.getByText(unreachable).waitFor();
      await page.keyboard.press('Escape');
      await page.context().setOffline(false);
      await send();
      await result.getByText('200', { exact: true }).waitFor();
    });

    it('stays as it is where the other language cannot be loaded', async () => {
      const { page } = await visit('getHealth');
      await page.context().setOffline(true);
      const other = page.getByRole('button', { name: '简体中文' });
      await other.click();
      await page.getByText('无法加载接口描述').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Health check');
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      await page.context().setOffline(false);
      await other.click();
      await page.getByRole('heading', { level: 1, name: '健康检查' }).waitFor();
    });

    it('distinguishes a request that cannot be sent from one without an answer', async () => {
      const { page, result, send } = await visit('createPayment');
      await page.getByLabel('Idempotency-Key').fill('钥匙');
      await send();
      await result.getByText('The request failed: ').waitFor();
    });

    it('gives a request up when asked, and shows the answer of the latest only', async () => {
      const { page, result, send } = await visit('getHealth');
      const held: (() => Promise<void>)[] = [];
      await page.route('**/api/v1/health', (route) => {
        held.push(() => route.continue());
      });
      await send();
      await result.getByText('Sending…').waitFor();
      await result.getByRole('button', { name: 'Cancel' }).click();
      await result.getByText('The request was cancelled.').waitFor();
      await send();
      await expect.poll(() => held.length).toBe(2);
      await send();
      await expect.poll(() => held.length).toBe(3);
      await held[2]?.();
      await result.getByText('200', { exact: true }).waitFor();
      expect(await result.getByText('cancelled').count()).toBe(0);
    });

    it('shows a stream while it goes on', async () => {
      const { page, result, send } = await visit('getHealth');
      const body = 'event: ready\ndata: {"id":1}\n\n';
      await page.route('**/api/v1/health', (route) =>
        route.fulfill({ status: 200, contentType: 'text/event-stream', body }),
      );
      await send();
      await result.getByText('event: ready').waitFor();
      await expect.poll(() => result.getByText('Receiving…').count()).toBe(0);
    });
  });
});
