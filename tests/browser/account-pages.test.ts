/** Pages of end users in Chromium: each link from its mail to its end, the provider, and the looks. */

import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { run } from '../../src/cli/test-io.ts';
import { hasBrowser, type Sight, useBrowser, type Watched } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { type Service, type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, fillSignIn, site, visit } from './admin-site.ts';

const password = 'walnut-harbour-61 lamp';

/** The application, which is at another origin than the service. */
const home = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html').end('<title>The application</title><h1>Welcome</h1>');
});
home.listen(0, '127.0.0.1');
await once(home, 'listening');
const homeUrl = `http://127.0.0.1:${(home.address() as AddressInfo).port}/`;

const company = await new OidcServer().start();
afterAll(async () => {
  await company.stop();
  home.close();
});

const providers = {
  company: oidc({ issuer: company.issuer, client: company.client, label: 'Example' }),
};

const storeSecret = async (service: Service): Promise<void> => {
  const stored = await run(['credentials', 'set', 'providers.company.client_secret'], {
    ...{ env: service.env, now: service.clock.now(), stdin: company.secret },
  });
  expect(stored.status).toBe(0);
  await service.server.services.applications.update((current) => current);
};

const looks = [
  { locale: 'zh-CN', colorScheme: 'light', width: 1280, height: 860 },
  { locale: 'en', colorScheme: 'dark', width: 360, height: 780 },
  { locale: 'zh-CN', colorScheme: 'dark', width: 360, height: 780 },
  { locale: 'en', colorScheme: 'light', width: 1280, height: 860 },
] as const;

/** Pictures are kept for people to look at. */
const screenshots = process.env['SCREENSHOTS'] !== undefined;
const folder = fileURLToPath(new URL('screenshots/', import.meta.url));

const invitationFor = async (service: Service, user: TestUser): Promise<string> => {
  const token = await service.admin();
  return (await service.ok<{ url: string }>('POST', `/admin/users/${user.id}/invitation`, { token })).url;
};

