import { describe, expect, it } from 'vitest';
import { createIdentityStore } from '../../src/accounts/users/identities.ts';
import { hashKey } from '../../src/auth/api-key.ts';
import { ServiceClock } from '../../src/kernel/clock.ts';
import { movableClock } from '../support/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

interface Rotated {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly scopes?: readonly string[];
  readonly networks?: readonly string[];
  readonly previous_until: string | null;
}

interface Listed {
  readonly id: number;
  readonly key: string;
  readonly last_used_at: string | null;
  readonly rotated_at: string | null;
  readonly secrets: readonly {
    readonly key: string;
    readonly last_used_at: string | null;
    readonly ends_at: string | null;
  }[];
}

const day = 86_400;
const path = '/api/v1/api_keys';
const maskOf = (key: string): string => `${key.slice(0, 8)}****`;

const rotate = (service: Service, token: TestUser | string, id: number, overlap?: number) =>
  service.ok<Rotated>('POST', `${path}/${id}/rotate`, {
    token,
    body: overlap === undefined ? {} : { overlap },
  });

const codeOf = async (service: Service, key: string): Promise<number> =>
  (await service.get('/api/v1/users', { key })).json.code;

const codesOf = (service: Service, ...keys: readonly string[]): Promise<readonly number[]> =>
  Promise.all(keys.map((key) => codeOf(service, key)));

const refused = 40_102;

