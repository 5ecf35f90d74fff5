import crypto from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import { hashKey, maskKey, newKey } from './api-key.ts';
import { createTokens } from './jwt.ts';
import type { AuthRequest } from './method.ts';
import type { Identity } from './ports.ts';
import { challengesOf, guard } from './principal.ts';
import { type AuthMethodName, openMethods } from './registry.ts';
import { createSessionCookies } from './session.ts';
import { hmacSha256, signatureOf } from './signature.ts';

/** Any UTF-16, lone surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

const secret = 'a secret of at least 32 bytes, for tests only';
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const seconds = Math.floor(now / 1000);
const ann: Identity = {
  kind: 'user',
  id: 7,
  username: 'ann',
  email: 'ann@example.com',
  name: 'Ann',
  roles: ['viewer'],
  mustChangePassword: false,
  secondFactor: 'none' as const,
  granted: ['update'],
};
const person = { ...ann };

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const request = ({ method = 'GET', headers = {}, body = '' }: Sent = {}): AuthRequest => ({
  method,
  target: '/notes',
  header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
  readBody: () => Buffer.from(body),
  models: ['Note'],
  proxyHeader: () => undefined,
  address: '192.0.2.7',
});

/** The real methods over a store that knows one user, one key, one session, two applications. */
const setUp = ({ baseUrl = 'https://api.example.com', away = false } = {}) => {
  const tokens = createTokens(secret, () => now);
  const cookies = createSessionCookies(secret, baseUrl);
  const key = newKey();
  const session = cookies.create();
  const asked: string[] = [];
  const state = { keyIsGood: true };
  const used: string[] = [];
  const answer = <T>(what: string, value: T | undefined): Promise<T | undefined> => {
    asked.push(what);
    return away ? Promise.reject(new Error('database away')) : Promise.resolve(value);
  };
  const methods = openMethods({
    tokens,
    cookies,
    clock: () => now,
    identities: {
      byUserId: () => answer('user', undefined),
      byToken: (id, _expiry, model) => answer(`user ${id} ${model}`, id === ann.id ? ann : undefined),
      byUserInSession: (id, session, at, model) =>
        answer(`user ${id} in ${session} ${at} ${model}`, session === 5 ? ann : undefined),
      byKeyHash: (hash, at, model) =>
        answer(
          `key ${at === now} ${model}`,
          state.keyIsGood && hash === hashKey(key) ? { identity: ann, keyId: 3 } : undefined,
        ),
      bySession: (hash, at, model) =>
        answer(
          `session ${at === now} ${model}`,
          hash === session.hash ? { identity: ann, sessionId: 5 } : undefined,
        ),
    },
    applications: {
      secretsOf: (appId) =>
        appId === 'shop' ? ['current'] : appId === 'turning' ? ['new', 'old', 'older'] : [],
      publicKeysOf: () => [],
    },
    nonces: { use: async () => true },
    baseUrl,
    usage: {
      keyUsed: (id, _hash, at, address) => used.push(`key ${id} ${at} ${address}`),
      applicationUsed: (appId, at) => used.push(`application ${appId} ${at}`),
    },
  });
  const ask = (names: readonly AuthMethodName[], sent?: Sent) =>
    guard(
      names.map((name) => methods[name]),
      request(sent),
    );
  return { methods, tokens, cookies, key, session, asked, used, ask, state };
};

const refusal = (problem: string, status = 401) => ({ problem, status });
const challenges = 'Bearer realm="gatewright", ApiKey realm="gatewright", header="X-Api-Key"';

describe('token', () => {
  test('its user is the principal, with the grants on the model', async () => {
    const { tokens, ask, asked } = setUp();
    const headers = { authorization: `Bearer ${tokens.issue(7)}` };
    expect(await ask(['jwt'], { headers })).toEqual({ ...person, method: 'jwt', credential: undefined });
    expect(asked).toEqual(['user 7 Note']);
  });

  test('bearer is the same object: listed twice they verify once', async () => {
    const { tokens, ask, asked, methods } = setUp();
    expect(methods.bearer).toBe(methods.jwt);
    const headers = { authorization: `Bearer ${tokens.issue(8)}` };
    await expect(ask(['jwt', 'bearer'], { headers })).rejects.toMatchObject(refusal('invalid_token'));
    expect(asked).toEqual(['user 8 Note']);
  });

  test('the scheme is case-insensitive, with one space or more behind it', async () => {
    const { tokens, ask } = setUp();
    const token = tokens.issue(7);
    for (const authorization of [`bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`])
      expect(await ask(['jwt'], { headers: { authorization } })).toMatchObject({ id: person.id });
  });

  test('any other Authorization header is refused, without asking the database', async () => {
    const { tokens, ask, asked } = setUp();
    const token = tokens.issue(7);
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      `Bearer \t${token}`,
      `Bearers ${token}`,
      `Bearer\t${token}`,
      ` Bearer ${token}`,
      `Bearer ${token} `,
      `Bearer ${token}, Bearer ${token}`,
      token,
      'Basic YTpi',
      'Bearer null',
    ]) {
      await expect(ask(['jwt'], { headers: { authorization } }), authorization).rejects.toMatchObject(
        refusal('invalid_token'),
      );
    }
    expect(asked).toEqual([]);
  });
});