describeDatabase('sqlite', 'pages of end users', (databases) => {
  describe.skipIf(!hasBrowser)('of an application with a home, in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const mailbox = new Mailbox();
    const config = {
      name: '书店 Shop',
      environment: 'staging',
      colour: '#1d5fd1',
      mail: mailbox.receive,
      registration: {},
      providers,
      accounts: { home: homeUrl },
    };
    const service = useService(databases, { env: { LOCALE: 'auto' }, application: { config } });
    beforeAll(() => storeSecret(service));

    const browse = async (address: string, sight: Sight = { locale: 'en' }): Promise<Watched> => {
      const watched = await open(sight);
      watched.page.setDefaultTimeout(20_000);
      await watched.page.goto(address.startsWith('/') ? service.origin + address : address);
      return watched;
    };
    const linkTo = async (path: string): Promise<string> => `${path}#${linkToken(await mailbox.next())}`;
    const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
    const goHome = async (page: Page): Promise<void> => {
      await page.getByRole('link', { name: 'Continue to 书店 Shop' }).click();
      await page.waitForURL(homeUrl);
    };

    it('a user registers: the address, the mail, a password, and the way on to the application', async () => {
      const asking = await browse('/account/register');
      await asking.page.getByLabel('Email').fill('newcomer@example.com');
      await asking.page.keyboard.press('Enter');
      await heading(asking.page, 'Check your mail');
      demandQuiet(asking, service);

      const path = await linkTo('/account/register');
      const watched = await browse(path);
      const { page } = watched;
      await expect.poll(() => page.url()).toBe(`${service.origin}/account/register`);
      expect(
        await page.evaluate('JSON.stringify([history.state, { ...localStorage, ...sessionStorage }])'),
      ).not.toContain(path.slice(-43));
      await page.getByLabel('Password', { exact: true }).fill('12345678');
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByText(/too common/).waitFor();
      const field = page.getByLabel('Password', { exact: true });
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.evaluate('document.activeElement.id')).toBe('password');
      await field.fill(password);
      await page.getByLabel('Show password').check();
      expect(await field.getAttribute('type')).toBe('text');
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByText('You can sign in as “newcomer”').waitFor();
      demandQuiet(watched, service);
      expect(watched.requests.join()).not.toContain(path.slice(-43));
      expect((await service.login('newcomer', password)).status).toBe(200);
      await goHome(page);
    });

    it('a chosen name that is taken is refused beside its field, and the link stays valid', async () => {
      const { page: asking } = await browse('/account/register');
      await asking.getByLabel('Email').fill('second@example.com');
      await asking.getByRole('button', { name: 'Send link' }).click();
      const { page } = await browse(await linkTo('/account/register'));
      await page.getByLabel('Username').fill('root');
      await page.getByLabel('Name (optional)', { exact: true }).fill('Second Person');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Register' }).click();
      await page.locator('#username[aria-invalid]').waitFor();
      expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe(password);
      await page.getByLabel('Username').fill('second');
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByText('You can sign in as “second”').waitFor();
    });

    it('a user resets a password by the former address of the page, and its link ends', async () => {
      const user = await service.createUser(['viewer']);
      const { page: asking } = await browse('/account/password_reset');
      await asking.getByLabel('Username or email').fill(user.username);
      await asking.getByRole('button', { name: 'Send link' }).click();
      await heading(asking, 'Check your mail');
      const path = await linkTo('/admin/password_reset');
      const watched = await browse(path);
      const { page } = watched;
      await heading(page, 'Choose a new password');
      await expect.poll(() => page.url()).toBe(`${service.origin}/account/password_reset`);
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await heading(page, 'Your password is set');
      demandQuiet(watched, service);
      expect((await service.login(user.username, password)).status).toBe(200);
      await mailbox.next();
      await goHome(page);
      // The used link offers another one.
      const { page: again } = await browse(path);
      await again.getByLabel('New password').fill(password);
      await again.getByRole('button', { name: 'Set the password' }).click();
      await heading(again, 'The link does not work');
      await again.getByRole('link', { name: 'Request another link' }).click();
      await heading(again, 'Reset password');
    });

    it('an invited user sets a password, and an administrator also learns of the administration', async () => {
      for (const role of ['viewer', 'admin']) {
        const user = await service.createUser([role]);
        const url = await invitationFor(service, user);
        await mailbox.next();
        const watched = await browse(url);
        const { page } = watched;
        await page.getByText(`This link sets the password of the account “${user.username}”.`).waitFor();
        await page.getByText(user.email).waitFor();
        await page.getByLabel('New password').fill(password);
        await page.getByRole('button', { name: 'Set the password' }).click();
        await page.getByText(`The account “${user.username}” can now sign in with it.`).waitFor();
        demandQuiet(watched, service);
        const links = await page.getByRole('link').allInnerTexts();
        const own = role === 'admin' ? ['Sign in to the administration area'] : [];
        expect(links).toEqual(['Continue to 书店 Shop', ...own]);
      }
    });

    it('an invitation says why it is good for nothing, and one link may follow another in a tab', async () => {
      const user = await service.createUser(['viewer']);
      const [first, second] = [await invitationFor(service, user), await invitationFor(service, user)];
      for (let count = 0; count < 2; count += 1) await mailbox.next();
      const { page } = await browse(first);
      await heading(page, 'The link does not work');
      await page.getByText('Ask an administrator for a new link.').waitFor();
      await page.goto(second);
      await page.getByText(`“${user.username}”`).waitFor();
      await page.goto(`${service.origin}/account/invitation#wrong`);
      await heading(page, 'The link does not work');
      await page.goto(`${service.origin}/account/email`);
      await heading(page, 'The link is incomplete');
    });

    it('a failed connection keeps the link and what was typed', async () => {
      const user = await service.createUser(['viewer']);
      const url = await invitationFor(service, user);
      await mailbox.next();
      const { page } = await open({ locale: 'en' });
      await page.route('**/admin/invitation/lookup', (route) => route.abort(), { times: 1 });
      await page.goto(url);
      await page.getByText('The service cannot be reached').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.route('**/admin/invitation', (route) => route.abort(), { times: 1 });
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByText('The service cannot be reached').waitFor();
      expect(await page.getByLabel('New password').inputValue()).toBe(password);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await heading(page, 'Your password is set');
    });

    it('a new address is confirmed by a button, once', async () => {
      const user = await service.createUser(['viewer']);
      const body = { email: 'moved@example.com', password: user.password };
      expect((await service.post('/api/v1/auth/email', { token: user, body })).status).toBe(200);
      const path = await linkTo('/account/email');
      const watched = await browse(path);
      await watched.page.getByRole('button', { name: 'Confirm address' }).click();
      await heading(watched.page, 'Your address is changed');
      demandQuiet(watched, service);
      await goHome(watched.page);
      const { page: again } = await browse(path);
      await again.getByRole('button', { name: 'Confirm address' }).click();
      await heading(again, 'The link does not work');
      await mailbox.next();
    });

    it('a sign-in with a provider returns to the page, which names the way on, or the failure', async () => {
      company.account = { sub: 'reader', preferred_username: 'reader' };
      const watched = await browse('/account/login');
      const { page } = watched;
      await page.getByRole('link', { name: 'Sign in with Example' }).click();
      await heading(page, 'The provider has confirmed your account');
      await expect.poll(() => page.url()).toBe(`${service.origin}/account/login`);
      await goHome(page);
      company.forgery = { claims: { nonce: 'forged' } };
      await page.goto(`${service.origin}/account/login`);
      await page.getByRole('link', { name: 'Sign in with Example' }).click();
      await page.getByText('The sign-in with the provider has failed. Try again.').waitFor();
      company.forgery = {};
      await page.goto(`${service.origin}/account/login#linked=1`);
      await heading(page, 'Your account is linked');
    });

    it.each(looks)('look right in $locale, $colorScheme, $width px', async (look) => {
      const { page } = await open(look);
      page.setDefaultTimeout(20_000);
      const found: string[] = [];
      const examine = async (name: string): Promise<void> => {
        await page.locator('h1').waitFor();
        found.push(...(await accessibility(page)).map((violation) => `${name}: ${violation}`));
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (wide > look.width) found.push(`${name} is ${wide} px wide`);
        if (!screenshots) return;
        await mkdir(folder, { recursive: true });
        const file = `account-${name}-${look.locale}-${look.colorScheme}-${look.width}.png`;
        await page.screenshot({ path: join(folder, file) });
      };
      const goTo = async (path: string): Promise<void> => {
        await page.goto('about:blank');
        await page.goto(path.startsWith('/') ? service.origin + path : path);
        await page.locator('h1').waitFor();
      };
      await goTo('/account/register');
      await examine('register');
      await page.locator('input').fill(`look${looks.indexOf(look)}@example.com`);
      await page.locator('button').click();
      await page.locator('.message[role=status]').waitFor();
      await examine('sent');
      await goTo(await linkTo('/account/register'));
      await examine('complete');
      await page.locator('#password').fill('12345678');
      await page.locator('button').click();
      await page.locator('#password[aria-invalid]').waitFor();
      await examine('refused');
      await page.locator('#password').fill(password);
      await page.locator('button').click();
      await page.locator('.message[role=status]').waitFor();
      await examine('registered');
      await goTo('/account/password_reset');
      await examine('forgotten');
      await goTo('/account/password_reset#token');
      await examine('reset');
      await page.locator('#password').fill(password);
      await page.locator('button').click();
      await page.locator('.message[role=alert]:not([hidden])').waitFor();
      await examine('over');
      await goTo('/account/email#token');
      await examine('email');
      const user = await service.createUser(['viewer'], { name: 'Ann Lee-Featherstonehaugh' });
      await goTo(await invitationFor(service, user));
      await page.locator('#password').waitFor();
      await mailbox.next();
      await examine('invitation');
      await goTo('/account/invitation');
      await examine('incomplete');
      await goTo('/account/login');
      await page.getByRole('link', { name: 'Example' }).waitFor();
      await examine('login');
      expect(found).toEqual([]);
    });
  });

  describe.skipIf(!hasBrowser)('of an application without a home, in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const mailbox = new Mailbox();
    const { application = {} } = site;
    const roles = { claim: 'groups', map: { chiefs: ['admin'] } };
    const service = useService(databases, {
      ...site,
      application: {
        ...application,
        config: {
          mail: mailbox.receive,
          registration: {},
          providers: {
            company: oidc({ issuer: company.issuer, client: company.client, label: 'Example', roles }),
          },
        },
      },
    });
    beforeAll(() => storeSecret(service));

    it('an administrator resets a forgotten password, from the sign-in and back to it', async () => {
      const user = await service.createUser(['admin']);
      const { page: asking } = await visit(open, service, '/login');
      await asking.getByRole('link', { name: '忘记密码？' }).click();
      await asking.getByLabel('用户名或邮箱').fill(user.email);
      await asking.getByRole('button', { name: '发送链接' }).click();
      await asking.getByText('如果该账号存在，链接已发送到其邮箱。').waitFor();
      const { page } = await open();
      await page.goto(`${service.origin}/account/password_reset#${linkToken(await mailbox.next())}`);
      await page.getByLabel('新密码').fill(password);
      await page.getByRole('button', { name: '设置密码' }).click();
      await page.getByText('您现在可以用新密码登录。').waitFor();
      await page.getByRole('link', { name: '前往登录' }).click();
      await fillSignIn(page, { ...user, password });
      await page.getByRole('banner').waitFor();
    });

    it('a sign-in with a provider that names no page to return to leads an administrator into the area', async () => {
      company.account = { sub: 'chief', preferred_username: 'chief', groups: ['chiefs'] };
      const { page } = await open();
      await page.goto(`${service.origin}/account/login`);
      await page.getByRole('link', { name: '通过 Example 登录' }).click();
      await page.waitForURL(`${service.origin}/admin`);
      await page.getByRole('banner').waitFor();
    });

    it('the sign-in of the administration area offers both pages', async () => {
      const { page } = await visit(open, service, '/login');
      await page.getByRole('link', { name: '注册应用账号' }).click();
      await page.getByRole('heading', { name: '注册', level: 1 }).waitFor();
      await page.waitForURL(`${service.origin}/account/register`);
    });
  });

  describe.skipIf(!hasBrowser)('of an application without mail, in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);

    it('the sign-in of the administration area offers no links by mail', async () => {
      const { page } = await visit(open, service, '/login');
      await page.getByLabel('密码').waitFor();
      expect(await page.getByRole('link', { name: /忘记密码|注册/ }).count()).toBe(0);
    });
  });
});
