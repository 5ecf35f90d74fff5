import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { anyOf, own } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { openStream } from '../../support/event-stream.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** `shows` of a reference to `User`: readers of a record see these fields of its users, and no others. */

const fields = {
  title: field.string({ max: 20 }),
  open: field.boolean({ default: false }),
  agent: field.reference('User', { anyone: true, shows: ['name', 'email'] }),
  secret: field.reference('User', { anyone: true }),
  user_id: field.owner({ shows: ['name'] }),
} as const;
const ticket = defineResource('Ticket', {
  fields,
  history: true,
  events: true,
  isolation: { read: anyOf(own(), own('agent'), own('secret')), write: anyOf(own(), own('agent')) },
});
const board = defineResource('Board', { fields, publicRead: { where: { open: true } } });

/** Code may read every field of a user; its endpoint shows the fields that the reference shows. */
const first = defineEndpoint({
  method: 'GET',
  path: '/first-ticket',
  auth: ['jwt'],
  output: ticket,
  handle: ({ asSystem }) => {
    const tickets = asSystem('the first one').records(ticket);
    return tickets.get(1, { include: ['user'] });
  },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'tickets', { fields });
      await createTable(db, dialect, 'boards', { fields });
    },
  },
};

interface Actor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly key: number | null;
}