describeEachDatabase('the rotation of a key', (databases) => {
  const service = useService(databases);

  it('returns a new key once; id, name, expiry, scopes and networks stay', async () => {
    const user = await service.createUser();
    const restrictions = {
      expires_at: '2099-01-01T00:00:00.000Z',
      scopes: ['users:read'],
      networks: ['127.0.0.0/8', '::1'],
    };
    const body = { api_key: { name: 'nightly', ...restrictions } };
    const made = await service.ok<Rotated>('POST', path, { token: user, body });
    const answer = await service.post<Rotated>(`${path}/${made.id}/rotate`, { token: user, body: {} });
    expect([answer.status, answer.json.message]).toEqual([
      200,
      '轮换成功，请立即保存新密钥，之后无法再次查看',
    ]);
    const { key, previous_until, ...same } = answer.data;
    const { key: old, ...before } = made;
    expect(same).toEqual(before);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(key).not.toBe(old);
    const overlap = Date.parse(previous_until ?? '') - service.clock.now();
    expect(overlap).toBeGreaterThan((day - 60) * 1_000);
    expect(overlap).toBeLessThanOrEqual(day * 1_000);
    expect(await codesOf(service, old, key)).toEqual([0, 0]);
    const lists = await service.get(path, { token: user });
    for (const secret of [old, key, hashKey(old), hashKey(key)]) expect(lists.text).not.toContain(secret);
    const kept = await service.server.services.database.all({
      sql: 'select * from gatewright_former_secrets',
      parameters: [],
    });
    for (const secret of [old, key]) expect(JSON.stringify(kept)).not.toContain(secret);
  });

  it('shows both masks with the last use of each, and the present one alone afterwards', async () => {
    const user = await service.createUser();
    const { id, key: old } = await service.createKey(user);
    const list = async (): Promise<Listed> => {
      const token = await service.tokenOf(user.id);
      const keys = await service.ok<Listed[]>('GET', path, { token });
      const managed = await service.ok<Listed>('GET', `/admin/api_keys/${id}`, {
        token: await service.tokenOf((await service.admin()).id),
      });
      const found = keys.find((each) => each.id === id);
      expect(managed.secrets).toEqual(found?.secrets);
      if (found === undefined) throw new Error('the key is not listed');
      return found;
    };
    expect(await list()).toMatchObject({
      rotated_at: null,
      secrets: [{ key: maskOf(old), last_used_at: null, ends_at: null }],
    });
    // An instance writes last uses now and then, and when it stops.
    const early = await service.secondInstance();
    await codeOf(early, old);
    const { key, previous_until } = await rotate(service, user, id, 600);
    await early.close();
    const use = async (secret: string) => {
      const instance = await service.secondInstance();
      expect(await codeOf(instance, secret)).toBe(0);
      await instance.close();
    };
    // The use before the rotation, which is written after it, is one of the old secret.
    const first = await list();
    expect(first).toMatchObject({
      key: maskOf(key),
      rotated_at: expect.any(String),
      secrets: [
        { key: maskOf(key), last_used_at: null, ends_at: null },
        { key: maskOf(old), last_used_at: expect.any(String), ends_at: previous_until },
      ],
    });
    service.clock.advance(60);
    await use(key);
    const second = await list();
    const times = ({ secrets }: Listed) => secrets.map(({ last_used_at: at }) => Date.parse(at ?? ''));
    expect(times(second)[0]).toBeGreaterThan(times(second)[1] ?? Number.NaN);
    expect(second.last_used_at).toBe(second.secrets[0]?.last_used_at);
    service.clock.advance(60);
    await use(old);
    const third = await list();
    expect(times(third)[1]).toBeGreaterThan(times(third)[0] ?? Number.NaN);
    expect(third.last_used_at).toBe(third.secrets[1]?.last_used_at);
    service.clock.advance(600);
    expect((await list()).secrets).toMatchObject([{ key: maskOf(key) }]);
    service.clock.reset();
  });

  it.each([0, 1, 600, 30 * day])(
    'a rotation with an overlap of %i seconds ends the old key then',
    async (overlap) => {
      const user = await service.createUser();
      const { id, key: old } = await service.createKey(user);
      const { key, previous_until } = await rotate(service, user, id, overlap);
      const { identities } = service.server.services;
      if (overlap === 0) {
        expect(previous_until).toBeNull();
        expect(await codesOf(service, old, key)).toEqual([refused, 0]);
        return;
      }
      const end = Date.parse(previous_until ?? '');
      const known = async (at: number) => (await identities.byKeyHash(hashKey(old), at, [])) !== undefined;
      expect([await known(end - 1), await known(end), await known(end + 1)]).toEqual([true, false, false]);
      service.clock.advance(overlap);
      expect(await codesOf(service, old, key)).toEqual([refused, 0]);
      service.clock.reset();
    },
  );

  it.each([
    [-1, 'minimum'],
    [30 * day + 1, 'maximum'],
    [1.5, 'type'],
    ['600', 'type'],
    [1e21, 'maximum'],
  ])('refuses an overlap of %o', async (overlap, rule) => {
    const user = await service.createUser();
    const { id, key } = await service.createKey(user);
    const answer = await service.post(`${path}/${id}/rotate`, { token: user, body: { overlap } });
    expect(answer.json).toMatchObject({ code: 42_200, data: { errors: [{ field: 'overlap', rule }] } });
    expect(await codeOf(service, key)).toBe(0);
  });

  it('a rotation within the overlap ends the older key at once: there are never more than two', async () => {
    const user = await service.createUser();
    const { id, key: first } = await service.createKey(user);
    const { key: second } = await rotate(service, user, id, day);
    const { key: third } = await rotate(service, user, id, day);
    expect(await codesOf(service, first, second, third)).toEqual([refused, 0, 0]);
    const { key: fourth } = await rotate(service, user, id, 0);
    expect(await codesOf(service, second, third, fourth)).toEqual([refused, refused, 0]);
  });

  it('a rotated key never works beyond its expiry, and an expired key is not rotated', async () => {
    const user = await service.createUser();
    const expires_at = new Date(service.clock.now() + 3_600_000).toISOString();
    const { id, key: old } = await service.createKey(user, expires_at);
    const { key, previous_until } = await rotate(service, user, id, day);
    expect(previous_until).toBe(expires_at);
    service.clock.advance(3_600);
    expect(await codesOf(service, old, key)).toEqual([refused, refused]);
    const token = await service.tokenOf(user.id);
    const answer = await service.post(`${path}/${id}/rotate`, { token, body: {} });
    expect([answer.status, answer.json.code]).toEqual([409, 40_909]);
    service.clock.reset();
  });

  it('a rotation is for the owner and administrators, and never for a key itself', async () => {
    const root = await service.admin();
    const [user, other] = [await service.createUser(), await service.createUser()];
    const { id, key } = await service.createKey(user);
    const ask = async (of: object, at = path) =>
      (await service.post(`${at}/${id}/rotate`, { ...of, body: {} })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ key })).toBe(401);
    expect(await ask({ token: other })).toBe(404);
    expect(await ask({ token: user }, '/admin/api_keys')).toBe(403);
    expect(await ask({ key }, '/admin/api_keys')).toBe(401);
    const missing = await service.post(`${path}/${id + 1_000}/rotate`, { token: user, body: {} });
    const foreign = await service.post(`${path}/${id}/rotate`, { token: other, body: {} });
    const textOf = ({ text }: typeof missing) => text;
    expect(textOf(foreign)).toBe(textOf(missing));
    expect(await codeOf(service, key)).toBe(0);
    expect(await ask({ token: root }, '/admin/api_keys')).toBe(200);
  });

  it('leaves restrictions on both: scopes, networks, a disabled owner', async () => {
    const root = await service.admin();
    const user = await service.createUser();
    const { id, key: old } = await service.createKey(user);
    const { key } = await rotate(service, user, id, day);
    const change = (at: string, body: object) => service.ok('PATCH', at, { token: root, body });
    await change(`/admin/api_keys/${id}`, { api_key: { networks: ['203.0.113.0/24'] } });
    expect(await codesOf(service, old, key)).toEqual([refused, refused]);
    await change(`/admin/api_keys/${id}`, { api_key: { networks: null } });
    expect(await codesOf(service, old, key)).toEqual([0, 0]);
    await change(`/admin/users/${user.id}`, { user: { disabled: true } });
    expect(await codesOf(service, old, key)).toEqual([refused, refused]);
  });

  it.each(['/api/v1/api_keys', '/admin/api_keys'])('both end with the key: DELETE %s', async (area) => {
    const token = await service.admin();
    const { id, key: first } = await service.createKey(token);
    const { key: second } = await rotate(service, token, id, 0);
    const { key: third } = await rotate(service, token, id, day);
    const find = (key: string) =>
      service.ok<{ status: string }>('POST', '/admin/api_keys/find', { token, body: { key } });
    const statuses = async () =>
      Promise.all([first, second, third].map(async (key) => (await find(key)).status));
    expect(await statuses()).toEqual(['replaced', 'active', 'active']);
    await service.ok('DELETE', `${area}/${id}`, { token });
    expect(await codesOf(service, first, second, third)).toEqual([refused, refused, refused]);
    expect(await statuses()).toEqual(['revoked', 'revoked', 'revoked']);
    expect((await service.post(`${area}/${id}/rotate`, { token, body: {} })).status).toBe(404);
  });

  it('stands in the audit log, and who still sends the old key is known', async () => {
    const root = await service.admin();
    const user = await service.createUser();
    const { id, key: old } = await service.createKey(user);
    const { previous_until } = await rotate(service, user, id, 60);
    const [entry] = await service.ok<object[]>(
      'GET',
      `/admin/audit?filter[action]=key.rotate&filter[target_id]=${id}&per_page=1`,
      { token: root },
    );
    expect(entry).toMatchObject({
      actor_name: user.username,
      target_kind: 'api_key',
      detail: { user_id: user.id, overlap: 60, previous_until },
    });
    service.clock.advance(60);
    expect(await codeOf(service, old)).toBe(refused);
    await service.server.services.refusals.flush();
    const token = await service.tokenOf(root.id);
    const refusals = await service.ok<object[]>('GET', `/admin/refusals?filter[caller_id]=${id}`, { token });
    expect(refusals).toMatchObject([{ caller_id: String(id), caller_name: user.username }]);
    service.clock.reset();
  });
});

