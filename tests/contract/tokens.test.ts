import { beforeAll, describe, expect, it, vi } from 'vitest';
import { tokenLifetime } from '../../src/auth/jwt.ts';
import { movableClock } from '../support/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { codeOf, enrol, wrongCode } from '../support/second-factor.ts';
import { commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

const own = 'kettle in the attic';

describeEachDatabase('tokens', (databases) => {
  const service = useService(databases);
  let second: Service;
  let root: TestUser;
  beforeAll(async () => {
    second = await service.secondInstance();
    root = await service.admin();
  });

  const expiryOf = (token: string): number => {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(Object.keys(payload)).toEqual(['user_id', 'exp']);
    return payload.exp;
  };
  const login = async (user: TestUser, password = user.password): Promise<string> => {
    const { status, data } = await service.login(user.username, password);
    expect(status).toBe(200);
    return data.token;
  };
  /** Codes of both instances for a token. */
  const codes = async (token: string): Promise<readonly number[]> => {
    const asked = [service, second].map((each) => each.get('/api/v1/auth/me', { token }));
    return (await Promise.all(asked)).map(({ json }) => json.code);
  };
  const good = [0, 0];
  const revoked = [40_101, 40_101];
  const logout = (token: string, body?: object) =>
    service.request('POST', '/api/v1/auth/logout', { token, ...(body === undefined ? {} : { body }) });
  const patch = (user: TestUser, fields: object) =>
    service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: fields } });
  /** A token of the user with another expiry than those of a login at this moment. */
  const earlierToken = ({ id }: TestUser): string =>
    service.server.services.tokens.issue(id, service.clock.unix() + tokenLifetime - 60);

  it('tokens are issued for 24 hours', async () => {
    const user = await service.createUser();
    const before = service.clock.unix();
    const expiry = expiryOf(await login(user));
    expect(expiry - tokenLifetime).toBeGreaterThanOrEqual(before);
    expect(expiry - tokenLifetime).toBeLessThanOrEqual(service.clock.unix());
  });

  it('signing out revokes this one at once, on every instance, and no other', async () => {
    const user = await service.createUser();
    const [token, other] = [await login(user), earlierToken(user)];
    expect(await codes(token)).toEqual(good);
    expect((await logout(token)).json).toEqual({ code: 0, message: '操作成功' });
    expect([await codes(token), await codes(other)]).toEqual([revoked, good]);
    expect((await logout(token)).json.code).toBe(40_101);
    expect((await service.get('/api/v1/auth/me', { token })).headers['www-authenticate']).toContain('Bearer');
  });

  it('a sign-in in the second of a revocation gets one that works and differs from each revoked one', async () => {
    const user = await service.createUser();
    const issued: string[] = [];
    for (const body of [undefined, { all: true }, undefined, { all: true }, { all: false }]) {
      const token = await login(user);
      issued.push(token);
      expect(await codes(token)).toEqual(good);
      expect((await logout(token, body)).status).toBe(200);
      expect(await codes(token)).toEqual(revoked);
    }
    const last = await login(user);
    expect(await codes(last)).toEqual(good);
    expect(new Set([...issued, last]).size).toBe(issued.length + 1);
    for (const token of issued) expect(await codes(token)).toEqual(revoked);
  });

  it('`all` revokes every one, and ends the sessions', async () => {
    const user = await service.createUser(['admin']);
    const [token, other, cookie] = [await login(user), earlierToken(user), await service.signIn(user)];
    const { key } = await service.createKey(user);
    expect((await logout(other, { all: true })).status).toBe(200);
    expect([await codes(token), await codes(other)]).toEqual([revoked, revoked]);
    expect((await service.get('/admin/session', { cookie })).status).toBe(401);
    // A key is closed by itself.
    expect((await service.get('/api/v1/users', { key })).status).toBe(200);
  });

  const everything: Readonly<Record<string, (user: TestUser, token: string) => Promise<unknown>>> = {
    'the user changes the password': (user, token) =>
      service.ok('PUT', '/api/v1/auth/password', {
        token,
        body: { current_password: user.password, password: own },
      }),
    'an administrator sets another password': (user) => patch(user, { password: own }),
    'an administrator signs the user out': (user) =>
      service.ok('POST', `/admin/users/${user.id}/logout`, { token: root }),
    'an administrator ends the sessions': (user) => patch(user, { end_sessions: true }),
    'the user is disabled and enabled again': async (user) => {
      await patch(user, { disabled: true });
      await patch(user, { disabled: false });
    },
    'the user is deleted': (user) => service.ok('DELETE', `/admin/users/${user.id}`, { token: root }),
    'the user ends the sessions': (_user, token) =>
      service.ok('DELETE', '/admin/sessions', { token, headers: { origin: service.origin } }),
    'the user sets a password by a link': async (user) => {
      const { url } = await service.ok<{ url: string }>('POST', `/admin/users/${user.id}/invitation`, {
        token: root,
      });
      const body = { token: new URL(url).hash.slice(1), password: own };
      await service.ok('POST', '/admin/invitation', { body });
    },
  };
  it.each(Object.keys(everything))('tokens are all revoked when %s', async (name) => {
    const user = await service.createUser(['admin']);
    const [token, other] = [await login(user), earlierToken(user)];
    expect([await codes(token), await codes(other)]).toEqual([good, good]);
    await everything[name]?.(user, token);
    expect([await codes(token), await codes(other)]).toEqual([revoked, revoked]);
  });

  it('tokens stay valid where nothing of the account was taken back', async () => {
    const user = await service.createUser();
    const token = await login(user);
    await patch(user, { name: 'Renamed', roles: ['viewer', 'admin'] });
    expect(await codes(token)).toEqual(good);
  });

  it('an administrator cannot sign a super_admin out, nor a missing user', async () => {
    const admin = await service.createUser(['admin']);
    const path = (id: number) => `/admin/users/${id}/logout`;
    expect((await service.post(path(root.id), { token: admin })).status).toBe(403);
    expect((await service.post(path(9_999_999), { token: admin })).status).toBe(404);
    expect(await codes(root.token)).toEqual(good);
    const viewer = await service.createUser();
    expect((await service.post(path(admin.id), { token: viewer })).status).toBe(403);
  });

  it('signing out takes no other credentials and no other body', async () => {
    const user = await service.createUser();
    const { key } = await service.createKey(user);
    expect((await service.post('/api/v1/auth/logout', { key })).json.code).toBe(40_100);
    expect((await service.post('/api/v1/auth/logout')).json.code).toBe(40_100);
    expect((await logout(user.token, { all: 'yes' })).status).toBe(422);
    expect(await codes(user.token)).toEqual(good);
  });

  it('a user who must change the password can sign out', async () => {
    const user = await service.createUser();
    await patch(user, { must_change_password: true });
    const token = await login(user);
    expect((await logout(token)).status).toBe(200);
    expect(await codes(token)).toEqual(revoked);
  });

  it('the token of a session is revoked with its session', async () => {
    const user = await service.createUser(['admin']);
    const cookie = await service.signIn(user);
    const headers = { origin: service.origin };
    const { token } = await service.ok<{ token: string }>('POST', '/admin/session/token', {
      cookie,
      headers,
    });
    expect((await logout(token)).status).toBe(200);
    expect(await codes(token)).toEqual(revoked);
    expect((await service.get('/admin/session', { cookie })).status).toBe(401);
    expect(await codes(user.token)).toEqual(good);
  });

  it('revocations are in the audit log', async () => {
    const user = await service.createUser();
    await logout(await login(user));
    await logout(await login(user), { all: true });
    const listed = await service.ok<{ action: string; actor_name: string; target_name: string }[]>(
      'GET',
      `/admin/audit?filter[target_id]=${user.id}&filter[action][in]=token.revoke,token.revoke_all&sort=id`,
      { token: root },
    );
    const named = { actor_name: user.username, target_name: user.username };
    expect(listed).toMatchObject([
      { action: 'token.revoke', ...named },
      { action: 'token.revoke_all', ...named },
    ]);
  });

  it('a stream of a revoked one ends within five seconds', async () => {
    const user = await service.createUser();
    const token = await login(user);
    const stream = await openStream(`${service.origin}/api/v1/changes`, { authorization: `Bearer ${token}` });
    const begun = performance.now();
    await logout(token);
    await stream.ended;
    expect(performance.now() - begun).toBeLessThan(5_500);
  }, 15_000);

  it('tokens of an instance whose clock is ahead are revoked by one whose clock is right', async () => {
    const ahead = movableClock();
    ahead.advance(600);
    const fast = await service.secondInstance({ clock: ahead });
    const user = await service.createUser();
    const { data } = await fast.login(user.username, user.password);
    expect(await codes(data.token)).toEqual(good);
    await service.ok('POST', `/admin/users/${user.id}/logout`, { token: root });
    expect(await codes(data.token)).toEqual(revoked);
    const next = await login(user);
    expect(await codes(next)).toEqual(good);
    expect(expiryOf(next)).toBeGreaterThan(expiryOf(data.token));
  });

  it('rows of revoked ones are removed after their expiry', async () => {
    const user = await service.createUser();
    await logout(await login(user));
    const { userTokens, database } = service.server.services;
    const rows = () =>
      database.all({
        sql: `select expiry from gatewright_revoked_tokens where user_id = ${user.id}`,
        parameters: [],
      });
    await userTokens.sweep(service.clock.now());
    expect(await rows()).toHaveLength(1);
    await userTokens.sweep(service.clock.now() + (tokenLifetime + 2) * 1000);
    expect(await rows()).toEqual([]);
  });

  describe('a login during a revocation', () => {
    /** Runs `meanwhile` between the check of the next password and what follows from it. */
    const overtake = (meanwhile: () => Promise<unknown>): void => {
      const { services } = service.server;
      const { login: verify } = services;
      const spy = vi.spyOn(services, 'login').mockImplementationOnce(async (attempt) => {
        const verified = await verify(attempt);
        spy.mockRestore();
        await meanwhile();
        return verified;
      });
    };

    it('gets a token that works when the password still holds', async () => {
      using _first = service.askFirstWorker();
      const user = await service.createUser();
      overtake(() => service.ok('POST', `/admin/users/${user.id}/logout`, { token: root }));
      expect(await codes(await login(user))).toEqual(good);
    });

    it.each([
      ['changed', { password: own }],
      ['disabled', { disabled: true }],
    ])('gets none when the account was %s', async (_name, fields) => {
      using _first = service.askFirstWorker();
      const user = await service.createUser();
      overtake(() => patch(user, fields));
      const { status, json } = await service.login(user.username, user.password);
      expect([status, json.code]).toEqual([401, 40_105]);
    });

    it('whichever is first: 200, and no token from before the revocation works', async () => {
      const user = await service.createUser();
      for (let round = 0; round < 5; round += 1) {
        const token = await login(user);
        const [answer, out] = await Promise.all([
          service.login(user.username, user.password),
          logout(token, { all: true }),
        ]);
        expect([answer.status, out.status, await codes(token)]).toEqual([200, 200, revoked]);
      }
      expect(await codes(await login(user))).toEqual(good);
    });
  });
});

