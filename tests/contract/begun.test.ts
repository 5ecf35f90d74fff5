import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { toQuery } from '../../src/database/statement.ts';
import { tablesOf } from '../../src/database/tables-of.ts';
import { Authenticator } from '../support/authenticator.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { fragmentOf, Browser as ProviderBrowser } from '../support/oidc-browser.ts';
import { OidcServer } from '../support/oidc-server.ts';
import {
  asking,
  type Browser,
  codeOf,
  enrol,
  firstStep,
  openBrowser,
  secondStep,
} from '../support/second-factor.ts';
import { type TestUser, useService } from '../support/service.ts';

const company = await new OidcServer().start();
afterAll(() => company.stop());

const newPassword = 'walnut-harbour-61 lamp';

describeEachDatabase('what was begun before a revocation', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    env: { BASE_URL: 'http://localhost:0' },
    application: {
      config: {
        mail: mailbox.receive,
        providers: { company: oidc({ issuer: company.issuer, client: company.client }) },
      },
    },
  });
  let root: TestUser;
  let made = 0;
  beforeAll(async () => {
    root = await service.admin();
    await service.server.services.applications.update((current) => ({
      ...current,
      providers: { company: { client_secret: company.secret } },
    }));
  });
  beforeEach(() => {
    // The failures of one test are no obstacle for the next one.
    service.clock.advance(31 * 60);
  });

  const message = async (template: string): Promise<string> => {
    for (;;) {
      const next = await mailbox.next();
      if (next.template === template) return linkToken(next);
    }
  };
  const patch = (user: TestUser, change: object) =>
    service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: change } });

  /** The browser in which a user is signed in to the administration area. */
  const browsers = new Map<number, Browser>();
  const signedIn = async (user: TestUser): Promise<Browser> => {
    const browser = browsers.get(user.id) ?? (await openBrowser(service, user));
    browsers.set(user.id, browser);
    return browser;
  };

  /** Each begins something for a user, and returns the attempt to finish it: whether it succeeded. */
  const beginnings: Readonly<Record<string, (user: TestUser) => Promise<() => Promise<boolean>>>> = {
    'the link of a provider': async (user) => {
      const browser = new ProviderBrowser(service);
      const begun = await service.post<{ url: string }>('/api/v1/auth/oidc/company/link', {
        token: user,
        body: { password: user.password },
      });
      browser.keep(begun);
      made += 1;
      const query = company.approve(begun.data.url, { sub: `stranger ${made}` });
      return async () => {
        const linked = fragmentOf(await browser.finish(query), 'linked') === '1';
        const tables = tablesOf(service.server.services.database);
        const rows = tables
          .selectFrom('gatewright_linked_accounts')
          .select('id')
          .where('user_id', '=', user.id);
        expect((await service.server.services.database.all(toQuery(rows))).length).toBe(linked ? 1 : 0);
        return linked;
      };
    },
    'the setup of an authenticator app': async (user) => {
      const browser = await signedIn(user);
      const { secret } = await browser.ok<{ secret: string }>(
        'POST',
        '/admin/second-factor/totp',
        browser.password,
      );
      return async () => {
        const body = { code: codeOf(secret, service.clock.now()) };
        return (await browser.ask('POST', '/admin/second-factor/totp/confirmation', body)).status === 200;
      };
    },
    'the challenge of a new passkey': async (user) => {
      const browser = await signedIn(user);
      const path = '/admin/second-factor/passkeys';
      const options = await browser.ok<{ challenge: string }>('POST', `${path}/options`, browser.password);
      const response = new Authenticator().create(asking(service, options.challenge));
      return async () => (await browser.ask('POST', path, { name: 'key', response })).status === 201;
    },
    'an invitation': async (user) => {
      const { url } = await service.ok<{ url: string }>('POST', `/admin/users/${user.id}/invitation`, {
        token: root,
      });
      const body = { token: new URL(url).hash.slice(1), password: `${newPassword} 2` };
      return async () => (await service.post('/admin/invitation', { body })).status === 200;
    },
    'a change of address': async (user) => {
      made += 1;
      const body = { email: `new${made}@example.com`, password: user.password };
      await service.ok('POST', '/api/v1/auth/email', { token: user, body });
      const token = await message('email_change');
      return async () =>
        (await service.post('/api/v1/auth/email/confirm', { body: { token } })).status === 200;
    },
    'a password reset': async (user) => {
      await service.ok('POST', '/api/v1/auth/password_reset', { body: { account: user.username } });
      const body = { token: await message('password_reset'), password: `${newPassword} 3` };
      return async () => (await service.post('/api/v1/auth/password_reset/confirm', { body })).status === 200;
    },
  };

  /** Beginnings of a user with a second factor. */
  const ticket = async () => {
    const { user, secret, browser } = await enrol(service);
    browsers.set(user.id, browser);
    const { ticket: begun } = await firstStep(service, user);
    const code = () => codeOf(secret, service.clock.now());
    return { user, finish: async () => (await secondStep(service, begun, { code: code() })).status === 200 };
  };

  const revocations: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
    'the user signs out everywhere': (user) =>
      service.ok('POST', '/api/v1/auth/logout', { token: user, body: { all: true } }),
    'the user changes the password': (user) =>
      service.ok('PUT', '/api/v1/auth/password', {
        token: user,
        body: { current_password: user.password, password: newPassword },
      }),
    'the user changes the password in the same browser': async (user) => {
      const browser = await signedIn(user);
      await browser.ok('PUT', '/admin/password', { current_password: user.password, password: newPassword });
    },
    'an administrator sets a password': (user) => patch(user, { password: newPassword }),
    'a link of a mail sets a password': async (user) => {
      await service.ok('POST', '/api/v1/auth/password_reset', { body: { account: user.username } });
      const body = { token: await message('password_reset'), password: newPassword };
      await service.ok('POST', '/api/v1/auth/password_reset/confirm', { body });
    },
    'an administrator signs the user out': (user) =>
      service.ok('POST', `/admin/users/${user.id}/logout`, { token: root }),
    'the user is disabled and enabled again': async (user) => {
      await patch(user, { disabled: true });
      await patch(user, { disabled: false });
    },
    'the second factors are removed': (user) =>
      service.ok('DELETE', `/admin/users/${user.id}/second-factor`, { token: root }),
    'the address changes': (user) => patch(user, { email: `moved${user.id}@example.com` }),
  };

  it.each(Object.keys(beginnings))('%s goes on without one', async (name) => {
    const finish = await beginnings[name]?.(await service.createUser(['admin']));
    expect(await finish?.()).toBe(true);
  });

  it.each(Object.keys(revocations))('a begun action is over once %s', async (name) => {
    for (const [beginning, begin] of Object.entries(beginnings)) {
      const user = await service.createUser(['admin']);
      const finish = await begin(user);
      await revocations[name]?.(user);
      expect([beginning, await finish()]).toEqual([beginning, false]);
    }
    const { user, finish } = await ticket();
    const token = await service.tokenOf(user.id);
    await revocations[name]?.({ ...user, token });
    expect(['a sign-in ticket', await finish()]).toEqual(['a sign-in ticket', false]);
  });

  it('a begun action is over where the revocation comes between the password and the action', async () => {
    const { accountLinks } = service.server.services;
    const user = await service.createUser(['admin']);
    const verified = { id: user.id, securityStamp: 0 };
    await service.ok('POST', '/api/v1/auth/logout', { token: user, body: { all: true } });
    await accountLinks?.request({
      ...{ purpose: 'email', account: 'late@example.com', canonical: 'late@example.com', user: verified },
      ...{ locale: 'en', address: '203.0.113.9' },
    });
    await service.ok('POST', '/api/v1/auth/password_reset', { body: { account: user.username } });
    await expect.poll(() => mailbox.messages.some(({ to }) => to === user.email)).toBe(true);
    expect(mailbox.messages.filter(({ to }) => to === 'late@example.com')).toEqual([]);
  });
});
