import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { allOf, anyOf, equals, own } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/**
 * Rules for single actions, `isolation: { read, create, update, destroy }`: the customer and the agent of a ticket read
 * it, customers create theirs as new, the agent changes it, and the customer deletes it while it is new.
 */

const fields = {
  title: field.string({ max: 20 }),
  state: field.enum(['new', 'open', 'done'], { default: 'new' }),
  agent: field.reference('User', { anyone: true }),
  user_id: field.owner(),
};

let saving: string[] = [];

const ticket = defineResource('Ticket', {
  fields,
  ownership: true,
  isolation: {
    read: anyOf(own(), own('agent')),
    write: allOf(own(), equals('state', 'new')),
    update: own('agent'),
  },
  hooks: { beforeSave: ({ action, values }) => void saving.push(`${action} ${String(values.title)}`) },
});

const migrations: Migrations = {
  '0001_tickets': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'tickets', { fields });
    },
  },
};

describeEachDatabase('rules for single actions', (databases) => {
  const service = useService(databases, {
    application: { resources: [ticket], migrations },
    env: { LOCALE: 'en' },
  });
  let [customer, agent, other, root]: TestUser[] = [];

  beforeAll(async () => {
    [customer, agent, other] = [
      await service.createUser(),
      await service.createUser(),
      await service.createUser(),
    ];
    root = await service.admin();
  });

  const send = (token: TestUser | undefined, method: string, path: string, values?: object) =>
    service.request(method, `/api/v1/tickets${path}`, {
      ...(token === undefined ? {} : { token }),
      ...(values === undefined ? {} : { body: { ticket: values } }),
    });
  const created = async (): Promise<string> => {
    const { status, data } = await send(customer, 'POST', '', { title: 'a', agent_id: agent?.id });
    expect(status).toBe(201);
    return `/${(data as { id: number }).id}`;
  };

  it('rules for single actions let each caller do what its action says', async () => {
    const path = await created();
    for (const [caller, patch, destroy] of [
      [customer, 403, undefined],
      [agent, 200, 403],
      [other, 404, 404],
    ] as const) {
      expect((await send(caller, 'GET', path)).status).toBe(caller === other ? 404 : 200);
      expect((await send(caller, 'PATCH', path, { title: 'b' })).status).toBe(patch);
      if (destroy !== undefined) expect((await send(caller, 'DELETE', path)).status).toBe(destroy);
    }
    expect((await send(agent, 'PATCH', path, { state: 'open' })).status).toBe(200);
    expect((await send(customer, 'DELETE', path)).status).toBe(403);
    const fresh = await created();
    expect((await send(customer, 'DELETE', fresh)).status).toBe(200);
    expect((await send(customer, 'GET', fresh)).status).toBe(404);
    expect((await send(root, 'DELETE', path)).status).toBe(200);
  });

  it('rules for single actions refuse before any hook has run', async () => {
    const path = await created();
    saving = [];
    expect((await send(customer, 'POST', '', { title: 'c', state: 'done' })).status).toBe(403);
    expect((await send(customer, 'PATCH', path, { title: 'c' })).status).toBe(403);
    expect((await send(other, 'PATCH', path, { title: 'c' })).status).toBe(404);
    expect((await send(agent, 'PATCH', path, { title: 'c', agent_id: other?.id })).status).toBe(403);
    expect(saving).toEqual([]);
    expect((await send(agent, 'PATCH', path, { title: 'c' })).status).toBe(200);
    expect(saving).toEqual(['update c']);
  });

  it('rules for single actions hold in a batch, each for its own action', async () => {
    const id = Number((await created()).slice(1));
    const batch = (body: object, token = customer) =>
      service.post('/api/v1/tickets/batch', { ...(token === undefined ? {} : { token }), body });
    expect((await batch({ create: [{ title: 'd' }], update: [{ id, title: 'd' }] })).status).toBe(403);
    expect((await batch({ update: [{ id, title: 'd' }] }, agent)).status).toBe(200);
    expect((await batch({ delete: [id] }, agent)).status).toBe(403);
    expect((await batch({ create: [{ title: 'd' }], delete: [id] })).status).toBe(200);
  });

  it('rules for single actions appear in metadata, the API description and explain', async () => {
    const path = await created();
    const own = 'Records where `user_id` is the caller, and `state` is `new`';
    const isAgent = 'Records where `agent_id` is the caller';
    const meta = await service.ok<{ isolation: Readonly<Record<string, unknown>> }>(
      'GET',
      '/api/v1/meta/Ticket',
      { ...(customer === undefined ? {} : { token: customer }) },
    );
    expect(meta.isolation).toMatchObject({ create: own, update: isAgent, destroy: own });
    expect(Object.keys(meta.isolation)).toEqual(['read', 'create', 'update', 'destroy', 'rules']);
    expect(meta.isolation['rules']).toMatchObject({ update: { kind: 'own', field: 'agent_id' } });
    const { text } = await service.get('/api-docs/openapi.json');
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { 'x-gatewright': { isolation: object } }>>;
    };
    const one = paths['/api/v1/tickets/{id}'];
    expect(one?.['patch']?.['x-gatewright'].isolation).toMatchObject({ write: isAgent });
    expect(one?.['delete']?.['x-gatewright'].isolation).toMatchObject({ write: own });
    const decidedBy = async (method: string, of: TestUser | undefined) => {
      const query = `user_id=${of?.id}&method=${method}&path=/api/v1/tickets${path}`;
      const answer = await service.ok<{ status: number; decided_by: string }>(
        'GET',
        `/admin/explain?${query}`,
        { ...(root === undefined ? {} : { token: root }) },
      );
      return [answer.status, answer.decided_by];
    };
    expect(await decidedBy('PATCH', customer)).toEqual([403, 'record_write']);
    expect((await decidedBy('PATCH', agent))[0]).toBe(200);
    expect((await decidedBy('DELETE', customer))[0]).toBe(200);
    expect(await decidedBy('DELETE', agent)).toEqual([403, 'record_write']);
    expect(await decidedBy('DELETE', other)).toEqual([404, 'record']);
  });
});
