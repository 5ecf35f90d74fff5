import { describe, expect, it } from 'vitest';
import { codeLimit } from '../../src/auth/login-throttle.ts';
import { createSecretBox } from '../../src/auth/secret-box.ts';
import { ticketLifetime, ticketTries } from '../../src/auth/sign-in-ticket.ts';
import { run } from '../../src/cli/test-io.ts';
import { Authenticator } from '../support/authenticator.ts';
import { describeEachDatabase } from '../support/databases.ts';
import {
  asking,
  Browser,
  codeOf,
  enrol,
  firstStep,
  openBrowser,
  secondStep,
  wrongCode,
} from '../support/second-factor.ts';
import { startService, type TestUser, useService } from '../support/service.ts';

const path = '/admin/second-factor';
/** Seconds. */
const minute = 60;

describeEachDatabase('the second factor of the administration area', (databases) => {
  // A name that browsers take for safe, so that passkeys are possible.
  const service = useService(databases, { env: { BASE_URL: 'http://localhost:0' } });
  const now = () => service.clock.now();

  describe('an authenticator application', () => {
    it('an authenticator application is nothing until a code of it is confirmed, and then asked for at every sign-in', async () => {
      const user = await service.createUser(['admin']);
      const browser = await openBrowser(service, user);
      expect(await browser.ok('GET', path)).toMatchObject({
        totp: null,
        passkeys: [],
        recovery_codes_left: 0,
      });
      const begun = await browser.ok<{ secret: string; url: string }>(
        'POST',
        `${path}/totp`,
        browser.password,
      );
      expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(new URL(begun.url).searchParams.get('secret')).toBe(begun.secret);
      await service.signIn(user);

      const confirm = (code: string) => browser.ask('POST', `${path}/totp/confirmation`, { code });
      const wrong = await confirm(wrongCode(begun.secret, now()));
      expect([wrong.status, wrong.data]).toMatchObject([
        422,
        { errors: [{ field: 'code', rule: 'wrong_code' }] },
      ]);
      await service.signIn(user);
      const right = await confirm(codeOf(begun.secret, now()));
      const { recovery_codes: codes } = right.data as { recovery_codes: string[] };
      expect(new Set(codes).size).toBe(10);
      for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);

      expect((await firstStep(service, user)).methods).toEqual(['totp', 'recovery_code']);
      expect(await browser.ok('GET', path)).toMatchObject({
        totp: { created_at: expect.any(String), last_used_at: null },
        recovery_codes_left: 10,
      });
      expect(await browser.ok('GET', '/admin/session')).toMatchObject({
        second_factor: { enrolled: true, due: false },
      });
    });

    it('lets in with a code, one step early or late, and never twice with the same one', async () => {
      const { user, secret } = await enrol(service);
      for (const steps of [-1, 0, 1]) {
        const { ticket } = await firstStep(service, user);
        const code = codeOf(secret, now(), steps);
        // The step before was used to confirm the application.
        const answer = await secondStep(service, ticket, { code });
        expect([steps, answer.status]).toEqual([steps, steps < 0 ? 401 : 200]);
        if (answer.status !== 200) continue;
        expect(answer.data).toMatchObject({ id: user.id, second_factor: { enrolled: true, due: false } });
        const again = await firstStep(service, user);
        expect((await secondStep(service, again.ticket, { code })).json.code).toBe(40_108);
      }
    });
  });

  describe('a ticket', () => {
    it('lets in once, and never without the password', async () => {
      const { user, secret } = await enrol(service);
      const { ticket } = await firstStep(service, user);
      for (const options of [
        { token: ticket },
        { cookie: `gatewright_session=${ticket}`, headers: { 'sec-fetch-site': 'same-origin' } },
      ])
        expect((await service.get('/admin/users', options)).status).toBe(401);
      const answer = await secondStep(service, ticket, { code: codeOf(secret, now()) });
      const [cookie = ''] = answer.headers['set-cookie'] ?? [];
      const browser = new Browser(service, user, cookie.split(';')[0] ?? '');
      expect((await browser.ask('GET', '/admin/users')).status).toBe(200);
      service.clock.advance(minute);
      expect((await secondStep(service, ticket, { code: codeOf(secret, now()) })).json.code).toBe(40_109);
    });

    it('a ticket is over after five minutes, and void after five wrong answers, also for a right one', async () => {
      const { user, secret, codes } = await enrol(service);
      const late = await firstStep(service, user);
      service.clock.advance(ticketLifetime);
      expect((await secondStep(service, late.ticket, { code: codeOf(secret, now()) })).json.code).toBe(
        40_109,
      );
      const tried = await firstStep(service, user);
      const wrong = [
        { code: wrongCode(secret, now()) },
        { recovery_code: 'aaaa-bbbb-cccc-dddd' },
        { passkey: { id: 'x' } },
        { code: wrongCode(secret, now()).slice(1) },
        { recovery_code: 'nothing' },
      ];
      expect(wrong.length).toBe(ticketTries);
      for (const answer of wrong)
        expect([answer, (await secondStep(service, tried.ticket, answer)).json.code]).toEqual([
          answer,
          40_108,
        ]);
      for (const answer of [{ code: codeOf(secret, now()) }, { recovery_code: codes[0] ?? '' }])
        expect((await secondStep(service, tried.ticket, answer)).json.code).toBe(40_109);
    });

    it('401: one that was never issued; 422: none, or two answers at once', async () => {
      const { user, secret } = await enrol(service);
      const code = codeOf(secret, now());
      for (const ticket of ['x', 'A'.repeat(43), `${'A'.repeat(42)}B`])
        expect((await secondStep(service, ticket, { code })).json.code).toBe(40_109);
      const { ticket } = await firstStep(service, user);
      for (const answer of [{}, { code, recovery_code: 'x' }, { code: 123_456 }, { passkey: 'x' }])
        expect((await secondStep(service, ticket, answer)).status).toBe(422);
      expect((await secondStep(service, ticket, { code })).status).toBe(200);
    });

    it('a ticket is over once the password is another one, or the user is disabled', async () => {
      const root = await service.admin();
      for (const change of [{ password: 'walnut-harbour-61 lamp' }, { disabled: true }]) {
        const { user, secret } = await enrol(service);
        const { ticket } = await firstStep(service, user);
        await service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: change } });
        const answer = await secondStep(service, ticket, { code: codeOf(secret, now()) });
        expect([change, answer.status, answer.headers['set-cookie']]).toEqual([change, 401, undefined]);
      }
    });

    it('403: from a page of another site', async () => {
      const { user, secret } = await enrol(service);
      const { ticket } = await firstStep(service, user);
      const answer = await service.post('/admin/session/second-factor', {
        body: { ticket, code: codeOf(secret, now()) },
        headers: { origin: 'https://evil.example' },
      });
      expect(answer.json.code).toBe(40_301);
    });
  });

  describe('guesses', () => {
    const login = (account: string, password: string) =>
      service.post('/admin/session', { body: { account, password } });

    it('a sign-in tells nothing of a factor before the password is right', async () => {
      const { user } = await enrol(service);
      const without = await service.createUser(['admin']);
      const answers = await Promise.all(
        [user.username, user.email, without.username, 'nobody at all'].map((name) => login(name, 'wrong')),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      const headers = answers.map((each) => Object.keys(each.headers).sort().join());
      expect(new Set(headers).size).toBe(1);
      expect(answers[0]?.json.code).toBe(40_105);
    });

    it('403: a viewer who has one, as any viewer', async () => {
      const { user } = await enrol(service);
      const root = await service.admin();
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { roles: ['viewer'] } },
      });
      expect((await login(user.username, user.password)).json.code).toBe(40_300);
    });

    it('guesses count as wrong passwords: 429 for the password too, after ten from one network', async () => {
      const { user, secret } = await enrol(service);
      for (let tickets = 0; tickets < 2; tickets += 1) {
        const { ticket } = await firstStep(service, user);
        for (let tries = 0; tries < ticketTries; tries += 1) {
          const answer = await secondStep(service, ticket, { code: wrongCode(secret, now()) });
          expect(answer.json.code).toBe(40_108);
        }
      }
      const locked = await login(user.username, user.password);
      expect([locked.status, locked.headers['retry-after']]).toEqual([429, expect.any(String)]);
    });

    it('guesses of codes are counted from everywhere; a recovery code still lets in', async () => {
      const proxied = await service.secondInstance({ env: { TRUST_PROXY: 'loopback' } });
      const { user, secret, codes } = await enrol(service);
      const from = (network: number) => ({ 'x-forwarded-for': `203.0.113.${network}` });
      const step = async (network: number, answer: object) => {
        const asked = await proxied.post<{ ticket: string }>('/admin/session', {
          body: { account: user.username, password: user.password },
          headers: from(network),
        });
        return proxied.post('/admin/session/second-factor', {
          body: { ticket: asked.data.ticket, ...answer },
          headers: from(network),
        });
      };
      for (let tries = 0; tries < codeLimit; tries += 1)
        expect((await step(1 + tries, { code: wrongCode(secret, now()) })).json.code).toBe(40_108);
      const locked = await step(99, { code: codeOf(secret, now()) });
      expect([locked.status, locked.headers['retry-after']]).toEqual([429, expect.any(String)]);
      expect((await step(99, { recovery_code: codes[0] ?? '' })).status).toBe(200);
    });

    it('guesses are security events, of the account and by what was tried', async () => {
      const { user, secret } = await enrol(service);
      const { ticket } = await firstStep(service, user);
      await secondStep(service, ticket, { code: wrongCode(secret, now()) });
      await secondStep(service, ticket, { code: codeOf(secret, now()) });
      await service.server.services.securityEvents.flush();
      const { data } = await service.get<readonly object[]>(
        `/admin/audit?filter[target_id]=${user.id}&filter[target_kind]=user&sort=id`,
        { token: await service.admin() },
      );
      expect(data).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ action: 'second_factor.totp_add', actor_name: user.username }),
          expect.objectContaining({ action: 'sign_in.failed', detail: { second_factor: 'totp' } }),
          expect.objectContaining({ action: 'session.create', detail: { second_factor: 'totp' } }),
        ]),
      );
    });
  });

  describe('two instances, and two at once', () => {
    it('a code lets in once, on whichever instance, and however many requests use it', async () => {
      const second = await service.secondInstance();
      const { user, secret } = await enrol(service);
      const tickets = await Promise.all(
        Array.from({ length: 6 }, async () => (await firstStep(service, user)).ticket),
      );
      const code = codeOf(secret, now());
      const answers = await Promise.all(
        tickets.map((ticket, index) => secondStep(index % 2 === 0 ? service : second, ticket, { code })),
      );
      expect(answers.map(({ json }) => json.code).sort((a, b) => a - b)).toEqual([
        0,
        ...Array<number>(5).fill(40_108),
      ]);
    });

    it('a ticket lets in once, with a code and with a recovery code at the same moment', async () => {
      const second = await service.secondInstance();
      const { user, secret, codes } = await enrol(service);
      const { ticket } = await firstStep(second, user);
      const answers = await Promise.all([
        secondStep(service, ticket, { code: codeOf(secret, now()) }),
        secondStep(second, ticket, { recovery_code: codes[0] ?? '' }),
        secondStep(service, ticket, { recovery_code: codes[1] ?? '' }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      const used = answers[0]?.status === 200 ? 0 : 1;
      const { data } = await service.get<{ recovery_codes_left: number }>(path, {
        cookie: answers.find(({ status }) => status === 200)?.headers['set-cookie']?.[0]?.split(';')[0],
      });
      expect(data.recovery_codes_left).toBe(10 - used);
    });

    it('a recovery code lets in once, with other blanks and capitals too', async () => {
      const second = await service.secondInstance();
      const { user, codes } = await enrol(service);
      const [code = '', next = ''] = codes;
      const tickets = await Promise.all(
        [1, 2, 3, 4].map(async () => (await firstStep(service, user)).ticket),
      );
      const answers = await Promise.all(
        tickets.map((ticket, index) =>
          secondStep(index % 2 === 0 ? service : second, ticket, { recovery_code: code }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      const { ticket } = await firstStep(second, user);
      const typed = ` ${next.replaceAll('-', ' ').toUpperCase()}`;
      expect((await secondStep(second, ticket, { recovery_code: typed })).status).toBe(200);
    });

    it('a passkey’s counter goes up once, and a copy of its answer is none', async () => {
      const user = await service.createUser(['admin']);
      const browser = await openBrowser(service, user);
      const authenticator = new Authenticator();
      const begun = await browser.ok<{ challenge: string }>(
        'POST',
        `${path}/passkeys/options`,
        browser.password,
      );
      const response = authenticator.create(asking(service, begun.challenge));
      await browser.ok('POST', `${path}/passkeys`, { name: 'key', response });
      const second = await service.secondInstance();
      const { ticket, passkey_options: options } = await firstStep(service, user);
      const passkey = authenticator.get(asking(service, options?.challenge ?? ''));
      // The second instance has another port, so another origin: BASE_URL is one for all of a service.
      expect((await secondStep(second, ticket, { passkey })).json.code).toBe(40_108);
      const answers = await Promise.all([1, 2, 3].map(() => secondStep(service, ticket, { passkey })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    });

    it('the last two factors removed at the same moment leave one, where one is demanded', async () => {
      const demanding = await service.secondInstance({ env: { ADMIN_SECOND_FACTOR: 'required' } });
      for (let round = 0; round < 3; round += 1) {
        const { user, browser, secret } = await enrol(service);
        const authenticator = new Authenticator();
        const begun = await browser.ok<{ challenge: string }>(
          'POST',
          `${path}/passkeys/options`,
          browser.password,
        );
        const response = authenticator.create(asking(service, begun.challenge));
        const { id } = await browser.ok<{ id: number }>('POST', `${path}/passkeys`, { name: 'k', response });
        expect(secret).not.toBe('');
        const there = new Browser(demanding, user, browser.cookie);
        const answers = await Promise.all([
          there.ask('DELETE', `${path}/totp`, browser.password),
          there.ask('DELETE', `${path}/passkeys/${id}`, browser.password),
        ]);
        // The check of the first one holds no more for the other: its password is wrong then, or its factor the last.
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect([409, 422]).toContain(answers.find(({ status }) => status !== 200)?.status);
      }
    });
  });

  describe('other credentials', () => {
    /** Operations left to a token of a user with a second factor: none that acts in the area. */
    const open = new Set(['POST /admin/session', 'POST /admin/session/second-factor']);

    it('other credentials reach no endpoint of the area: a token, a key, a session from before', async () => {
      const user = await service.createUser(['super_admin']);
      const { key } = await service.createKey(user);
      const former = await openBrowser(service, user);
      const formerToken = await former.ok<{ token: string }>('POST', '/admin/session/token');
      const browser = await openBrowser(service, user);
      const { secret } = await browser.ok<{ secret: string }>('POST', `${path}/totp`, browser.password);
      const code = codeOf(secret, now());
      await browser.ok('POST', `${path}/totp/confirmation`, { code });
      // The login has asked for the code; a token says nothing of it.
      const token = await service.tokenOf(user.id);
      const sent: readonly (readonly [string, object, readonly number[]])[] = [
        ['token', { token }, [40_304]],
        ['token and key', { token, key }, [40_304]],
        ['key', { key }, [40_100]],
        ['token of a former session', { token: formerToken.token }, [40_101]],
        ['former session', former.sent, [40_106]],
      ];
      const asked = new Set<string>();
      for (const { method, path: route, auth } of service.server.endpoints) {
        if (!route.startsWith('/admin') || auth.length === 0) continue;
        const actual = route.replaceAll(/:\w+/g, String(user.id));
        asked.add(`${method} ${route}`);
        for (const [what, credentials, codes] of sent) {
          const { json } = await service.request(method, actual, { ...credentials, body: '{' });
          const allowed = auth.includes('jwt') ? codes : [...codes, 40_100];
          expect([what, method, route, allowed.includes(json.code), json.code]).toEqual([
            what,
            method,
            route,
            true,
            json.code,
          ]);
        }
      }
      expect(asked.size).toBeGreaterThan(40);
      const others = service.server.endpoints
        .filter(({ path: route, auth }) => route.startsWith('/admin/') && auth.length === 0)
        .map(({ method, path: route }) => `${method} ${route}`)
        .filter((route) => !route.startsWith('GET ') && !route.includes('/admin/invitation'));
      expect(new Set(others)).toEqual(open);
      // The session that gave it, and a token of that, are in; the API takes the token as ever.
      expect((await browser.ask('GET', '/admin/users')).status).toBe(200);
      const ofSession = await browser.ok<{ token: string }>('POST', '/admin/session/token');
      const claims = JSON.parse(Buffer.from(ofSession.token.split('.')[1] ?? '', 'base64url').toString());
      expect(claims).toMatchObject({ user_id: user.id, amr: ['pwd', 'mfa'] });
      expect((await service.get('/admin/users', { token: ofSession.token })).status).toBe(200);
      expect((await service.get('/api/v1/auth/me', { token })).status).toBe(200);
      expect((await service.get('/api/v1/users', { key })).status).toBe(200);
    });

    it('a session that an older instance began without asking is none', async () => {
      const { user, browser } = await enrol(service);
      const { database } = service.server.services;
      expect((await browser.ask('GET', '/admin/session')).status).toBe(200);
      const sql = `update sessions set second_factor = false where user_id = ${user.id}`;
      await database.execute({ sql, parameters: [] });
      expect((await browser.ask('GET', '/admin/session')).json.code).toBe(40_106);
    });

    it('other credentials set nothing up: that is done in a session', async () => {
      const user = await service.createUser(['admin']);
      const browser = await openBrowser(service, user);
      const { token } = await browser.ok<{ token: string }>('POST', '/admin/session/token');
      for (const credentials of [{ token: user }, { token }])
        for (const [method, to] of [
          ['POST', 'totp'],
          ['POST', 'passkeys/options'],
          ['POST', 'recovery-codes'],
          ['DELETE', 'totp'],
          ['DELETE', 'passkeys/1'],
        ] as const) {
          const answer = await service.request(method, `${path}/${to}`, {
            ...credentials,
            body: browser.password,
          });
          expect([method, to, answer.json.code]).toEqual([method, to, 40_300]);
        }
    });

    it('explanations say so', async () => {
      const { user } = await enrol(service);
      const { id: key } = await service.createKey(user);
      const explain = (parameters: Record<string, string>) =>
        service.get<{ code: number; steps: readonly { rule: string; outcome: string }[] }>(
          `/admin/explain?${new URLSearchParams({ method: 'GET', path: '/admin/users', ...parameters })}`,
          { token: root },
        );
      const root = await service.admin();
      const bySession = await explain({ user_id: String(user.id) });
      expect(bySession.data.code).toBe(0);
      expect(bySession.data.steps).toContainEqual(
        expect.objectContaining({ rule: 'second_factor', outcome: 'passed' }),
      );
      expect((await explain({ api_key_id: String(key) })).data.code).toBe(40_100);
    });
  });

  describe('a change', () => {
    it('asks for the password, counted as a login, and ends the other sessions', async () => {
      const { user, browser, secret } = await enrol(service);
      const { ticket } = await firstStep(service, user);
      const answer = await secondStep(service, ticket, { code: codeOf(secret, now()) });
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const elsewhere = new Browser(service, user, cookie);
      const wrong = await browser.ask('DELETE', `${path}/totp`, { password: 'wrong' });
      expect([wrong.status, wrong.data]).toMatchObject([
        422,
        { errors: [{ field: 'password', rule: 'wrong_password' }] },
      ]);
      await elsewhere.ok('GET', '/admin/session');
      await browser.ok('DELETE', `${path}/totp`, browser.password);
      expect((await elsewhere.ask('GET', '/admin/session')).status).toBe(401);
      expect(await browser.ok('GET', '/admin/session')).toMatchObject({
        second_factor: { enrolled: false, due: false },
      });
      await service.signIn(user);
    });

    it('a new application takes the place of the one before, at its confirmation', async () => {
      const { user, browser, secret, codes } = await enrol(service);
      const next = await browser.ok<{ secret: string }>('POST', `${path}/totp`, browser.password);
      const first = await firstStep(service, user);
      expect((await secondStep(service, first.ticket, { code: codeOf(secret, now()) })).status).toBe(200);
      const confirmed = await browser.ok('POST', `${path}/totp/confirmation`, {
        code: codeOf(next.secret, now()),
      });
      expect(confirmed).toEqual({ recovery_codes: null });
      service.clock.advance(minute);
      const { ticket } = await firstStep(service, user);
      expect((await secondStep(service, ticket, { code: codeOf(secret, now()) })).status).toBe(401);
      expect((await secondStep(service, ticket, { code: codeOf(next.secret, now()) })).status).toBe(200);
      const again = await firstStep(service, user);
      expect((await secondStep(service, again.ticket, { recovery_code: codes[9] ?? '' })).status).toBe(200);
    });

    it('410: the confirmation of nothing, of another session, after ten minutes, or twice', async () => {
      const user = await service.createUser(['admin']);
      const browser = await openBrowser(service, user);
      const other = await openBrowser(service, user);
      const confirm = (by: Browser, secret: string) =>
        by.ask('POST', `${path}/totp/confirmation`, { code: codeOf(secret, now()) });
      expect((await confirm(browser, 'A'.repeat(32))).json.code).toBe(41_003);
      const begin = () => browser.ok<{ secret: string }>('POST', `${path}/totp`, browser.password);
      const late = await begin();
      expect((await confirm(other, late.secret)).json.code).toBe(41_003);
      service.clock.advance(10 * minute);
      expect((await confirm(browser, late.secret)).json.code).toBe(41_003);
      const { secret } = await begin();
      const answers = await Promise.all([confirm(browser, secret), confirm(browser, secret)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    });

    it('new recovery codes make the old ones void; without a factor there are none', async () => {
      const { user, browser, codes } = await enrol(service);
      const renewed = await browser.ok<{ recovery_codes: string[] }>(
        'POST',
        `${path}/recovery-codes`,
        browser.password,
      );
      expect(renewed.recovery_codes).toHaveLength(10);
      const { ticket } = await firstStep(service, user);
      expect((await secondStep(service, ticket, { recovery_code: codes[0] ?? '' })).status).toBe(401);
      const [code = ''] = renewed.recovery_codes;
      expect((await secondStep(service, ticket, { recovery_code: code })).status).toBe(200);
      const without = await openBrowser(service, await service.createUser(['admin']));
      expect((await without.ask('POST', `${path}/recovery-codes`, without.password)).json.code).toBe(40_911);
    });

    it('no secret is in the audit log, in the log, or readable in the database', async () => {
      const { user, secret, codes } = await enrol(service);
      const { ticket } = await firstStep(service, user);
      await secondStep(service, ticket, { code: codeOf(secret, now()) });
      await service.server.services.securityEvents.flush();
      const { database } = service.server.services;
      const tables = ['gatewright_totp', 'gatewright_recovery_codes', 'gatewright_factor_setups', 'audit'];
      const all = [...tables, 'gatewright_sign_in_tickets', 'sessions'].map((table) =>
        database.all({ sql: `select * from ${table}`, parameters: [] }),
      );
      const kept = JSON.stringify([await Promise.all(all), service.lines]);
      for (const hidden of [secret, ticket, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
        expect(kept).not.toContain(hidden);
    });
  });

  describe('a lost telephone', () => {
    const reset = (id: number, token: TestUser) =>
      service.delete(`/admin/users/${id}/second-factor`, { token });

    it('a lost telephone is removed by a super_admin, and never by its own user', async () => {
      const root = await service.admin();
      const { user, browser } = await enrol(service);
      expect((await reset(user.id, await service.createUser(['admin']))).json.code).toBe(40_300);
      expect((await reset(root.id, root)).json.code).toBe(40_300);
      expect((await reset(999_999, root)).status).toBe(404);
      expect((await browser.ask('GET', '/admin/session')).status).toBe(200);
      expect((await reset(user.id, root)).status).toBe(200);
      expect((await browser.ask('GET', '/admin/session')).status).toBe(401);
      const other = await openBrowser(service, user);
      expect(await other.ok('GET', path)).toMatchObject({ totp: null, recovery_codes_left: 0 });
      expect((await service.get('/admin/users', { token: user })).status).toBe(200);
      const [entry] = await service.ok<object[]>(
        'GET',
        '/admin/audit?filter[action]=second_factor.reset&sort=-id&per_page=1',
        { token: root },
      );
      expect(entry).toMatchObject({ actor_name: root.username, target_id: String(user.id) });
    });

    it('a lost telephone of the last super_admin is forgotten by the command', async () => {
      const { user, browser } = await enrol(service, ['super_admin']);
      await service.command('user', 'reset-factor', user.username.toUpperCase());
      expect((await browser.ask('GET', '/admin/session')).status).toBe(401);
      await service.signIn(user);
      await expect(service.command('user', 'reset-factor', 'missing.here')).rejects.toThrow(
        'no user missing.here',
      );
    });
  });

  describe('ADMIN_SECOND_FACTOR=required', () => {
    const demanding = () => service.secondInstance({ env: { ADMIN_SECOND_FACTOR: 'required' } });
    /** Operations of a user who has to set a second factor up first. */
    const spared = new Set([
      ...['GET /admin/session', 'DELETE /admin/session', 'PUT /admin/password'],
      ...[`GET ${path}`, `POST ${path}/totp`, `POST ${path}/totp/confirmation`, `DELETE ${path}/totp`],
      ...[`POST ${path}/passkeys/options`, `POST ${path}/passkeys`, `DELETE ${path}/passkeys/:id`],
      `POST ${path}/recovery-codes`,
    ]);

    it('403 40303: everything in the area, by session and token, until one is set up', async () => {
      const second = await demanding();
      const user = await service.createUser(['super_admin']);
      const browser = await openBrowser(second, user);
      expect(await browser.ok('GET', '/admin/session')).toMatchObject({
        second_factor: { enrolled: false, due: true },
      });
      const found = new Set<string>();
      for (const { method, path: route, auth } of second.server.endpoints) {
        if (!route.startsWith('/admin') || auth.length === 0) continue;
        if (spared.has(`${method} ${route}`)) {
          found.add(`${method} ${route}`);
          continue;
        }
        const actual = route.replaceAll(/:\w+/g, String(user.id));
        for (const credentials of [browser.sent, { token: user }]) {
          const { json } = await second.request(method, actual, { ...credentials, body: '{' });
          expect([method, route, json.code]).toEqual([method, route, 40_303]);
        }
      }
      expect(found).toEqual(spared);
      // The API is not the area's.
      expect((await second.get('/api/v1/users', { token: user })).status).toBe(200);
      const { secret } = await browser.ok<{ secret: string }>('POST', `${path}/totp`, browser.password);
      await browser.ok('POST', `${path}/totp/confirmation`, { code: codeOf(secret, now()) });
      expect((await browser.ask('GET', '/admin/users')).status).toBe(200);
      const last = await browser.ask('DELETE', `${path}/totp`, browser.password);
      expect(last.json.code).toBe(40_910);
      expect(await browser.ok('GET', path)).toMatchObject({ required: true, recovery_codes_left: 10 });
    });

    it('asks nothing of others, and the change of a password comes first', async () => {
      const second = await demanding();
      const viewer = await service.createUser();
      expect((await second.get('/api/v1/users', { token: viewer })).status).toBe(200);
      expect((await second.get('/admin/users', { token: viewer })).json.code).toBe(40_300);
      const user = await service.createUser(['admin']);
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: await service.admin(),
        body: { user: { must_change_password: true } },
      });
      const browser = await openBrowser(second, user);
      expect((await browser.ask('GET', path)).json.code).toBe(40_302);
    });
  });

  it('outlasts a new jwt_secret of the credentials, and is sealed again', async () => {
    await using kept = await startService(databases, {
      env: { JWT_SECRET: '', BASE_URL: 'http://localhost:0' },
    });
    const { user, secret, codes } = await enrol(kept);
    const { database } = kept.server.services;
    const stored = () => database.all({ sql: 'select secret from gatewright_totp', parameters: [] });
    const before = await stored();
    const set = await run(['credentials', 'set', 'jwt_secret'], { env: kept.env, stdin: 'a'.repeat(40) });
    expect(set).toMatchObject({ status: 0 });
    await expect.poll(stored, { timeout: 10_000 }).not.toEqual(before);
    await kept.command('credentials', 'rekey');
    const first = await firstStep(kept, user);
    const code = codeOf(secret, kept.clock.now());
    expect((await secondStep(kept, first.ticket, { code })).status).toBe(200);
    const next = await firstStep(kept, user);
    expect((await secondStep(kept, next.ticket, { recovery_code: codes[0] ?? '' })).status).toBe(200);
  });

  it('500: a secret that no server secret opens is no reason to let in, or to say wrong', async () => {
    const { user, secret } = await enrol(service);
    const sealed = createSecretBox('x'.repeat(32), 'gatewright authenticator secrets').seal(secret);
    const sql = `update gatewright_totp set secret = '${sealed}' where user_id = ${user.id}`;
    await service.server.services.database.execute({ sql, parameters: [] });
    const { ticket } = await firstStep(service, user);
    expect((await secondStep(service, ticket, { code: codeOf(secret, now()) })).status).toBe(500);
    expect(service.lines.some((line) => line.includes('encrypted under an unknown server secret'))).toBe(
      true,
    );
  });
});
