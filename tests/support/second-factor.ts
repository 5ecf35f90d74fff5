import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { totpCode, totpPeriod, totpStep } from '../../src/auth/totp.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { Authenticator } from './authenticator.ts';
import type { RequestOptions, Service, TestUser } from './service.ts';

/** The answer to the first step of a sign-in that has a second one. */
export interface Asked {
  readonly ticket: string;
  readonly methods: readonly string[];
  readonly expires_at: string;
  readonly passkey_options?: { readonly challenge: string; readonly rpId: string };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The key is not the service's own reading: an application knows the secret as text only. */
const keyOf = (secret: string): Buffer => {
  const bits = [...secret].map((each) => alphabet.indexOf(each).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

/** An authenticator application in a user's hand: shows what its clock says. */
export const codeOf = (secret: string, now: number, steps = 0): string =>
  totpCode(keyOf(secret), totpStep(now) + steps);

/** Six digits that are none of those near this moment. */
export const wrongCode = (secret: string, now: number): string => {
  const near = new Set([-1, 0, 1].map((steps) => codeOf(secret, now, steps)));
  for (let number = 0; ; number += 1) {
    const code = String(number).padStart(6, '0');
    if (!near.has(code)) return code;
  }
};

/** A browser of a signed-in user. */
export class Browser {
  readonly service: Service;
  readonly user: TestUser;
  readonly cookie: string;

  constructor(service: Service, user: TestUser, cookie: string) {
    this.service = service;
    this.user = user;
    this.cookie = cookie;
  }

  get sent(): RequestOptions {
    return { cookie: this.cookie, headers: { 'sec-fetch-site': 'same-origin' } };
  }

  ask<Data = Record<string, unknown>>(method: string, path: string, body?: object) {
    return this.service.request<Data>(method, path, { ...this.sent, body });
  }

  ok<Data = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Data> {
    return this.service.ok<Data>(method, path, { ...this.sent, body });
  }

  get password() {
    return { password: this.user.password };
  }
}

/** The origin for which a service under test takes passkeys, as its BASE_URL says. */
export const asking = (service: Service, challenge: string) => {
  const { origin, hostname: rpId } = new URL(service.server.config.baseUrl);
  return { challenge, origin, rpId };
};

type Ask = <Data = JsonObject>(
  method: string,
  path: string,
  options?: RequestOptions,
) => Promise<{ readonly data: Data; readonly headers: IncomingHttpHeaders }>;

/** Asks everything once that there is to two-step verification, by `ask`. `token`: of a super_admin. */
export const useEveryFactor = async (service: Service, ask: Ask, token: string): Promise<void> => {
  const path = '/admin/second-factor';
  const user = await service.createUser(['admin']);
  const browser = await openBrowser(service, user);
  const by = <Data = JsonObject>(method: string, to: string, body?: object) =>
    ask<Data>(method, to, { ...browser.sent, body });
  const { data: begun } = await by<{ secret: string }>('POST', `${path}/totp`, browser.password);
  await by('POST', `${path}/totp/confirmation`, { code: 'x' });
  await by('POST', `${path}/totp/confirmation`, { code: codeOf(begun.secret, service.clock.now()) });
  await by('POST', `${path}/totp/confirmation`, { code: '123456' });
  const authenticator = new Authenticator();
  const { data: options } = await by<{ challenge: string }>(
    'POST',
    `${path}/passkeys/options`,
    browser.password,
  );
  const response = authenticator.create(asking(service, options.challenge));
  await by('POST', `${path}/passkeys`, { name: 'key', response: {} });
  const { data: passkey } = await by<{ id: number }>('POST', `${path}/passkeys`, { name: 'key', response });
  await by('GET', path);
  await ask('GET', '/admin/users', { token: user.token });
  await by('POST', `${path}/recovery-codes`, browser.password);
  await by('POST', `${path}/recovery-codes`, { password: 'wrong' });
  const { data: asked } = await ask<Asked>('POST', '/admin/session', {
    body: { account: user.username, password: user.password },
  });
  const answer = authenticator.get(asking(service, asked.passkey_options?.challenge ?? ''));
  const step = (body: object) => ask('POST', '/admin/session/second-factor', { body });
  await step({ ticket: asked.ticket, code: '12345' });
  await step({ ticket: asked.ticket });
  await step({ ticket: asked.ticket, passkey: answer });
  await step({ ticket: asked.ticket, passkey: answer });
  await by('DELETE', `${path}/totp`, browser.password);
  await by('DELETE', `${path}/passkeys/${passkey.id}`, browser.password);
  await by('POST', `${path}/recovery-codes`, browser.password);
  await ask('DELETE', `/admin/users/${user.id}/second-factor`, { token });
};

/** Signs in by the password alone. */
export const openBrowser = async (service: Service, user: TestUser): Promise<Browser> =>
  new Browser(service, user, await service.signIn(user));

/** An administrator who has set an authenticator application up, in this browser; the code that did it is used up. */
export const enrol = async (service: Service, roles: readonly string[] = ['admin']) => {
  const user = await service.createUser(roles);
  const browser = await openBrowser(service, user);
  const { secret } = await browser.ok<{ secret: string }>('POST', '/admin/second-factor/totp', {
    password: user.password,
  });
  // A test that began near the end of a step would get on to the next one on its way.
  const toNextStep = () => service.clock.advance(totpPeriod - (service.clock.unix() % totpPeriod));
  toNextStep();
  const confirmed = await browser.ok<{ recovery_codes: string[] }>(
    'POST',
    '/admin/second-factor/totp/confirmation',
    { code: codeOf(secret, service.clock.now()) },
  );
  toNextStep();
  return { user, browser, secret, codes: confirmed.recovery_codes };
};

/** The first step: the password. */
export const firstStep = async (service: Service, user: TestUser): Promise<Asked> => {
  const answer = await service.post<Asked>('/admin/session', {
    body: { account: user.username, password: user.password },
  });
  expect([answer.json.code, answer.headers['set-cookie']]).toEqual([40_107, undefined]);
  return answer.data;
};

/** The second step, with any of the proofs. */
export const secondStep = (service: Service, ticket: string, answer: object) =>
  service.post('/admin/session/second-factor', { body: { ticket, ...answer } });
