import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { useService } from '../support/service.ts';
import { accessibility, demandQuiet, fillSignIn, settled, site, visit } from './admin-site.ts';

const password = 'walnut-harbour-61 lamp';

describeDatabase('sqlite', 'pages of links that are sent by mail', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const mailbox = new Mailbox();
    const { application = {} } = site;
    const service = useService(databases, {
      ...site,
      application: { ...application, config: { mail: mailbox.receive, registration: {} } },
    });

    const linkPath = async (path: string): Promise<string> => `${path}#${linkToken(await mailbox.next())}`;

    it('an administrator resets a forgotten password, from the sign-in and back to it', async () => {
      const user = await service.createUser(['admin']);
      const asking = await visit(open, service, '/login');
      const { page } = asking;
      await page.getByRole('link', { name: '忘记密码？' }).click();
      await page.getByLabel('用户名或邮箱').fill(user.email);
      await page.getByRole('button', { name: '发送链接' }).click();
      await page.getByText('如果该账号存在，链接已发送到其邮箱。').waitFor();
      expect(await accessibility(page)).toEqual([]);

      const opened = await visit(open, service, await linkPath('/password_reset'));
      const { page: reset } = opened;
      await expect.poll(() => reset.url()).toBe(`${service.origin}/admin/password_reset`);
      await reset.getByLabel(/^新密码/).fill('short');
      await reset.getByLabel('再次输入新密码').fill('short');
      await reset.getByRole('button', { name: '设置密码' }).click();
      await reset
        .getByText(/至少 8 个字符|长度/)
        .first()
        .waitFor();
      await reset.getByLabel(/^新密码/).fill(password);
      await reset.getByLabel('再次输入新密码').fill(password);
      expect(await accessibility(reset)).toEqual([]);
      await reset.getByRole('button', { name: '设置密码' }).click();
      await reset.getByText('您现在可以用新密码登录。').waitFor();
      await reset.getByRole('link', { name: '返回登录' }).click();
      await fillSignIn(reset, { ...user, password });
      await settled(reset);
      await reset.getByRole('heading', { level: 1 }).first().waitFor();
      mailbox.clear();
    });

    it('a user registers: the address first, then a name and a password', async () => {
      const asking = await visit(open, service, '/login');
      await asking.page.getByRole('link', { name: '注册' }).click();
      await asking.page.getByLabel('邮箱').fill('newcomer@example.com');
      await asking.page.getByRole('button', { name: '发送链接' }).click();
      await asking.page.getByText('链接已发送到此邮箱').waitFor();

      const { page } = await visit(open, service, await linkPath('/register'));
      await page.getByLabel('用户名').fill('root');
      await page.getByLabel('密码').fill(password);
      await page.getByRole('button', { name: '注册' }).click();
      // The name of the administrator: the message stands at its field, and the link stays valid.
      await page.getByText('用户名已被使用').waitFor();
      await page.getByLabel('用户名').fill('newcomer');
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: '注册' }).click();
      await page.getByText('您现在可以用账号“newcomer”登录。').waitFor();
      const signedIn = await service.post('/api/v1/auth/login', { body: { account: 'newcomer', password } });
      expect(signedIn.status).toBe(200);
      mailbox.clear();
    });

    it('a new address is confirmed by a button, once', async () => {
      const user = await service.createUser(['viewer']);
      const body = { email: 'moved@example.com', password: user.password };
      expect((await service.post('/api/v1/auth/email', { token: user, body })).status).toBe(200);
      const path = await linkPath('/email');
      const visiting = await visit(open, service, path);
      await visiting.page.getByRole('button', { name: '确认邮箱' }).click();
      await visiting.page.getByText('邮箱已修改').waitFor();
      demandQuiet(visiting, service);
      const again = await visit(open, service, path);
      await again.page.getByRole('button', { name: '确认邮箱' }).click();
      await again.page.getByText('链接无效：已使用、已过期或已被取代').waitFor();
      const bare = await visit(open, service, '/email');
      await bare.page.getByText('地址中没有令牌').waitFor();
      mailbox.clear();
    });
  });

  describe.skipIf(!hasBrowser)('of an application without mail', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);

    it('links by mail are not offered by the sign-in of an application without mail', async () => {
      const { page } = await visit(open, service, '/login');
      await page.getByLabel('密码').waitFor();
      expect(await page.getByRole('link', { name: /忘记密码|注册/ }).count()).toBe(0);
    });
  });
});
