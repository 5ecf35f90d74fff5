import { describe, expect, it } from 'vitest';
import { ticketLifetime, ticketTries } from '../../src/auth/sign-in-ticket.ts';
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
import { type TestUser, useService } from '../support/service.ts';

const path = '/admin/second-factor';
/** Seconds. */
const minute = 60;

describeEachDatabase('the second factor of the administration area', (databases) => {
  // A name that browsers take for safe, so that passkeys are possible.
  const service = useService(databases, { env: { BASE_URL: 'http://localhost:0' } });
  const now = () => service.clock.now();

  describe('an authenticator application', () => {
    it('is nothing until a code of it is confirmed, and then asked for at every sign-in', async () => {
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

  describe('a passkey', () => {
    interface Options {
      readonly challenge: string;
      readonly rp: { readonly id: string };
      readonly excludeCredentials: readonly { readonly id: string }[];
    }
    const begin = (browser: Browser) =>
      browser.ok<Options>('POST', `${path}/passkeys/options`, browser.password);
    const add = async (browser: Browser, authenticator: Authenticator, name = 'key') => {
      const { challenge } = await begin(browser);
      const response = authenticator.create(asking(service, challenge));
      return browser.ask<{ id: number; recovery_codes: string[] | null }>('POST', `${path}/passkeys`, {
        name,
        response,
      });
    };
    const withKey = async (authenticator = new Authenticator()) => {
      const user = await service.createUser(['admin']);
      const browser = await openBrowser(service, user);
      const { data } = await add(browser, authenticator);
      return { user, browser, authenticator, id: data.id, codes: data.recovery_codes };
    };
    const challengeOf = async (user: TestUser) => {
      const { ticket, methods, passkey_options: options } = await firstStep(service, user);
      expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'preferred' });
      return { ticket, methods, asked: asking(service, options?.challenge ?? '') };
    };

    it('is made in a browser, signs in, and is counted', async () => {
      const { user, browser, authenticator, codes } = await withKey();
      expect(codes).toHaveLength(10);
      for (const signIns of [1, 2]) {
        const { ticket, methods, asked } = await challengeOf(user);
        expect(methods).toEqual(['passkey', 'recovery_code']);
        const answer = await secondStep(service, ticket, { passkey: authenticator.get(asked) });
        expect([signIns, answer.status]).toEqual([signIns, 200]);
      }
      const { passkeys } = await browser.ok<{ passkeys: object[] }>('GET', path);
      expect(passkeys).toEqual([
        {
          id: expect.any(Number),
          name: 'key',
          created_at: expect.any(String),
          last_used_at: expect.any(String),
        },
      ]);
      const again = await add(browser, authenticator);
      expect(again.json.code).toBe(40_900);
      expect((await begin(browser)).excludeCredentials).toEqual([
        expect.objectContaining({ id: authenticator.id }),
      ]);
    });

    it('that does not count its signatures is taken, too', async () => {
      const { user, authenticator } = await withKey(new Authenticator(undefined));
      for (let signIns = 0; signIns < 2; signIns += 1) {
        const { ticket, asked } = await challengeOf(user);
        expect((await secondStep(service, ticket, { passkey: authenticator.get(asked) })).status).toBe(200);
      }
    });

    it('401: a copy whose counter is behind, another challenge, another origin, another key, another user’s', async () => {
      const { user, authenticator } = await withKey();
      const other = await withKey();
      const first = await challengeOf(user);
      const used = authenticator.get(first.asked);
      expect((await secondStep(service, first.ticket, { passkey: used })).status).toBe(200);
      const { ticket, asked } = await challengeOf(user);
      const behind = (): object => {
        authenticator.counter = 0;
        return authenticator.get(asked);
      };
      const forged = new Authenticator(9);
      for (const [what, passkey] of [
        ['counter', behind()],
        ['an answer to another ticket', used],
        ['key', { ...forged.get(asked), id: authenticator.id, rawId: authenticator.id }],
        ['of another user', other.authenticator.get(asked)],
      ] as const)
        expect([what, (await secondStep(service, ticket, { passkey })).json.code]).toEqual([what, 40_108]);
      const next = await challengeOf(user);
      authenticator.counter = 50;
      for (const wrong of [
        { ...next.asked, origin: 'https://evil.example' },
        { ...next.asked, rpId: 'evil.example' },
        asked,
      ])
        expect(
          (await secondStep(service, next.ticket, { passkey: authenticator.get(wrong) })).json.code,
        ).toBe(40_108);
      for (const passkey of [{}, { id: authenticator.id }, { ...used, response: null }])
        expect((await secondStep(service, next.ticket, { passkey })).status).toBe(401);
    });

    it('422: what was made for another challenge, origin or name; 410: what nobody began, or twice', async () => {
      const user = await service.createUser(['admin']);
      const browser = await openBrowser(service, user);
      const authenticator = new Authenticator();
      const send = (response: object, from = browser) =>
        from.ask('POST', `${path}/passkeys`, { name: 'key', response });
      expect((await send(authenticator.create(asking(service, 'x')))).json.code).toBe(41_003);
      const { challenge } = await begin(browser);
      const right = asking(service, challenge);
      for (const wrong of [
        { ...right, challenge: 'bm90aGluZw' },
        { ...right, origin: 'https://evil.example' },
        { ...right, rpId: 'evil.example' },
      ])
        expect((await send(authenticator.create(wrong))).data).toMatchObject({
          errors: [{ field: 'response', rule: 'wrong_passkey' }],
        });
      const elsewhere = await openBrowser(service, user);
      expect((await send(authenticator.create(right), elsewhere)).json.code).toBe(41_003);
      const answers = await Promise.all([
        send(authenticator.create(right)),
        send(new Authenticator().create(right)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 410]);
    });

    it('is removed with the password; the codes go with the last factor', async () => {
      const { user, browser, id } = await withKey();
      const remove = (body: object) => browser.ask('DELETE', `${path}/passkeys/${id}`, body);
      expect((await remove({ password: 'another one' })).status).toBe(422);
      expect((await remove(browser.password)).status).toBe(200);
      expect((await remove(browser.password)).status).toBe(404);
      expect(await browser.ok('GET', path)).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
      await service.signIn(user);
    });

    it('of another is not there', async () => {
      const { id } = await withKey();
      const { browser } = await withKey();
      expect((await browser.ask('DELETE', `${path}/passkeys/${id}`, browser.password)).status).toBe(404);
    });

    it('409 where browsers would refuse it, and the rest goes on', async () => {
      const second = await service.secondInstance({ env: { BASE_URL: 'http://10.0.0.5:0' } });
      const { user, codes } = await withKey();
      const asked = await firstStep(second, user);
      expect([asked.methods, asked.passkey_options]).toEqual([['recovery_code'], undefined]);
      const answer = await secondStep(second, asked.ticket, { recovery_code: codes?.[0] ?? '' });
      expect(answer.status).toBe(200);
      const [cookie = ''] = answer.headers['set-cookie'] ?? [];
      const browser = new Browser(second, user, cookie.split(';')[0] ?? '');
      expect(await browser.ok('GET', path)).toMatchObject({
        passkeys_possible: false,
        passkeys_problem: 'ip_address',
      });
      expect((await browser.ask('POST', `${path}/passkeys/options`, browser.password)).json.code).toBe(
        40_912,
      );
    });
  });

  describe('a ticket', () => {
    it('lets in once, and nobody by itself', async () => {
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

    it('is over after five minutes, and void after five wrong answers, also for a right one', async () => {
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

    it('401: one that nobody gave out; 422: none, or two answers at once', async () => {
      const { user, secret } = await enrol(service);
      const code = codeOf(secret, now());
      for (const ticket of ['x', 'A'.repeat(43), `${'A'.repeat(42)}B`])
        expect((await secondStep(service, ticket, { code })).json.code).toBe(40_109);
      const { ticket } = await firstStep(service, user);
      for (const answer of [{}, { code, recovery_code: 'x' }, { code: 123_456 }, { passkey: 'x' }])
        expect((await secondStep(service, ticket, answer)).status).toBe(422);
      expect((await secondStep(service, ticket, { code })).status).toBe(200);
    });

    it('is over once the password is another one, or the user is disabled', async () => {
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
});