describeEachDatabase('rotations at once', (databases) => {
  it('rotations at once on two instances give each caller a key, of which the last two work', async () => {
    await using service = await startService(databases);
    const second = await service.secondInstance();
    const user = await service.createUser();
    const { id, key: old } = await service.createKey(user);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => rotate(index % 2 === 0 ? service : second, user, id, day)),
    );
    const keys = [old, ...made.map(({ key }) => key)];
    expect(new Set(keys).size).toBe(9);
    for (const instance of [service, second]) {
      const codes = await codesOf(instance, ...keys);
      expect(codes.filter((code) => code === 0)).toHaveLength(2);
      expect(codes[0]).toBe(refused);
    }
    const stored = await service.server.services.database.all({
      sql: `select key_hash from gatewright_former_secrets where key_id = ${id}`,
      parameters: [],
    });
    expect(stored).toHaveLength(8);
  });

  it('rotations beside use never refuse the old key within the overlap', async () => {
    await using service = await startService(databases);
    const second = await service.secondInstance();
    const user = await service.createUser();
    let { id, key } = await service.createKey(user);
    for (let round = 0; round < 4; round += 1) {
      let over = false;
      const codes: number[] = [];
      const asking = [service, second].map(async (instance) => {
        while (!over) codes.push(await codeOf(instance, key));
      });
      const rotated = await rotate(round % 2 === 0 ? service : second, user, id, day);
      expect(await codesOf(second, rotated.key)).toEqual([0]);
      over = true;
      await Promise.all(asking);
      expect(codes.length).toBeGreaterThan(0);
      expect(new Set(codes)).toEqual(new Set([0]));
      ({ id, key } = rotated);
    }
  });

  it('a rotation beside a deletion leaves no key, however it ends', async () => {
    await using service = await startService(databases);
    const second = await service.secondInstance();
    const user = await service.createUser();
    for (let round = 0; round < 4; round += 1) {
      const { id, key: old } = await service.createKey(user);
      const [rotated] = await Promise.all([
        second.post<Rotated>(`${path}/${id}/rotate`, { token: user, body: {} }),
        service.ok('DELETE', `${path}/${id}`, { token: user }),
      ]);
      expect([200, 404]).toContain(rotated.status);
      expect(
        await codesOf(service, old, ...(rotated.status === 200 ? [rotated.data.key] : [])),
      ).not.toContain(0);
    }
  });
});

