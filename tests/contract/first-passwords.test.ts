import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { run } from '../../src/cli/test-io.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { Browser, fragmentOf } from '../support/oidc-browser.ts';
import { type Account, OidcServer } from '../support/oidc-server.ts';
import { type Service, type TestUser, useService } from '../support/service.ts';

/** Users who came by a provider: their first password, and their way to an older account. */

const company = await new OidcServer().start();
afterAll(() => company.stop());

const mailbox = new Mailbox();
const path = '/api/v1/auth/password';
const me = '/api/v1/auth/me';
const password = 'walnut-lamp-61 x';

interface SignedIn {
  readonly token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: number; readonly username: string; readonly email: string | null };
}

describeEachDatabase('users who came by a provider', (databases) => {
  const service = useService(databases, {
    application: {
      config: {
        mail: mailbox.receive,
        sessions: { days: 30 },
        accounts: { remove: true },
        providers: {
          company: oidc({ issuer: company.issuer, client: company.client }),
          closed: oidc({ issuer: company.issuer, client: company.client, password: false }),
        },
      },
    },
    env: { LOCALE: 'auto:en,de' },
  });
  let second: Service;
  let root: TestUser;
  let made = 0;

  beforeAll(async () => {
    root = await service.admin();
    for (const name of ['company', 'closed']) {
      const stored = await run(['credentials', 'set', `providers.${name}.client_secret`], {
        ...{ env: service.env, now: service.clock.now(), stdin: company.secret },
      });
      expect(stored.status).toBe(0);
    }
    await service.server.services.applications.update((current) => current);
    second = await service.secondInstance();
  });
  beforeEach(() => {
    // The failures of one test are no obstacle for the next one.
    service.clock.advance(16 * 60);
    root = { ...root, token: service.server.services.tokens.issue(root.id) };
    mailbox.clear();
  });

  const someone = (claims: object = {}): Account => {
    made += 1;
    const email = `person${made}@example.com`;
    return {
      sub: `subject-${made}`,
      preferred_username: `person${made}`,
      email,
      email_verified: true,
      ...claims,
    };
  };
  const signIn = async (account: Account, provider = 'company', headers: object = {}): Promise<SignedIn> => {
    const browser = new Browser(service);
    const query = company.approve(await browser.start(provider), account);
    const answer = await service.get(`/api/v1/auth/oidc/${provider}/callback?${query}`, {
      headers: { cookie: browser.cookie, ...headers },
    });
    browser.keep(answer);
    const { status, data } = await service.post<SignedIn>('/api/v1/auth/token', {
      body: { code: fragmentOf(answer, 'code'), remember: true },
      headers: { cookie: browser.cookie },
    });
    expect(status).toBe(200);
    return data;
  };
  const set = (token: string, body: object = { password }, on = service) =>
    on.request('PUT', path, { token, body });
  const login = (account: string, secret = password) =>
    service.post<{ token: string }>('/api/v1/auth/login', { body: { account, password: secret } });
  /** The next message to an address; those of other tests may still arrive. */
  const mailTo = async (address: string | null) => {
    for (;;) {
      const message = await mailbox.next();
      if (message.to === address) return message;
    }
  };
  /** The lines of the audit log about a user, and of these the ones by the same user. */
  const actions = async (id: number) => {
    const query = `filter[target_id]=${id}&filter[target_kind]=user&sort=id`;
    const lines = await service.ok<{ action: string; target_name: string; actor_name: string | null }[]>(
      'GET',
      `/admin/audit?${query}`,
      { token: root },
    );
    return lines.map(({ action, target_name: target, actor_name: actor }) =>
      actor === target ? `${action} by user` : action,
    );
  };

  it('users keep the language of their first sign-in', async () => {
    const { token } = await signIn(someone(), 'company', { 'accept-language': 'de' });
    expect((await service.get(me, { token })).data).toMatchObject({ locale: 'de' });
  });

  describe('the first password', () => {
    it('a first password is set without an old one after a sign-in, and ends every sign-in', async () => {
      const account = someone();
      const { token, refresh_token, user } = await signIn(account);
      expect((await set(token, { password, current_password: 'a guess' })).json.code).toBe(40_105);
      expect((await set(token)).json).toMatchObject({ code: 0 });
      for (const each of [service, second]) {
        expect((await each.get(me, { token })).status).toBe(401);
        expect((await each.post('/api/v1/auth/refresh', { body: { refresh_token } })).status).toBe(401);
      }
      expect(await mailTo(user.email)).toMatchObject({ template: 'password_changed' });
      expect((await login(user.username)).status).toBe(200);
      expect((await signIn(account)).user.id).toBe(user.id);
      // A failed sign-in is written a moment later.
      const written = (await actions(user.id)).filter((action) => action !== 'sign_in.failed');
      expect(written).toEqual([
        'user.create',
        'identity.link',
        'session.remember by user',
        'sign_in by user',
        'user.password by user',
        'sign_in by user',
        'session.remember by user',
        'sign_in by user',
      ]);
    });

    it('a second password needs the first one', async () => {
      const account = someone();
      await set((await signIn(account)).token);
      const { token, user } = await signIn(account);
      const refused = await set(token, { password: 'another-lamp-61 x' });
      expect([refused.status, refused.data.errors]).toEqual([
        422,
        [expect.objectContaining({ field: 'current_password', rule: 'required' })],
      ]);
      expect((await login(user.username)).status).toBe(200);
    });

    it('a first password needs a sign-in of the last 5 minutes, the last one of the user', async () => {
      const account = someone();
      const first = await signIn(account);
      service.clock.advance(60);
      const last = await signIn(account);
      const byCode = await service.server.services
        .systemScope('test')
        .records('User')
        .issueToken(last.user.id);
      const { data: renewed } = await service.post<SignedIn>('/api/v1/auth/refresh', {
        body: { refresh_token: last.refresh_token },
      });
      for (const token of [first.token, byCode, renewed.token]) {
        const { status, json } = await set(token);
        expect([status, json.code, json.message]).toEqual([
          403,
          40_306,
          expect.stringContaining('within 5 minutes'),
        ]);
      }
      service.clock.advance(5 * 60 + 1);
      expect((await set(last.token)).json.code).toBe(40_306);
      expect((await login(last.user.username)).status).toBe(401);
      expect((await set((await signIn(account)).token)).status).toBe(200);
    });

    it('a first password follows the rules of passwords', async () => {
      const { token, user } = await signIn(someone());
      for (const [body, rule] of [
        [{}, 'required'],
        [{ password: 'password123' }, 'common_password'],
        [{ password: `${user.username}-123` }, 'own_name'],
        [{ password: 'short' }, 'password_length'],
      ] as const) {
        const { status, data } = await set(token, body);
        expect([status, data.errors]).toEqual([422, [expect.objectContaining({ field: 'password', rule })]]);
      }
    });

    it('one of two first passwords that are set at the same time on two instances counts', async () => {
      const { token } = await signIn(someone());
      const statuses = await Promise.all(
        [service, second, service, second].map(async (on, index) => {
          return (await set(token, { password: `${password} ${index}` }, on)).status;
        }),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    });

    it('a first password ends the requirement of a new one, and is refused to a disabled user', async () => {
      const { token, user } = await signIn(someone());
      const patch = (change: object) =>
        service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: change } });
      await patch({ must_change_password: true });
      expect((await service.get('/api/v1/auth/identities', { token })).json.code).toBe(40_302);
      expect((await set(token)).status).toBe(200);
      const { data } = await login(user.username);
      expect((await service.get('/api/v1/auth/identities', { token: data.token })).status).toBe(200);
      const other = await signIn(someone());
      await service.ok('PATCH', `/admin/users/${other.user.id}`, {
        token: root,
        body: { user: { disabled: true } },
      });
      expect((await set(other.token)).status).toBe(401);
    });
  });

  describe('a link by mail', () => {
    const ask = async (account: string) => {
      const { status } = await service.post('/api/v1/auth/password_reset', { body: { account } });
      expect(status).toBe(200);
    };
    const confirm = (token: string) =>
      service.post('/api/v1/auth/password_reset/confirm', { body: { token, password } });

    it('a link to the address that the provider has verified sets the first password too', async () => {
      const { token, user } = await signIn(someone());
      await ask(user.username);
      const message = await mailTo(user.email);
      expect(message.template).toBe('password_reset');
      expect((await confirm(linkToken(message))).status).toBe(200);
      expect((await service.get(me, { token })).status).toBe(401);
      expect((await login(user.username)).status).toBe(200);
      expect((await actions(user.id)).slice(4)).toEqual([
        'password_reset.send',
        'user.update by user',
        'sign_in by user',
      ]);
    });

    it('a link is not sent to an invited user, nor where the provider has verified no address', async () => {
      const claimed = someone({ email_verified: false });
      const { user } = await signIn(claimed);
      await ask(user.username);
      const invited = {
        username: 'invited',
        email: 'invited@example.com',
        name: 'I',
        roles: ['viewer'],
        invite: true,
      };
      await service.ok('POST', '/admin/users', { token: root, body: { user: invited } });
      await ask('invited');
      const { user: known } = await signIn(someone());
      await ask(known.username);
      expect(await mailTo(known.email)).toMatchObject({ template: 'password_reset' });
      const addresses = mailbox.messages.map(({ to }) => to);
      expect(addresses).not.toContain(claimed['email']);
      expect(addresses).not.toContain('invited@example.com');
    });
  });

  it('users set no first password where their provider closes it, neither after a sign-in nor by a link', async () => {
    const { token, user } = await signIn(someone(), 'closed');
    const refused = await set(token);
    expect([refused.status, refused.data.errors]).toEqual([
      422,
      [expect.objectContaining({ field: 'current_password', rule: 'required' })],
    ]);
    await service.post('/api/v1/auth/password_reset', { body: { account: user.username } });
    const { user: known } = await signIn(someone());
    await service.post('/api/v1/auth/password_reset', { body: { account: known.username } });
    await mailTo(known.email);
    expect(mailbox.messages.map(({ to }) => to)).not.toContain(user.email);
  });

  it('users whose address belongs to an older account delete the new one, and link their account', async () => {
    const older = await service.createUser();
    const account = someone({ email: older.email });
    const { token, user } = await signIn(account);
    expect(user).toMatchObject({ email: null, email_taken: true });
    const link = async () => {
      const browser = new Browser(service);
      const { data } = await service.login(older.username, older.password);
      const begun = await service.post<{ url: string }>('/api/v1/auth/oidc/company/link', {
        token: data.token,
        body: { password: older.password },
      });
      browser.keep(begun);
      return browser.finish(company.approve(begun.data.url, account));
    };
    expect(fragmentOf(await link(), 'error')).toBe('40916');
    expect((await service.request('DELETE', me, { token })).status).toBe(200);
    expect(fragmentOf(await link(), 'linked')).toBe('1');
    const { user: again } = await signIn(account);
    expect(again).toMatchObject({ id: older.id, email: older.email });
    expect(again).not.toHaveProperty('email_taken');
  });
});
