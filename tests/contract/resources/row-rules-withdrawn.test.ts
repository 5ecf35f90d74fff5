import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { member } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Service, type TestUser, useService } from '../../support/service.ts';

/** A membership that is taken away holds from the next request on, on every instance, also while many ask. */

const fields = {
  team: { name: field.string({ max: 20 }) },
  seat: {
    team: field.reference('Team', { required: true }),
    role: field.enum(['reader', 'editor'], { required: true }),
    user_id: field.owner(),
  },
  card: {
    title: field.string({ required: true, max: 20 }),
    team: field.reference('Team', { required: true, anyone: true }),
  },
} as const;

const team = defineResource('Team', { fields: fields.team });
const seat = defineResource('Seat', { fields: fields.seat });
const card = defineResource('Card', {
  fields: fields.card,
  isolation: {
    read: member('team_id', { of: 'Seat' }),
    write: member('team_id', { of: 'Seat', where: { role: 'editor' } }),
  },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'seats', { fields: fields.seat, indexes: [['user_id', 'team_id']] });
      await createTable(db, dialect, 'cards', { fields: fields.card });
    },
  },
};

/** The same through a scope. */
const seen = defineEndpoint({
  method: 'GET',
  path: '/seen/:id',
  handle: ({ transaction, params }) =>
    transaction(async ({ records }) => ({
      count: await records(card).count({ filter: { team_id: Number(params['id']) } }),
      listed: (await records(card).list({ filter: { team_id: Number(params['id']) } })).length,
    })),
});

