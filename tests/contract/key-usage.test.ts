import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

interface Usage {
  readonly last_30_days: readonly {
    readonly at: string;
    readonly requests: number;
    readonly refused: number;
  }[];
  readonly last_address: string | null;
  readonly networks: readonly { readonly network: string }[];
}

interface Key {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly status: string;
  readonly expires_at: string | null;
}

const day = 86_400;

describeEachDatabase('a key in the administration area', (databases) => {
  const service = useService(databases);
  let root: TestUser;
  const token = () => service.server.services.tokens.issue(root.id);
  const usage = (id: number) => service.ok<Usage>('GET', `/admin/api_keys/${id}/usage`, { token: token() });
  const today = async (id: number) => (await usage(id)).last_30_days.at(-1);
  const patch = (id: number, api_key: object, by: object = { token: token() }) =>
    service.request<Key>('PATCH', `/admin/api_keys/${id}`, { ...by, body: { api_key } });

  beforeAll(async () => {
    root = await service.admin();
  });

  describe('GET /admin/api_keys/:id and its usage', () => {
    it('the usage of a key is for administrators; a key that is not there is 404', async () => {
      const viewer = await service.createUser();
      const { id } = await service.createKey(viewer);
      for (const path of [`/admin/api_keys/${id}`, `/admin/api_keys/${id}/usage`]) {
        expect((await service.get(path)).status).toBe(401);
        expect((await service.get(path, { token: viewer })).status).toBe(403);
        expect((await service.get(path.replace(String(id), '999999'), { token: token() })).status).toBe(404);
      }
      const shown = await service.ok<Key>('GET', `/admin/api_keys/${id}`, { token: token() });
      expect(shown).toMatchObject({ id, status: 'active', neglected: false, user: { id: viewer.id } });
      expect(JSON.stringify(shown)).not.toMatch(/[0-9a-f]{64}/);
    });

    it('counts requests by the day, and those that were refused; no other key’s', async () => {
      const person = await service.createUser();
      const [one, other] = [await service.createKey(person), await service.createKey(person)];
      const { key } = one;
      for (let time = 0; time < 3; time += 1) await service.get('/api/v1/users', { key });
      await service.get('/api/v1/users?page=no', { key });
      await service.get('/api/v1/users', { key: other.key });
      expect(await today(one.id)).toEqual({
        at: `${new Date(service.clock.now()).toISOString().slice(0, 10)}T00:00:00.000Z`,
        requests: 4,
        refused: 1,
      });
      expect(await today(other.id)).toMatchObject({ requests: 1, refused: 0 });
      const { last_address, last_30_days } = await usage(one.id);
      expect([last_address, last_30_days.length]).toEqual(['127.0.0.1', 30]);
      expect(new Set(last_30_days.map(({ at }) => at)).size).toBe(30);
      await service.server.services.securityEvents.flush();
      expect((await usage(one.id)).networks).toEqual([
        { network: '127.0.0.1', first_used_at: expect.stringMatching(/Z$/) },
      ]);
    });

    it('the usage of a key adds up over several instances and several batches', async () => {
      const second = await service.secondInstance();
      const person = await service.createUser();
      const { id, key } = await service.createKey(person);
      for (const each of [service, second, second]) await each.get('/api/v1/users', { key });
      await second.server.services.keyUsage.flush();
      await service.server.services.keyUsage.flush();
      await second.get('/api/v1/users?page=no', { key });
      await second.server.services.keyUsage.flush();
      expect(await today(id)).toMatchObject({ requests: 4, refused: 1 });
    });

    it('moves with the days, and is swept when no page shows it any more', async () => {
      const { id, key } = await service.createKey(await service.createUser());
      await service.get('/api/v1/users', { key });
      await service.server.services.keyUsage.flush();
      const sum = async () =>
        (await usage(id)).last_30_days.reduce((total, { requests }) => total + requests, 0);
      const rows = () =>
        service.server.services.database.execute({
          sql: `select * from gatewright_key_usage where key_id = ${id}`,
          parameters: [],
        });
      try {
        service.clock.advance(29 * day);
        await service.server.services.keyUsage.sweep();
        expect([await sum(), (await usage(id)).last_30_days[0]?.requests]).toEqual([1, 1]);
        service.clock.advance(day);
        expect(await sum()).toBe(0);
        expect(await rows()).toHaveLength(1);
        service.clock.advance(3 * day);
        await service.server.services.keyUsage.sweep();
        expect(await rows()).toHaveLength(0);
      } finally {
        service.clock.reset();
      }
    });

    it('goes with the key, and with its owner; what was still to be written of it harms nothing', async () => {
      const person = await service.createUser();
      const [one, two, other] = [
        await service.createKey(person),
        await service.createKey(person),
        await service.createKey(await service.createUser()),
      ];
      for (const { key } of [one, two]) await service.get('/api/v1/users', { key });
      await service.server.services.keyUsage.flush();
      for (const { key } of [one, two, other]) await service.get('/api/v1/users', { key });
      await service.ok('DELETE', `/admin/api_keys/${one.id}`, { token: token() });
      await service.ok('DELETE', `/admin/users/${person.id}`, { token: token() });
      await service.server.services.keyUsage.flush();
      const left = await service.server.services.database.execute({
        sql: `select * from gatewright_key_usage where key_id in (${one.id}, ${two.id}, ${other.id})`,
        parameters: [],
      });
      expect(left).toHaveLength(1);
      expect(await today(other.id)).toMatchObject({ requests: 1 });
    });
  });

  describe('PATCH /admin/api_keys/:id', () => {
    const make = async (days: number | null) => {
      const at = days === null ? undefined : new Date(service.clock.now() + days * day * 1000).toISOString();
      return service.createKey(await service.createUser(), at);
    };
    const later = () => new Date(service.clock.now() + 200 * day * 1000).toISOString();

    it('200: another name, another end, none', async () => {
      const { id, key, name } = await make(3);
      const end = later();
      const extended = await patch(id, { expires_at: end });
      expect([extended.status, extended.data]).toMatchObject([200, { id, name, expires_at: end }]);
      expect((await patch(id, { name: 'nightly' })).data).toMatchObject({ name: 'nightly', expires_at: end });
      expect((await patch(id, { expires_at: null })).data.expires_at).toBe(null);
      expect((await patch(id, {})).data).toMatchObject({ name: 'nightly', expires_at: null });
      expect((await service.get('/api/v1/users', { key })).status).toBe(200);
      type Entry = { readonly target_id: string; readonly detail: object };
      const entries = await service.ok<Entry[]>('GET', '/admin/audit?filter[action]=key.update&sort=id', {
        token: token(),
      });
      // A change of nothing is none.
      expect(entries.filter(({ target_id }) => target_id === String(id)).map(({ detail }) => detail)).toEqual(
        [
          { user_id: expect.any(Number), expires_at: end, before: { expires_at: expect.any(String) } },
          { user_id: expect.any(Number), name: 'nightly', before: { name: expect.any(String) } },
          { user_id: expect.any(Number), expires_at: null, before: { expires_at: end } },
        ],
      );
    });

    it('200: an end that is past ends the key at once', async () => {
      const { id, key } = await make(3);
      const past = new Date(service.clock.now() - 1000).toISOString();
      expect((await patch(id, { expires_at: past })).data.status).toBe('expired');
      expect((await service.get('/api/v1/users', { key })).status).toBe(401);
    });

    it('409: a key that is over stays over; it may be renamed', async () => {
      const { id, key } = await make(-1);
      const refused = await patch(id, { expires_at: later() });
      expect([refused.status, refused.json]).toEqual([
        409,
        { code: 40909, message: '密钥已过期，不能再延期，请创建新密钥' },
      ]);
      expect((await patch(id, { expires_at: null })).status).toBe(409);
      expect((await service.get('/api/v1/users', { key })).status).toBe(401);
      expect((await patch(id, { name: 'late' })).data).toMatchObject({ name: 'late', status: 'expired' });
    });

    it('422, 404, 403, 401 and from a page of another site', async () => {
      const { id } = await make(3);
      for (const wrong of [
        { name: '' },
        { name: 'x'.repeat(101) },
        { name: null },
        { expires_at: 'soon' },
        { expires_at: 5 },
      ])
        expect((await patch(id, wrong)).status, JSON.stringify(wrong)).toBe(422);
      expect((await patch(999_999, { name: 'a' })).status).toBe(404);
      const viewer = await service.createUser();
      expect((await patch(id, { name: 'a' }, { token: viewer })).status).toBe(403);
      expect((await patch(id, { name: 'a' }, {})).status).toBe(401);
      const cookie = await service.signIn(root);
      const foreign = { cookie, headers: { origin: 'https://evil.example' } };
      expect((await patch(id, { name: 'a' }, foreign)).json.code).toBe(40301);
      expect((await patch(id, { name: 'a' }, { cookie, headers: { origin: service.origin } })).status).toBe(
        200,
      );
      // Owner, hash and the rest cannot be changed.
      const other = await service.createUser();
      const sent = await patch(id, { name: 'b', user_id: other.id, key: 'f'.repeat(64) });
      expect(sent.data).toMatchObject({ name: 'b', user: { id: expect.not.closeTo(other.id) } });
    });
  });
});
