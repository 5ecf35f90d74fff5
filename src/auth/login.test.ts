import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { deriveKey } from './derived-key.ts';
import { createLogin } from './login.ts';
import { createLoginThrottle, throttleWindow } from './login-throttle.ts';
import { createPasswords } from './password.ts';
import { type Account, type Reservation, reservationLifetime, type ThrottleStore } from './ports.ts';
import type { SecurityEvents } from './security-events.ts';

interface Row {
  windowEnds: number;
  failures: number;
  reserved: number;
  reservedUntil: number;
}

/** The port as its documentation says it, in memory. Every call settles later, as with a database. */
const memoryStore = () => {
  const rows = new Map<string, Row>();
  const seen = { most: 0, reserves: 0, broken: false };
  const later = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (seen.broken) throw new Error('database away');
  };
  const store: ThrottleStore = {
    async reserve(key, limit, windowMs, now) {
      await later();
      seen.reserves += 1;
      const row = rows.get(key) ?? { windowEnds: 0, failures: 0, reserved: 0, reservedUntil: 0 };
      rows.set(key, row);
      if (row.windowEnds <= now) Object.assign(row, { failures: 0, windowEnds: now + windowMs });
      if (row.reservedUntil <= now) row.reserved = 0;
      if (row.failures >= limit) return { retryAfterMs: row.windowEnds - now };
      if (row.failures + row.reserved >= limit) return 'busy';
      row.reserved += 1;
      row.reservedUntil = now + reservationLifetime;
      seen.most = Math.max(seen.most, row.failures + row.reserved);
      return 'granted';
    },
    async settle(key, failed) {
      await later();
      const row = rows.get(key);
      if (row === undefined) return;
      row.reserved = Math.max(0, row.reserved - 1);
      if (failed) row.failures += 1;
      if (row.failures + row.reserved === 0) rows.delete(key);
    },
    async forget(keys) {
      await later();
      for (const key of keys) Object.assign(rows.get(key) ?? {}, { failures: 0 });
    },
  };
  return { store, rows, seen };
};

const silent: SecurityEvents = { record: () => {}, log: () => {} };

const secret = 'a secret of at least 32 bytes, for tests only';

