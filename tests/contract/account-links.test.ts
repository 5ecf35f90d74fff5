import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toQuery } from '../../src/database/statement.ts';
import { tablesOf } from '../../src/database/tables-of.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { type Answer, commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

const newPassword = 'walnut-harbour-61 lamp';
/** Seconds. */
const minute = 60;

const reset = '/api/v1/auth/password_reset';
const change = '/api/v1/auth/email';
const registration = '/api/v1/auth/register';

const fieldsOf = ({ data }: Answer): readonly string[] =>
  (data as unknown as { errors: { field: string }[] }).errors.map(({ field }) => field);

/** Waits until no job of the service waits or runs. */
const settled = async (service: Service): Promise<void> => {
  const jobs = tablesOf(service.server.services.database).selectFrom('gatewright_jobs').select('id');
  await expect
    .poll(async () => service.server.services.database.all(toQuery(jobs.where('state', '!=', 'failed'))))
    .toEqual([]);
};

const links = (service: Service) =>
  service.server.services.database.all<{ token_hash: string | null; registration: string | null }>(
    toQuery(tablesOf(service.server.services.database).selectFrom('gatewright_account_links').selectAll()),
  );

describeEachDatabase('links that are sent by mail', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    application: {
      config: { mail: mailbox.receive, registration: { roles: ['editor'], domains: ['example.com'] } },
    },
  });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
    await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: 'editor' } } });
  });
  beforeEach(async () => {
    service.clock.advance(20 * minute);
    await settled(service);
    mailbox.clear();
  });

  const signIn = (account: string, password: string) =>
    service.post('/api/v1/auth/login', { body: { account, password } });
  const isSignedIn = async (token: string) => (await service.get('/api/v1/auth/me', { token })).status;
  const ask = (account: string) => service.post(reset, { body: { account } });
  const confirm = (token: string, password = newPassword) =>
    service.post(`${reset}/confirm`, { body: { token, password } });
  const audit = async (id: number) => {
    const path = `/admin/audit?filter[target_id]=${id}&filter[target_kind]=user&sort=id`;
    const entries = await service.ok<
      readonly { action: string; actor_kind: string; actor_name: string | null }[]
    >('GET', path, {
      token: root,
    });
    return entries.map(({ action, actor_kind: kind, actor_name: name }) =>
      name === null && kind !== 'command line' ? `${action} by anyone` : `${action} by ${kind}`,
    );
  };
  /** A link for a reset, as its message contains it. */
  const resetLink = async (user: TestUser): Promise<string> => {
    expect((await ask(user.username)).status).toBe(200);
    return linkToken(await mailbox.next());
  };

  describe('password reset', () => {
    it.each(['username', 'email'] as const)(
      'sends a link for a %s, which sets the password once',
      async (by) => {
        const user = await service.createUser(['viewer']);
        expect((await ask(user[by].toUpperCase())).status).toBe(200);
        const message = await mailbox.next();
        expect(message).toMatchObject({ to: user.email, template: 'password_reset', locale: 'zh-CN' });
        expect(message.text).toContain(`${service.server.config.baseUrl}/account/password_reset#`);
        const token = linkToken(message);
        expect((await confirm(token)).status).toBe(200);
        expect((await confirm(token)).json.code).toBe(41004);
        expect((await signIn(user.username, newPassword)).status).toBe(200);
        expect((await signIn(user.username, commonPassword)).status).toBe(401);
        expect(await isSignedIn(user.token)).toBe(401);
        expect((await mailbox.next()).template).toBe('password_changed');
        expect(await audit(user.id)).toEqual([
          'user.create by command line',
          'password_reset.send by anyone',
          'user.update by user',
          'sign_in by user',
          'sign_in.failed by anyone',
        ]);
      },
    );

    it('takes the account as `email` too, and needs one of the two', async () => {
      const user = await service.createUser(['viewer']);
      expect((await service.post(reset, { body: { email: user.email } })).status).toBe(200);
      expect((await mailbox.next()).to).toBe(user.email);
      expect(fieldsOf(await service.post(reset, { body: {} }))).toEqual(['account']);
    });

    it('sends nothing to unknown and disabled users, service accounts, and users without a password', async () => {
      const disabled = await service.createUser(['viewer']);
      await service.ok('PATCH', `/admin/users/${disabled.id}`, {
        token: root,
        body: { user: { disabled: true } },
      });
      const make = (user: object) =>
        service.ok<{ username: string }>('POST', '/admin/users', { token: root, body: { user } });
      const robot = await make({ username: `robot${disabled.id}`, kind: 'service', owner_id: root.id });
      const guest = await make({
        username: `guest${disabled.id}`,
        email: `g${disabled.id}@example.com`,
        invite: true,
      });
      for (const account of [disabled.email, robot.username, guest.username, 'unknown', '', 'x'.repeat(600)])
        expect([account, (await ask(account)).text]).toEqual([account, (await ask('unknown')).text]);
      await settled(service);
      expect(mailbox.messages.map(({ template }) => template)).toEqual([]);
      expect((await links(service)).filter((link) => link.token_hash === null)).toEqual([]);
    });

    it('a link for a password reset is over after 30 minutes, after another change of the password, and once the address has changed', async () => {
      const late = await resetLink(await service.createUser(['viewer']));
      service.clock.advance(30 * minute);
      expect((await confirm(late)).json.code).toBe(41004);

      const user = await service.createUser(['viewer']);
      const overtaken = await resetLink(user);
      await service.ok('PUT', '/api/v1/auth/password', {
        token: user,
        body: { current_password: user.password, password: newPassword },
      });
      expect((await confirm(overtaken, 'another-harbour-7')).json.code).toBe(41004);
      expect((await mailbox.next()).template).toBe('password_changed');

      const moved = await service.createUser(['viewer']);
      const former = await resetLink(moved);
      const body = { user: { email: `moved${moved.id}@example.com` } };
      await service.ok('PATCH', `/admin/users/${moved.id}`, { token: root, body });
      expect((await confirm(former)).json.code).toBe(41004);
      expect((await signIn(moved.username, moved.password)).status).toBe(200);
    });

    it('a link for a password reset is over for a user who is disabled, or signs out everywhere', async () => {
      for (const end of [
        (user: TestUser) =>
          service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: { disabled: true } } }),
        (user: TestUser) => service.ok('POST', '/api/v1/auth/logout', { token: user, body: { all: true } }),
      ]) {
        const user = await service.createUser(['viewer']);
        const token = await resetLink(user);
        await end(user);
        expect((await confirm(token)).json.code).toBe(41004);
      }
    });

    it('keeps the link for a password that is refused', async () => {
      const user = await service.createUser(['viewer']);
      const token = await resetLink(user);
      expect(fieldsOf(await confirm(token, 'short'))).toEqual(['password']);
      expect((await confirm(token, `${user.username}12`)).status).toBe(422);
      expect((await confirm(token)).status).toBe(200);
    });

    it('a link for a password reset is used once by 10 confirmations at the same time', async () => {
      const user = await service.createUser(['viewer']);
      const token = await resetLink(user);
      const passwords = Array.from({ length: 10 }, (_, index) => `harbour-lamp-walnut-${index}`);
      const statuses = await Promise.all(passwords.map(async (each) => (await confirm(token, each)).status));
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 410)]);
    });

    it('sends five messages to one requester within 30 minutes at most, and a newer link replaces the oldest', async () => {
      const user = await service.createUser(['viewer']);
      const tokens: string[] = [];
      for (let request = 0; request < 5; request += 1) tokens.push(await resetLink(user));
      expect(new Set(tokens).size).toBe(5);
      for (let request = 0; request < 5; request += 1) expect((await ask(user.email)).status).toBe(200);
      await settled(service);
      expect(mailbox.messages).toHaveLength(5);
      for (const token of tokens.slice(0, 2)) expect((await confirm(token)).json.code).toBe(41004);
      // Refused for its password, and not as over.
      for (const token of tokens.slice(2)) expect((await confirm(token, 'short')).status).toBe(422);
      expect((await signIn(user.username, user.password)).status).toBe(200);
    });

    it('refuses many requests for one account, and signing in goes on', async () => {
      const user = await service.createUser(['viewer']);
      for (let request = 0; request < 10; request += 1) expect((await ask(user.email)).status).toBe(200);
      expect((await ask(user.email)).status).toBe(429);
      for (let request = 0; request < 10; request += 1)
        expect((await ask(`none-${user.email}`)).status).toBe(200);
      expect((await ask(`none-${user.email}`)).status).toBe(429);
      expect((await signIn(user.username, user.password)).status).toBe(200);
    });

    it.each(['', 'x', 'A'.repeat(43), '#', '../..', 'a'.repeat(500)])(
      'refuses the token %j',
      async (token) => {
        expect([410, 422]).toContain((await confirm(token)).status);
      },
    );

    it('a password reset does not remove two-step verification, nor the requirement of a second factor', async () => {
      const user = await service.createUser(['viewer']);
      const { database } = service.server.services;
      await database.write((transaction) =>
        transaction.run(
          toQuery(
            tablesOf(database)
              .updateTable('users')
              .set({ second_factor: sql`true` })
              .where('id', '=', user.id),
          ),
        ),
      );
      expect((await confirm(await resetLink(user))).status).toBe(200);
      expect((await signIn(user.username, newPassword)).json.code).toBe(40107);
    });

    it('stores no token that could be read', async () => {
      const user = await service.createUser(['viewer']);
      mailbox.failure = new Error('the mail server is down');
      expect((await ask(user.email)).status).toBe(200);
      const jobs = async () =>
        service.ok<{ values: object; error: string | null }[]>(
          'GET',
          '/admin/jobs?filter[name]=account-mail',
          {
            token: root,
          },
        );
      await expect
        .poll(async () => (await jobs()).map(({ error }) => error))
        .toEqual([expect.stringMatching(/down/)]);
      const stored = JSON.stringify([await jobs(), await links(service)]);
      mailbox.failure = undefined;
      const [{ id } = { id: 0 }] = await service.ok<{ id: number }[]>(
        'GET',
        '/admin/jobs?filter[name]=account-mail',
        {
          token: root,
        },
      );
      await service.ok('POST', `/admin/jobs/${id}/repeat`, { token: root });
      const token = linkToken(await mailbox.next());
      expect(stored).not.toContain(token);
      expect((await confirm(token)).status).toBe(200);
    });
  });

  describe('change of the email address', () => {
    const request = (user: TestUser, email: string, password = user.password) =>
      service.post(change, { token: user, body: { email, password } });
    const confirmChange = (token: string) => service.post(`${change}/confirm`, { body: { token } });

    it('takes place once the new address is confirmed, and notifies the former one', async () => {
      const user = await service.createUser(['viewer']);
      const email = `New${user.id}@Example.com`;
      expect((await request(user, email)).status).toBe(200);
      const message = await mailbox.next();
      expect(message).toMatchObject({ to: email, template: 'email_change' });
      expect(message.text).not.toContain(user.username);
      const me = async () =>
        (await service.ok<{ email: string }>('GET', '/api/v1/auth/me', { token: user })).email;
      expect(await me()).toBe(user.email);
      expect((await confirmChange(linkToken(message))).status).toBe(200);
      expect((await confirmChange(linkToken(message))).json.code).toBe(41004);
      expect(await me()).toBe(email);
      expect(await mailbox.next()).toMatchObject({ to: user.email, template: 'email_changed' });
      expect((await signIn(email, user.password)).status).toBe(200);
    });

    it('needs the current password and a valid address', async () => {
      const user = await service.createUser(['viewer']);
      expect((await request(user, 'a@example.com', 'wrong')).json.code).toBe(40105);
      expect(fieldsOf(await request(user, 'no address'))).toEqual(['email']);
      expect((await service.post(change, { body: { email: 'a@example.com', password: 'x' } })).status).toBe(
        401,
      );
    });

    it('a change of the email address does not tell whether an address is taken: its owner receives a message', async () => {
      const [user, other] = [await service.createUser(['viewer']), await service.createUser(['viewer'])];
      const answers = [await request(user, other.email), await request(user, `free${user.id}@example.com`)];
      expect(answers[0]?.text).toBe(answers[1]?.text);
      await settled(service);
      expect(mailbox.messages.map(({ to, template }) => `${template} to ${to}`).sort()).toEqual([
        `address_in_use to ${other.email}`,
        `email_change to free${user.id}@example.com`,
      ]);
    });

    it('refuses an address that was taken in the meantime, and keeps the link', async () => {
      const user = await service.createUser(['viewer']);
      const email = `wanted${user.id}@example.com`;
      await request(user, email);
      const token = linkToken(await mailbox.next());
      const other = await service.createUser(['viewer']);
      const move = (address: string) =>
        service.ok('PATCH', `/admin/users/${other.id}`, { token: root, body: { user: { email: address } } });
      await move(email);
      expect(fieldsOf(await confirmChange(token))).toEqual(['email']);
      await move(other.email);
      expect((await confirmChange(token)).status).toBe(200);
    });

    it('a change of the email address is over once the user is disabled', async () => {
      const user = await service.createUser(['viewer']);
      await request(user, `late${user.id}@example.com`);
      const token = linkToken(await mailbox.next());
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { disabled: true } },
      });
      expect((await confirmChange(token)).json.code).toBe(41004);
    });
  });

  describe('registration', () => {
    let made = 0;
    const someone = () => {
      made += 1;
      const name = `newcomer${made}`;
      return { username: name, email: `${name}@example.com`, name: `New ${made}`, password: newPassword };
    };
    const register = (body: object) => service.post(registration, { body });
    const confirmRegistration = (body: object) => service.post(`${registration}/confirm`, { body });
    const exists = async (username: string) =>
      (await service.server.services.users.idByAccount(username)) !== undefined;

    it('makes a user with the configured roles once the address is verified', async () => {
      const sent = someone();
      expect((await register({ ...sent, roles: ['super_admin'] })).status).toBe(200);
      const message = await mailbox.next();
      expect(message).toMatchObject({ to: sent.email, template: 'registration' });
      for (const text of [sent.username, sent.name]) expect(message.text + message.html).not.toContain(text);
      expect(await exists(sent.username)).toBe(false);
      expect((await signIn(sent.username, newPassword)).status).toBe(401);
      const confirmed = await confirmRegistration({ token: linkToken(message), roles: ['super_admin'] });
      expect(confirmed.status).toBe(201);
      const { username, email, name } = sent;
      expect(confirmed.data).toEqual({ id: expect.any(Number), username, email, name, roles: ['editor'] });
      expect((await confirmRegistration({ token: linkToken(message) })).json.code).toBe(41004);
      expect((await signIn(email, newPassword)).status).toBe(200);
    });

    it('takes username, name and password with the confirmation as well, which replace the former ones', async () => {
      const { email } = someone();
      await register({ email, username: `${made}first`, password: 'attackers-choice-7' });
      const token = linkToken(await mailbox.next());
      const chosen = { username: `${made}second`, name: 'Second', password: newPassword };
      expect((await confirmRegistration({ token, ...chosen })).status).toBe(201);
      expect((await signIn(email, 'attackers-choice-7')).status).toBe(401);
      expect((await signIn(`${made}second`, newPassword)).status).toBe(200);
    });

    it('names what is missing at the confirmation', async () => {
      const { email } = someone();
      await register({ email });
      const token = linkToken(await mailbox.next());
      const refused = await confirmRegistration({ token });
      expect(fieldsOf(refused)).toEqual(['password']);
      expect(fieldsOf(await confirmRegistration({ token, username: 'a@b' }))).toEqual([
        'username',
        'password',
      ]);
    });

    it('tells nothing of taken addresses and usernames before the address is verified', async () => {
      const user = await service.createUser(['viewer']);
      const { email } = someone();
      const answers = [
        await register({ ...someone(), email: user.email }),
        await register({ ...someone(), username: user.username, email }),
      ];
      expect(answers[0]?.text).toBe(answers[1]?.text);
      await settled(service);
      expect(mailbox.messages.map(({ to, template }) => `${template} to ${to}`).sort()).toEqual([
        `address_in_use to ${user.email}`,
        `registration to ${email}`,
      ]);
      const [{ text } = { text: '' }] = mailbox.messages.filter(({ to }) => to === email);
      const token = linkToken({ text });
      expect(fieldsOf(await confirmRegistration({ token }))).toEqual(['username']);
      expect((await confirmRegistration({ token, username: `${user.username}b` })).status).toBe(201);
    });

    it.each([
      'a@example.org',
      'a@sub.example.com',
      'a@example.com.evil.test',
      'a@notexample.com',
      'a@example.com@evil.test',
      'a@evil.test\r\nBcc: b@example.com',
      'a@example.com\n',
      'a b@example.com',
      'eve,a@example.com',
      'eve;a@example.com',
      '"a"@example.com',
      '@example.com',
    ])('refuses the address %j', async (email) => {
      const refused = await register({ ...someone(), email });
      expect(fieldsOf(refused)).toEqual(['email']);
    });

    it('takes the domain in any spelling of it', async () => {
      const { email, ...rest } = someone();
      expect((await register({ ...rest, email: email.replace('example.com', 'EXAMPLE.Com') })).status).toBe(
        200,
      );
    });

    it('refuses a weak password and a bad username at once', async () => {
      const refused = await register({ ...someone(), username: 'a@b', password: 'password' });
      expect(fieldsOf(refused)).toEqual(['username', 'password']);
    });

    it('makes one user by two confirmations of two links at the same time', async () => {
      const sent = someone();
      await register(sent);
      await register(sent);
      const tokens = [linkToken(await mailbox.next()), linkToken(await mailbox.next())];
      const statuses = await Promise.all(
        [...tokens, ...tokens].map(async (token) => (await confirmRegistration({ token })).status),
      );
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.every((status) => [201, 410, 422].includes(status))).toBe(true);
    });
  });

  describe('invitations', () => {
    it('invitations are sent to the user', async () => {
      const body = { user: { username: `mailed${Date.now()}`, email: 'mailed@example.com', invite: true } };
      const { id } = await service.ok<{ id: number }>('POST', '/admin/users', { token: root, body });
      const { url } = await service.ok<{ url: string }>('POST', `/admin/users/${id}/invitation`, {
        token: root,
      });
      const message = await mailbox.next();
      expect(message).toMatchObject({ to: 'mailed@example.com', template: 'invitation' });
      expect(message.text).toContain(url);
    });

    it('invitations are sent for code of the application, in its transaction', async () => {
      const system = service.server.services.systemScope('a test');
      const invited = { username: `coded${Date.now()}`, email: 'coded@example.com' };
      await expect(
        system.transaction(async ({ records }) => {
          await records('User').invite({ ...invited, email: 'undone@example.com' });
          throw new Error('undone');
        }),
      ).rejects.toThrow('undone');
      await system.records('User').invite(invited);
      expect((await mailbox.next()).to).toBe('coded@example.com');
    });
  });

  it('uses BASE_URL for links, whatever the request says', async () => {
    const user = await service.createUser(['viewer']);
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', origin: 'https://evil.test' };
    await service.post(reset, { body: { account: user.username }, headers });
    const { text, html = '' } = await mailbox.next();
    expect(text + html).not.toContain('evil.test');
    expect(text).toContain(service.server.config.baseUrl);
  });
});

