import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { run } from '../../src/cli/test-io.ts';
import type { OutgoingMail } from '../../src/delivery/mail/mail-options.ts';
import { Authenticator } from '../support/authenticator.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Mailbox } from '../support/mailbox.ts';
import { Browser as ProviderBrowser } from '../support/oidc-browser.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { asking, type Browser, codeOf, openBrowser } from '../support/second-factor.ts';
import { startService, type TestUser, useService } from '../support/service.ts';

const company = await new OidcServer().start();
afterAll(() => company.stop());

const newPassword = 'walnut-harbour-61 lamp';
const factors = '/admin/second-factor';

describeEachDatabase('messages about a changed account', (databases) => {
  const mailbox = new Mailbox();
  const provider = oidc({ issuer: company.issuer, client: company.client });
  const service = useService(databases, {
    env: { BASE_URL: 'http://localhost:0', LOCALE: 'auto' },
    application: { config: { mail: mailbox.receive, providers: { company: provider } } },
  });
  let root: TestUser;
  let subjects = 0;
  beforeAll(async () => {
    root = await service.admin();
    await run(['credentials', 'set', 'providers.company.client_secret'], {
      ...{ env: service.env, now: service.clock.now(), stdin: company.secret },
    });
    await service.server.services.applications.update((current) => current);
  });
  beforeEach(() => mailbox.clear());

  const next = (): Promise<OutgoingMail> => {
    service.server.services.mail?.wake();
    return mailbox.next();
  };
  /** The next message about the account, and no other one. */
  const changeOf = async (user: TestUser, ...parts: readonly string[]): Promise<void> => {
    const message = await next();
    expect(message).toMatchObject({ template: 'account_changed', to: user.email });
    for (const part of [user.username, ...parts])
      expect(`${message.subject} ${message.text}`).toContain(part);
    // Nothing that opens something.
    expect(message.text).not.toMatch(/https?:|#|[0-9a-f]{32}/);
  };
  /** A later message of another kind proves that none was sent before it. */
  const nothingElse = async (): Promise<void> => {
    const other = await service.createUser(['viewer']);
    await service.ok('POST', '/api/v1/auth/password_reset', { body: { account: other.username } });
    expect(await next()).toMatchObject({ template: 'password_reset', to: other.email });
  };
  const link = async (user: TestUser): Promise<void> => {
    const browser = new ProviderBrowser(service);
    const begun = await service.post<{ url: string }>('/api/v1/auth/oidc/company/link', {
      ...{ token: user, body: { password: user.password } },
    });
    browser.keep(begun);
    subjects += 1;
    const query = company.approve(begun.data.url, { sub: `subject-${subjects}` });
    expect((await browser.finish(query)).headers.location).toContain('linked=1');
  };
  const createKey = (user: TestUser, body: object = { api_key: { name: 'Deployment' } }, language = 'en') =>
    service.ok<{ id: number }>('POST', '/api/v1/api_keys', {
      ...{ token: user, body, headers: { 'accept-language': language } },
    });

  it('messages are sent for a linked and a removed account of a provider', async () => {
    const user = await service.createUser(['viewer']);
    await link(user);
    await changeOf(user, 'company', '已关联');
    const [account] = await service.ok<{ id: number }[]>('GET', '/api/v1/auth/identities', { token: user });
    const path = `/api/v1/auth/identities/${account?.id}`;
    expect((await service.delete('/api/v1/auth/identities/999999', { token: user })).status).toBe(404);
    await service.ok('DELETE', path, { token: user, headers: { 'accept-language': 'en' } });
    await changeOf(user, 'company', 'no longer linked');
    await nothingElse();
  });

  it('messages are not sent for an account with which a user begins', async () => {
    const browser = new ProviderBrowser(service);
    subjects += 1;
    const account = {
      ...{ sub: `subject-${subjects}`, preferred_username: `begins${subjects}` },
      ...{ email: `begins${subjects}@example.com`, email_verified: true },
    };
    const query = company.approve(await browser.start(), account);
    expect((await browser.finish(query)).headers.location).toContain('code=');
    await nothingElse();
  });

  describe('are sent for a first second factor, not for a further one,', () => {
    const addTotp = async (browser: Browser): Promise<void> => {
      const { secret } = await browser.ok<{ secret: string }>('POST', `${factors}/totp`, browser.password);
      await browser.ok('POST', `${factors}/totp/confirmation`, {
        code: codeOf(secret, service.clock.now()),
      });
    };
    const addPasskey = async (browser: Browser): Promise<void> => {
      const { challenge } = await browser.ok<{ challenge: string }>(
        'POST',
        `${factors}/passkeys/options`,
        browser.password,
      );
      const response = new Authenticator().create(asking(service, challenge));
      await browser.ok('POST', `${factors}/passkeys`, { name: 'Stick', response });
    };

    it.each([
      ['an application', addTotp, addPasskey],
      ['a passkey', addPasskey, addTotp],
    ])(
      'a message is sent for a first second factor, not for a further one: %s',
      async (_name, first, second) => {
        const user = await service.createUser(['admin']);
        const browser = await openBrowser(service, user);
        await first(browser);
        await changeOf(user, '两步验证');
        await second(browser);
        await nothingElse();
      },
    );
  });

  it('messages are sent for a new key, by the user and by an administrator, not for a rotated one', async () => {
    const user = await service.createUser(['viewer']);
    const { id } = await createKey(user);
    await changeOf(user, 'A new API key', '"Deployment"', 'did not expect');
    const body = { api_key: { name: 'For\nann', user_id: user.id } };
    await service.ok('POST', '/admin/api_keys', { token: root, body });
    await changeOf(user, 'API 密钥', '“For ann”');
    await service.ok('POST', `/api/v1/api_keys/${id}/rotate`, { token: user, body: {} });
    await nothingElse();
  });

  it('messages are not sent for a key that is not created, or of a service account', async () => {
    const user = await service.createUser(['viewer']);
    const refused = { name: 'x', scopes: ['nothing:read'] };
    expect((await service.post('/api/v1/api_keys', { token: user, body: { api_key: refused } })).status).toBe(
      422,
    );
    const robot = await service.ok<{ id: number }>('POST', '/admin/users', {
      ...{ token: root },
      body: {
        user: {
          username: `robot${user.id}`,
          kind: 'service',
          owner_id: root.id,
          email: `r${user.id}@x.test`,
        },
      },
    });
    const body = { api_key: { name: 'x', user_id: robot.id } };
    await service.ok('POST', '/admin/api_keys', { token: root, body });
    await nothingElse();
  });

  it('messages about a changed account say after a new password how many keys and linked accounts still work', async () => {
    const user = await service.createUser(['viewer']);
    await createKey(user);
    await createKey(user, { api_key: { name: 'Over', expires_at: '2001-01-01T00:00:00Z' } });
    await link(user);
    for (let sent = 0; sent < 3; sent += 1) expect((await next()).template).toBe('account_changed');
    await service.ok('PUT', '/api/v1/auth/password', {
      ...{ token: user, headers: { 'accept-language': 'en' } },
      body: { current_password: user.password, password: newPassword },
    });
    const message = await next();
    expect(message.template).toBe('password_changed');
    expect(message.text).toContain('API keys: 1, linked accounts: 1.');

    const plain = await service.createUser(['viewer']);
    const body = { user: { password: newPassword } };
    await service.ok('PATCH', `/admin/users/${plain.id}`, { token: root, body });
    const other = await next();
    expect(other).toMatchObject({ template: 'password_changed', to: plain.email });
    expect(other.text).not.toContain('API');
  });

  it('messages are not stored where the application sends no mail', async () => {
    const quiet = await startService(databases);
    try {
      const user = await quiet.createUser(['viewer']);
      await quiet.ok('POST', '/api/v1/api_keys', { token: user, body: { api_key: { name: 'x' } } });
      const jobs = await quiet.server.services.database.all({
        ...{ sql: 'select id from gatewright_jobs', parameters: [] },
      });
      expect(jobs).toEqual([]);
    } finally {
      await quiet.close();
    }
  });
});
