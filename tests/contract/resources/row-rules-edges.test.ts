import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import type { BeforeCommitContext } from '../../../src/model/hooks.ts';
import { anyOf, equals, member, own } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** Row rules at their edges: tables that are words of SQL, hooks, idempotent requests, long lists. */

const fields = {
  group: { name: field.string({ max: 20 }), user_id: field.owner() },
  seat: { group: field.reference('Group', { required: true, anyone: true }), user_id: field.owner() },
  order: {
    title: field.string({ required: true, max: 20 }),
    number: field.string({ max: 20, unique: true }),
    state: field.string({ max: 20, default: 'open' }),
    group: field.reference('Group', { anyone: true }),
    former: field.reference('Group'),
  },
} as const;

/** The behaviour of a hook in a test. */
let inCommit: (context: BeforeCommitContext) => Promise<unknown> = async () => {};

const inGroup = member('group_id', { of: 'Seat' });
const group = defineResource('Group', {
  fields: fields.group,
  ownership: true,
  isolation: anyOf(own(), member('id', { of: 'Seat', on: 'group_id' })),
  hooks: { beforeCommit: (context) => inCommit(context).then(() => {}) },
});
/** Members of a group let others in. */
const seat = defineResource('Seat', { fields: fields.seat, isolation: inGroup });
const order = defineResource('Order', {
  fields: fields.order,
  views: { detail: ['id', 'title', 'number', 'state', 'group_id'] },
  isolation: {
    read: anyOf(inGroup, equals('state', "it's"), equals('state', '$1 ? :a')),
    write: inGroup,
  },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'groups', { fields: fields.group });
      await createTable(db, dialect, 'seats', { fields: fields.seat });
      await createTable(db, dialect, 'orders', {
        fields: fields.order,
        references: { former: 'groups' },
      });
    },
  },
};