describeEachDatabase('clocks and the overlap', (databases) => {
  it('an instance whose clock is wrong ends the old key at the same moment', async () => {
    await using service = await startService(databases);
    const { database } = service.server.services;
    const user = await service.createUser();
    const { id, key: old } = await service.createKey(user);
    const { previous_until } = await rotate(service, user, id, 3_600);
    const end = Date.parse(previous_until ?? '');
    for (const wrong of [-7 * day, -3_600, 3_600, 40 * day]) {
      let elapsed = 0;
      let time = end - 10_000;
      const clock = new ServiceClock(
        () => time + wrong * 1_000,
        () => elapsed,
      );
      clock.compare(time, elapsed, elapsed);
      const identities = createIdentityStore(database, () => {});
      const known = async () => (await identities.byKeyHash(hashKey(old), clock.now(), [])) !== undefined;
      const pass = (milliseconds: number) => {
        elapsed += milliseconds;
        time += milliseconds;
      };
      pass(9_999);
      expect(await known()).toBe(true);
      pass(1);
      expect(await known()).toBe(false);
    }
  });

  it('an overlap that a clock ahead has written ends once the clock is right', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { clock });
    const user = await service.createUser();
    const { id, key: old } = await service.createKey(user);
    clock.advance(10 * day);
    const { key } = await rotate(service, await service.tokenOf(user.id), id, 3_600);
    clock.reset();
    // The next start, or the next look at the clock, checks the stored times.
    const second = await service.secondInstance();
    expect(await codesOf(second, old, key)).toEqual([refused, 0]);
  });
});

describe('a rotation by the command line', () => {
  describeEachDatabase('prints the new key once', (databases) => {
    const service = useService(databases);

    it('a rotation by the command line keeps the old key for as long as it says', async () => {
      const user = await service.createUser();
      const { id, key: old } = await service.createKey(user);
      const { stdout } = await service.command('key', 'rotate', String(id), '--overlap', '1h', '--json');
      const rotated = JSON.parse(stdout) as Rotated;
      expect(rotated).toMatchObject({ id, name: `key of ${user.username}` });
      expect(await codesOf(service, old, rotated.key)).toEqual([0, 0]);
      const plain = await service.command('key', 'rotate', String(id), '--overlap', '0');
      const key = /^key, shown this once: ([0-9a-f]{64})$/m.exec(plain.stdout)?.[1] ?? '';
      expect(await codesOf(service, old, rotated.key, key)).toEqual([refused, refused, 0]);
    });

    it.each([
      [['x'], 'x is not an id'],
      [['4711'], 'no key with the id 4711'],
      [['1', '--overlap', '31d'], '--overlap'],
      [['1', '--overlap', 'soon'], '--overlap'],
    ])('key rotate refuses %j', async (words, message) => {
      await expect(service.command('key', 'rotate', ...words)).rejects.toThrow(message);
    });
  });
});