describeEachDatabase('the second factor at the login', (databases) => {
  const service = useService(databases);
  const login = (user: TestUser, otp?: string, password = commonPassword) =>
    service.post<{ token: string }>('/api/v1/auth/login', {
      body: { account: user.username, password, ...(otp === undefined ? {} : { otp }) },
    });
  const codeNow = (secret: string) => codeOf(secret, service.clock.now());

  it('the second factor at the login is asked for behind the right password only, and lets in once with each code', async () => {
    const { user, secret } = await enrol(service);
    const without = await login(user);
    expect([without.status, without.json.code]).toEqual([401, 40_107]);
    expect(without.headers['www-authenticate']).toContain('Bearer');
    expect((await login(user, codeNow(secret), 'wrong')).json.code).toBe(40_105);
    expect((await login(user, wrongCode(secret, service.clock.now()))).json.code).toBe(40_108);
    const code = codeNow(secret);
    const letIn = await login(user, code);
    expect(letIn.status).toBe(200);
    expect((await service.get('/api/v1/auth/me', { token: letIn.data.token })).status).toBe(200);
    expect((await login(user, code)).json.code).toBe(40_108);
  });

  it('takes a recovery code once', async () => {
    const { user, codes } = await enrol(service);
    const [code = ''] = codes;
    expect((await login(user, code)).status).toBe(200);
    expect((await login(user, code)).json.code).toBe(40_108);
    expect((await login(user, 'aaaa-bbbb-cccc-dddd')).json.code).toBe(40_108);
  });

  it('counts what is missing or wrong as a failed login', async () => {
    const { user, secret } = await enrol(service);
    const answers: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      answers.push(
        (await login(user, tries % 2 === 0 ? undefined : wrongCode(secret, service.clock.now()))).json.code,
      );
    expect(answers.slice(0, 4)).toEqual([40_107, 40_108, 40_107, 40_108]);
    expect(answers.at(-1)).toBe(42_900);
    expect((await login(user, codeNow(secret))).status).toBe(429);
  });

  it('lets only one of two in who bring the same code at once', async () => {
    const { user, secret } = await enrol(service);
    const code = codeNow(secret);
    const answers = await Promise.all([login(user, code), login(user, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('the second factor at the login is ignored for a user without one', async () => {
    const user = await service.createUser();
    expect((await login(user)).status).toBe(200);
    expect((await login(user, '123456')).status).toBe(200);
  });
});
