import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { anyOf, equals, member } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** `beforeSave` runs for writes that the row rules admit, and gets values in the form in which they are returned. */

const fields = {
  team: { name: field.string({ max: 20 }) },
  seat: { team: field.reference('Team', { required: true }), user_id: field.owner() },
  stamp: { of: field.string({ max: 20 }) },
  ticket: {
    code: field.string({ max: 20, unique: true }),
    team: field.reference('Team', { anyone: true }),
    open: field.boolean({ default: false }),
    amount: field.decimal({ scale: 2 }),
    total: field.decimal({ scale: 3 }),
    rate: field.decimal({ scale: 1, default: 1 }),
    at: field.datetime(),
    day: field.date(),
    from: field.time(),
    token: field.uuid(),
    extra: field.json(),
    count: field.number(),
  },
  comment: {
    ticket: field.reference('Ticket', { required: true, onDelete: 'cascade' }),
    team: field.reference('Team', { anyone: true }),
    cost: field.decimal({ scale: 2 }),
  },
} as const;

const inTeam = anyOf(member('team_id', { of: 'Seat' }), equals('team_id', 1));

const team = defineResource('Team', { fields: fields.team });
const seat = defineResource('Seat', { fields: fields.seat });
const stamp = defineResource('Stamp', { fields: fields.stamp });

let heard: JsonObject[] = [];
let stored: JsonObject[] = [];

const ticket = defineResource('Ticket', {
  fields: fields.ticket,
  isolation: { read: anyOf(inTeam, equals('open', true)), write: inTeam },
  relations: { comments: many('Comment', { by: 'ticket', write: true }) },
  hooks: {
    beforeSave: async ({ values, asSystem }) => {
      heard.push({ ...values } as JsonObject);
      await asSystem('a stamp').records(stamp).create({ of: 'ticket' });
      if (values.team_id === undefined && values.code === 'no team') values.team_id = 1;
      if (values.amount === '0.50') values.total = 3;
    },
    afterCommit: ({ values }) => void stored.push({ ...values } as JsonObject),
  },
});
const comment = defineResource('Comment', {
  fields: fields.comment,
  isolation: inTeam,
  hooks: { beforeSave: ({ values }) => void heard.push({ ...values } as JsonObject) },
});

const inScope = defineEndpoint({
  method: 'POST',
  path: '/in-scope',
  auth: ['jwt'],
  input: { ticket: field.json({ required: true }) },
  handle: ({ values, records }) => records('Ticket').create(values.ticket as JsonObject),
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'seats', { fields: fields.seat, indexes: [['user_id', 'team_id']] });
      await createTable(db, dialect, 'stamps', { fields: fields.stamp });
      await createTable(db, dialect, 'tickets', { fields: fields.ticket, indexes: [['open']] });
      await createTable(db, dialect, 'comments', {
        fields: fields.comment,
        references: { ticket: 'tickets' },
      });
    },
  },
};

