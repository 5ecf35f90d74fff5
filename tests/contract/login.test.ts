import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLoginAttempts } from '../../src/accounts/sessions/login-attempts.ts';
import { createLoginThrottle, throttleWindow } from '../../src/auth/login-throttle.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { playScenarios, type Scenario } from '../support/scenario.ts';
import { type Answer, commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

const login = 'POST /api/v1/auth/login';
const failed = '{"code":40105,"message":"账号或密码错误"}';

const scenarios: readonly Scenario[] = [
  { name: 'nothing', request: login, body: {}, status: 422, message: '账号不能为空, 密码不能为空' },
  { name: 'no password', request: login, body: { account: 'root' }, status: 422, message: '密码不能为空' },
  { name: 'a null password', request: login, body: { account: 'root', password: null }, status: 422 },
  { name: 'an empty password', request: login, body: { account: 'root', password: '' }, status: 422 },
  {
    name: 'an object as password',
    request: login,
    body: { account: 'root', password: { $ne: '' } },
    status: 422,
  },
  { name: 'a list as account', request: login, body: { account: ['root'], password: 'x' }, status: 422 },
  { name: 'a number as account', request: login, body: { account: 1, password: 'x' }, status: 422 },
  { name: 'true as password', request: login, body: { account: 'root', password: true }, status: 422 },
  {
    name: 'an account that is only a prototype’s',
    request: login,
    body: '{"__proto__":{"account":"root"},"password":"x"}',
    status: 422,
  },
  { name: 'SQL as account', request: login, body: { account: "root'--", password: 'x' }, status: 401 },
  {
    name: 'a pattern as account',
    request: login,
    body: { account: 'ro%', password: commonPassword },
    status: 401,
  },
  {
    name: 'an account of half a megabyte',
    request: login,
    body: { account: 'e\u0301'.repeat(150_000), password: 'x' },
    status: 401,
  },
];

/** Counts failed attempts of missing accounts, as a login would, without the price of a hash. */
const failFrom = async (service: Service, address: string, accounts: readonly string[]): Promise<void> => {
  const throttle = createLoginThrottle({
    store: createLoginAttempts(service.server.services),
    secret: service.env['JWT_SECRET'] ?? '',
    clock: service.clock.now,
  });
  for (const account of accounts) await throttle.run(account, address, async () => undefined);
};

const countBy = (answers: readonly Answer<unknown>[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describeEachDatabase('login', (databases) => {
  const service = useService(databases, { env: { TRUST_PROXY: 'loopback' }, slowPasswords: true });
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  let user: TestUser;
  beforeAll(async () => {
    user = await service.createUser(['viewer'], { name: '陆 Emília' });
  });

  playScenarios(service, scenarios);

  it('200: a token and the user, by username or email', async () => {
    for (const account of [user.username, user.email]) {
      const { status, json, data } = await service.login(account, user.password);
      const { id, username, email } = user;
      expect([status, json]).toEqual([
        200,
        {
          code: 0,
          message: '操作成功',
          data: {
            token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{43}$/),
            user: { id, username, email, name: '陆 Emília' },
          },
        },
      ]);
      expect((await service.get('/api/v1/auth/me', { token: data.token })).status).toBe(200);
    }
  });

  it('200: whatever other credentials come with it: the endpoint takes none', async () => {
    const good = { token: await service.admin() };
    for (const sent of [
      { token: 'x' },
      { headers: { authorization: 'Basic eA==' } },
      { key: 'x' },
      { cookie: 'gatewright_session=x' },
      { headers: service.sign('nobody', 'x') },
      good,
    ]) {
      const { status, data } = await service.login(user.username, user.password, sent);
      expect([status, data.user.id]).toEqual([200, user.id]);
    }
    expect((await service.login(user.username, 'wrong password', good)).status).toBe(401);
  });

  it('401: unknown, wrong and disabled are answered alike', async () => {
    const disabled = await service.createUser();
    await service.ok('PATCH', `/admin/users/${disabled.id}`, {
      token: await service.admin(),
      body: { user: { disabled: true } },
    });
    const answers = [
      await service.login('nobody-at-all', commonPassword, from('10.1.0.1')),
      await service.login(user.username, 'wrong password', from('10.1.0.1')),
      await service.login(disabled.username, disabled.password, from('10.1.0.1')),
      await service.login(user.username, `${user.password} `, from('10.1.0.1')),
      await service.login(` ${user.username}`, user.password, from('10.1.0.1')),
    ];
    for (const { status, text, headers } of answers)
      expect([status, text, headers['www-authenticate']]).toEqual([401, failed, 'Bearer realm="gatewright"']);
  });

  describe('accounts are looked up by NFKC and case folding', () => {
    it('a login is 200 for every spelling of the same account', async () => {
      const made = await service.createUser(['viewer'], {
        username: 'Straße_Émile',
        email: 'Ünï@Example.com',
      });
      for (const account of [
        'straße_émile',
        'STRASSE_E\u0301MILE',
        'ｓtraße_émile',
        'ünï@example.com',
        'U\u0308NI\u0308@EXAMPLE.COM',
        'ünï＠example.com',
      ])
        expect([account, (await service.login(account, made.password)).status]).toEqual([account, 200]);
    });

    it('422: twins are refused, and a username that could be an email', async () => {
      const token = await service.admin();
      await service.createUser(['viewer'], { username: 'Twin', email: 'twin@example.com' });
      const attempt = async (username: string, email: string) => {
        const { status, json } = await service.post('/admin/users', {
          token,
          body: { user: { username, email, password: commonPassword } },
        });
        return [status, json.message];
      };
      for (const username of ['twin', 'TWIN', 'Ｔｗｉｎ', 'tw\u0131n'])
        expect(await attempt(username, 'fresh@example.com')).toEqual([422, '用户名已被使用']);
      for (const email of ['TWIN@example.com', 'ｔwin@EXAMPLE.com'])
        expect(await attempt('fresh', email)).toEqual([422, '邮箱已被使用']);
      for (const username of ['twin@example.com', 'x＠y.example', 'a b', 'a\u200bb', '\u202eroot', ''])
        expect((await attempt(username, 'fresh@example.com'))[0]).toBe(422);
    });
  });

  describe('429', () => {
    it('a login is 429 after ten failures, for real and unknown accounts alike, until the window ends', async () => {
      const victim = await service.createUser();
      const seen: string[][] = [];
      for (const account of [victim.username, 'nobody-either']) {
        const answers: string[] = [];
        await failFrom(service, '10.2.0.1', Array<string>(9).fill(account));
        for (const _ of ['tenth', 'eleventh']) {
          const { status, text, headers } = await service.login(account, 'wrong password', from('10.2.0.1'));
          answers.push(`${status} ${text}`);
          if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(880);
          if (status === 429) expect(Number(headers['retry-after'])).toBeLessThanOrEqual(900);
        }
        seen.push(answers);
      }
      expect(seen[0]).toEqual([`401 ${failed}`, '429 {"code":42900,"message":"请求过于频繁，请稍后再试"}']);
      expect(seen[1]).toEqual(seen[0]);
      // The right password does not help, from there; it does from elsewhere.
      const right = () => service.login(victim.username, victim.password, from('10.2.0.1'));
      expect((await right()).status).toBe(429);
      expect(
        (await service.login(victim.username.toUpperCase(), victim.password, from('10.2.0.1'))).status,
      ).toBe(429);
      expect((await service.login(victim.username, victim.password, from('10.2.0.2'))).status).toBe(200);
      try {
        service.clock.advance(throttleWindow / 1000 - 5);
        expect((await right()).status).toBe(429);
        service.clock.advance(6);
        expect((await right()).status).toBe(200);
      } finally {
        service.clock.reset();
      }
    });

    it('whatever port stands behind the address', async () => {
      const victim = await service.createUser();
      const login = async (password: string, address: string): Promise<number> =>
        (await service.login(victim.username, password, from(address))).status;
      for (let port = 40_001; port <= 40_010; port += 1)
        expect(await login('wrong password', `203.0.113.10:${port}`)).toBe(401);
      expect(await login(victim.password, '203.0.113.10:50000')).toBe(429);
      expect(await login(victim.password, '203.0.113.10')).toBe(429);
      expect(await login(victim.password, '[2001:db8::77]:443')).toBe(200);
    });

    it('a forwarded text that is no address counts as the proxy', async () => {
      const victim = await service.createUser();
      const login = async (password: string, address: string): Promise<number> =>
        (await service.login(victim.username, password, from(address))).status;
      for (let count = 0; count < 10; count += 1)
        expect(await login('wrong password', `nowhere-${count}`)).toBe(401);
      expect(await login(victim.password, 'anywhere')).toBe(429);
      expect(await login(victim.password, '10.9.9.9')).toBe(200);
    });

    it('a sign-in of the administration area is 429 too, counted with those of the login', async () => {
      const victim = await service.createUser(['admin']);
      await failFrom(service, '10.3.0.1', Array<string>(10).fill(victim.username));
      const body = { account: victim.username, password: victim.password };
      expect((await service.post('/admin/session', { body, ...from('10.3.0.1') })).status).toBe(429);
    });

    it('a login is 429 after a hundred failures from one address, and an IPv6 network counts as one', async () => {
      await failFrom(
        service,
        '2001:db8:1:2::1',
        Array.from({ length: 99 }, (_, index) => `spray${index}`),
      );
      expect((await service.login('spray99', 'x', from('2001:db8:1:2:3:4:5:6'))).status).toBe(401);
      expect((await service.login('spray100', 'x', from('2001:db8:1:2:ffff::9'))).status).toBe(429);
      expect((await service.login(user.username, user.password, from('2001:DB8:1:2::1'))).status).toBe(429);
      expect((await service.login(user.username, user.password, from('2001:db8:1:3::1'))).status).toBe(200);
    });

    it('successes never count', async () => {
      for (let count = 0; count < 12; count += 1)
        expect((await service.login(user.username, user.password, from('10.4.0.1'))).status).toBe(200);
    });

    it('bodies that are refused before the password is looked at never count', async () => {
      for (let count = 0; count < 12; count += 1)
        await service.post('/api/v1/auth/login', { body: { account: user.username }, ...from('10.5.0.1') });
      expect((await service.login(user.username, user.password, from('10.5.0.1'))).status).toBe(200);
    });

    it('a header of the caller’s own names no address: nearest proxies first', async () => {
      await failFrom(service, '10.6.0.1', Array<string>(10).fill(user.username));
      const forged = {
        headers: { 'x-forwarded-for': '1.2.3.4, 10.6.0.1', 'x-real-ip': '5.6.7.8', forwarded: 'for=9.9.9.9' },
      };
      expect((await service.login(user.username, user.password, forged)).status).toBe(429);
    });

    it('fifty wrong guesses at once, on two instances: ten are looked at, no more', async () => {
      const victim = await service.createUser();
      const second = await service.secondInstance();
      const guesses = Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? service : second).login(
          victim.username,
          `guess number ${index}`,
          from('10.7.0.1'),
        ),
      );
      expect(countBy(await Promise.all(guesses))).toEqual({ 401: 10, 429: 40 });
      expect((await second.login(victim.username, victim.password, from('10.7.0.1'))).status).toBe(429);
    });
  });

  describe('while strangers guess', () => {
    /** Wrong logins on connections of their own; returns the function that ends them. */
    const guess = (count: number, addressOf: (index: number) => string): (() => void) => {
      const sockets = Array.from({ length: count }, (_, index) => {
        const body = JSON.stringify({ account: `guessed-${addressOf(index)}-${index}`, password: 'wrong' });
        const socket = connect(service.port, '127.0.0.1', () => {
          socket.write(
            `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${addressOf(index)}\r\n` +
              `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          );
        });
        return socket.on('error', () => {}).resume();
      });
      return () => {
        for (const socket of sockets) socket.destroy();
      };
    };

    const failures = async (): Promise<number> => {
      const [row] = await service.server.services.database.all<{ n: number | string }>({
        sql: 'select coalesce(sum(failures), 0) as n from login_attempts',
        parameters: [],
      });
      return Number(row?.n);
    };
    /** Resolves once the first guesses have been checked: the others wait for their turn. */
    const underWay = async (before: number): Promise<void> =>
      void (await expect.poll(failures, { interval: 10 }).toBeGreaterThan(before));

    const rightLogin = async (address: string): Promise<number> => {
      const start = performance.now();
      expect((await service.login(user.username, user.password, from(address))).status).toBe(200);
      return performance.now() - start;
    };

    it.each([
      ['160 from one address, the same one', 160, () => '10.20.0.1', '10.20.0.1'],
      ['240 from three addresses', 240, (index: number) => `10.20.1.${index % 3}`, '10.20.2.1'],
    ])(
      'guessing callers who hang up while they wait delay no other caller: %s',
      async (_, count, addressOf, address) => {
        const single = await rightLogin(address);
        const before = await failures();
        const hangUp = guess(count, addressOf);
        await underWay(before);
        hangUp();
        const waited = await rightLogin(address);
        // One hash may have begun on each core, of a hundred and more. The machine of the tests does other work as well.
        expect(waited).toBeLessThan(Math.max(3_000, 20 * Math.max(single, await rightLogin(address))));
      },
    );

    it('a right login waits at most for one guess of each of 20 networks', async () => {
      const single = await rightLogin('10.21.1.1');
      const before = await failures();
      const hangUp = guess(20 * 30, (index) => `10.21.0.${index % 20}`);
      try {
        await underWay(before);
        const waited = await rightLogin('10.21.1.2');
        hangUp();
        expect(waited).toBeLessThan(Math.max(3_000, 24 * Math.max(single, await rightLogin('10.21.1.3'))));
      } finally {
        hangUp();
      }
    });
  });

  describe('two hundred right logins at once', () => {
    it('all succeed, and GET /health answers within a second meanwhile', { timeout: 120_000 }, async () => {
      const second = databases.dialect === 'postgres' ? await service.secondInstance() : service;
      let over = false;
      const logins = Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? service : second).login(user.username, user.password, from('10.8.0.1')),
      );
      const all = Promise.all(logins).finally(() => {
        over = true;
      });
      let slowest = 0;
      const began = performance.now();
      while (!over) {
        const start = performance.now();
        expect((await service.get('/api/v1/health')).status).toBe(200);
        slowest = Math.max(slowest, performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(countBy(await all)).toEqual({ 200: 200 });
      // On a busy machine all of it takes longer, and still no caller waits for a large part of them.
      expect(slowest).toBeLessThan(Math.max(1_000, (performance.now() - began) / 5));
    });
  });
});

describeEachDatabase('PUT /api/v1/auth/password', (databases) => {
  const service = useService(databases);
  const change = (user: TestUser, current_password: unknown, password: unknown) =>
    service.request('PUT', '/api/v1/auth/password', { token: user, body: { current_password, password } });

  it('200: the new one signs in, the old one does not, sessions and tokens end', async () => {
    const user = await service.createUser(['admin']);
    const cookie = await service.signIn(user);
    const next = `${'密'.repeat(340)}\u0000ab`.replace('\u0000', ' ');
    expect((await change(user, user.password, next)).text).toBe('{"code":0,"message":"操作成功"}');
    expect((await service.login(user.username, next)).status).toBe(200);
    expect((await service.login(user.username, next.slice(0, -1))).status).toBe(401);
    expect((await service.login(user.username, user.password)).status).toBe(401);
    expect((await service.get('/admin/session', { cookie })).status).toBe(401);
    expect((await service.get('/api/v1/auth/me', { token: user })).json.code).toBe(40101);
  });

  it('401: the wrong current password, which counts as a failed login', async () => {
    const user = await service.createUser();
    for (let count = 0; count < 10; count += 1) {
      const { status, text } = await change(user, 'wrong password', 'a new password 1');
      expect([status, text]).toEqual([401, failed]);
    }
    expect((await change(user, user.password, 'a new password 1')).status).toBe(429);
    expect((await service.login(user.username, user.password)).status).toBe(429);
  });

  it('422: too short, too long, too common, of another type; nothing changes', async () => {
    const user = await service.createUser();
    for (const password of [
      '1234567',
      'x'.repeat(1025),
      '密'.repeat(342),
      'password123',
      'PassWord123',
      12_345_678,
      null,
      ['long enough'],
      '',
    ])
      expect([password, (await change(user, user.password, password)).status]).toEqual([password, 422]);
    expect((await service.login(user.username, user.password)).status).toBe(200);
  });

  it('422: what rests on the name of the service or of the account, in its own words', async () => {
    const user = await service.createUser(['viewer'], {
      username: 'Mei.Tanaka',
      email: 'mtanaka@example.com',
      name: '田中 芽衣子',
    });
    for (const password of ['gatewright', 'Gatewright-26', 'mei.tanaka1', 'MTANAKA-26', '田中　芽衣子 26'])
      expect([password, (await change(user, user.password, password)).json]).toEqual([
        password,
        {
          code: 42200,
          message: '密码不能以服务名或账号名称为主：去掉这些名称后，余下部分不足以作为密码',
          data: { errors: [{ field: 'password', rule: 'own_name', message: expect.any(String) }] },
        },
      ]);
    expect((await change(user, user.password, 'seven gatewright anvils')).status).toBe(200);
  });
});