describeEachDatabase('an application without mail', (databases) => {
  const service = useService(databases);

  it.each([reset, `${reset}/confirm`, change, `${change}/confirm`, registration, `${registration}/confirm`])(
    'an application without mail has no %s',
    async (path) => {
      expect((await service.post(path, { body: { account: 'root' } })).json.code).toBe(40401);
    },
  );
});

describeEachDatabase('an application with mail and without registration', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, { application: { config: { mail: mailbox.receive } } });

  it('an application without registration has no paths of registration', async () => {
    expect((await service.post(registration, { body: { email: 'a@example.com' } })).json.code).toBe(40401);
    expect((await service.post(reset, { body: { account: 'a@example.com' } })).status).toBe(200);
  });
});

describeEachDatabase('a process that runs no jobs', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    application: { config: { mail: mailbox.receive, registration: {} } },
    env: { JOBS: 'off' },
  });

  it('stores the same for a request whether or not its account exists, so the times are the same', async () => {
    const user = await service.createUser(['viewer']);
    const unknown = { username: 'somebody', email: 'somebody@example.com' };
    for (const { username, email } of [user, unknown]) {
      for (const account of [username, email]) await service.post(reset, { body: { account } });
      await service.post(registration, { body: { email, username, password: newPassword } });
      await service.post(change, { token: user, body: { email, password: user.password } });
    }
    const stored = (await links(service)).map(({ registration: sent, ...link }) => ({
      ...{ ...link, id: 0, account: '', canonical: '', created_at: '' },
      sent: sent === null ? null : Object.keys(JSON.parse(sent)),
    }));
    expect(stored).toHaveLength(8);
    expect(stored.slice(0, 4)).toEqual(stored.slice(4));
    expect(stored.every((link) => link.token_hash === null)).toBe(true);
    const { database } = service.server.services;
    const jobs = await database.all<{ name: string }>(
      toQuery(tablesOf(database).selectFrom('gatewright_jobs').select('name')),
    );
    expect(jobs.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, () => 'account-link'));
  });
});
