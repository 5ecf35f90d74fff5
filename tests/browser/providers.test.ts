import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { run } from '../../src/cli/test-io.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { useService } from '../support/service.ts';
import { accessibility, enter, site, visit } from './admin-site.ts';

const company = await new OidcServer().start();
afterAll(() => company.stop());

describeDatabase('sqlite', 'sign-in with a provider, in the administration pages', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const { application = {} } = site;
    const roles = { claim: 'groups', map: { chiefs: ['admin'] } };
    const service = useService(databases, {
      ...site,
      application: {
        ...application,
        config: {
          providers: {
            company: oidc({ issuer: company.issuer, client: company.client, label: 'Example', roles }),
          },
        },
      },
    });
    beforeAll(async () => {
      const stored = await run(['credentials', 'set', 'providers.company.client_secret'], {
        ...{ env: service.env, now: service.clock.now(), stdin: company.secret },
      });
      expect(stored.status).toBe(0);
      await service.server.services.applications.update((current) => current);
    });

    it('a button leads to the provider, and back into the area', async () => {
      company.account = { sub: 'chief', preferred_username: 'chief', groups: ['chiefs'] };
      const { page } = await visit(open, service, '/login');
      const button = page.getByRole('link', { name: '通过 Example 登录' });
      await button.waitFor();
      expect(await accessibility(page)).toEqual([]);
      await button.click();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForURL(`${service.origin}/admin`);
      await page.getByRole('banner').waitFor();
      await page.getByLabel('密码').waitFor({ state: 'detached' });
    });

    it('an administrator links an account, and unlinks it', async () => {
      const admin = await service.createUser(['admin']);
      company.account = { sub: 'linked to an administrator' };
      const { page } = await enter(open, service, admin, '/identities');
      await page.getByRole('button', { name: '关联 Example' }).click();
      await page.getByLabel('当前密码').fill('wrong');
      await page.getByRole('button', { name: '关联', exact: true }).click();
      await page.getByText('密码错误').waitFor();
      await page.getByLabel('当前密码').fill(admin.password);
      await page.getByRole('button', { name: '关联', exact: true }).click();
      await page.getByText('linked to an administrator').waitFor();
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: '解除关联' }).click();
      await page.getByText('linked to an administrator').waitFor({ state: 'detached' });
    });

    it('an administrator sees the linked accounts of a user, and unlinks one', async () => {
      const [admin, user] = [await service.createUser(['admin']), await service.createUser(['admin'])];
      company.account = { sub: 'linked to another' };
      const theirs = await enter(open, service, user, '/identities');
      await theirs.page.getByRole('button', { name: '关联 Example' }).click();
      await theirs.page.getByLabel('当前密码').fill(user.password);
      await theirs.page.getByRole('button', { name: '关联', exact: true }).click();
      await theirs.page.getByText('linked to another').waitFor();

      const { page } = await enter(open, service, admin, `/users/${user.id}/show`);
      await page.getByRole('heading', { name: '已关联的账号' }).waitFor();
      await page.getByText('Example · linked to another').waitFor();
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('button', { name: '解除关联' }).click();
      const dialog = page.getByRole('dialog', { name: `解除 ${user.username} 与 Example 的关联？` });
      await dialog.getByText('linked to another').waitFor();
      await dialog.getByRole('button', { name: '解除关联' }).click();
      await page.getByText('没有关联账号。').waitFor();
      await page.getByText('linked to another').waitFor({ state: 'detached' });
    });

    it('a sign-in is explained by its account, claim, mapping and roles', async () => {
      const admin = await service.createUser(['admin']);
      company.account = { sub: 'explained', preferred_username: 'explained', groups: ['chiefs', 'everyone'] };
      const guest = await visit(open, service, '/login');
      await guest.page.getByRole('link', { name: '通过 Example 登录' }).click();
      await guest.page.waitForURL(`${service.origin}/admin`);

      const { page } = await enter(open, service, admin, '/explain');
      await page.getByRole('tab', { name: '一次登录' }).click();
      // The tab before has a field of the same name.
      await page.getByLabel('声明的值').waitFor();
      await page.getByRole('combobox', { name: /用户/ }).fill('explained');
      await page.getByRole('option', { name: /explained/ }).click();
      await page.getByRole('button', { name: '解释', exact: true }).click();
      await page.getByRole('heading', { name: '允许登录' }).waitFor();
      const rows = page.locator('tbody tr');
      expect(await rows.allInnerTexts()).toEqual(['chiefs\tadmin', 'everyone\t无映射']);
      await page.getByText('由 chiefs 授予').waitFor();
      expect(await accessibility(page)).toEqual([]);

      await page.getByLabel('声明的值').fill('everyone');
      await page.getByRole('button', { name: '解释', exact: true }).click();
      await page.getByRole('heading', { name: '登录后失去的角色' }).waitFor();
      await page.getByText('默认角色：没有值对应映射').waitFor();
      // The question is in the address.
      await page.reload();
      await page.getByRole('heading', { name: '登录后失去的角色' }).waitFor();
      expect(await page.getByLabel('声明的值').inputValue()).toBe('everyone');
      expect(await accessibility(page)).toEqual([]);
    });

    it('a sign-in in another tab takes the page up again after the end of a session', async () => {
      company.account = { sub: 'chief', preferred_username: 'chief', groups: ['chiefs'] };
      const { page } = await visit(open, service, '/login');
      await page.getByRole('link', { name: '通过 Example 登录' }).click();
      await page.waitForURL(`${service.origin}/admin`);
      await page.getByRole('heading', { name: '概览' }).waitFor();
      await page.context().clearCookies();
      await page.getByRole('link', { name: '角色', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: '请重新登录' });
      const [tab] = await Promise.all([
        page.waitForEvent('popup'),
        dialog.getByRole('link', { name: '通过 Example 登录' }).click(),
      ]);
      await tab.waitForURL(`${service.origin}/admin`);
      await tab.getByRole('heading', { name: '概览' }).waitFor();
      await page.evaluate('dispatchEvent(new Event("focus"))');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: '角色' }).waitFor();
    });

    it('a user who is no administrator, and a refused sign-in, get a message at the sign-in', async () => {
      company.account = { sub: 'reader', preferred_username: 'reader', groups: [] };
      const { page } = await visit(open, service, '/login');
      await page.getByRole('link', { name: '通过 Example 登录' }).click();
      await page
        .getByText(/仅限管理员|没有权限|super_admin/)
        .first()
        .waitFor();
      company.forgery = { claims: { nonce: 'forged' } };
      await page.getByRole('link', { name: '通过 Example 登录' }).click();
      await page.getByText('通过身份提供方登录失败').waitFor();
      await page.waitForURL(`${service.origin}/admin/login`);
      company.forgery = {};
    });
  });
});
