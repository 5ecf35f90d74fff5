/** Long sign-ins: refresh tokens that work once, theft, ends, clocks and several instances. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { tokenLifetime } from '../../src/auth/jwt.ts';
import { createRefreshTokens } from '../../src/auth/refresh-token.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Browser, fragmentOf } from '../support/oidc-browser.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { codeOf, enrol } from '../support/second-factor.ts';
import { commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

const company = await new OidcServer().start();
afterAll(() => company.stop());

const own = 'kettle in the attic';

interface Pair {
  readonly token: string;
  readonly refresh_token: string;
}

describeEachDatabase('long sign-ins', (databases) => {
  const service = useService(databases, {
    application: {
      config: {
        sessions: { days: 30 },
        providers: { company: oidc({ issuer: company.issuer, client: company.client }) },
      },
    },
  });
  let second: Service;
  let root: TestUser;
  beforeAll(async () => {
    second = await service.secondInstance();
    root = await service.admin();
    await service.server.services.applications.update((current) => ({
      ...current,
      providers: { company: { client_secret: company.secret } },
    }));
  });

  beforeEach(() => {
    // The refusals of one test are no obstacle for the next one.
    service.clock.advance(16 * 60);
    root = { ...root, token: service.server.services.tokens.issue(root.id) };
  });

  const login = async (user: TestUser, more: object = {}): Promise<Pair> => {
    const { status, data } = await service.post<Pair>('/api/v1/auth/login', {
      body: { account: user.username, password: user.password, remember: true, ...more },
    });
    expect(status).toBe(200);
    return data;
  };
  const refresh = (token: unknown, on = service) =>
    on.post<Pair>('/api/v1/auth/refresh', { body: { refresh_token: token } });
  const renewed = async (token: string, on = service): Promise<Pair> => {
    const { status, data } = await refresh(token, on);
    expect(status).toBe(200);
    expect(Object.keys(data)).toEqual(['token', 'refresh_token']);
    return data;
  };
  const statusOf = async (token: string) => (await second.get('/api/v1/auth/me', { token })).status;
  const ended = async ({ refresh_token: token }: Pair): Promise<void> => {
    for (const each of [service, second]) {
      const { status, json } = await refresh(token, each);
      expect([status, json.code]).toEqual([401, 40_101]);
    }
  };
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
  const actionsOf = async ({ id }: TestUser) =>
    (
      await service.ok<{ action: string }[]>(
        'GET',
        `/admin/audit?filter[target_id]=${id}&filter[target_kind]=user&sort=id`,
        { token: root },
      )
    ).map(({ action }) => action);

  it('begin with `remember` only, and leave the token as it is', async () => {
    const user = await service.createUser();
    const { data, json } = await service.login(user.username, user.password);
    expect(Object.keys(data)).toEqual(['token', 'user']);
    expect(json.code).toBe(0);
    const long = await login(user);
    expect(Object.keys(long)).toEqual(['token', 'refresh_token', 'user']);
    const payload = claimsOf(long.token);
    expect(Object.keys(payload)).toEqual(['user_id', 'exp']);
    expect(Math.abs(payload.exp - service.clock.unix() - tokenLifetime)).toBeLessThanOrEqual(60);
    const body = { account: user.username, password: user.password, remember: 'yes' };
    expect((await service.post('/api/v1/auth/login', { body })).status).toBe(422);
  });

  it('a sign-in is renewed again and again, by any instance', async () => {
    const user = await service.createUser();
    let pair = await login(user);
    const seen = new Set([pair.refresh_token]);
    for (const on of [second, service, second]) {
      pair = await renewed(pair.refresh_token, on);
      seen.add(pair.refresh_token);
      expect(await statusOf(pair.token)).toBe(200);
    }
    expect(seen.size).toBe(4);
  });

  it('return the same pair to a token that is sent again within 10 s, also after the next renewal', async () => {
    const user = await service.createUser();
    const first = await login(user);
    const next = await renewed(first.refresh_token);
    service.clock.advance(5);
    expect(await renewed(first.refresh_token, second)).toEqual(next);
    const last = await renewed(next.refresh_token);
    service.clock.advance(4);
    expect(await renewed(first.refresh_token)).toEqual(next);
    expect(await renewed(next.refresh_token)).toEqual(last);
    expect(await statusOf(last.token)).toBe(200);
  });

  it('end when a token is sent again later, with their tokens, a line of the audit log and one of the log', async () => {
    const user = await service.createUser();
    const other = await login(user);
    const first = await login(user);
    const next = await renewed(first.refresh_token);
    service.clock.advance(10);
    expect((await refresh(first.refresh_token)).json.code).toBe(40_101);
    await ended(next);
    expect([await statusOf(first.token), await statusOf(next.token)]).toEqual([401, 401]);
    // The other sign-in of the user goes on.
    expect(await statusOf(other.token)).toBe(200);
    await renewed(other.refresh_token);
    expect(await actionsOf(user)).toContain('sign_in.reused');
    const lines = service.lines.map((line) => JSON.parse(line) as { event?: string; user?: string });
    expect(
      lines.filter(({ event, user: of }) => event === 'sign_in.reused' && of === user.username),
    ).toHaveLength(1);
  });

  it('give one pair to 100 parallel requests with one token, on two instances', async () => {
    const user = await service.createUser();
    const { refresh_token: token } = await login(user);
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => refresh(token, index % 2 === 0 ? service : second)),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(all.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    const rows = await service.server.services.database.all<{ generation: number }>({
      sql: `select s.generation from sessions s where s.user_id = ${user.id}`,
      parameters: [],
    });
    expect(rows.map(({ generation }) => Number(generation))).toEqual([1]);
  });

  it('refuse a token that is unknown, ended, malformed or of another secret in the same words', async () => {
    const user = await service.createUser();
    const gone = await login(user);
    await service.ok('POST', '/api/v1/auth/logout', { token: gone.token });
    const forged = Buffer.from(gone.refresh_token, 'base64url');
    forged[30] = (forged[30] ?? 0) ^ 1;
    const refused = [
      gone.refresh_token,
      createRefreshTokens('another secret of thirty-two bytes').begin().token,
      createRefreshTokens(service.env['JWT_SECRET'] ?? '').begin().token,
      forged.toString('base64url'),
      `${gone.refresh_token}=`,
      'x',
    ];
    const texts = new Set<string>();
    for (const token of refused) {
      const { status, text, headers } = await refresh(token);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="gatewright"']);
      texts.add(text);
    }
    expect(texts.size).toBe(1);
    for (const token of [undefined, null, 5, '', ['x']]) expect((await refresh(token)).status).toBe(422);
  });

  it('refuse a network with too many wrong tokens, and still renew the good ones', async () => {
    service.clock.advance(16 * 60);
    const user = await service.createUser();
    const { refresh_token: good } = await login(user);
    const wrong = createRefreshTokens('another secret of thirty-two bytes');
    let last = await refresh('x');
    for (let tries = 0; tries < 100; tries += 1) last = await refresh(wrong.begin().token);
    expect([last.status, last.json.code]).toEqual([429, 42_900]);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    await renewed(good);
    expect((await service.login(user.username, user.password)).status).toBe(200);
    service.clock.advance(16 * 60);
    expect((await refresh('x')).status).toBe(401);
  });

  it('end after 30 days without a renewal, and each renewal begins them again', async () => {
    const user = await service.createUser();
    let pair = await login(user);
    const idle = await login(user);
    for (const days of [29, 29]) {
      service.clock.advance(days * 86_400);
      pair = await renewed(pair.refresh_token);
    }
    expect(await statusOf(pair.token)).toBe(200);
    await ended(idle);
    service.clock.advance(30 * 86_400);
    await ended(pair);
    const { database, sessions } = service.server.services;
    await sessions.sweep(service.clock.now());
    const left = { sql: `select id from sessions where user_id = ${user.id}`, parameters: [] };
    expect(await database.all(left)).toEqual([]);
  });

  it('need no row of a token that has expired, and still notice its second use', async () => {
    const user = await service.createUser();
    const first = await login(user);
    let pair = first;
    for (let day = 0; day < 4; day += 1) {
      service.clock.advance(2 * 86_400);
      pair = await renewed(pair.refresh_token);
    }
    const rows = await service.server.services.database.all({
      sql: `select t.generation from gatewright_session_tokens t join sessions s on s.id = t.session_id where s.user_id = ${user.id}`,
      parameters: [],
    });
    expect(rows.length).toBeLessThanOrEqual(2);
    await ended(first);
    await ended(pair);
  });

  const patch = (user: TestUser, fields: object) =>
    service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: fields } });
  const sessionsOf = (token: string) =>
    service.ok<{ id: number; remembered: boolean; current: boolean; last_used_at: string }[]>(
      'GET',
      '/api/v1/auth/sessions',
      { token },
    );
  const ends: Readonly<Record<string, (user: TestUser, pair: Pair) => Promise<unknown>>> = {
    'the user signs out': (_, { token }) => service.ok('POST', '/api/v1/auth/logout', { token }),
    'the user signs out everywhere': ({ token }) =>
      service.ok('POST', '/api/v1/auth/logout', { token, body: { all: true } }),
    'the user ends the session': async (_, { token }) => {
      const current = (await sessionsOf(token)).find((each) => each.current);
      await service.ok('DELETE', `/api/v1/auth/sessions/${current?.id}`, { token });
    },
    'the user ends all sessions': (_, { token }) => service.ok('DELETE', '/api/v1/auth/sessions', { token }),
    'the user changes the password': (user, { token }) =>
      service.ok('PUT', '/api/v1/auth/password', {
        token,
        body: { current_password: user.password, password: own },
      }),
    'an administrator sets a password': (user) => patch(user, { password: own }),
    'an administrator signs the user out': (user) =>
      service.ok('POST', `/admin/users/${user.id}/logout`, { token: root }),
    'the user is disabled': (user) => patch(user, { disabled: true }),
    'the user is disabled and enabled again': async (user) => {
      await patch(user, { disabled: true });
      await patch(user, { disabled: false });
    },
    'the user is deleted': (user) => service.ok('DELETE', `/admin/users/${user.id}`, { token: root }),
  };
  it.each(Object.keys(ends))('end, with all their tokens, when %s', async (name) => {
    const user = await service.createUser(['admin']);
    const first = await login(user);
    const pair = await renewed(first.refresh_token);
    await ends[name]?.(user, pair);
    await ended(pair);
    expect([await statusOf(first.token), await statusOf(pair.token)]).toEqual([401, 401]);
  });

  it('end by a sign-out with any token of theirs, and leave other sign-ins of the same second alone', async () => {
    const user = await service.createUser();
    const [first, other] = [await login(user), await login(user)];
    const { data: brief } = await service.login(user.username, user.password);
    const next = await renewed(first.refresh_token);
    await service.ok('POST', '/api/v1/auth/logout', { token: first.token });
    await ended(next);
    expect(await statusOf(next.token)).toBe(401);
    await service.ok('POST', '/api/v1/auth/logout', { token: brief.token });
    expect(await statusOf(other.token)).toBe(200);
    await renewed(other.refresh_token);
  });

  it('a renewal that a revocation overtakes finds no sign-in', async () => {
    for (let round = 0; round < 8; round += 1) {
      service.clock.advance(16 * 60);
      const user = await service.createUser();
      const { token, refresh_token: refreshToken } = await login(user);
      const out =
        round % 2 === 0
          ? service.ok('POST', '/api/v1/auth/logout', { token })
          : service.ok('POST', `/admin/users/${user.id}/logout`, { token: root });
      const answers = await Promise.all([
        ...Array.from({ length: 3 }, () => refresh(refreshToken, second)),
        out.then(() => undefined),
        ...Array.from({ length: 3 }, () => refresh(refreshToken)),
      ]);
      // A pair of a renewal that came first is worth nothing now.
      const won = answers.find((answer) => answer?.status === 200)?.data;
      if (won !== undefined) {
        expect(await statusOf(won.token)).toBe(401);
        await ended(won);
      }
      await ended({ token, refresh_token: refreshToken });
    }
  }, 60_000);

  it('a sign-in is listed for the user and for administrators, and ended there', async () => {
    const user = await service.createUser();
    const [pair, other] = [await login(user), await login(user)];
    service.clock.advance(60);
    const { token } = await renewed(pair.refresh_token);
    const listed = await sessionsOf(token);
    expect(listed).toMatchObject([
      { remembered: true, current: true },
      { remembered: true, current: false },
    ]);
    const [used, unused] = listed.map(({ last_used_at: at }) => Date.parse(at));
    expect(Number(used) - Number(unused)).toBeGreaterThanOrEqual(59_000);
    const { sessions } = await service.ok<{ sessions: { id: number; remembered: boolean }[] }>(
      'GET',
      `/admin/users/${user.id}/sessions`,
      { token: root },
    );
    expect(sessions.map(({ id, remembered }) => [id, remembered])).toEqual(
      listed.map(({ id }) => [id, true]),
    );
    const stranger = await service.createUser();
    const path = `/api/v1/auth/sessions/${listed[1]?.id}`;
    expect((await service.delete(path, { token: stranger })).status).toBe(404);
    await service.ok('DELETE', path, { token });
    await ended(other);
    expect(await statusOf(other.token)).toBe(401);
    expect(await sessionsOf(token)).toHaveLength(1);
    expect(await actionsOf(user)).toEqual(expect.arrayContaining(['session.remember', 'session.delete']));
  });

  it('a sign-in of an administrator is among the own sessions of the administration area', async () => {
    const user = await service.createUser(['admin']);
    const pair = await login(user);
    const listed = await service.ok<{ id: number; remembered: boolean; current: boolean }[]>(
      'GET',
      '/admin/sessions',
      { token: pair.token },
    );
    expect(listed).toMatchObject([{ remembered: true, current: false }]);
    await service.ok('DELETE', `/admin/sessions/${listed[0]?.id}`, {
      token: pair.token,
      headers: { origin: service.origin },
    });
    await ended(pair);
  });

  it('begin with a second factor, and end when the first one is added', async () => {
    const { user, secret } = await enrol(service);
    const body = { account: user.username, password: user.password, remember: true };
    expect((await service.post('/api/v1/auth/login', { body })).json.code).toBe(40_107);
    service.clock.advance(60);
    const pair = await login(user, { otp: codeOf(secret, service.clock.now()) });
    await renewed(pair.refresh_token);
    const { database } = service.server.services;
    const later = await service.createUser();
    const without = await login(later);
    await database.execute({
      sql: `update users set second_factor = ${service.dialect === 'sqlite' ? 1 : 'true'} where id = ${later.id}`,
      parameters: [],
    });
    await ended(without);
  });

  it('begin with a provider', async () => {
    const browser = new Browser(service);
    const account = { sub: 'subject', preferred_username: 'person', name: 'Person' };
    const arrived = await browser.finish(company.approve(await browser.start(), account));
    const { data } = await service.post<Pair>('/api/v1/auth/token', {
      body: { code: fragmentOf(arrived, 'code'), remember: true },
      headers: { cookie: browser.cookie },
    });
    await renewed(data.refresh_token);
  });

  it('a refresh token is no cookie of a session, and such a cookie no refresh token', async () => {
    const user = await service.createUser(['admin']);
    const { refresh_token: token } = await login(user);
    const name = Buffer.from(token, 'base64url').subarray(0, 18).toString('base64url');
    for (const value of [token, name])
      expect((await service.get('/admin/session', { cookie: `gatewright_session=${value}` })).status).toBe(
        401,
      );
    const [, value] = (await service.signIn(user)).split('=');
    expect((await refresh(value)).status).toBe(401);
  });

  it('keep neither tokens nor anything from which one could be made', async () => {
    const user = await service.createUser();
    const { refresh_token: token } = await login(user);
    const { refresh_token: next } = await renewed(token);
    const rows = await service.server.services.database.all({
      sql: `select s.*, t.expiry, t.used_at from sessions s join gatewright_session_tokens t on t.session_id = s.id where s.user_id = ${user.id}`,
      parameters: [],
    });
    const stored = JSON.stringify(rows);
    const name = Buffer.from(token, 'base64url').subarray(0, 18);
    for (const text of [
      token,
      next,
      name.toString('hex'),
      name.toString('base64'),
      name.toString('base64url'),
    ])
      expect(stored).not.toContain(text);
    expect(service.lines.join('\n')).not.toContain(next);
  });

  it('end with the secret of tokens', async () => {
    const user = await service.createUser();
    const { refresh_token: token } = await login(user);
    const other = await service.secondInstance({ env: { JWT_SECRET: 'another secret of thirty-two bytes' } });
    expect((await refresh(token, other)).json.code).toBe(40_101);
    await renewed(token);
  });
});

describeEachDatabase('without long sign-ins', (databases) => {
  const service = useService(databases);

  it('`remember` is a member like any unknown one, and the paths do not exist', async () => {
    const user = await service.createUser();
    for (const remember of [true, 'yes']) {
      const body = { account: user.username, password: commonPassword, remember };
      const { status, data } = await service.post('/api/v1/auth/login', { body });
      expect([status, Object.keys(data)]).toEqual([200, ['token', 'user']]);
    }
    const body = { refresh_token: createRefreshTokens(service.env['JWT_SECRET'] ?? '').begin().token };
    const { status, json } = await service.post('/api/v1/auth/refresh', { body });
    expect([status, json.code]).toEqual([404, 40_401]);
    expect((await service.get('/api/v1/auth/sessions', { token: user })).status).toBe(404);
  });
});

describe('the option `sessions`', () => {
  it.each([
    [{}, 'sessions needs days'],
    [{ days: 0 }, 'sessions.days must be a whole number from 1 to 400, not 0'],
    [{ days: 401 }, 'sessions.days must be a whole number from 1 to 400, not 401'],
    [{ days: 1.5 }, 'sessions.days must be a whole number from 1 to 400, not 1.5'],
    [{ hours: 1 }, 'there is no option "sessions.hours"'],
    [true, 'sessions must be an object, not true'],
  ])('refuses %j', async (sessions, message) => {
    const { defineConfig } = await import('../../src/app/application.ts');
    expect(() => defineConfig({ sessions } as never)).toThrow(message);
  });
});
