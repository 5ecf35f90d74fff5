import { expect, it } from 'vitest';
import { sweepRevokedKeys } from '../../src/accounts/api-keys/revoked-keys.ts';
import { hashKey } from '../../src/auth/api-key.ts';
import { movableClock } from '../support/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

interface Refusal {
  readonly caller_kind: string;
  readonly caller_id: string;
  readonly caller_name: string;
  readonly key_name: string | null;
  readonly revoked_at: string | null;
  readonly revoked_by_kind: string | null;
  readonly revoked_by_name: string | null;
  readonly code: number;
}

const path = '/api/v1/users';

const execute = <Row>(service: Service, sql: string): Promise<readonly Row[]> =>
  service.server.services.database.all<Row>({ sql, parameters: [] });

/** Refusals by the id of their key. */
const refusedKeys = async (service: Service): Promise<ReadonlyMap<number, Refusal>> => {
  const { id: root } = await service.admin();
  // Made now: the clock may have gone on by more than a token lasts.
  const token = await service.tokenOf(root);
  const listed = await service.ok<Refusal[]>('GET', '/admin/refusals', { token });
  return new Map(
    listed
      .filter(({ caller_kind }) => caller_kind === 'api_key')
      .map((each) => [Number(each.caller_id), each]),
  );
};

/** An answer without the values that differ between any two. */
const bare = ({ status, headers, text }: Awaited<ReturnType<Service['get']>>) => {
  const { date, 'x-request-id': id, ...others } = headers;
  expect([date, id]).toEqual([expect.any(String), expect.any(String)]);
  return { status, others, text };
};