describe('API key', () => {
  test('a key is 64 lowercase hex digits, stored as SHA-256, shown as a mask', () => {
    expect(newKey()).toMatch(/^[0-9a-f]{64}$/);
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(maskKey('0123456789abcdef')).toBe('01234567****');
    expect(maskKey('01234567')).toBe('01234567****');
  });

  test('each of its 32 bytes is random', () => {
    const keys = Array.from({ length: 200 }, newKey);
    expect(new Set(keys).size).toBe(200);
    // Some of 200 random keys of 16 digits leaves one out once in 10 ** 20 runs.
    for (let place = 0; place < 64; place += 1)
      expect(new Set(keys.map((key) => key[place])).size, `digit ${place}`).toBeGreaterThan(12);
  });

  test('its owner is the principal, and the use is recorded', async () => {
    const { key, ask, asked, used } = setUp();
    expect(await ask(['api_key'], { headers: { 'x-api-key': key } })).toEqual({
      ...person,
      method: 'api_key',
      credential: 3,
      uses: new Set(),
    });
    expect(asked).toEqual(['key true Note']);
    expect(used).toEqual([`key 3 ${now} 192.0.2.7`]);
  });

  test('a key that was good is asked for again at every use', async () => {
    const { key, ask, asked, state } = setUp();
    const headers = { 'x-api-key': key };
    await ask(['api_key'], { headers });
    await ask(['api_key'], { headers });
    expect(asked).toEqual(['key true Note', 'key true Note']);
    state.keyIsGood = false;
    await expect(ask(['api_key'], { headers })).rejects.toMatchObject(refusal('invalid_key'));
  });

  test('an unknown key is refused and no use recorded', async () => {
    const { ask, asked, used } = setUp();
    await expect(ask(['api_key'], { headers: { 'x-api-key': newKey() } })).rejects.toMatchObject(
      refusal('invalid_key'),
    );
    expect(asked).toHaveLength(1);
    expect(used).toEqual([]);
  });

  test('what is no key is refused without asking the database', async () => {
    const { key, ask, asked } = setUp();
    for (const header of [
      '',
      key.toUpperCase().replace(/\d/g, 'A'),
      `${key}0`,
      key.slice(1),
      `${key}\n`,
      `${key}, ${key}`,
      ` ${key}`,
    ]) {
      await expect(ask(['api_key'], { headers: { 'x-api-key': header } }), header).rejects.toMatchObject(
        refusal('invalid_key'),
      );
    }
    expect(asked).toEqual([]);
  });
});

