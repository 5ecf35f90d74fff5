import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { demandQuiet, enter, settled } from './admin-site.ts';

/** The folder for pictures, if somebody wants to look. */
const pictures = process.env['PICTURES'];

describeDatabase('sqlite', 'administration pages: long sign-ins', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, { application: { config: { sessions: { days: 30 } } } });
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

    const remember = ({ username, password }: TestUser) =>
      service.ok<{ refresh_token: string }>('POST', '/api/v1/auth/login', {
        headers: { 'user-agent': agent },
        body: { account: username, password, remember: true },
      });
    const refused = async (token: string): Promise<boolean> => {
      const { status } = await service.post('/api/v1/auth/refresh', { body: { refresh_token: token } });
      return status === 401;
    };

    it('a long sign-in is marked among the own sessions, and ended there', async () => {
      const person = await service.createUser(['admin']);
      const { refresh_token: token } = await remember(person);
      const watched = await enter(open, service, person, '/sessions');
      const { page } = watched;
      const row = page.locator('tbody tr').filter({ hasText: '长期登录' });
      expect(await row.textContent()).toMatch(/Firefox 140/);
      expect(await page.locator('tbody tr').count()).toBe(2);
      if (pictures) await page.screenshot({ path: `${pictures}/long-sign-ins.png` });
      await row.getByRole('button', { name: '结束会话' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('该设备立即退出应用。').waitFor();
      await dialog.getByRole('button', { name: '结束', exact: true }).click();
      await page.getByText('会话已结束').waitFor();
      await settled(page);
      expect(await page.locator('tbody tr').count()).toBe(1);
      expect(await refused(token)).toBe(true);
      demandQuiet(watched, service);
    });

    it('an administrator sees the long sign-in of another user, and ends it', async () => {
      const person = await service.createUser();
      const { refresh_token: token } = await remember(person);
      const { page } = await enter(open, service, await service.admin(), `/users/${person.id}/show`);
      const line = page.locator('li').filter({ hasText: '长期登录' });
      expect(await line.textContent()).toMatch(/Firefox 140.*长期登录.*最近使用/);
      if (pictures) await page.screenshot({ path: `${pictures}/long-sign-in-of.png`, fullPage: true });
      await page.getByRole('button', { name: '结束会话' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '结束会话' }).click();
      await line.waitFor({ state: 'detached' });
      expect(await refused(token)).toBe(true);
    });
  });
});