const setUp = () => {
  const { store, rows, seen } = memoryStore();
  const time = { now: 1_000_000 };
  const throttle = createLoginThrottle({
    store,
    secret,
    clock: () => time.now,
    delay: async (milliseconds) => {
      time.now += milliseconds;
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const fail = (account = 'ann', address = '192.0.2.7') =>
    throttle.run(account, address, () => Promise.resolve(undefined));
  const succeed = (account = 'ann', address = '192.0.2.7') =>
    throttle.run(account, address, () => Promise.resolve('in'));
  return { throttle, rows, seen, time, fail, succeed };
};

const times = (count: number, task: (index: number) => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => task(index)));
const refused = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'rejected').length;

describe('login throttle', () => {
  test('forgets the failures of an account from a network, and neither those of the network nor of others', async () => {
    const { throttle, fail, succeed } = setUp();
    for (let round = 0; round < 10; round += 1) {
      for (let tries = 0; tries < 9; tries += 1) await fail();
      await throttle.forget(['ann', 'ann@example.com'], '::ffff:192.0.2.7');
    }
    await times(9, () => fail('ben'));
    // 99 failures of the network: one is left.
    expect(await fail('cleo')).toBe(undefined);
    await expect(succeed('ann')).rejects.toMatchObject({ problem: 'too_many_requests' });
    expect(await succeed('ann', '192.0.2.8')).toBe('in');
    await times(10, () => fail('dora', '192.0.2.9'));
    await throttle.forget(['ann'], '192.0.2.9');
    await throttle.forget(['dora'], '192.0.2.8');
    await expect(succeed('dora', '192.0.2.9')).rejects.toMatchObject({ problem: 'too_many_requests' });
  });

  test('counts each kind by itself', async () => {
    const { throttle, succeed } = setUp();
    const link = () => throttle.run('ann', '192.0.2.7', async () => undefined, undefined, 'link');
    await times(10, link);
    await expect(link()).rejects.toMatchObject({ problem: 'too_many_requests' });
    await times(200, (index) =>
      throttle.run(`x${index}`, '192.0.2.7', async () => undefined, undefined, 'link'),
    );
    expect(await succeed()).toBe('in');
    expect(await throttle.run('a', '192.0.2.7', async () => 'in', undefined, 'provider')).toBe('in');
  });

  test('ten failed logins make every login 429 until the window ends, also with the right password', async () => {
    const { fail, succeed, time } = setUp();
    for (let count = 0; count < 10; count += 1) {
      expect(await fail()).toBeUndefined();
      time.now += 1000;
    }
    await expect(succeed()).rejects.toMatchObject({
      problem: 'too_many_requests',
      status: 429,
      headers: { 'Retry-After': '890' },
    });
    time.now += 889_999;
    await expect(succeed()).rejects.toMatchObject({ headers: { 'Retry-After': '1' } });
    time.now += 1;
    expect(await succeed()).toBe('in');
  });

  test('counts failures by account and by address at once', async () => {
    const { fail, succeed } = setUp();
    await times(10, () => fail());
    expect(await succeed('bob')).toBe('in');
    expect(await succeed('ann', '192.0.2.8')).toBe('in');
    await expect(succeed('ann', '::ffff:192.0.2.7')).rejects.toMatchObject({ status: 429 });
  });

  test('counts a hundred failures from one /64, whatever the accounts', async () => {
    const { fail, succeed, rows } = setUp();
    await times(100, (index) => fail(`user${index}`, `2001:db8::${index.toString(16)}`));
    await expect(succeed('new', '2001:db8::ffff')).rejects.toMatchObject({ status: 429 });
    expect(await succeed('new', '2001:db8:0:1::1')).toBe('in');
    // The reservation of the account's own counter was given back.
    expect([...rows.values()].filter(({ reserved }) => reserved > 0)).toEqual([]);
  });

  test('successes never count, and take no failure back', async () => {
    const { fail, succeed, rows } = setUp();
    for (let count = 0; count < 30; count += 1) await succeed();
    expect(rows.size).toBe(0);
    await times(9, () => fail());
    await succeed();
    await fail();
    await expect(fail()).rejects.toMatchObject({ status: 429 });
  });

  test('200 right passwords at the same moment all pass, ten under way at most', async () => {
    const { succeed, seen, time } = setUp();
    const before = time.now;
    const results = await times(200, () => succeed());
    expect(refused(results)).toBe(0);
    expect(seen.most).toBe(10);
    expect(time.now - before).toBeLessThan(60_000);
  });

  test('200 wrong ones at the same moment: ten are looked at, the others are 429', async () => {
    const { throttle, fail, seen } = setUp();
    let looked = 0;
    const results = await times(200, () =>
      throttle.run('ann', '192.0.2.7', async () => {
        looked += 1;
        return undefined;
      }),
    );
    expect(looked).toBe(10);
    expect(refused(results)).toBe(190);
    expect(seen.most).toBe(10);
    await expect(fail()).rejects.toMatchObject({ status: 429 });
  });

  test('no window sees more than ten failures of an account, however attempts overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async (outcomes) => {
        const { fail, succeed, seen } = setUp();
        const results = await times(outcomes.length, (index) => (outcomes[index] ? succeed() : fail()));
        const failures = results.filter(
          (result) => result.status === 'fulfilled' && result.value === undefined,
        ).length;
        expect(failures).toBe(Math.min(10, outcomes.filter((good) => !good).length));
        expect(seen.most).toBeLessThanOrEqual(10);
      }),
      { numRuns: 50 },
    );
  });

  test('an attempt that cannot tell is not counted and gives its place back', async () => {
    const { throttle, rows } = setUp();
    const error = new Error('database away');
    await expect(throttle.run('ann', '192.0.2.7', () => Promise.reject(error))).rejects.toBe(error);
    expect(rows.size).toBe(0);
  });

  test('where the place cannot be given back the first error is thrown', async () => {
    const { throttle, seen } = setUp();
    const attempt = throttle.run('ann', '192.0.2.7', () => {
      seen.broken = true;
      return Promise.reject(new Error('first'));
    });
    await expect(attempt).rejects.toThrow('first');
  });

  test('a failure that cannot be counted is no answer', async () => {
    const { throttle, seen } = setUp();
    const attempt = throttle.run('ann', '192.0.2.7', async () => {
      seen.broken = true;
      return undefined;
    });
    await expect(attempt).rejects.toThrow('database away');
  });

  test('places of a process that died are waited for, within a bound, and expire', async () => {
    const { throttle, rows, seen, time, succeed } = setUp();
    const stuck = Promise.withResolvers<string>();
    const held = Array.from({ length: 10 }, () => throttle.run('ann', '192.0.2.7', () => stuck.promise));
    while ([...rows.values()].every(({ reserved }) => reserved < 10))
      await new Promise((resolve) => setImmediate(resolve));
    const before = time.now;
    await expect(succeed()).rejects.toMatchObject({ problem: 'overloaded', headers: { 'Retry-After': '5' } });
    expect(time.now - before).toBeGreaterThanOrEqual(60_000);
    expect(seen.reserves).toBeLessThan(1000);
    time.now += reservationLifetime;
    expect(await succeed()).toBe('in');
    stuck.resolve('in');
    expect(await Promise.all(held)).toHaveLength(10);
  });

  test('more than a thousand waiting are refused at once', async () => {
    const { throttle, succeed } = setUp();
    const stuck = Promise.withResolvers<string>();
    const held = Array.from({ length: 10 }, () => throttle.run('ann', '192.0.2.7', () => stuck.promise));
    await new Promise((resolve) => setImmediate(resolve));
    const results = times(1100, () => succeed());
    await expect(Promise.race([succeed(), results])).rejects.toMatchObject({ problem: 'overloaded' });
    stuck.resolve('in');
    await Promise.all(held);
    expect(refused(await results)).toBeGreaterThan(0);
  });

  test('waits on a timer of its own where none is given', async () => {
    const { store } = memoryStore();
    let answers = 0;
    const throttle = createLoginThrottle({
      store: {
        ...store,
        reserve: (...args) => (answers++ === 0 ? Promise.resolve('busy') : store.reserve(...args)),
      },
      secret,
      clock: Date.now,
    });
    expect(await throttle.run('ann', '::1', () => Promise.resolve('in'))).toBe('in');
  });

  /** A store whose outcomes come from a list and then grants, on a clock that the delays and the test move on. */
  const setUpBusy = (...answers: readonly Reservation[]) => {
    const time = { now: 0 };
    const delays: number[] = [];
    const left = [...answers];
    const asked: string[] = [];
    const throttle = createLoginThrottle({
      store: {
        async reserve(key) {
          asked.push(key);
          return left.shift() ?? 'granted';
        },
        settle: async () => {},
        forget: async () => {},
      },
      secret,
      clock: () => time.now,
      delay: async (milliseconds) => {
        delays.push(milliseconds);
        time.now += milliseconds;
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const succeed = (signal?: AbortSignal) =>
      throttle.run('ann', '192.0.2.7', () => Promise.resolve('in'), signal);
    return { throttle, succeed, time, delays, asked };
  };
  const busy = (count: number): readonly Reservation[] => Array.from({ length: count }, () => 'busy');

  test('looks again after 25 ms, then 50, then every 100', async () => {
    const { succeed, delays } = setUpBusy(...busy(6));
    expect(await succeed()).toBe('in');
    expect(delays).toEqual([25, 50, 100, 100, 100]);
  });

  test('waits a minute and not a moment longer', async () => {
    const { succeed, time, delays } = setUpBusy(...busy(10_000));
    const waiting = succeed();
    // The look after this one is at the very end of the minute.
    while (delays.length < 2) await new Promise((resolve) => setImmediate(resolve));
    time.now = 59_900;
    await expect(waiting).rejects.toMatchObject({ problem: 'overloaded' });
    expect(time.now).toBe(60_000);
  });

  test('one of those who wait asks the database, the others wait for it', async () => {
    const { succeed, asked, delays } = setUpBusy(...busy(12));
    const attempts = times(5, () => succeed());
    while (delays.length < 3) await new Promise((resolve) => setImmediate(resolve));
    const late = succeed();
    const before = asked.length;
    // Five asked as they came, one of them since then.
    expect(before).toBe(5 + 3);
    expect(refused(await attempts)).toBe(0);
    expect(await late).toBe('in');
    // Four looks were in vain; then each of the six reserved for the account and for the network.
    expect(asked).toHaveLength(12 + 6 * 2);
  });

  test('a caller who hangs up during a look-up asks no more, and the next one looks', async () => {
    const { succeed, asked, delays } = setUpBusy(...busy(3));
    const abort = new AbortController();
    const first = succeed(abort.signal);
    while (delays.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const next = succeed();
    abort.abort();
    await expect(first).rejects.toMatchObject({ problem: 'bad_request' });
    expect(await next).toBe('in');
    // Three looks of the first, then what the next reserved for the account and for the network.
    expect(asked).toHaveLength(3 + 2);
    // The queue is empty again: the next caller asks at once.
    expect(await succeed()).toBe('in');
    expect(asked).toHaveLength(3 + 2 * 2);
    expect(delays).toHaveLength(2);
  });

  test('a login whose caller is gone asks the database nothing', async () => {
    const { succeed, asked } = setUpBusy();
    await expect(succeed(AbortSignal.abort())).rejects.toMatchObject({ problem: 'bad_request' });
    expect(asked).toEqual([]);
  });

  test('the keys are the same in every process and version: an upgrade forgets no failures', async () => {
    const { succeed, asked } = setUpBusy();
    await succeed();
    const key = deriveKey(secret, 'gatewright login throttle');
    const keyOf = (...parts: readonly string[]) =>
      createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
    expect(asked).toEqual([keyOf('account', 'ann', '192.0.2.7'), keyOf('address', '192.0.2.7')]);
  });

  test('the keys show neither account nor address, and never mix the two up', async () => {
    const { fail, rows } = setUp();
    await fail('ann', '192.0.2.7');
    await fail('address', '192.0.2.7');
    expect(rows.size).toBe(3);
    for (const key of rows.keys()) expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect([...rows.values()].every(({ windowEnds }) => windowEnds === 1_000_000 + throttleWindow)).toBe(
      true,
    );
  });
});

/** The account as it is known once its password is verified. */
const ann = { id: 7, securityStamp: 3 };

describe('logins under siege', () => {
  const networks = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);
  const setUpSiege = () => {
    const { throttle, rows } = setUp();
    const hashed: string[] = [];
    const passwords = createPasswords(async (password, { tag }) => {
      hashed.push(password);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return password === 'right' ? tag : new Uint8Array(tag.length);
    });
    const account = { id: 7, username: 'ann', passwordHash: '', disabled: false, securityStamp: 3 };
    const ready = passwords.hash('right').then((hash) => {
      Object.assign(account, { passwordHash: hash });
      hashed.length = 0;
    });
    const login = createLogin({
      passwords,
      throttle,
      events: silent,
      accounts: {
        byAccount: async (name) => (name === 'ann' ? account : undefined),
        replaceHash: async () => {},
      },
    });
    return { login, hashed, rows, ready };
  };

  test('guesses whose callers hung up are not hashed, do not count, and delay no other caller', async () => {
    const { login, hashed, rows, ready } = setUpSiege();
    await ready;
    const abort = new AbortController();
    const guesses = times(160, (index) =>
      login({ account: `user${index}`, password: 'wrong', address: '192.0.2.7', signal: abort.signal }),
    );
    // The hundred that one network may have under way wait for their hashes, the others for their places.
    while (hashed.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    abort.abort();
    expect(refused(await guesses)).toBe(160);
    const begun = hashed.length;
    expect(begun).toBeLessThan(20);
    expect(await login({ account: 'ann', password: 'right', address: '192.0.2.7' })).toEqual(ann);
    expect(hashed.slice(begun)).toEqual(['right']);
    // Every hashed guess counts, whether its caller waited or not: hanging up wins no guess.
    const failures = [...rows.values()].map((row) => row.failures).sort((a, b) => b - a);
    expect([failures[0], [...rows.values()].every(({ reserved }) => reserved === 0)]).toEqual([begun, true]);
  });

  test('eleven guesses hung up in their hashes lock like eleven that waited', async () => {
    const { login, hashed, ready } = setUpSiege();
    await ready;
    for (let count = 0; count < 11; count += 1) {
      const abort = new AbortController();
      const guess = login({ account: 'ann', password: 'wrong', address: '192.0.2.7', signal: abort.signal });
      const outcome = guess.catch((error: unknown) => error);
      if (count < 10) while (hashed.length <= count) await new Promise((resolve) => setImmediate(resolve));
      abort.abort();
      await outcome;
    }
    await expect(login({ account: 'ann', password: 'right', address: '192.0.2.7' })).rejects.toMatchObject({
      status: 429,
    });
    expect(hashed).toHaveLength(10);
  });

  test('while 20 networks keep guessing, a login waits for one guess of each and no more', async () => {
    const { login, hashed, ready } = setUpSiege();
    await ready;
    const guesses = times(20 * 90, (index) =>
      login({ account: `user${index}`, password: 'wrong', address: networks(20)[index % 20] ?? '' }),
    );
    while (hashed.length < 40) await new Promise((resolve) => setTimeout(resolve, 1));
    const before = hashed.length;
    expect(await login({ account: 'ann', password: 'right', address: '198.51.100.1' })).toEqual(ann);
    expect(hashed.indexOf('right') - before).toBeLessThanOrEqual(24);
    // The queue is full many times over, and still no lone caller was refused.
    expect(refused(await guesses)).toBe(20 * 90);
  });
});

describe('login', () => {
  const passwords = createPasswords();
  let hash = '';
  beforeAll(async () => {
    hash = await passwords.hash('right password');
  });

  const build = (overrides: Partial<Account> = {}) => {
    const { throttle } = setUp();
    const account: Account = {
      id: 7,
      username: 'ann',
      passwordHash: hash,
      disabled: false,
      securityStamp: 3,
      ...overrides,
    };
    const asked: string[] = [];
    const replaced: unknown[] = [];
    const recorded: unknown[] = [];
    const records: unknown[] = [];
    const lookUps: Parameters<SecurityEvents['record']>[1][] = [];
    const login = createLogin({
      passwords,
      throttle,
      events: {
        record: (event, lookUp) => {
          records.push(event);
          recorded.push([event.action, event.account?.username, event.detail]);
          lookUps.push(lookUp);
        },
        log: () => {},
      },
      accounts: {
        byAccount: async (canonical) => {
          asked.push(canonical);
          return canonical === 'ann' || canonical === 'ann@example.com' ? account : undefined;
        },
        replaceHash: async (...args) => {
          replaced.push(args);
        },
      },
    });
    const attempt = (name: string, password: string, signal?: AbortSignal) =>
      login({ account: name, password, address: '192.0.2.7', signal });
    return { attempt, asked, replaced, recorded, records, lookUps };
  };

  test('login takes username or email, in any case or width, and the password', async () => {
    const { attempt, asked, replaced } = build();
    for (const name of ['ann', 'ANN', 'ａnn', 'Ann@Example.COM'])
      expect(await attempt(name, 'right password')).toEqual(ann);
    expect(asked).toEqual(['ann', 'ann', 'ann', 'ann@example.com']);
    expect(replaced).toEqual([]);
  });

  test('unknown, wrong, empty and disabled are answered alike', async () => {
    const { attempt } = build();
    const disabled = build({ disabled: true });
    const answers = await Promise.all(
      [
        attempt('bob', 'right password'),
        attempt('ann', 'wrong password'),
        attempt('ann', ''),
        attempt('', ''),
        attempt('x'.repeat(100_000), 'right password'),
        disabled.attempt('ann', 'right password'),
      ].map((answer) => answer.then(String, (error) => ({ ...error }))),
    );
    for (const answer of answers) {
      expect(answer).toEqual(answers[0]);
      expect(answer).toMatchObject({
        problem: 'login_failed',
        headers: { 'WWW-Authenticate': 'Bearer realm="gatewright"' },
      });
    }
  });

  test('ten failures lock real and unknown accounts alike, however they are spelt', async () => {
    const { attempt } = build();
    for (const name of ['ann', 'nobody']) {
      for (let count = 0; count < 10; count += 1) {
        await expect(attempt(count % 2 ? name : name.toUpperCase(), 'wrong password')).rejects.toMatchObject({
          status: 401,
        });
      }
      await expect(attempt(name, 'right password')).rejects.toMatchObject({
        status: 429,
        headers: { 'Retry-After': '900' },
      });
    }
  });

  test('every failure is recorded, with its account where there is one and never with the input', async () => {
    const { attempt, recorded, lookUps } = build();
    expect(await attempt('ann', 'right password')).toEqual(ann);
    for (const name of ['ANN', 'my password by mistake'])
      await expect(attempt(name, 'wrong password')).rejects.toMatchObject({ status: 401 });
    const disabled = build({ disabled: true });
    await expect(disabled.attempt('ann', 'right password')).rejects.toMatchObject({ status: 401 });
    expect([...recorded, ...disabled.recorded]).toEqual([
      ['sign_in.failed', 'ann', {}],
      ['sign_in.failed', undefined, {}],
      ['sign_in.failed', 'ann', { disabled: true }],
    ]);
    for (let count = 0; count < 10; count += 1) await attempt('ann', 'wrong password').catch(() => {});
    expect(recorded.at(-1)).toEqual(['sign_in.locked', undefined, undefined]);
    expect(await lookUps.at(-1)?.()).toMatchObject({ id: 7, username: 'ann' });
  });

  test('an attempt that was never checked is not recorded as one that locked', async () => {
    const { attempt, recorded } = build();
    await expect(attempt('ann', 'wrong password', AbortSignal.abort())).rejects.toMatchObject({
      problem: 'bad_request',
    });
    expect(recorded).toEqual([]);
  });

  test('the record of a failure names the address and the account', async () => {
    const { attempt, records } = build();
    await expect(attempt('ann', 'wrong password')).rejects.toMatchObject({ status: 401 });
    for (let count = 0; count < 10; count += 1) await attempt('ann', 'wrong password').catch(() => {});
    const address = '192.0.2.7';
    expect(records[0]).toEqual({
      action: 'sign_in.failed',
      address,
      account: { id: 7, username: 'ann' },
      detail: {},
    });
    expect(records.at(-1)).toEqual({ action: 'sign_in.locked', address });
  });

  test('an older hash is replaced once the password is verified', async () => {
    const old = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const { attempt, replaced } = build({ passwordHash: old });
    await expect(attempt('ann', 'wrong password')).rejects.toMatchObject({ status: 401 });
    expect(replaced).toEqual([]);
    expect(await attempt('ann', 'password')).toEqual(ann);
    expect(replaced).toEqual([[7, old, expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)]]);
  });
});