describe('signature', () => {
  const body = '{"amount":1250}';
  const sign = (appId: string, appSecret: string, timestamp = String(seconds), text = body) => ({
    'x-app-id': appId,
    'x-timestamp': timestamp,
    'x-signature': signatureOf(appSecret, timestamp, text),
  });
  const application = { kind: 'application', appId: 'shop', method: 'signature' };

  test('the application is the principal, and the use is recorded', async () => {
    const { ask, used } = setUp();
    expect(await ask(['signature'], { method: 'POST', body, headers: sign('shop', 'current') })).toEqual(
      application,
    );
    expect(used).toEqual([`application shop ${now}`]);
  });

  test('the signed message of a request without a body ends at the line feed', async () => {
    expect(
      await setUp().ask(['signature'], { headers: sign('shop', 'current', String(seconds), '') }),
    ).toEqual(application);
    expect(signatureOf('s', '1', '')).toBe(hmacSha256('s', '1\n'));
  });

  test.each(['new', 'old', 'older'])('every live secret signs: %s', async (live) => {
    const principal = await setUp().ask(['signature'], { body, headers: sign('turning', live) });
    expect(principal).toMatchObject({ appId: 'turning' });
  });

  test.each([-300, 300])('a timestamp %s s off is taken', async (off) => {
    const headers = sign('shop', 'current', String(seconds + off));
    expect(await setUp().ask(['signature'], { body, headers })).toEqual(application);
  });

  test.each([
    String(seconds - 301),
    String(seconds + 301),
    `0${seconds}`,
    `+${seconds}`,
    ` ${seconds}`,
    `${seconds}.0`,
    `${seconds}, ${seconds}`,
    `${seconds}e0`,
    '',
    '0',
    '-1',
    'NaN',
    '9'.repeat(13),
    '１７６７３２２０４５',
  ])('the timestamp "%s" is refused before anything else is looked at', async (timestamp) => {
    const headers = sign('nobody', 'current', timestamp);
    await expect(setUp().ask(['signature'], { body, headers })).rejects.toMatchObject(
      refusal('invalid_timestamp'),
    );
  });

  test('an unknown application and a wrong signature are refused alike', async () => {
    const { ask, used } = setUp();
    const wrong = await ask(['signature'], { body, headers: sign('shop', 'other') }).catch((error) => error);
    const unknown = await ask(['signature'], { body, headers: sign('nobody', 'other') }).catch(
      (error) => error,
    );
    expect(wrong).toMatchObject(refusal('invalid_signature'));
    expect({ ...unknown }).toEqual({ ...wrong });
    expect(used).toEqual([]);
  });

  test('any other spelling of a good signature is refused', async () => {
    const { ask } = setUp();
    const good = sign('shop', 'current');
    const text = good['x-signature'];
    for (const other of [
      '',
      text.toUpperCase(),
      `${text}00`,
      `${text} `,
      text.slice(1),
      `sha256=${text}`,
      `${text},${text}`,
    ]) {
      await expect(
        ask(['signature'], { body, headers: { ...good, 'x-signature': other } }),
        other,
      ).rejects.toMatchObject(refusal('invalid_signature'));
    }
  });

  test('a changed body is refused', async () => {
    const headers = sign('shop', 'current');
    await expect(setUp().ask(['signature'], { body: `${body} `, headers })).rejects.toMatchObject(
      refusal('invalid_signature'),
    );
  });

  test.each(['x-app-id', 'x-timestamp', 'x-signature'] as const)(
    '%s alone is a signature that is not good',
    async (name) => {
      const sent = { [name]: sign('shop', 'current')[name] };
      await expect(setUp().ask(['signature'], { body, headers: sent })).rejects.toMatchObject(
        refusal('invalid_signature'),
      );
    },
  );

  test.each(['x-app-id', 'x-timestamp', 'x-signature'])(
    'a signature without %s is refused; without all three it is absent',
    async (name) => {
      const { ask, methods } = setUp();
      const { [name]: _, ...headers } = sign('shop', 'current') as Record<string, string>;
      await expect(ask(['signature'], { body, headers })).rejects.toMatchObject(refusal('invalid_signature'));
      expect(methods.signature.authenticate(request())).toEqual({ kind: 'absent' });
    },
  );

  /** Runs while every comparison in constant time has this result, whatever is compared. */
  const comparing = async <T>(equal: boolean, run: () => Promise<T>): Promise<T> => {
    const { timingSafeEqual } = crypto;
    crypto.timingSafeEqual = () => equal;
    syncBuiltinESMExports();
    try {
      return await run();
    } finally {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    }
  };
  test('a comparison in constant time decides, and no other one', async () => {
    const { ask } = setUp();
    const by = (headers: Readonly<Record<string, string>>) => () => ask(['signature'], { body, headers });
    const wrong = { ...sign('shop', 'current'), 'x-signature': '0'.repeat(64) };
    expect(await comparing(true, by(wrong))).toEqual(application);
    for (const [equal, headers] of [
      [false, sign('shop', 'current')],
      // It has no secret: the result of the comparison does not matter.
      [true, sign('nobody', 'current')],
    ] as const)
      await expect(comparing(equal, by(headers))).rejects.toMatchObject(refusal('invalid_signature'));
  });

  interface Case {
    readonly tcId: number;
    readonly key: string;
    readonly msg: string;
    readonly tag: string;
    readonly result: 'valid' | 'invalid';
  }
  const file = new URL('../../../shared/vectors/hmac-sha256.json', import.meta.url);
  test.skipIf(!existsSync(file))(
    'Wycheproof HMAC-SHA256, 87 vectors (skipped where the folder is absent)',
    () => {
      const cases = JSON.parse(readFileSync(file, 'utf8')).cases as readonly Case[];
      expect(cases).toHaveLength(87);
      for (const { tcId, key, msg, tag, result } of cases) {
        const computed = hmacSha256(Buffer.from(key, 'hex'), Buffer.from(msg, 'hex'));
        expect(computed === tag ? 'valid' : 'invalid', `case ${tcId}`).toBe(result);
      }
    },
  );
});

