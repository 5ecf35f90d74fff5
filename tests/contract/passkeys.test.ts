import { describe, expect, it } from 'vitest';
import { Authenticator } from '../support/authenticator.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { asking, Browser, enrol, firstStep, openBrowser, secondStep } from '../support/second-factor.ts';
import { type TestUser, useService } from '../support/service.ts';

const path = '/admin/second-factor';

describeEachDatabase('the second factor of the administration area', (databases) => {
  // A name that browsers take for safe, so that passkeys are possible.
  const service = useService(databases, { env: { BASE_URL: 'http://localhost:0' } });

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

    it('a passkey is made in a browser, signs in, and is counted', async () => {
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

    it('a passkey that does not count its signatures is taken, too', async () => {
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

    it('422: one made for another challenge, origin or name; 410: one never begun, or used twice', async () => {
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

    it('a passkey is removed with the password; the codes go with the last factor', async () => {
      const { user, browser, id } = await withKey();
      const remove = (body: object) => browser.ask('DELETE', `${path}/passkeys/${id}`, body);
      expect((await remove({ password: 'another one' })).status).toBe(422);
      expect((await remove(browser.password)).status).toBe(200);
      expect((await remove(browser.password)).status).toBe(404);
      expect(await browser.ok('GET', path)).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
      await service.signIn(user);
    });

    it('administrators see who has what, in the list, of one user, among a role, and by a filter', async () => {
      const token = await service.admin();
      const plain = await service.createUser(['admin']);
      const byApp = await enrol(service);
      const byKey = await withKey();
      const both = await enrol(service);
      await add(both.browser, new Authenticator());
      const wanted = [
        [plain, 'none'],
        [byApp.user, 'totp'],
        [byKey.user, 'passkeys'],
        [both.user, 'totp_and_passkeys'],
      ] as const;
      const ids = wanted.map(([{ id }]) => id).join(',');
      type Held = { readonly id: number; readonly second_factor: string };
      for (const path of ['/admin/users', '/admin/roles/admin/users']) {
        const rows = await service.ok<Held[]>('GET', `${path}?filter[id][in]=${ids}&sort=id`, { token });
        expect(rows.map(({ id, second_factor: held }) => [id, held])).toEqual(
          wanted.map(([user, held]) => [user.id, held]),
        );
      }
      for (const [user, held] of wanted) {
        const found = await service.ok<Held[]>(
          'GET',
          `/admin/users?filter[second_factor]=${held}&filter[id][in]=${ids}`,
          { token },
        );
        expect(found.map(({ id }) => id)).toEqual([user.id]);
        expect(await service.ok('GET', `/admin/users/${user.id}`, { token })).toMatchObject({
          second_factor: held,
        });
      }
      // Users themselves do not learn of one another.
      expect((await service.get('/api/v1/users?filter[second_factor]=none', { token })).status).toBe(400);
      await byKey.browser.ok('DELETE', `${path}/passkeys/${byKey.id}`, byKey.browser.password);
      expect(await service.ok('GET', `/admin/users/${byKey.user.id}`, { token })).toMatchObject({
        second_factor: 'none',
      });
    });

    it('a passkey of another user is not there', async () => {
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
});
