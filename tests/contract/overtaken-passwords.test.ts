import { beforeAll, describe, expect, it, vi } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

/** A verified password must still be the current one when something is written because of it. */
describeEachDatabase('a password that was verified a moment too early', (databases) => {
  const service = useService(databases);
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });

  const patch = (user: TestUser, fields: object) =>
    service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: fields } });

  /** Runs `meanwhile` between the moment at which the next password has been verified and what follows from it. */
  const overtake = (meanwhile: () => Promise<unknown>): void => {
    const { services } = service.server;
    const { login } = services;
    const spy = vi.spyOn(services, 'login').mockImplementationOnce(async (attempt) => {
      const verified = await login(attempt);
      spy.mockRestore();
      await meanwhile();
      return verified;
    });
  };

  const sessionsOf = (user: TestUser) =>
    service.server.services.database.all({
      sql: `select id from sessions where user_id = ${user.id}`,
      parameters: [],
    });

  const signIn = (user: TestUser) =>
    service.post('/admin/session', { body: { account: user.username, password: user.password } });

  const reset = 'lamp under the stair';
  const own = 'kettle in the attic';

  describe('a sign-in leaves no session behind', () => {
    const events: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
      'the user has changed the password': (user) =>
        service.request('PUT', '/api/v1/auth/password', {
          token: user,
          body: { current_password: user.password, password: own },
        }),
      'an administrator has set another': (user) => patch(user, { password: reset }),
      'the user has been disabled': (user) => patch(user, { disabled: true }),
      'the user has been disabled and enabled again': async (user) => {
        await patch(user, { disabled: true });
        await patch(user, { disabled: false });
      },
      'an administrator has ended the sessions': (user) => patch(user, { end_sessions: true }),
      'the user has ended the sessions': (user) =>
        service.request('DELETE', '/admin/sessions', { token: user, headers: { origin: service.origin } }),
      'the user is gone': (user) => service.request('DELETE', `/admin/users/${user.id}`, { token: root }),
    };
    for (const [when, event] of Object.entries(events))
      it(`a sign-in with an overtaken password leaves no session behind when ${when}`, async () => {
        const user = await service.createUser(['admin']);
        overtake(() => event(user));
        const { status, json, headers } = await signIn(user);
        expect([status, json.code, headers['set-cookie']]).toEqual([401, 40105, undefined]);
        expect(headers['www-authenticate']).toContain('Bearer');
        expect(await sessionsOf(user)).toEqual([]);
        const begun = `/admin/audit?filter[target_id]=${user.id}&filter[action]=session.create`;
        expect(await service.ok('GET', begun, { token: root })).toEqual([]);
      });

    it('a sign-in with an overtaken password is recorded as a failure', async () => {
      const user = await service.createUser(['admin']);
      overtake(() => patch(user, { password: reset }));
      expect((await signIn(user)).status).toBe(401);
      const failures = `/admin/audit?filter[target_id]=${user.id}&filter[action]=sign_in.failed`;
      await expect.poll(() => service.ok('GET', failures, { token: root })).toHaveLength(1);
    });

    it('unless nothing was taken back: another name, another role, a demand of a new password', async () => {
      const user = await service.createUser(['admin']);
      overtake(() =>
        patch(user, { name: 'Renamed', roles: ['admin', 'viewer'], must_change_password: true }),
      );
      expect((await signIn(user)).status).toBe(200);
      expect(await sessionsOf(user)).toHaveLength(1);
    });
  });

  describe('a change of one’s own password is refused like a wrong one', () => {
    const body = (user: TestUser) => ({ current_password: user.password, password: own });
    const wrong = { errors: [{ field: 'current_password', rule: 'wrong_password' }] };
    const changes = {
      'PUT /api/v1/auth/password': [
        (user: TestUser) =>
          service.request('PUT', '/api/v1/auth/password', { token: user, body: body(user) }),
        { status: 401, json: { code: 40105 } },
      ],
      'PUT /admin/password': [
        (user: TestUser) => service.request('PUT', '/admin/password', { token: user, body: body(user) }),
        { status: 422, json: { data: wrong } },
      ],
      'PATCH /admin/users/:id': [
        (user: TestUser) =>
          service.request('PATCH', `/admin/users/${user.id}`, {
            token: user,
            body: { user: { ...body(user), name: 'Overtaken' } },
          }),
        { status: 422, json: { data: wrong } },
      ],
    } as const;
    for (const [route, [change, refusal]] of Object.entries(changes))
      it(`${route}, when an administrator has set another`, async () => {
        const user = await service.createUser(['admin']);
        overtake(() => patch(user, { password: reset, must_change_password: true }));
        expect(await change(user)).toMatchObject(refusal);
        expect((await service.login(user.username, own)).status).toBe(401);
        expect((await service.login(user.username, reset)).status).toBe(200);
        const stored = await service.ok('GET', `/admin/users/${user.id}`, { token: root });
        expect(stored).toMatchObject({ must_change_password: true, name: expect.not.stringMatching('Over') });
      });
  });

  it('a sign-in and a new password at the same moment leave no session of the old password, whichever is first', async () => {
    const { sessions, users, cookies } = service.server.services;
    const actor = { principal: 'command line', address: null } as const;
    const user = await service.createUser(['admin']);
    for (let securityStamp = 0; securityStamp < 20; securityStamp += 1) {
      const verified = { id: user.id, securityStamp };
      const session = () => ({ hash: cookies.create().hash, address: '127.0.0.1', userAgent: '' });
      const begin = () => sessions.create(verified, session(), actor);
      const change = () => users.changePassword(verified, `hash ${securityStamp}`, actor);
      // Both of the changes verified the same password, and one of them is too late.
      const [, first, , second] = await Promise.all([begin(), change(), begin(), change()]);
      expect([first, second].sort()).toEqual([false, true]);
      expect(await sessionsOf(user)).toEqual([]);
    }
  });

  it('a hash that is renewed at sign-in invalidates no other sign-in, a simultaneous one included', async () => {
    const { users } = service.server.services;
    const old = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const user = { ...(await service.createUser(['admin'])), password: 'password' };
    await users.update(user.id, { passwordHash: old }, { principal: 'command line', address: null });
    const beside = async () => expect((await signIn(user)).status).toBe(200);
    overtake(beside);
    expect((await signIn(user)).status).toBe(200);
    expect((await Promise.all([signIn(user), signIn(user)])).map(({ status }) => status)).toEqual([200, 200]);
    expect(await sessionsOf(user)).toHaveLength(4);
  });
});
