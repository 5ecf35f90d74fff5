import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { field } from '../../src/fields/define.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { type TestUser, useService } from '../support/service.ts';

const composed = 'caf\u00e9-noir-\u00e0-8h';
const decomposed = composed.normalize('NFD');

describeEachDatabase('passwords', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    application: {
      config: { mail: mailbox.receive, registration: {} },
      endpoints: [
        defineEndpoint({
          method: 'POST',
          path: '/set',
          auth: [],
          input: { id: field.integer({ required: true }), password: field.text({ required: true }) },
          handle: async ({ values, asSystem }) => {
            await asSystem('test').records('User').setPassword(values.id, values.password);
            return {};
          },
        }),
        defineEndpoint({
          method: 'POST',
          path: '/make',
          auth: [],
          input: { username: field.text({ required: true }), password: field.text({ required: true }) },
          handle: async ({ values: { username, password }, asSystem }) => {
            await asSystem('test')
              .records('User')
              .create({ username, email: `${username}@example.com`, password, roles: ['viewer'] });
            return {};
          },
        }),
      ],
    },
  });
  let root: TestUser;
  let made = 0;
  const name = (): string => {
    made += 1;
    return `somebody${made}`;
  };
  beforeAll(async () => {
    root = await service.admin();
  });
  beforeEach(() => {
    service.clock.advance(20 * 60);
  });
  /** The token of the next message of this kind. */
  const mailedToken = async (template: string): Promise<string> => {
    for (;;) {
      const message = await mailbox.next();
      if (message.template === template) return linkToken(message);
    }
  };
  const signIn = async (account: string, password: string) =>
    (await service.post('/api/v1/auth/login', { body: { account, password } })).status;
  const command = (argv: readonly string[], more: object = {}) =>
    run(argv, { env: service.env, now: service.clock.now(), ...more });
  const bodyOf = (user: TestUser, password: string) => ({ current_password: user.password, password });

  /** Each way to set one; the result is the username, and whether the password was taken. */
  const ways: Readonly<Record<string, (password: string) => Promise<readonly [string, boolean]>>> = {
    'one’s own': async (password) => {
      const user = await service.createUser(['viewer']);
      const { status } = await service.request('PUT', '/api/v1/auth/password', {
        token: user,
        body: bodyOf(user, password),
      });
      return [user.username, status === 200];
    },
    'an administrator’s own': async (password) => {
      const user = await service.createUser(['admin']);
      const { status } = await service.request('PUT', '/admin/password', {
        token: user,
        body: bodyOf(user, password),
      });
      return [user.username, status === 200];
    },
    'a new user': async (password) => {
      const username = name();
      const user = { username, email: `${username}@example.com`, password };
      const { status } = await service.post('/admin/users', { token: root, body: { user } });
      return [username, status === 201];
    },
    'a user of an administrator': async (password) => {
      const { id, username } = await service.createUser(['viewer']);
      const { status } = await service.request('PATCH', `/admin/users/${id}`, {
        token: root,
        body: { user: { password } },
      });
      return [username, status === 200];
    },
    'an invitation': async (password) => {
      const { id, username } = await service.createUser(['viewer']);
      const { url } = await service.ok<{ url: string }>('POST', `/admin/users/${id}/invitation`, {
        token: root,
      });
      const token = new URL(url).hash.slice(1);
      const { status } = await service.post('/admin/invitation', { body: { token, password } });
      return [username, status === 200];
    },
    'a reset': async (password) => {
      const { username, email } = await service.createUser(['viewer']);
      const path = '/api/v1/auth/password_reset';
      mailbox.clear();
      await service.post(path, { body: { account: email } });
      const token = await mailedToken('password_reset');
      const { status } = await service.post(`${path}/confirm`, { body: { token, password } });
      return [username, status === 200];
    },
    'a registration': async (password) => {
      const username = name();
      const body = { email: `${username}@example.com`, username, password };
      mailbox.clear();
      if ((await service.post('/api/v1/auth/register', { body })).status !== 200) return [username, false];
      const token = await mailedToken('registration');
      const { status } = await service.post('/api/v1/auth/register/confirm', { body: { token } });
      return [username, status === 201];
    },
    'the confirmation of a registration': async (password) => {
      const username = name();
      mailbox.clear();
      await service.post('/api/v1/auth/register', { body: { email: `${username}@example.com` } });
      const body = { token: await mailedToken('registration'), username, password };
      return [username, (await service.post('/api/v1/auth/register/confirm', { body })).status === 201];
    },
    'code, for a user': async (password) => {
      const { id, username } = await service.createUser(['viewer']);
      return [username, (await service.post('/api/v1/set', { body: { id, password } })).status === 200];
    },
    'code, for a new user': async (password) => {
      const username = name();
      return [
        username,
        (await service.post('/api/v1/make', { body: { username, password } })).status === 200,
      ];
    },
    'user create': async (password) => {
      const username = name();
      const argv = ['user', 'create', '--username', username, '--email', `${username}@example.com`];
      return [username, (await command([...argv, '--password-stdin'], { stdin: password })).status === 0];
    },
    'user set-password': async (password) => {
      const { username } = await service.createUser(['viewer']);
      const argv = ['user', 'set-password', username, '--password-stdin'];
      return [username, (await command(argv, { stdin: password })).status === 0];
    },
  };

  it.each(Object.keys(ways))(
    'passwords of %s have 8 characters, in whatever form they are typed',
    async (way) => {
      const set = ways[way];
      if (set === undefined) throw new Error(way);
      for (const short of ['密码甲', 'éèêë', '😀🎉', 'o\u0308o\u0308o\u0308o\u0308'])
        expect([short, (await set(short))[1]]).toEqual([short, false]);
      for (const password of [composed, decomposed]) {
        const [username, taken] = await set(password);
        expect(taken).toBe(true);
        for (const typed of [decomposed, composed]) expect(await signIn(username, typed)).toBe(200);
        expect(await signIn(username, 'cafe-noir-a-8h')).toBe(401);
      }
    },
  );

  it('passwords of the first administrator have the same rule', async () => {
    const env = { ...service.env, ADMIN_PASSWORD: '密码甲', DATABASE_URL: await databases.create() };
    await expect(service.secondInstance({ env })).rejects.toThrow(/8/);
  });

  it('passwords are neither one’s username nor one’s address', async () => {
    const user = await service.createUser(['viewer'], { username: name() });
    for (const password of [
      user.username.toUpperCase(),
      user.email,
      user.email.toUpperCase(),
      `${user.email.slice(0, -1)}ｍ`,
    ]) {
      const answer = await service.request('PUT', '/api/v1/auth/password', {
        token: user,
        body: bodyOf(user, password),
      });
      expect([password, answer.status]).toEqual([password, 422]);
    }
  });

  it('passwords are not the former one in another form', async () => {
    const user = await service.createUser(['viewer']);
    await service.request('PATCH', `/admin/users/${user.id}`, {
      token: root,
      body: { user: { password: composed } },
    });
    const { token } = await service.ok<{ token: string }>('POST', '/api/v1/auth/login', {
      body: { account: user.username, password: composed },
    });
    const body = { current_password: composed, password: decomposed };
    expect((await service.request('PUT', '/api/v1/auth/password', { token, body })).status).toBe(422);
  });

  describe('gatewright user set-password', () => {
    it('asks twice, without showing anything', async () => {
      const user = await service.createUser(['viewer']);
      const argv = ['user', 'set-password', user.email.toUpperCase()];
      const typed = ['walnut-4-anchor', 'walnut-4-anchor'];
      const { status, stdout, stderr } = await command(argv, { interactive: true, typed });
      expect([status, stderr]).toEqual([0, 'new password: the same again: ']);
      expect(stdout).not.toContain('walnut');
      expect(await signIn(user.username, 'walnut-4-anchor')).toBe(200);
      const differ = { interactive: true, typed: ['walnut-4-anchor', 'walnut-5-anchor'] };
      expect(await command(argv, differ)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('differ'),
      });
      expect((await command(argv)).status).toBe(2);
    });

    it('ends sessions, tokens and links, and is in the audit log', async () => {
      const user = await service.createUser(['viewer']);
      mailbox.clear();
      await service.post('/api/v1/auth/password_reset', { body: { account: user.email } });
      const token = await mailedToken('password_reset');
      const { url } = await service.ok<{ url: string }>('POST', `/admin/users/${user.id}/invitation`, {
        token: root,
      });
      const argv = ['user', 'set-password', user.username, '--password-stdin', '--must-change-password'];
      expect((await command(argv, { stdin: 'walnut-4-anchor\n' })).status).toBe(0);
      expect((await service.get('/api/v1/auth/me', { token: user })).status).toBe(401);
      const body = { token, password: 'another-harbour-7' };
      expect((await service.post('/api/v1/auth/password_reset/confirm', { body })).status).toBe(410);
      const invited = { token: new URL(url).hash.slice(1), password: 'another-harbour-7' };
      expect((await service.post('/admin/invitation', { body: invited })).status).toBe(410);
      expect(await signIn(user.username, user.password)).toBe(401);
      expect(await signIn(user.username, 'walnut-4-anchor')).toBe(200);
      const [entry] = await service.ok<{ action: string; actor_kind: string; detail: object }[]>(
        'GET',
        `/admin/audit?filter[target_id]=${user.id}&filter[action]=user.update&sort=-id&per_page=1`,
        { token: root },
      );
      expect(entry).toMatchObject({
        actor_kind: 'command line',
        detail: { fields: expect.arrayContaining(['password', 'must_change_password']) },
      });
    });

    it.each([
      ['missing.here', 'walnut-4-anchor', 'no user missing.here'],
      ['', 'walnut-4-anchor', 'no user'],
    ])('fails for %j', async (account, password, words) => {
      const argv = ['user', 'set-password', account, '--password-stdin'];
      expect(await command(argv, { stdin: password })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(words),
      });
    });

    it('refuses a service account and a weak password', async () => {
      const username = name();
      const user = { username, kind: 'service', owner_id: root.id };
      await service.ok('POST', '/admin/users', { token: root, body: { user } });
      const argv = ['user', 'set-password', username, '--password-stdin'];
      expect((await command(argv, { stdin: 'walnut-4-anchor' })).status).toBe(1);
      expect(
        (await command(['user', 'set-password', root.username, '--password-stdin'], { stdin: 'short' }))
          .status,
      ).toBe(1);
      expect(await signIn(root.username, root.password)).toBe(200);
    });
  });
});