describeEachDatabase('beforeSave', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [team, seat, stamp, ticket, comment],
      endpoints: [inScope],
      migrations,
    },
  });
  let ann: TestUser;
  let root: TestUser;
  let [everybodys, anns, others] = [0, 0, 0];

  const make = async (path: string, body: object): Promise<number> =>
    (await service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token: root, body })).id;
  const stamps = async (): Promise<number> =>
    (await service.ok<unknown[]>('GET', '/api/v1/stamps', { token: root })).length;
  const send = (method: string, path: string, body: object, token = ann) =>
    service.request(method, path, { token, body });

  beforeAll(async () => {
    [ann, root] = [await service.createUser(), await service.admin()];
    for (const name of ['everybody', 'ann', 'others']) await make('teams', { team: { name } });
    [everybodys, anns, others] = [1, 2, 3];
    await make('seats', { seat: { user_id: ann.id, team_id: anns } });
  });
  beforeEach(() => {
    [heard, stored] = [[], []];
  });

  it.each([
    ['a create', (id: number) => send('POST', '/api/v1/tickets', { ticket: { team_id: id } })],
    ['a batch', (id: number) => send('POST', '/api/v1/tickets/batch', { create: [{ team_id: id }] })],
    ['a scope', (id: number) => send('POST', '/api/v1/in-scope', { ticket: { team_id: id } })],
    [
      'a record within another',
      (id: number) =>
        send('POST', '/api/v1/tickets', { ticket: { team_id: anns, comments: [{ team_id: id }] } }),
    ],
  ])(
    'beforeSave has not run, and has written nothing, where the row rule refuses %s',
    async (_name, write) => {
      const before = await stamps();
      const refused = await write(others);
      expect([refused.status, refused.json.code]).toEqual([403, 40300]);
      expect([heard, await stamps()]).toEqual([[], before]);
      expect((await write(anns)).status).toBeLessThan(300);
      expect(await stamps()).toBe(before + 1);
    },
  );

  it('beforeSave has not run where the row rule refuses what an update would make of a record, or its present state', async () => {
    const id = await make('tickets', { ticket: { team_id: anns } });
    const readable = await make('tickets', { ticket: { team_id: others, open: true } });
    const before = await stamps();
    heard = [];
    const moved = await send('PATCH', `/api/v1/tickets/${id}`, { ticket: { team_id: others } });
    const kept = await send('PATCH', `/api/v1/tickets/${readable}`, { ticket: { team_id: anns } });
    expect([moved.status, kept.status]).toEqual([403, 403]);
    expect([heard, await stamps()]).toEqual([[], before]);
    const still = await send('PATCH', `/api/v1/tickets/${id}`, { ticket: { team_id: everybodys } });
    expect(still.status).toBe(200);
  });

  it('runs where a field that the body leaves out decides: the hook may set it', async () => {
    const made = await send('POST', '/api/v1/tickets', { ticket: { code: 'no team' } });
    expect([made.status, made.data['team_id']]).toEqual([201, everybodys]);
  });

  it('leaves the order of refusals: what is wrong with the values comes before the rule', async () => {
    await make('tickets', { ticket: { code: 'taken', team_id: anns } });
    heard = [];
    const both = await send('POST', '/api/v1/tickets', { ticket: { code: 'taken', team_id: others } });
    expect([both.status, (both.data['errors'] as JsonObject[]).map(({ rule }) => rule)]).toEqual([
      422,
      ['unique'],
    ]);
    expect(heard).toEqual([]);
  });

  const sent = {
    team_id: 1,
    amount: '0.5',
    at: '2026-11-23T20:00:00+08:00',
    day: '2026-11-23',
    from: '08:30',
    token: 'ABCDEF00-0000-4000-8000-000000000000',
    extra: { a: [1, null] },
    count: -0,
  };
  const canonical = {
    team_id: 1,
    amount: '0.50',
    at: '2026-11-23T12:00:00.000Z',
    day: '2026-11-23',
    from: '08:30:00',
    token: 'abcdef00-0000-4000-8000-000000000000',
    extra: { a: [1, null] },
    count: 0,
  };

  it.each([
    ['the API', (values: object) => send('POST', '/api/v1/tickets', { ticket: values })],
    ['a batch', (values: object) => send('POST', '/api/v1/tickets/batch', { create: [values] })],
    ['a scope', (values: object) => send('POST', '/api/v1/in-scope', { ticket: values })],
    [
      'the administration area',
      (values: object) => send('POST', '/admin/records/tickets', { ticket: values }, root),
    ],
    [
      'an import',
      (values: object) =>
        send('POST', '/admin/records/tickets/import', { lines: [{ line: 1, values }] }, root),
    ],
  ])('gets values as they are returned, by %s, and so is what it sets', async (_name, write) => {
    expect((await write(sent)).status).toBeLessThan(300);
    expect(heard).toEqual([{ ...canonical, open: false, rate: '1.0' }]);
    await expect.poll(() => stored).toEqual([{ ...canonical, open: false, rate: '1.0', total: '3.000' }]);
  });

  it('gets them so in updates, and in records within others', async () => {
    const id = await make('tickets', { ticket: { team_id: 1 } });
    heard = [];
    const ticket = { amount: 7, comments: [{ team_id: 1, cost: 1.5 }] };
    expect((await send('PATCH', `/api/v1/tickets/${id}`, { ticket })).status).toBe(200);
    expect(heard).toEqual([{ amount: '7.00' }, { ticket_id: id, team_id: 1, cost: '1.50' }]);
  });
});