describeEachDatabase('users whom a record shows', (databases) => {
  const service = useService(databases, {
    application: { resources: [ticket, board], endpoints: [first], migrations },
    env: { LOCALE: 'en' },
  });
  let [ann, ben, eve, root]: TestUser[] = [];
  const names = new Map<TestUser | undefined, string>();
  let id = 0;

  beforeAll(async () => {
    root = await service.admin();
    [ann, ben, eve] = [await service.createUser(), await service.createUser(), await service.createUser()];
    for (const [user, name] of [
      [ann, 'Ann A.'],
      [ben, 'Ben B.'],
      [eve, 'Eve E.'],
    ] as const) {
      names.set(user, name);
      await service.ok('PATCH', `/admin/users/${user?.id}`, { token: root, body: { user: { name } } });
    }
    const body = { title: 'a', open: true, user_id: ann?.id, agent_id: ben?.id, secret_id: eve?.id };
    ({ id } = await service.ok<{ id: number }>('POST', '/api/v1/tickets', {
      token: ann,
      body: { ticket: body },
    }));
    await service.ok('POST', '/api/v1/boards', { token: root, body: { board: body } });
  });

  const get = <T>(path: string, token: TestUser | undefined) => service.ok<T>('GET', path, { token });

  it('users whom a record shows are included with their id and these fields, for everyone who reads the record', async () => {
    const shownOf = async (path: string, token?: TestUser) => {
      const found = await get<{ user: object; agent: object }>(`${path}?include=user,agent`, token);
      return [found.user, found.agent];
    };
    const user = { id: ann?.id, name: 'Ann A.' };
    const agent = { id: ben?.id, email: ben?.email, name: 'Ben B.' };
    for (const reader of [ann, ben, eve])
      expect(await shownOf(`/api/v1/tickets/${id}`, reader)).toEqual([user, agent]);
    expect(await shownOf('/api/v1/boards/1')).toEqual([user, agent]);
    expect(await shownOf(`/api/v1/tickets/${id}`, root)).toEqual([user, agent]);
    // The administration area has all fields.
    const inArea = await get<{ user: object }>(`/admin/records/tickets/${id}?include=user`, root);
    expect(inArea.user).toMatchObject({ ...user, username: ann?.username });
    expect((await get<{ user: object }>('/api/v1/first-ticket', eve)).user).toEqual(user);
    const list = await get<{ user: object }[]>('/api/v1/tickets?include=user&page=1', eve);
    expect(list[0]?.user).toEqual(user);
  });

  it('users whom a record shows are filtered and sorted by these fields only', async () => {
    const found = async (query: string) => (await get<object[]>(`/api/v1/tickets?${query}`, eve)).length;
    expect(await found(`filter[user.name]=${encodeURIComponent('Ann A.')}`)).toBe(1);
    expect(await found('filter[user.name]=Zoe')).toBe(0);
    expect(await found('sort=-agent.email')).toBe(1);
    for (const query of [
      ...['filter[user.email]=x', 'sort=user.username', 'include=user&fields[user]=email'],
      'filter[agent.roles]=x',
    ]) {
      const refused = await service.get(`/api/v1/tickets?${query}`, { token: eve });
      expect([query, refused.status]).toEqual([query, 400]);
    }
    // The reference that shows no user leads to oneself only.
    const { secret } = await get<{ secret: object | null }>(`/api/v1/tickets/${id}?include=secret`, ann);
    expect(secret).toBeNull();
    expect((await service.get('/api/v1/boards/1?include=secret')).status).toBe(403);
  });

  it('users whom a record shows have these fields in metadata and in the API description', async () => {
    const { relations } = await get<{ relations: { name: string; fields: { name: string }[] }[] }>(
      '/api/v1/meta/Ticket',
      eve,
    );
    const fieldsOf = (name: string) =>
      relations.find((each) => each.name === name)?.fields.map((each) => each.name);
    expect(fieldsOf('user')).toEqual(['id', 'name']);
    expect(fieldsOf('agent')).toEqual(['id', 'email', 'name']);
    const { text } = await service.get('/api-docs/openapi.json');
    const { components, paths } = JSON.parse(text) as {
      components: { schemas: Record<string, { properties: Record<string, object> }> };
      paths: Record<string, Record<string, { 'x-gatewright': { shows?: object } }>>;
    };
    const shows = { user: ['id', 'name'], agent: ['id', 'name', 'email'] };
    const access = (path: string, method: string) => paths[path]?.[method]?.['x-gatewright'].shows;
    for (const path of ['/api/v1/tickets/{id}', '/api/v1/boards/{id}'])
      expect([access(path, 'get'), access(path, 'patch')]).toEqual([shows, shows]);
    expect(access('/api/v1/tickets/{id}', 'delete')).toBeUndefined();
    const related = Object.values(components.schemas).flatMap(
      ({ properties }) => properties?.['agent'] ?? [],
    );
    expect(related.length).toBeGreaterThan(0);
    for (const each of related)
      expect(Object.keys((each as { anyOf: { properties: object }[] }).anyOf[0]?.properties ?? {})).toEqual([
        'id',
        'email',
        'name',
      ]);
  });

  it('users whom a record shows are actors of the history and of events, under the shown name', async () => {
    const stream = await openStream(`${service.origin}/api/v1/changes?models=Ticket`, {
      authorization: `Bearer ${eve?.token}`,
    });
    await service.ok('PATCH', `/api/v1/tickets/${id}`, { token: ben, body: { ticket: { title: 'b' } } });
    await service.ok('PATCH', `/api/v1/tickets/${id}`, { token: root, body: { ticket: { title: 'c' } } });
    const shown = (of: TestUser | undefined) => ({
      ...{ kind: 'user', id: String(of?.id), name: names.get(of) ?? null, key: null, reason: null },
    });
    const hidden = { kind: 'user', id: null, name: null, key: null, reason: null };
    const actors = [hidden, shown(ben), shown(ann)];
    const versions = await get<{ actor: Actor }[]>(`/api/v1/tickets/${id}/history`, eve);
    expect(versions.map(({ actor }) => actor)).toEqual(actors);
    const own = await get<{ actor: Actor }[]>(`/api/v1/tickets/${id}/history`, ben);
    expect(own[1]?.actor.name).toBe(ben?.username);
    // Events of deletions keep the users whom the record showed.
    await service.ok('DELETE', `/api/v1/tickets/${id}`, { token: ben });
    const events = await stream.until(3);
    stream.close();
    expect(events.map((event) => (event as unknown as { actor: Actor }).actor)).toEqual([
      ...[shown(ben), hidden, shown(ben)],
    ]);
  });
});
