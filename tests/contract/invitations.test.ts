import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const password = 'walnut-harbour-61 lamp';
/** Seconds. */
const hour = 3_600;

interface Invitation {
  readonly url: string;
  readonly expires_at: string;
}

interface ManagedUser {
  readonly id: number;
  readonly username: string;
  readonly invited: boolean;
  readonly invitation_expires_at: string | null;
  readonly must_change_password: boolean;
}

describeEachDatabase('invitations', (databases) => {
  const service = useService(databases);
  let root: TestUser;
  let admin: TestUser;
  let made = 0;
  beforeAll(async () => {
    root = await service.admin();
    admin = await service.createUser(['admin']);
  });

  const invited = (fields: object = {}): Promise<ManagedUser> => {
    made += 1;
    const user = {
      username: `guest${made}`,
      email: `guest${made}@example.com`,
      roles: ['admin'],
      invite: true,
    };
    return service.ok<ManagedUser>('POST', '/admin/users', {
      token: root,
      body: { user: { ...user, ...fields } },
    });
  };
  const link = (id: number, token: TestUser = root): Promise<Invitation> =>
    service.ok<Invitation>('POST', `/admin/users/${id}/invitation`, { token });
  const tokenOf = ({ url }: Invitation): string => new URL(url).hash.slice(1);
  const use = (token: string, body: object = {}, options: object = {}) =>
    service.post('/admin/invitation', { body: { token, password, ...body }, ...options });
  const lookUp = (token: string) => service.post('/admin/invitation/lookup', { body: { token } });
  const shown = (id: number) => service.ok<ManagedUser>('GET', `/admin/users/${id}`, { token: root });
  const signIn = (account: string, secret = password) =>
    service.post('/admin/session', { body: { account, password: secret } });
  const audit = async (id: number) => {
    const path = `/admin/audit?filter[target_id]=${id}&filter[target_kind]=user&sort=id`;
    return service.ok<readonly { action: string; actor_name: string; detail: object }[]>('GET', path, {
      token: root,
    });
  };
  const change = (id: number, user: object) =>
    service.ok('PATCH', `/admin/users/${id}`, { token: root, body: { user } });

  describe('a user without a password', () => {
    it('a user without a password is invited, and nothing that is typed signs them in', async () => {
      const user = await invited();
      expect(user).toMatchObject({ invited: true, invitation_expires_at: null });
      for (const typed of ['', ' ', 'null', password])
        for (const path of ['/admin/session', '/api/v1/auth/login']) {
          const { status } = await service.post(path, { body: { account: user.username, password: typed } });
          expect([typed, path, [401, 422].includes(status)]).toEqual([typed, path, true]);
        }
      const list = await service.ok<ManagedUser[]>('GET', '/admin/users?filter[invited]=true', {
        token: root,
      });
      expect(list.map(({ id }) => id)).toContain(user.id);
      expect(list.every((each) => each.invited)).toBe(true);
    });

    it('needs to be asked for: a password that was forgotten is a mistake', async () => {
      const body = { user: { username: 'nobody', email: 'nobody@example.com' } };
      for (const user of [body.user, { ...body.user, invite: false }])
        expect((await service.post('/admin/users', { token: root, body: { user } })).status).toBe(422);
      const both = await invited({ password });
      expect([both.invited, (await signIn(both.username)).status]).toEqual([false, 200]);
    });

    it('a user without a password is shown to administrators only', async () => {
      const [first] = await service.ok<object[]>('GET', '/api/v1/users', { token: root });
      expect(Object.keys(first ?? {})).toEqual(['id', 'username', 'email', 'name', 'roles']);
    });
  });

  describe('POST /admin/users/:id/invitation', () => {
    it('201: a link for 72 hours whose token is behind the #, and nowhere else', async () => {
      const user = await invited();
      service.lines.length = 0;
      const made = await link(user.id);
      expect(made.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/account\/invitation#[\w-]{43}$/);
      const lifetime = Date.parse(made.expires_at) / 1000 - service.clock.unix();
      expect(Math.abs(lifetime - 72 * hour)).toBeLessThan(60);
      expect(await shown(user.id)).toMatchObject({ invited: true, invitation_expires_at: made.expires_at });
      const token = tokenOf(made);
      expect((await lookUp(token)).data).toMatchObject({ username: user.username });
      expect((await use(token)).status).toBe(200);
      expect(service.lines.join('\n')).not.toContain(token);
      const { database } = service.server.services;
      const rows = await database.all({ sql: 'select * from gatewright_invitations', parameters: [] });
      expect(JSON.stringify(rows)).not.toContain(token);
      expect(JSON.stringify(await audit(user.id))).not.toContain(token);
    });

    it('an invitation is 403 for oneself, and for a super_admin by an admin; 404, 409', async () => {
      const invite = (id: number, token: TestUser) =>
        service.post(`/admin/users/${id}/invitation`, { token });
      expect((await invite(root.id, root)).status).toBe(403);
      expect((await invite(root.id, admin)).json.code).toBe(40300);
      expect((await invite(999_999, root)).json.code).toBe(40400);
      const user = await invited();
      expect((await invite(user.id, admin)).status).toBe(201);
      await change(user.id, { disabled: true });
      expect((await invite(user.id, root)).json.code).toBe(40908);
    });
  });

  describe('POST /admin/invitation', () => {
    it('200: sets the password, once, and signs in with it', async () => {
      const user = await invited({ must_change_password: true });
      const token = tokenOf(await link(user.id));
      const { status, data } = await use(token);
      expect([status, data]).toEqual([
        200,
        {
          id: user.id,
          username: user.username,
          email: expect.any(String),
          name: user.username,
          roles: ['admin'],
        },
      ]);
      expect((await signIn(user.username)).data).not.toHaveProperty('must_change_password');
      expect(await shown(user.id)).toMatchObject({
        ...{ invited: false, invitation_expires_at: null, must_change_password: false },
      });
      for (const again of [await use(token), await lookUp(token)])
        expect([again.status, again.json]).toEqual([410, { code: 41001, message: '邀请链接已使用过' }]);
      const entries = await audit(user.id);
      expect(entries.map(({ action }) => action)).toEqual([
        ...['user.create', 'invitation.create', 'invitation.use', 'session.create'],
      ]);
      expect(entries[0]?.detail).toMatchObject({ invited: true });
      expect(entries[2]?.actor_name).toBe(user.username);
    });

    it('422: the rules of passwords, with the names of the account; the link stays', async () => {
      const user = await invited();
      const token = tokenOf(await link(user.id));
      for (const bad of ['short', 'password1', user.username]) {
        const { status, json } = await use(token, { password: bad });
        expect([bad, status, JSON.stringify(json)]).toEqual([
          bad,
          422,
          expect.stringContaining('"password"'),
        ]);
      }
      for (const body of [{}, { token }, { token: 5, password }, { password }])
        expect((await service.post('/admin/invitation', { body })).status).toBe(422);
      expect((await use(token)).status).toBe(200);
    });

    it('410: after 72 hours, after a newer link, a password by an administrator, one’s own change', async () => {
      const gone = async (token: string) => expect((await use(token)).json.code).toBe(41002);
      const user = await invited();
      const first = tokenOf(await link(user.id));
      const second = tokenOf(await link(user.id));
      await gone(first);
      service.clock.advance(72 * hour - 60);
      expect((await lookUp(second)).status).toBe(200);
      service.clock.advance(60);
      await gone(second);
      service.clock.reset();
      const third = tokenOf(await link(user.id));
      await change(user.id, { password });
      await gone(third);
      const fourth = tokenOf(await link(user.id));
      const token = await service.tokenOf(user.id);
      const body = { current_password: password, password: 'another-lantern-52 moss' };
      await service.ok('PUT', '/admin/password', { token, body });
      await gone(fourth);
    });

    it('404 once the user is disabled or deleted, 410 when they are enabled again', async () => {
      const [kept, deleted] = [await invited(), await invited()];
      const token = tokenOf(await link(kept.id));
      const other = tokenOf(await link(deleted.id));
      await change(kept.id, { disabled: true });
      await service.ok('DELETE', `/admin/users/${deleted.id}`, { token: root });
      for (const each of [token, other]) expect((await use(each)).json.code).toBe(40402);
      await change(kept.id, { disabled: false });
      expect((await use(token)).json.code).toBe(41002);
    });

    it('resets the password of somebody who has one, and ends their sessions', async () => {
      const user = await service.createUser(['admin']);
      const cookie = await service.signIn(user);
      const token = tokenOf(await link(user.id));
      expect((await signIn(user.username, user.password)).status).toBe(200);
      expect((await use(token)).status).toBe(200);
      expect((await service.get('/admin/session', { cookie })).status).toBe(401);
      expect((await signIn(user.username, user.password)).status).toBe(401);
      expect((await signIn(user.username)).status).toBe(200);
    });

    it('once, also where two come at the same moment, on two instances', async () => {
      const second = await service.secondInstance();
      const token = tokenOf(await link((await invited()).id));
      const answers = await Promise.all(
        ['one-harbour-44 x', 'two-harbour-45 y', 'six-harbour-46 z', 'ten-harbour-47 w'].map((each, index) =>
          (index % 2 === 0 ? service : second).post('/admin/invitation', { body: { token, password: each } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    });

    it('403: from a page of another site', async () => {
      const token = tokenOf(await link((await invited()).id));
      const options = { headers: { origin: 'https://evil.example' } };
      expect((await use(token, {}, options)).json.code).toBe(40301);
      expect((await use(token, {}, { headers: { origin: service.origin } })).status).toBe(200);
    });

    it('429: who tries tokens, as who tries passwords; a good link never counts', async () => {
      const token = tokenOf(await link((await invited()).id));
      const from = { headers: { 'x-forwarded-for': '203.0.113.7' } };
      await using proxied = await service.secondInstance({ env: { TRUST_PROXY: 'loopback' } });
      const attempt = (each: string) =>
        proxied.post('/admin/invitation/lookup', { body: { token: each }, ...from });
      const codes: number[] = [];
      for (let index = 0; index < 10; index += 1)
        codes.push((await attempt(`${String(index).padStart(42, 'x')}A`)).json.code);
      expect(new Set(codes)).toEqual(new Set([40402]));
      const locked = await attempt(token);
      expect([locked.json.code, locked.headers['retry-after']]).toEqual([42900, expect.any(String)]);
      expect((await lookUp(token)).status).toBe(200);
    });
  });
});
