import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { equals, member, own, via } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** `restricted: [{ fields, unless }]`: the staff of a ticket's team sets its priority, its reporter the contact. */

const fields = {
  team: { name: field.string({ max: 20 }) },
  seat: { team: field.reference('Team', { required: true }), user_id: field.owner() },
  ticket: {
    title: field.string({ max: 20 }),
    team: field.reference('Team', { anyone: true }),
    priority: field.integer({ min: 0, max: 9, default: 1 }),
    assignee: field.reference('User', { anyone: true }),
    contact: field.string({ max: 20 }),
    cost: field.integer(),
    user_id: field.owner(),
  },
  folder: { open: field.boolean(), user_id: field.owner() },
  permit: {
    title: field.string({ max: 20, required: true }),
    team: field.reference('Team', { anyone: true }),
    level: field.integer({ required: true }),
  },
  stamp: { title: field.string({ max: 20, required: true }), seal: field.integer({ required: true }) },
  sheet: { folder: field.reference('Folder'), code: field.integer() },
} as const;

/** The fields of a folder that the caller does not read decide nothing that they could see. */
const folder = defineResource('Folder', { fields: fields.folder, isolation: true, ownership: true });
const sheet = defineResource('Sheet', {
  fields: fields.sheet,
  restricted: [{ fields: ['code'], unless: via('folder', equals('open', true)) }],
});

const isStaff = member('team_id', { of: 'Seat' });

/** Required fields: only administrators create such a record. */
const permit = defineResource('Permit', {
  fields: fields.permit,
  restricted: [{ fields: ['level'], unless: isStaff }],
});
const stamp = defineResource('Stamp', { fields: fields.stamp, restricted: ['seal'] });

let heard: JsonObject[] = [];
/** Runs between the decision about the fields and the statement that writes. */
let meanwhile: () => Promise<void> = async () => {};

const ticket = defineResource('Ticket', {
  fields: fields.ticket,
  ownership: true,
  auth: ['jwt', 'signature'],
  restricted: [
    'cost',
    { fields: ['priority', 'assignee'], unless: isStaff },
    { fields: ['contact'], unless: own() },
  ],
  hooks: {
    beforeSave: async ({ values }) => {
      heard.push({ ...values } as JsonObject);
      await meanwhile();
    },
  },
});
const team = defineResource('Team', {
  fields: fields.team,
  relations: {
    tickets: many('Ticket', { by: 'team', write: true }),
    permits: many('Permit', { by: 'team', write: true }),
  },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'folders', { fields: fields.folder });
      await createTable(db, dialect, 'sheets', { fields: fields.sheet, references: { folder: 'folders' } });
      await createTable(db, dialect, 'seats', { fields: fields.seat, references: { team: 'teams' } });
      await createTable(db, dialect, 'permits', { fields: fields.permit, references: { team: 'teams' } });
      await createTable(db, dialect, 'stamps', { fields: fields.stamp });
      await createTable(db, dialect, 'tickets', { fields: fields.ticket, references: { team: 'teams' } });
    },
  },
};

interface Step {
  readonly rule: string;
  readonly outcome: string;
  readonly because: string;
  readonly conditions?: { readonly rule: { readonly outcome: string } };
}

interface Ticket {
  readonly id: number;
  readonly priority: number | null;
  readonly contact: string | null;
  readonly cost: number | null;
  readonly assignee_id: number | null;
}