describeEachDatabase('revoked keys', (databases) => {
  it('each way in which a key goes: who still sends it is known, and who ended it', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { clock });
    const second = await service.secondInstance();
    const root = await service.admin();
    const [user, other] = [await service.createUser(), await service.createUser()];
    const keys = [];
    for (const owner of [user, user, user, other, other]) keys.push(await service.createKey(owner));
    const [own, byRoot, byHand, first, last] = keys;
    if (!own || !byRoot || !byHand || !first || !last) throw new Error('five keys');
    clock.advance(3_600);
    const at = new Date(clock.now()).toISOString();
    await service.ok('DELETE', `/api/v1/api_keys/${own.id}`, { token: user });
    await second.ok('DELETE', `/admin/api_keys/${byRoot.id}`, { token: root });
    // An instance of an older version deletes it so, or somebody in the database itself.
    await service.server.services.database.execute({
      sql: `delete from api_keys where id = ${byHand.id}`,
      parameters: [],
    });
    await service.ok('DELETE', `/admin/users/${other.id}`, { token: root });

    const unknown = bare(await service.get(path, { key: 'f'.repeat(64) }));
    for (const { key } of keys) expect(bare(await second.get(path, { key }))).toEqual(unknown);
    await second.server.services.refusals.flush();

    const found = await refusedKeys(service);
    const shown = keys.map(({ id }) => {
      const { caller_name, key_name, revoked_by_kind, revoked_by_name, code } = found.get(id) ?? {};
      return [caller_name, key_name, revoked_by_kind, revoked_by_name, code];
    });
    const mine = [user.username, `key of ${user.username}`];
    const gone = [other.username, `key of ${other.username}`, 'user', root.username, 40102];
    expect(shown).toEqual([
      [...mine, 'user', user.username, 40102],
      [...mine, 'user', root.username, 40102],
      [...mine, null, null, 40102],
      gone,
      gone,
    ]);
    const times = keys.map(({ id }) => found.get(id)?.revoked_at ?? '');
    expect(times.filter((time) => time >= at)).toHaveLength(4);
    // The database's own clock was not moved.
    expect(Math.abs(Date.parse(times[2] ?? '') - Date.now())).toBeLessThan(60_000);

    // No key is kept, and of its hash no more than before.
    const kept = await execute<{ key_hash: string }>(service, 'select * from gatewright_revoked_keys');
    const hashes = keys.map(({ key }) => hashKey(key));
    expect(kept.map(({ key_hash }) => key_hash).toSorted()).toEqual(hashes.toSorted());
    const answer = await service.get('/admin/refusals', { token: root });
    for (const secret of [...hashes, ...keys.map(({ key }) => key)])
      expect(answer.text).not.toContain(secret);
    for (const { key } of keys) expect(JSON.stringify(kept)).not.toContain(key);
  });

  it('a user deleted in the database itself leaves their keys by name', async () => {
    await using service = await startService(databases);
    using _first = service.askFirstWorker();
    const user = await service.createUser();
    const { id, key } = await service.createKey(user);
    await service.server.services.database.execute({
      sql: `delete from users where id = ${user.id}`,
      parameters: [],
    });
    expect((await service.get(path, { key })).status).toBe(401);
    expect((await refusedKeys(service)).get(id)).toMatchObject({
      caller_name: user.username,
      revoked_by_kind: null,
    });
  });

  it('a deletion that is refused leaves the key, and nothing behind', async () => {
    await using service = await startService(databases);
    const root = await service.admin();
    const other = await service.createUser();
    const { id, key } = await service.createKey(root);
    expect((await service.delete(`/admin/users/${root.id}`, { token: root })).status).toBe(409);
    expect((await service.delete(`/api/v1/api_keys/${id}`, { token: other })).status).toBe(404);
    expect((await service.get(path, { key })).status).toBe(200);
    expect(await execute(service, 'select key_id from gatewright_revoked_keys')).toEqual([]);
  });

  it('one of two callers who delete a key at once has done it', async () => {
    await using service = await startService(databases);
    const second = await service.secondInstance();
    const user = await service.createUser();
    for (let round = 0; round < 5; round += 1) {
      const { id } = await service.createKey(user);
      const answers = await Promise.all([
        service.delete(`/api/v1/api_keys/${id}`, { token: user }),
        second.delete(`/admin/api_keys/${id}`, { token: await service.admin() }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
      const winner = answers[0]?.status === 200 ? user.username : 'root';
      expect(
        await execute(service, `select actor_name from gatewright_revoked_keys where key_id = ${id}`),
      ).toEqual([{ actor_name: winner }]);
    }
  });

  it('a revoked key is forgotten after ninety days', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { clock });
    using _first = service.askFirstWorker();
    const user = await service.createUser();
    const { id, key } = await service.createKey(user);
    await service.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user });
    clock.advance(89 * 86_400);
    await sweepRevokedKeys(service.server.services);
    await service.get(path, { key });
    expect((await refusedKeys(service)).get(id)?.revoked_at).toEqual(expect.any(String));
    clock.advance(2 * 86_400);
    await sweepRevokedKeys(service.server.services);
    await service.server.services.refusals.sweep();
    await service.get(path, { key });
    expect(await refusedKeys(service)).toEqual(new Map());
  });

  it('an explanation says that it was revoked, when and by whom', async () => {
    await using service = await startService(databases);
    const root = await service.admin();
    const user = await service.createUser();
    const { id, name } = await service.createKey(user);
    await service.ok('DELETE', `/admin/api_keys/${id}`, { token: root });
    const explained = await service.ok<{
      readonly code: number;
      readonly caller: { readonly id: number; readonly revoked_at: string };
      readonly steps: readonly { readonly rule: string; readonly because: string }[];
    }>('GET', `/admin/explain?api_key_id=${id}&method=GET&path=${path}`, { token: root });
    const { revoked_at: at } = explained.caller;
    expect([explained.code, explained.caller]).toEqual([
      40102,
      { kind: 'api_key', id, name, revoked_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(explained.steps.find(({ rule }) => rule === 'authentication')?.because).toBe(
      `${user.username} 的密钥 ${name} 已于 ${at} 由 root 吊销`,
    );
  });

  it('strangers who guess keys do not crowd out the users of a revoked one', async () => {
    await using service = await startService(databases);
    using _first = service.askFirstWorker();
    const user = await service.createUser();
    const { id, key } = await service.createKey(user);
    await service.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user });
    const { refusals } = service.server.services;
    const request = { method: 'GET', path, params: {} };
    for (let guess = 0; guess < 2_000; guess += 1)
      refusals.recordClaim(
        { kind: 'api_key', hash: hashKey(String(guess)) },
        { ...request, address: `10.0.0.${guess % 5}` },
        40102,
      );
    expect((await service.get(path, { key })).status).toBe(401);
    expect([...(await refusedKeys(service)).keys()]).toEqual([id]);
  });
});

describeEachDatabase('POST /admin/api_keys/find', (databases) => {
  const service = useService(databases, { env: { LOCALE: 'en' } });

  it('finds a key by the key itself, revoked ones too, and leaves it in no log', async () => {
    const root = await service.admin();
    const person = await service.createUser();
    const { id, key, name } = await service.createKey(person);
    const find = (of: string, token?: TestUser) =>
      service.post('/admin/api_keys/find', { ...(token === undefined ? {} : { token }), body: { key: of } });
    const found = { id, name, user_id: person.id, username: person.username };
    expect((await find(key, root)).json.data).toEqual({
      ...found,
      status: 'active',
      revoked_at: null,
    });
    expect([(await find(key)).status, (await find(key, person)).status]).toEqual([401, 403]);
    expect((await find('0'.repeat(64), root)).status).toBe(404);
    for (const bad of ['', key.slice(1), key.toUpperCase(), `${key}0`]) {
      const { status, text } = await find(bad, root);
      expect([bad, status, bad !== '' && text.includes(bad)]).toEqual([bad, 422, false]);
    }
    await service.delete(`/api/v1/api_keys/${id}`, { token: person });
    expect((await find(key, root)).json.data).toEqual({
      ...found,
      status: 'revoked',
      revoked_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(service.lines.join('\n')).not.toContain(key);
  });
});
