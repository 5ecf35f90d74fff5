import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

interface View {
  readonly id: number;
  readonly resource: string;
  readonly name: string;
  readonly query: object;
  readonly mine: boolean;
  readonly owner: string;
  readonly shared: boolean;
}

describeEachDatabase('/admin/views', (databases) => {
  const service = useService(databases, {});
  let root: TestUser;
  let other: TestUser;

  beforeAll(async () => {
    root = await service.admin();
    other = await service.createUser(['admin']);
  });

  const query = {
    filter: { 'expires_at@when': 'next_30', status: 'active', q: 'x' },
    sort: { field: 'name', order: 'ASC' },
    columns: ['name', 'expires_at'],
  };
  const save = (body: object, token: TestUser = root) =>
    service.post<View>('/admin/views', { token, body: { view: body } });
  const mine = (token: TestUser, of = 'api_keys') =>
    service.ok<View[]>('GET', `/admin/views?filter[resource]=${of}&sort=name`, { token });

  it('views that are shared are seen by other administrators, and changed by their owner only', async () => {
    const { data: view } = await save({ resource: 'shared', name: 'Late', query, shared: true });
    expect(view).toMatchObject({ shared: true, mine: true, owner: root.username });
    await save({ resource: 'shared', name: 'Own', query });
    await save({ resource: 'shared', name: 'Late', query }, other);
    expect((await mine(other, 'shared')).map((each) => [each.name, each.mine, each.owner])).toEqual([
      ['Late', false, root.username],
      ['Late', true, other.username],
    ]);
    for (const [method, body] of [
      ['PATCH', { view: { shared: false } }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await service.request(method, `/admin/views/${view.id}`, {
        token: other,
        ...(body === undefined ? {} : { body }),
      });
      expect([method, refused.status]).toEqual([method, 403]);
    }
    await service.ok('PATCH', `/admin/views/${view.id}`, { token: root, body: { view: { shared: false } } });
    expect((await mine(other, 'shared')).map((each) => each.mine)).toEqual([true]);
    expect(
      (await service.request('PATCH', `/admin/views/${view.id}`, { token: other, body: { view: {} } }))
        .status,
    ).toBe(404);
    // Without the role no view is seen.
    const plain = await service.createUser(['viewer']);
    expect((await service.request('GET', '/admin/views', { token: plain })).status).toBe(403);
  });

  it('views are saved, renamed, changed and deleted by their owner, and seen by no other user', async () => {
    const made = await save({ resource: 'api_keys', name: 'Ending soon', query });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({ resource: 'api_keys', name: 'Ending soon', query });
    expect(made.data).not.toHaveProperty('user_id');
    expect((await mine(root)).map(({ name }) => name)).toEqual(['Ending soon']);
    expect(await mine(other)).toEqual([]);
    const path = `/admin/views/${made.data.id}`;
    for (const [method, body] of [
      ['PATCH', { view: { name: 'Mine now' } }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await service.request(method, path, {
        token: other,
        ...(body === undefined ? {} : { body }),
      });
      expect([method, refused.status]).toEqual([method, 404]);
    }
    const changed = await service.ok<View>('PATCH', path, {
      token: root,
      body: { view: { name: 'Soon', query: { filter: {} } } },
    });
    expect(changed).toMatchObject({ name: 'Soon', query: { filter: {} } });
    // A name of one list stands once for a person, and for another person again.
    const again = await save({ resource: 'api_keys', name: 'Soon', query });
    expect([again.status, again.data]).toMatchObject([422, { errors: [{ field: 'name', rule: 'unique' }] }]);
    for (const [resource, token] of [
      ['users', root],
      ['api_keys', other],
    ] as const)
      expect((await save({ resource, name: 'Soon', query }, token)).status).toBe(201);
    const second = await save({ resource: 'api_keys', name: 'Second', query });
    const renamed = await service.request('PATCH', `/admin/views/${second.data.id}`, {
      token: root,
      body: { view: { name: 'Soon' } },
    });
    expect(renamed.status).toBe(422);
    await service.ok('DELETE', path, { token: root });
    expect((await mine(root)).map(({ name }) => name)).toEqual(['Second']);
  });

  it('views have a form and a size, and no user has more than 200', async () => {
    for (const wrong of [
      { filter: { status: ['a'] } },
      { sort: { field: 'a' } },
      { columns: [1] },
      { script: 'x' },
      { filter: { q: 'x'.repeat(8192) } },
      [],
    ]) {
      const { status, data } = await save({ resource: 'users', name: 'wrong', query: wrong });
      expect([status, data]).toMatchObject([422, { errors: [{ field: 'query' }] }]);
    }
    const person = await service.createUser(['admin']);
    for (let place = 0; place < 200; place += 1)
      expect((await save({ resource: 'users', name: `view ${place}`, query: {} }, person)).status).toBe(201);
    const { status, data } = await save({ resource: 'audit', name: 'one more', query: {} }, person);
    expect([status, data]).toMatchObject([422, { errors: [{ field: 'name', rule: 'too_many' }] }]);
  });

  it('views are no more than 200 where several are saved at once', async () => {
    const person = await service.createUser(['admin']);
    const many = (count: number, kind: string) =>
      Promise.all(
        Array.from({ length: count }, (_, place) =>
          save({ resource: 'users', name: `${kind} ${place}`, query: {} }, person),
        ),
      );
    for (let round = 0; round < 10; round += 1) await many(19, `round ${round}`);
    const statuses = (await many(20, 'last')).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 422)).toHaveLength(10);
    expect(await mine(person, 'users')).toHaveLength(200);
  });

  it('views go with their user, and are for administrators', async () => {
    const person = await service.createUser(['admin']);
    const { data } = await save({ resource: 'users', name: 'gone', query: {} }, person);
    await service.ok('DELETE', `/admin/users/${person.id}`, { token: root });
    const rows = await service.server.services.database.execute({
      sql: `select id from gatewright_views where id = ${data.id}`,
      parameters: [],
    });
    expect(rows).toEqual([]);
    const viewer = await service.createUser(['viewer']);
    expect((await save({ resource: 'users', name: 'x', query: {} }, viewer)).status).toBe(403);
    expect((await service.get('/admin/views', { token: viewer })).status).toBe(403);
  });
});