describe('guard', () => {
  const rejecting = (problem: Problem) => ({
    challenge: 'Test',
    authenticate: () => ({ kind: 'rejected' as const, problem }),
  });

  test('hands on what a refusal says, with the challenge beside its headers', async () => {
    const cause = new Error('why');
    const problem = new Problem('invalid_token', {
      params: { name: 'x' },
      headers: { 'Retry-After': '1' },
      cause,
    });
    await expect(guard([rejecting(problem)], request())).rejects.toMatchObject({
      problem: 'invalid_token',
      params: { name: 'x' },
      headers: { 'Retry-After': '1', 'WWW-Authenticate': 'Test' },
      cause,
    });
  });

  test('answers a 403 as it is: no other credentials would help', async () => {
    const foreign = new Problem('cross_site');
    const refused = guard([rejecting(new Problem('invalid_token')), rejecting(foreign)], request());
    await expect(refused).rejects.toBe(foreign);
    expect(foreign.headers).toEqual({});
  });

  test('an endpoint without methods calls no verifier', async () => {
    const headers = { authorization: 'Bearer nonsense' };
    expect(await setUp().ask([], { headers })).toEqual({ kind: 'nobody' });
  });

  test('the guard refuses a request without credentials as unauthenticated, with every challenge once', async () => {
    await expect(setUp().ask(['jwt', 'bearer', 'api_key'])).rejects.toMatchObject({
      ...refusal('unauthenticated'),
      headers: { 'WWW-Authenticate': challenges },
    });
  });

  test('one success is enough, whatever else is wrong and in whatever order', async () => {
    const { key, ask } = setUp();
    const headers = { authorization: 'Bearer nonsense', 'x-api-key': key };
    expect(await ask(['jwt', 'api_key'], { headers })).toMatchObject({ id: 7, method: 'api_key' });
    expect(await ask(['api_key', 'jwt'], { headers })).toMatchObject({ id: 7, method: 'api_key' });
  });

  test('the first refusal is answered, with every challenge', async () => {
    const headers = { authorization: 'Bearer nonsense', 'x-api-key': 'nonsense' };
    await expect(setUp().ask(['jwt', 'api_key'], { headers })).rejects.toMatchObject({
      ...refusal('invalid_token'),
      headers: { 'WWW-Authenticate': challenges },
    });
  });

  test('credentials of a method that is not listed count for nothing', async () => {
    const { key, ask } = setUp();
    await expect(ask(['jwt'], { headers: { 'x-api-key': key } })).rejects.toMatchObject(
      refusal('unauthenticated'),
    );
  });

  test('an outage is never a refusal, but stops no method that can know', async () => {
    const { key, ask } = setUp({ away: true });
    const headers = { 'x-api-key': key };
    await expect(ask(['api_key', 'jwt'], { headers })).rejects.toThrow('database away');
    await expect(
      ask(['jwt', 'api_key'], { headers: { ...headers, authorization: 'Bearer x' } }),
    ).rejects.toThrow('database away');
    const signature = signatureOf('current', String(seconds), '');
    const signed = { 'x-app-id': 'shop', 'x-timestamp': String(seconds), 'x-signature': signature };
    expect(await ask(['api_key', 'signature'], { headers: { ...headers, ...signed } })).toMatchObject({
      appId: 'shop',
    });
  });

  test('lists challenges by method', () => {
    const { methods } = setUp();
    expect(challengesOf([methods.session, methods.signature])).toBe(
      'Session realm="gatewright", Signature realm="gatewright", headers="X-App-Id X-Timestamp X-Signature"',
    );
  });
});

describe('no request makes authentication throw anything but a refusal', () => {
  const names = [
    'authorization',
    'x-api-key',
    'x-app-id',
    'x-timestamp',
    'x-signature',
    'signature-input',
    'signature',
    'content-digest',
    'cookie',
    'origin',
    'host',
    'sec-fetch-site',
  ];
  const value = fc.oneof(
    anyText,
    fc.string({ maxLength: 100 }).map((text) => `Bearer ${text}`),
    fc.string({ maxLength: 60 }).map((text) => `__Host-gatewright_session=${text}`),
    fc.constant(String(seconds)),
    fc.constant('shop'),
    fc.stringMatching(/^[0-9a-f]{64}$/),
    fc.webUrl(),
    fc.string({ maxLength: 60 }).map((text) => `sig=("@method" ${text}`),
    fc.base64String().map((text) => `sig=:${text}:`),
  );
  const headers = fc.dictionary(fc.constantFrom(...names), value);
  const method = fc.constantFrom('GET', 'POST', 'DELETE');

  test('whatever its headers hold', async () => {
    const { ask } = setUp();
    const every: readonly AuthMethodName[] = [
      ...(['jwt', 'bearer', 'api_key', 'signature', 'session', 'http_signature'] as const),
    ];
    await fc.assert(
      fc.asyncProperty(method, headers, fc.string(), async (verb, sent, body) => {
        const error = await ask(every, { method: verb, headers: sent, body }).catch(
          (refused: unknown) => refused,
        );
        expect(error).toMatchObject({ name: 'Problem' });
        expect([401, 403]).toContain((error as { status: number }).status);
      }),
      { numRuns: 500 },
    );
  });
});
