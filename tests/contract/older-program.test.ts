import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { noRestrictions } from '../../src/accounts/api-keys/restrictions.ts';
import { hashKey } from '../../src/auth/api-key.ts';
import type { Database } from '../../src/database/database.ts';
import { sql, statement } from '../../src/database/statement.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Key, type TestUser, useService } from '../support/service.ts';

/** Restrictions by name. The compiler names a restriction that is missing here. */
const restrictions: Readonly<Record<keyof typeof noRestrictions, unknown>> = {
  scopes: ['users:read'],
  networks: ['127.0.0.0/8'],
  limit: { max: 5, window: '1h' },
  quota: 1_000,
};

describeEachDatabase('a program that knows no restrictions', (databases) => {
  const service = useService(databases);
  let database: Database;
  let user: TestUser;
  let close: () => Promise<void>;
  beforeAll(async () => {
    user = await service.createUser();
    const opened = await databases.open(service.env['DATABASE_URL']);
    [database, close] = [opened, () => opened.close()];
  });
  afterAll(() => close());

  /** Its look-ups, as they were: by the SHA-256 alone. */
  const finds = async (key: string): Promise<boolean> => {
    const of = (table: string) => {
      const text = table === 'api_keys' ? sql`api_keys k` : sql`gatewright_former_secrets k`;
      return statement<{ hash: string }>(
        database.dialect,
        (value) => sql`select k.key_hash from ${text} where k.key_hash = ${value('hash')}`,
      )({ hash: hashKey(key) });
    };
    const rows = await Promise.all(['api_keys', 'former'].map((table) => database.get(of(table))));
    return rows.some((row) => row !== undefined);
  };
  const create = (more: object): Promise<Key> =>
    service.ok<Key>('POST', '/api/v1/api_keys', { token: user, body: { api_key: { name: 'k', ...more } } });
  const change = async (id: number, values: object) =>
    service.ok('PATCH', `/admin/api_keys/${id}`, {
      token: await service.admin(),
      body: { api_key: values },
    });
  const rotate = (id: number) =>
    service.ok<Key>('POST', `/api/v1/api_keys/${id}/rotate`, { token: user, body: {} });
  const works = async (key: string): Promise<boolean> =>
    (await service.get('/api/v1/users', { key })).status === 200;

  it('finds a key without any', async () => {
    const { id, key } = await create({});
    const { key: next } = await rotate(id);
    expect([await finds(key), await finds(next), await works(key), await works(next)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  describe.each(Object.entries(restrictions))('does not find a key with %s', (name, value) => {
    it('an older program does not find a key that was made with restrictions, nor after a rotation', async () => {
      const { id, key } = await create({ [name]: value });
      const { key: next } = await rotate(id);
      expect([await finds(key), await finds(next)]).toEqual([false, false]);
      expect([await works(key), await works(next)]).toEqual([true, true]);
    });

    it('an older program does not find a key that got restrictions later, until they are taken away', async () => {
      const { id, key } = await create({});
      const { key: next } = await rotate(id);
      await change(id, { [name]: value });
      expect([await finds(key), await finds(next)]).toEqual([false, false]);
      expect([await works(key), await works(next)]).toEqual([true, true]);
      await change(id, { [name]: null });
      expect([await finds(key), await finds(next)]).toEqual([true, true]);
      expect([await works(key), await works(next)]).toEqual([true, true]);
    });
  });

  it('a program that knows no restrictions does not hide a leaked key from a search', async () => {
    const token = await service.admin();
    const { id, key } = await create({ scopes: ['users:read'] });
    const { key: next } = await rotate(id);
    const find = (sought: string) =>
      service.ok<{ id: number; status: string }>('POST', '/admin/api_keys/find', {
        token,
        body: { key: sought },
      });
    expect([(await find(key)).id, (await find(next)).id]).toEqual([id, id]);
    expect((await service.delete(`/api/v1/api_keys/${id}`, { token: user })).status).toBe(200);
    expect(await find(next)).toMatchObject({ id, status: 'revoked' });
  });
});