describeEachDatabase('fields that are restricted unless a record meets a condition', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [
        team,
        defineResource('Seat', { fields: fields.seat }),
        ticket,
        permit,
        stamp,
        folder,
        sheet,
      ],
      migrations,
    },
    apps: ['shop'],
    env: { LOCALE: 'en' },
  });
  const people = new Map<'staff' | 'reporter' | 'admin' | 'root', TestUser>();
  const as = (name: 'staff' | 'reporter' | 'admin' | 'root'): TestUser => {
    const found = people.get(name);
    if (found === undefined) throw new Error(name);
    return found;
  };

  beforeAll(async () => {
    people.set('root', await service.admin());
    people.set('staff', await service.createUser());
    people.set('reporter', await service.createUser());
    people.set('admin', await service.createUser(['admin']));
    for (const name of ['ours', 'others'])
      await service.ok('POST', '/api/v1/teams', { token: as('root'), body: { team: { name } } });
    const seat = { team_id: 1, user_id: as('staff').id };
    await service.ok('POST', '/api/v1/seats', { token: as('root'), body: { seat } });
  });
  beforeEach(() => {
    heard = [];
    meanwhile = async () => {};
  });

  const create = async (by: TestUser, values: object) =>
    (await service.post('/api/v1/tickets', { token: by, body: { ticket: values } })) as unknown as {
      status: number;
      text: string;
      data: Ticket;
    };
  const change = async (by: TestUser, id: number, values: object) =>
    (await service.request('PATCH', `/api/v1/tickets/${id}`, {
      token: by,
      body: { ticket: values },
    })) as unknown as { status: number; text: string; data: Ticket };

  it('fields that are restricted unless a record meets a condition are written where the record as it is meets it, and ignored elsewhere', async () => {
    const made = (await create(as('reporter'), { title: 'a', team_id: 1, priority: 7, contact: 'me' })).data;
    expect(made).toMatchObject({ priority: 1, contact: 'me' });
    const sent = { priority: 5, contact: 'staff', cost: 3, assignee_id: as('staff').id };
    expect((await change(as('staff'), made.id, sent)).data).toMatchObject({
      ...{ priority: 5, contact: 'me', cost: null, assignee_id: as('staff').id },
    });
    expect((await change(as('reporter'), made.id, { priority: 9, contact: 'us' })).data).toMatchObject({
      ...{ priority: 5, contact: 'us' },
    });
    // An ignored value is not validated.
    expect((await change(as('reporter'), made.id, { priority: 'high' })).status).toBe(200);
    expect((await change(as('staff'), made.id, { priority: 'high' })).status).toBe(422);
    expect((await change(as('admin'), made.id, { priority: 8, cost: 4 })).data).toMatchObject({
      ...{ priority: 8, cost: 4 },
    });
  });

  it('restricted fields go by the record before an update, and by a new one as it will be', async () => {
    expect((await create(as('staff'), { team_id: 1, priority: 4 })).data.priority).toBe(4);
    expect((await create(as('staff'), { team_id: 2, priority: 4 })).data.priority).toBe(1);
    expect((await create(as('staff'), { priority: 4, contact: 'x' })).data).toMatchObject({
      ...{ priority: 1, contact: 'x' },
    });
    const { id } = (await create(as('staff'), { team_id: 1 })).data;
    // It leaves the team of the staff by the same write.
    expect((await change(as('staff'), id, { team_id: 2, priority: 6 })).data.priority).toBe(6);
    expect((await change(as('staff'), id, { team_id: 1, priority: 2 })).data.priority).toBe(6);
    expect((await change(as('staff'), id, { priority: 2 })).data.priority).toBe(2);
  });

  it('fields that are restricted unless a record meets a condition are not in what hooks hear, and are checked again by the statement', async () => {
    await create(as('reporter'), { team_id: 1, priority: 4 });
    expect(heard).toEqual([{ team_id: 1, priority: 1 }]);
    const { id } = (await create(as('staff'), { team_id: 1 })).data;
    meanwhile = async () => {
      const seats = await service.ok<{ id: number }[]>('GET', '/api/v1/seats', { token: as('root') });
      await service.ok('DELETE', `/api/v1/seats/${seats[0]?.id}`, { token: as('root') });
    };
    const changed = await change(as('staff'), id, { priority: 3 });
    meanwhile = async () => {};
    const seat = { team_id: 1, user_id: as('staff').id };
    await service.ok('POST', '/api/v1/seats', { token: as('root'), body: { seat } });
    expect(changed.status).toBe(403);
    const left = await service.ok<Ticket>('GET', `/api/v1/tickets/${id}`, { token: as('root') });
    expect(left.priority).toBe(1);
  });

  it('restricted fields hold in batches and within other records', async () => {
    const { created } = await service.ok<{ created: Ticket[] }>('POST', '/api/v1/tickets/batch', {
      token: as('staff'),
      body: {
        create: [
          { team_id: 1, priority: 5 },
          { team_id: 2, priority: 5 },
        ],
      },
    });
    expect(created.map(({ priority }) => priority)).toEqual([5, 1]);
    for (const [by, priority] of [
      ['staff', 6],
      ['reporter', 1],
    ] as const) {
      await service.ok('PATCH', '/api/v1/teams/1', {
        token: as(by),
        body: { team: { tickets: [{ title: by, priority: 6 }] } },
      });
      const [found] = await service.ok<Ticket[]>('GET', `/api/v1/tickets?filter[title]=${by}`, {
        token: as(by),
      });
      expect([by, found?.priority]).toEqual([by, priority]);
    }
  });

  it('restricted fields do not tell whether a record that the caller may not name meets the condition', async () => {
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/folders', {
      token: as('staff'),
      body: { folder: { open: true } },
    });
    const errors = async (by: TestUser, folderId: number) => {
      const body = { sheet: { folder_id: folderId, code: 'x' } };
      const { text } = await service.post('/api/v1/sheets', { token: by, body });
      return (JSON.parse(text) as { data: { errors: { field: string }[] } }).data.errors.map(
        ({ field: name }) => name,
      );
    };
    expect(await errors(as('staff'), id)).toEqual(['code']);
    expect(await errors(as('reporter'), id)).toEqual(['folder_id']);
    expect(await errors(as('reporter'), 99_999)).toEqual(['folder_id']);
  });

  it('restricted fields are never called blank where the body has a value: a required one makes the create 403', async () => {
    const outcome = async (by: TestUser, path: string, body: object) => {
      const { json } = await service.post(`/api/v1/${path}`, { token: by, body });
      const { code, data } = json as { code: number; data?: { errors?: { field: string; rule: string }[] } };
      return [code, ...(data?.errors ?? []).map(({ field: name, rule }) => `${name} ${rule}`)];
    };
    const made = (by: TestUser, values: object) => outcome(by, 'permits', { permit: values });
    const sent = { title: 'a', team_id: 1, level: 3 };
    expect(await made(as('staff'), sent)).toEqual([0]);
    expect(await made(as('reporter'), sent)).toEqual([40300]);
    expect(await made(as('staff'), { ...sent, team_id: 2 })).toEqual([40300]);
    // An ignored value is not validated.
    expect(await made(as('reporter'), { ...sent, level: 'high' })).toEqual([40300]);
    // All that the caller can mend comes first.
    expect(await made(as('reporter'), { ...sent, title: '' })).toEqual([42200, 'title required']);
    expect(await made(as('reporter'), { title: 'a', team_id: 1 })).toEqual([42200, 'level required']);
    expect(await made(as('reporter'), { ...sent, level: null })).toEqual([42200, 'level required']);
    // The same without a condition, in a batch, and within another record.
    const stamped = (by: TestUser, values: object) => outcome(by, 'stamps', { stamp: values });
    expect(await stamped(as('staff'), { title: 'a', seal: 1 })).toEqual([40300]);
    expect(await stamped(as('staff'), { title: 'a' })).toEqual([42200, 'seal required']);
    expect(await stamped(as('admin'), { title: 'a', seal: 1 })).toEqual([0]);
    expect(await outcome(as('reporter'), 'permits/batch', { create: [sent] })).toEqual([40300]);
    const within = (name: string) => ({ team: { name, permits: [{ title: 'a', level: 3 }] } });
    expect(await outcome(as('reporter'), 'teams', within('new'))).toEqual([40300]);
    expect(await outcome(as('reporter'), 'teams', within('x'.repeat(21)))).toEqual([
      42200,
      'name max_length',
    ]);
  });

  it('restricted fields are no fields of applications, who meet no condition on the caller', async () => {
    const { id } = (await create(as('staff'), { team_id: 1 })).data;
    const body = JSON.stringify({ ticket: { priority: 9, contact: 'app', title: 'app' } });
    const { data } = await service.request('PATCH', `/api/v1/tickets/${id}`, {
      body,
      headers: { 'content-type': 'application/json', ...service.sign('shop', body) },
    });
    expect(data).toMatchObject({ title: 'app', priority: 1, contact: null });
  });

  it('restricted fields appear in metadata, for all records and for one', async () => {
    const { id } = (await create(as('reporter'), { team_id: 1 })).data;
    const readOnly = async (by: TestUser, query = '') => {
      const path = `/api/v1/meta/Ticket${query}`;
      const { fields: found } = await service.ok<{ fields: { name: string; read_only: boolean }[] }>(
        'GET',
        path,
        { token: by },
      );
      return found.filter((each) => each.read_only).map(({ name }) => name);
    };
    const server = ['id', 'user_id', 'created_at', 'updated_at'];
    const sorted = async (by: TestUser, query?: string) => (await readOnly(by, query)).sort();
    expect(await sorted(as('reporter'))).toEqual(['cost', ...server].sort());
    expect(await sorted(as('reporter'), `?id=${id}`)).toEqual(
      ['assignee_id', 'cost', 'priority', ...server].sort(),
    );
    expect(await sorted(as('staff'), `?id=${id}`)).toEqual(['contact', 'cost', ...server].sort());
    expect(await sorted(as('admin'), `?id=${id}`)).toEqual(server.sort());
    const missing = await service.get('/api/v1/meta/Ticket?id=99999', { token: as('staff') });
    expect(missing.json.code).toBe(40400);
  });

  it('restricted fields appear in the API description and in explain', async () => {
    const { text } = await service.get('/api-docs/openapi.json');
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { 'x-gatewright': object }>>;
    };
    expect(paths['/api/v1/tickets']?.['post']?.['x-gatewright']).toMatchObject({
      restricted: ['cost'],
      restricted_unless: [
        { fields: ['priority', 'assignee_id'], unless: expect.stringContaining('`Seat`') },
        { fields: ['contact'], unless: 'Records where `user_id` is the caller' },
      ],
    });
    const { id } = (await create(as('reporter'), { team_id: 1 })).data;
    const explained = async (by: TestUser, method: string, path: string) => {
      const query = `user_id=${by.id}&method=${method}&path=/api/v1/tickets${path}`;
      const { steps } = await service.ok<{ steps: Step[] }>('GET', `/admin/explain?${query}`, {
        token: as('root'),
      });
      return steps.flatMap(({ rule, outcome, because, conditions }) =>
        rule === 'restricted_fields' ? [[outcome, because, conditions?.rule.outcome]] : [],
      );
    };
    const staff = 'priority, assignee_id unless team_id in Seat.team_id where user_id = caller';
    const all = ['narrowed', 'cost, priority, assignee_id, contact', undefined];
    expect(await explained(as('staff'), 'PATCH', `/${id}`)).toEqual([
      all,
      ['passed', staff, 'passed'],
      ['narrowed', 'contact unless user_id = caller', 'refused'],
    ]);
    expect(await explained(as('reporter'), 'POST', '')).toEqual([
      all,
      ['narrowed', staff, 'narrowed'],
      ['narrowed', 'contact unless user_id = caller', 'narrowed'],
    ]);
    expect(await explained(as('admin'), 'PATCH', `/${id}`)).toEqual([
      ['passed', 'cost, priority, assignee_id, contact', undefined],
    ]);
  });
});