describeEachDatabase('row rules at their edges', (databases) => {
  const service = useService(databases, { application: { resources: [group, seat, order], migrations } });
  const post = (path: string, key: string, values: object, token: TestUser, headers = {}) =>
    service.post<{ id: number }>(`/api/v1/${path}`, { token, headers, body: { [key]: values } });
  const made = async (...args: Parameters<typeof post>): Promise<number> => {
    const answer = await post(...args);
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    return answer.data.id;
  };
  const change = (path: string, key: string, values: object, token: TestUser) =>
    service.request('PATCH', `/api/v1/${path}`, { token, body: { [key]: values } });

  const setUp = async () => {
    inCommit = async () => {};
    const [ann, ben, root] = [await service.createUser(), await service.createUser(), await service.admin()];
    const [red, blue] = [
      await made('groups', 'group', { name: 'red' }, ann),
      await made('groups', 'group', { name: 'blue' }, ben),
    ];
    const taken = await made('seats', 'seat', { group_id: red, user_id: ann.id }, root);
    return { ann, ben, root, red, blue, taken };
  };

  it('row rules are not met by the very membership that is to be made', async () => {
    const { ann, ben, red, taken } = await setUp();
    expect((await post('seats', 'seat', { group_id: red, user_id: ben.id }, ben)).status).toBe(403);
    expect((await post('seats', 'seat', { group_id: red, user_id: ben.id }, ann)).status).toBe(201);
    expect((await post('seats', 'seat', { group_id: red, user_id: ben.id }, ben)).status).toBe(201);
    // A new member may remove the one who let them in.
    expect((await service.delete(`/api/v1/seats/${taken}`, { token: ben })).status).toBe(200);
    expect((await post('seats', 'seat', { group_id: red, user_id: ann.id }, ann)).status).toBe(403);
  });

  it('row rules let a hook make the creator a member, and hold a hook that acts for its caller', async () => {
    const { ann, blue } = await setUp();
    inCommit = ({ asSystem, id, principal }) =>
      asSystem('who makes a group sits in it')
        .records(seat)
        .create({ group_id: id, user_id: principal.kind === 'user' ? principal.id : null });
    const mine = await made('groups', 'group', { name: 'mine' }, ann);
    await made('orders', 'order', { title: 'x', group_id: mine }, ann);
    inCommit = ({ records }) => records(order).create({ title: 'sneaked in', group_id: blue });
    const refused = await post('groups', 'group', { name: 'not made' }, ann);
    expect(refused.status).toBe(403);
    const groups = await service.get('/api/v1/groups?filter[name]=not%20made', { token: ann });
    expect(groups.data).toEqual([]);
  });

  it('row rules answer what was written where a hook has put it out of reach, and nothing that the hook wrote', async () => {
    const { ann, ben, blue } = await setUp();
    inCommit = async ({ asSystem, id }) => {
      inCommit = async () => {};
      await asSystem('given away').records(group).update(id, { name: 'hidden', user_id: ann.id });
    };
    const answer = await change(`groups/${blue}`, 'group', { name: 'mine' }, ben);
    expect([answer.status, answer.data]).toMatchObject([200, { name: 'mine', user_id: ben.id }]);
    expect((await service.get(`/api/v1/groups/${blue}`, { token: ben })).status).toBe(404);
    const now = await service.get(`/api/v1/groups/${blue}`, { token: ann });
    expect(now.data).toMatchObject({ name: 'hidden', user_id: ann.id });
  });

  it('row rules are asked again where a key came with a refusal, and not where it came with an answer', async () => {
    const { ann, ben, root, blue } = await setUp();
    const send = (token: TestUser, key: string) =>
      post('orders', 'order', { title: 'once', group_id: blue }, token, { 'idempotency-key': key });
    const key = `key-${blue}`;
    expect((await send(ann, key)).status).toBe(403);
    const sat = await made('seats', 'seat', { group_id: blue, user_id: ann.id }, root);
    const first = await send(ann, key);
    expect(first.status).toBe(201);
    expect((await service.delete(`/api/v1/seats/${sat}`, { token: root })).status).toBe(200);
    expect((await send(ann, key)).text).toBe(first.text);
    expect((await send(ann, `${key}-2`)).status).toBe(403);
    expect((await send(ben, key)).status).toBe(403);
    const total = await service.get(`/api/v1/orders?page=1&filter[group_id]=${blue}`, { token: root });
    expect(total.headers['x-total-count']).toBe('1');
  });

  it('row rules tell of values that the caller never sees neither by taking nor by refusing them', async () => {
    const { ann, root, red, blue } = await setUp();
    const id = await made('orders', 'order', { title: 'x', group_id: red, former_id: blue }, root);
    const [right, wrong] = [
      await change(`orders/${id}`, 'order', { former_id: blue }, ann),
      await change(`orders/${id}`, 'order', { former_id: 999_999 }, ann),
    ];
    expect([right.status, right.text]).toEqual([422, wrong.text]);
    expect((await change(`orders/${id}`, 'order', { former_id: red }, ann)).status).toBe(200);
  });

  it('row rules say of a hidden record only that its unique value is taken', async () => {
    const { ann, ben, root, red, blue } = await setUp();
    const number = `n${blue}`;
    const id = await made('orders', 'order', { title: 'x', number, group_id: blue }, root);
    const taken = await post('orders', 'order', { title: 'y', number, group_id: red }, ann);
    expect(taken.json.data).toMatchObject({ errors: [{ field: 'number', rule: 'unique' }] });
    expect(taken.text).not.toMatch(/"id"|title/);
    // The record itself is missing, whatever is wrong with the body.
    expect((await change(`orders/${id}`, 'order', { number }, ben)).status).toBe(404);
    expect((await change(`orders/${id}`, 'order', { title: '' }, ben)).status).toBe(404);
  });

  it('row rules compare texts that look like SQL or its parameters as texts', async () => {
    const { ben, root, blue } = await setUp();
    const seen = [];
    for (const state of ["it's", '$1 ? :a', 'open'])
      seen.push([await made('orders', 'order', { title: 'x', state, group_id: blue }, root), state] as const);
    const statuses = [];
    for (const [id] of seen)
      statuses.push((await service.get(`/api/v1/orders/${id}`, { token: ben })).status);
    expect(statuses).toEqual([200, 200, 404]);
    const list = await service.get(`/api/v1/orders?filter[group_id]=${blue}&per_page=5&sort=-state`, {
      token: ben,
    });
    expect((list.data as unknown as { state: string }[]).map(({ state }) => state)).toEqual([
      "it's",
      '$1 ? :a',
    ]);
  });

  it('row rules hold for every row of a list that is streamed, and for each total of it', async () => {
    const { ann, ben, root, red, blue } = await setUp();
    const { database } = service.server.services;
    const at = "'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'";
    await database.execute({
      sql: `insert into orders (title, state, group_id, created_at, updated_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000)
        select 'bulk', 'open', case when i % 2 = 0 then ${red} else ${blue} end, ${at} from n`,
      parameters: [],
    });
    const all = await service.get('/api/v1/orders?filter[title]=bulk', { token: ann });
    const records = all.data as unknown as { group_id: number }[];
    expect([records.length, records.every(({ group_id }) => group_id === red)]).toEqual([3000, true]);
    expect((await service.get('/api/v1/orders?filter[title]=bulk', { token: ben })).data).toEqual([]);
    // From so many records on a total is remembered: neither for another caller, nor for other memberships.
    service.clock.advance(2);
    const total = async (token: TestUser): Promise<string> => {
      const page = await service.get('/api/v1/orders?filter[title]=bulk&page=1', { token });
      return String(page.headers['x-total-count']);
    };
    const both = async () => [await total(ann), await total(ben), await total(ann), await total(ben)];
    expect(await both()).toEqual(['3000', '0', '3000', '0']);
    const sat = await made('seats', 'seat', { group_id: blue, user_id: ben.id }, root);
    expect(await both()).toEqual(['3000', '3000', '3000', '3000']);
    expect((await service.delete(`/api/v1/seats/${sat}`, { token: root })).status).toBe(200);
    expect(await both()).toEqual(['3000', '0', '3000', '0']);
    service.clock.reset();
  });
});
