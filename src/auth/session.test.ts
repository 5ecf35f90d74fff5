import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuthDependencies, AuthRequest, Verifier } from './method.ts';
import { session as sessionMethod } from './methods/session.ts';
import { guard } from './principal.ts';
import { sameOrigin } from './same-origin.ts';
import { cookieValues, createSessionCookies } from './session.ts';

/** Any UTF-16, lone surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

const secret = 'a secret of at least 32 bytes, for tests only';
const https = 'https://api.example.com/prefix';
const http = 'http://127.0.0.1:3000';
const identity = {
  id: 7,
  username: 'ann',
  email: 'ann@example.com',
  name: 'Ann',
  roles: ['admin'],
  mustChangePassword: false,
  secondFactor: 'none' as const,
  granted: [],
};

const request = (headers: Readonly<Record<string, string>>, method = 'GET'): AuthRequest => ({
  method,
  target: '/',
  header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
  readBody: () => new Uint8Array(),
  models: [],
  proxyHeader: () => undefined,
  address: '192.0.2.7',
});

const setUp = (baseUrl = https) => {
  const cookies = createSessionCookies(secret, baseUrl);
  const session = cookies.create();
  const asked: string[] = [];
  const identities = {
    byUserId: () => Promise.resolve(undefined),
    byToken: () => Promise.resolve(undefined),
    byUserInSession: () => Promise.resolve(undefined),
    byKeyHash: () => Promise.resolve(undefined),
    bySession: (hash: string) => {
      asked.push(hash);
      return Promise.resolve(hash === session.hash ? { identity, sessionId: 5 } : undefined);
    },
  };
  const dependencies = {
    cookies,
    identities,
    clock: () => 0,
  } as Partial<AuthDependencies> as AuthDependencies;
  const method: Verifier = { ...sessionMethod, authenticate: sessionMethod.open(dependencies) };
  const cookie = `${cookies.name}=${session.id}`;
  return { cookies, session, asked, method, cookie };
};

describe('cookies', () => {
  test('an id is stored under a key of its own, which is derived from the secret', () => {
    const key = hkdfSync('sha256', secret, new Uint8Array(), 'gatewright session', 32);
    const expected = createHmac('sha256', new Uint8Array(key)).update('abc').digest('hex');
    expect(setUp().cookies.hash('abc')).toBe(expected);
  });

  test('the cookie over https is bound to the host', () => {
    const { cookies } = setUp();
    expect(cookies.set('abc')).toBe(
      '__Host-gatewright_session=abc; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict; Secure',
    );
    expect(cookies.clear()).toBe(
      '__Host-gatewright_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
    );
  });

  test('the cookie over http is neither prefixed nor Secure', () => {
    expect(setUp(http).cookies.set('abc')).toBe(
      'gatewright_session=abc; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict',
    );
  });

  test('an id is 32 random bytes; its hash depends on the secret', () => {
    const { cookies, session } = setUp();
    expect(Buffer.from(session.id, 'base64url')).toHaveLength(32);
    expect(cookies.create().id).not.toBe(session.id);
    expect(session.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(cookies.hash(session.id)).toBe(session.hash);
    expect(createSessionCookies(`${secret}!`, https).hash(session.id)).not.toBe(session.hash);
  });

  test('a cookie counts only under its exact name', () => {
    expect(cookieValues('a=1; b=2;a=3 ;\ta = 4', 'a')).toEqual(['1', '3', '4']);
    expect(cookieValues('A=1; xa=2; a; =a; a[]=3; \u00a0a=4; a\u00a0=5; "a"=6; %61=7', 'a')).toEqual([]);
    expect(cookieValues('a==b=', 'a')).toEqual(['=b=']);
    expect(cookieValues('a= 1  2 ;   a=\t\t3\t\t ;  a  =4', 'a')).toEqual(['1  2', '3', '4']);
    // A name without a value is no pair, whatever its last letter hides.
    expect(cookieValues('ab; xa', 'a')).toEqual([]);
    fc.assert(
      fc.property(anyText, fc.string(), (header, name) =>
        cookieValues(header, name).every((value) => header.includes(value)),
      ),
    );
  });
});

describe('session', () => {
  test('its user is the principal', async () => {
    const { method, cookie, session } = setUp();
    const principal = await guard([method], request({ cookie: `other=1; ${cookie}; more=2` }));
    expect(principal).toMatchObject({ id: 7, method: 'session', credential: 5 });
    expect(JSON.stringify(principal)).not.toContain(session.id);
  });

  test('an unknown id is refused', async () => {
    const { method, cookies } = setUp();
    const cookie = `${cookies.name}=${cookies.create().id}`;
    await expect(guard([method], request({ cookie }))).rejects.toMatchObject({
      problem: 'invalid_session',
      status: 401,
    });
  });

  test('no cookie, or another one, is absent', () => {
    const { method, session } = setUp();
    expect(method.authenticate(request({}))).toEqual({ kind: 'absent' });
    for (const cookie of ['', 'other=1', `gatewright_session=${session.id}`]) {
      expect(method.authenticate(request({ cookie })), cookie).toEqual({ kind: 'absent' });
    }
  });

  test('two cookies of the name, or a value that is not an id, are refused without asking the database', async () => {
    const { method, cookie, cookies, session, asked } = setUp();
    const name = cookies.name;
    for (const sent of [
      `${cookie}; ${cookie}`,
      `${name}=; ${cookie}`,
      `${cookie}; ${name}=x`,
      `${name}=`,
      `${name}="${session.id}"`,
      `${cookie}=`,
      `${name}=${session.id.slice(1)}`,
      `${name}=${session.id.slice(0, -1)}B`,
      `${name}=%41${session.id.slice(1)}`,
    ]) {
      await expect(guard([method], request({ cookie: sent })), sent).rejects.toMatchObject({
        problem: 'invalid_session',
      });
    }
    expect(asked).toEqual([]);
  });
});

describe('writes', () => {
  const write = (headers: Readonly<Record<string, string>>, others: readonly Verifier[] = []) => {
    const { method, cookie, asked } = setUp();
    return { asked, answer: guard([...others, method], request({ cookie, ...headers }, 'POST')) };
  };

  test('writes from a page of this service pass', async () => {
    const { answer } = write({ origin: 'https://api.example.com' });
    expect(await answer).toMatchObject({ id: 7 });
  });

  test('writes from elsewhere, or from nowhere, are 403 and end before the database', async () => {
    const sent: readonly Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of sent) {
      const { answer, asked } = write(headers);
      await expect(answer).rejects.toMatchObject({ problem: 'cross_site', status: 403, headers: {} });
      expect(asked).toEqual([]);
    }
  });

  test('writes stay 403 beside a refused token, but not beside a good one', async () => {
    const stub = (outcome: Awaited<ReturnType<Verifier['authenticate']>>): Verifier => ({
      challenge: 'Bearer',
      authenticate: () => outcome,
    });
    const { Problem } = await import('../kernel/problem.ts');
    const bad = stub({ kind: 'rejected', problem: new Problem('invalid_token') });
    await expect(write({}, [bad]).answer).rejects.toMatchObject({ status: 403 });
    const principal = { kind: 'application', appId: 'shop', method: 'signature' } as const;
    expect(await write({}, [stub({ kind: 'principal', principal })]).answer).toBe(principal);
  });
});

describe('sameOrigin without a Host that means anything', () => {
  test.each([
    [{ origin: 'https://undefined' } as Readonly<Record<string, string>>, 'no Host is no host of that name'],
    [{ host: 'a:99999' }, 'a port that does not exist and no Origin are not the same nothing'],
    [{ host: 'a:99999', origin: 'null' }, 'a page without an origin'],
  ])('%j: %s', (headers, _why) => {
    expect(sameOrigin(request(headers), https)).toBe(false);
  });
});

describe('sameOrigin', () => {
  const ask = (headers: Readonly<Record<string, string>>, baseUrl = https) =>
    sameOrigin(request(headers), baseUrl);

  test.each([
    [{ origin: 'https://api.example.com' }, https],
    [{ origin: 'https://other.example', host: 'other.example' }, https],
    [{ origin: 'https://other.example:8443', host: 'Other.Example:8443' }, https],
    [{ origin: 'https://other.example', host: 'other.example:443' }, https],
    [{ origin: 'http://127.0.0.1:3000' }, http],
    [{ origin: 'http://localhost:3000', host: 'localhost:3000' }, http],
    [{ origin: 'https://public.example', host: 'public.example' }, http],
    [{ origin: 'http://[::1]:3000', host: '[::1]:3000' }, http],
    [{ 'sec-fetch-site': 'same-origin' }, https],
  ])('%j is of %s', (headers, baseUrl) => {
    expect(ask(headers as Record<string, string>, baseUrl)).toBe(true);
  });

  test.each([
    {},
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://api.example.com/' },
    { origin: 'https://api.example.com.evil.example' },
    { origin: 'https://api.example.com:8443' },
    { origin: 'http://api.example.com' },
    { origin: 'http://api.example.com', host: 'api.example.com' },
    { origin: 'https://evil.example', host: 'api.example.com' },
    { origin: 'https://evil.example', host: 'x@evil.example' },
    { origin: 'https://evil.example', host: 'evil.example/path' },
    { origin: 'https://evil.example', host: '' },
    { origin: 'https://evil.example', host: 'evil.example:99999' },
    { origin: 'undefined', host: 'evil.example:99999' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin, same-origin' },
    { host: 'api.example.com' },
  ])('%j is not', (headers) => {
    expect(ask(headers as Record<string, string>)).toBe(false);
  });

  test('sameOrigin never throws', () => {
    fc.assert(
      fc.property(anyText, anyText, (origin, host) => {
        ask({ origin, host });
      }),
    );
  });
});