describeEachDatabase('a membership that is taken away', (databases) => {
  const service = useService(databases, {
    application: { resources: [team, seat, card], migrations, endpoints: [seen] },
  });
  let instances: readonly Service[];
  let root: TestUser;
  beforeAll(async () => {
    instances = [service, await service.secondInstance()];
    root = await service.admin();
  });

  const make = async (path: string, key: string, values: object): Promise<number> => {
    const body = { [key]: values };
    const { id } = await service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token: root, body });
    return id;
  };
  const join = (user: TestUser, team_id: number, role = 'editor'): Promise<number> =>
    make('seats', 'seat', { user_id: user.id, team_id, role });
  const change = (id: number, values: object) =>
    service.ok('PATCH', `/api/v1/seats/${id}`, { token: root, body: { seat: values } });
  const leave = (id: number) => service.ok('DELETE', `/api/v1/seats/${id}`, { token: root });

  const setUp = async () => {
    const ann = await service.createUser();
    const [red, blue] = [await make('teams', 'team', { name: 'red' }), await make('teams', 'team', {})];
    const cards = [];
    for (const title of ['a', 'b', 'c']) cards.push(await make('cards', 'card', { title, team_id: red }));
    return { ann, red, blue, cards, first: cards[0] ?? 0 };
  };

  /** The cards of a team as a caller sees them on an instance, by every way there is. */
  const cardsSeen = async (on: Service, token: TestUser, red: number, first: number) => {
    const get = (path: string) => on.get(`/api/v1/${path}`, { token });
    const filter = `filter[team_id]=${red}`;
    const [whole, page, walk, searched] = [
      await get(`cards?${filter}`),
      await get(`cards?${filter}&page=1&per_page=2`),
      await get(`cards?${filter}&after=&per_page=10&sort=-title`),
      await get(`cards?${filter}&q=A`),
    ];
    const scoped = await get(`seen/${red}`);
    return {
      lists: [whole, page, walk, searched].map(({ data }) => (data as unknown as unknown[]).length),
      total: page.headers['x-total-count'],
      detail: (await get(`cards/${first}`)).status,
      scope: scoped.data,
    };
  };
  const open = { lists: [3, 2, 3, 1], total: '3', detail: 200, scope: { count: 3, listed: 3 } };
  const closed = { lists: [0, 0, 0, 0], total: '0', detail: 404, scope: { count: 0, listed: 0 } };
  const written = async (on: Service, token: TestUser, team_id: number, first: number) => {
    const body = { card: { title: 'x', team_id } };
    const created = await on.post('/api/v1/cards', { token, body });
    const changed = await on.request('PATCH', `/api/v1/cards/${first}`, {
      token,
      body: { card: { title: 'a' } },
    });
    if (created.status === 201)
      await service.ok('DELETE', `/api/v1/cards/${(created.data as { id: number }).id}`, { token: root });
    return [created.status, changed.status];
  };

  it.each([
    ['is deleted', (id: number) => leave(id), closed, [403, 404]],
    ['has another owner', (id: number) => change(id, { user_id: root.id }), closed, [403, 404]],
    ['has no owner', (id: number) => change(id, { user_id: null }), closed, [403, 404]],
    ['is one of another team', (id: number, team_id: number) => change(id, { team_id }), closed, [403, 404]],
    ['has another role', (id: number) => change(id, { role: 'reader' }), open, [403, 403]],
  ] as const)('holds no more where it %s, on every instance', async (_name, withdraw, after, writes) => {
    const { ann, red, blue, first } = await setUp();
    const id = await join(ann, red);
    for (const on of instances) {
      expect(await cardsSeen(on, ann, red, first)).toEqual(open);
      expect(await written(on, ann, red, first)).toEqual([201, 200]);
    }
    await withdraw(id, blue);
    for (const on of instances.toReversed()) {
      expect(await cardsSeen(on, ann, red, first)).toEqual(after);
      expect(await written(on, ann, red, first)).toEqual(writes);
    }
    await join(ann, red);
    for (const on of instances) expect(await cardsSeen(on, ann, red, first)).toEqual(open);
  });

  it('a membership that is taken away never takes another one with it: one of two is enough', async () => {
    const { ann, red, first } = await setUp();
    const [one, two] = [await join(ann, red), await join(ann, red, 'reader')];
    await leave(one);
    expect(await cardsSeen(service, ann, red, first)).toEqual(open);
    expect(await written(service, ann, red, first)).toEqual([403, 403]);
    await leave(two);
    expect(await cardsSeen(service, ann, red, first)).toEqual(closed);
  });

  it('leaves each of many readers and writers in one of two states, and none behind', async () => {
    const { ann, red, first } = await setUp();
    const before = Number(
      (await service.get('/api/v1/cards?page=1', { token: root })).headers['x-total-count'],
    );
    // The state of this moment, and how often it has changed: `changing` from the request to its answer.
    let state: 'open' | 'closed' | 'changing' = 'closed';
    let changes = 0;
    let isOver = false;
    const counted = { open: 0, closed: 0, made: 0 };
    const faults: string[] = [];
    const reader = async (on: Service): Promise<void> => {
      while (!isOver) {
        const [at, number] = [state, changes];
        const list = await on.get(
          `/api/v1/cards?filter[team_id]=${red}&filter[title][ne]=x&page=1&per_page=5`,
          {
            token: ann,
          },
        );
        const length = (list.data as unknown as unknown[]).length;
        const whole = length === 3 && list.headers['x-total-count'] === '3';
        const none = length === 0 && list.headers['x-total-count'] === '0';
        if (!whole && !none) faults.push(`half of a list: ${list.text}`);
        const { status } = await on.get(`/api/v1/cards/${first}`, { token: ann });
        if (changes !== number || at === 'changing') continue;
        counted[at] += 1;
        if ((at === 'open') !== whole || (at === 'open') !== (status === 200))
          faults.push(`${at}: ${length} records, detail ${status}`);
      }
    };
    const writer = async (on: Service): Promise<void> => {
      while (!isOver) {
        const [at, number] = [state, changes];
        const created = await on.post('/api/v1/cards', {
          token: ann,
          body: { card: { title: 'x', team_id: red } },
        });
        const changed = await on.request('PATCH', `/api/v1/cards/${first}`, {
          token: ann,
          body: { card: { title: 'a' } },
        });
        if (created.status === 201) counted.made += 1;
        if (![201, 403].includes(created.status)) faults.push(`created: ${created.text}`);
        if (![200, 403, 404].includes(changed.status)) faults.push(`changed: ${changed.text}`);
        if (changes !== number || at === 'changing') continue;
        counted[at] += 1;
        const isLetIn = [created.status === 201, changed.status === 200];
        if (isLetIn.some((each) => each !== (at === 'open')))
          faults.push(`${at}: created ${created.status}, changed ${changed.status}`);
      }
    };
    const toggle = async (): Promise<void> => {
      const become = async <T>(next: 'open' | 'closed', act: () => Promise<T>): Promise<T> => {
        state = 'changing';
        changes += 1;
        const answer = await act();
        state = next;
        changes += 1;
        // A while in which nothing changes: until some have asked.
        const enough = counted[next] + 6;
        await expect.poll(() => counted[next] >= enough || faults.length > 0, { interval: 2 }).toBe(true);
        return answer;
      };
      try {
        for (let time = 0; time < 12 && faults.length === 0; time += 1) {
          const id = await become('open', () => join(ann, red));
          await become('closed', () => leave(id));
        }
      } finally {
        isOver = true;
      }
    };
    await Promise.all([toggle(), ...instances.flatMap((on) => [reader(on), reader(on), writer(on)])]);
    expect(faults).toEqual([]);
    expect(counted.made).toBeGreaterThan(0);
    const after = await service.get('/api/v1/cards?page=1', { token: root });
    expect(Number(after.headers['x-total-count'])).toBe(before + counted.made);
  });

  it('holds in the statement that writes, also where it was there a moment before', async () => {
    const { ann, red, first } = await setUp();
    const records = service.server.services.resources.get('Card')?.records;
    if (records === undefined) throw new Error('no cards');
    using _first = service.askFirstWorker();
    const { collisions } = records;
    /** Takes the membership away once the body is looked up, before the row is written. */
    const overtaken = async <T>(act: () => Promise<T>): Promise<T> => {
      const id = await join(ann, red);
      Object.assign(records, {
        collisions: async (...args: Parameters<typeof collisions>) => {
          const found = await collisions(...args);
          await leave(id);
          return found;
        },
      });
      try {
        return await act();
      } finally {
        Object.assign(records, { collisions });
      }
    };
    const total = async () =>
      (await service.get('/api/v1/cards?page=1', { token: root })).headers['x-total-count'];
    const before = await total();
    const body = { card: { title: 'late', team_id: red } };
    const created = await overtaken(() => service.post('/api/v1/cards', { token: ann, body }));
    const changed = await overtaken(() =>
      service.request('PATCH', `/api/v1/cards/${first}`, { token: ann, body }),
    );
    expect([created.status, changed.status, await total()]).toEqual([403, 404, before]);
    const row = await service.get(`/api/v1/cards/${first}`, { token: root });
    expect(row.data).toMatchObject({ title: 'a', team_id: red });
  });
});
