import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { equals, member } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** References that `views.when` hides, seen from the other side: related records, their writes, records of code. */

const fields = {
  team: { name: field.string({ max: 20 }) },
  seat: { team: field.reference('Team', { required: true }), user_id: field.owner() },
  customer: { name: field.string({ max: 20 }) },
  ticket: {
    title: field.string({ max: 20, required: true }),
    code: field.string({ max: 20 }),
    team: field.reference('Team', { anyone: true }),
    customer: field.reference('Customer'),
  },
  comment: {
    text: field.string({ max: 20 }),
    open: field.boolean({ default: false }),
    ticket: field.reference('Ticket', { required: true }),
  },
  tag: { name: field.string({ max: 20 }) },
  label: {
    open: field.boolean({ default: false }),
    ticket: field.reference('Ticket', { required: true }),
    tag: field.reference('Tag', { required: true }),
  },
} as const;

/** The staff of its team sees the customer of a ticket. */
const ticket = defineResource('Ticket', {
  fields: fields.ticket,
  unique: [['code']],
  auth: ['jwt', 'signature'],
  relations: {
    comments: many('Comment', { write: true }),
    labels: many('Label', { write: true }),
    tags: many('Tag', { through: 'Label' }),
  },
  views: { when: [[member('team_id', { of: 'Seat' }), ['customer_id']]] },
});
const comment = defineResource('Comment', {
  fields: fields.comment,
  history: true,
  trash: true,
  hooks: { beforeSave: () => {}, beforeCommit: () => {} },
  views: { when: [[equals('open', true), ['ticket_id']]] },
});
const customer = defineResource('Customer', {
  fields: fields.customer,
  auth: ['jwt', 'signature'],
  relations: { tickets: many('Ticket', { write: true }) },
});
/** The tag of a closed label is hidden, its ticket is not. */
const label = defineResource('Label', {
  fields: fields.label,
  views: { when: [[equals('open', true), ['tag_id']]] },
});
const tag = defineResource('Tag', {
  fields: fields.tag,
  relations: { labels: many('Label', { write: true }), tickets: many('Ticket', { through: 'Label' }) },
});

/** Code that reads a record with its relations past the policy. */
const opened = (
  path: string,
  model: typeof customer | typeof ticket | typeof tag,
  include: readonly string[],
) =>
  defineEndpoint({
    method: 'GET',
    path: `/opened/${path}/:id`,
    auth: ['jwt', 'signature'],
    output: model,
    handle: async ({ asSystem, params }) =>
      (await asSystem('to show it').records(model.name).get(Number(params['id']), { include })) as never,
  });

/** Code that returns what is no record, past the types. */
const listed = defineEndpoint({
  method: 'GET',
  path: '/opened/tickets',
  output: ticket,
  handle: async ({ asSystem }) => (await asSystem('to list them').records('Ticket').list()) as never,
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'seats', { fields: fields.seat, references: { team: 'teams' } });
      await createTable(db, dialect, 'customers', { fields: fields.customer });
      await createTable(db, dialect, 'tickets', {
        fields: fields.ticket,
        unique: [['code']],
        references: { team: 'teams', customer: 'customers' },
      });
      await createTable(db, dialect, 'comments', {
        fields: fields.comment,
        references: { ticket: 'tickets' },
      });
      await createTable(db, dialect, 'tags', { fields: fields.tag });
      await createTable(db, dialect, 'labels', {
        fields: fields.label,
        references: { ticket: 'tickets', tag: 'tags' },
      });
    },
  },
};

type Name = 'staff' | 'other' | 'root';
type Related = JsonObject & Readonly<Record<string, readonly JsonObject[]>>;

const missing = 99;

describeEachDatabase('references that are hidden in some records, from the other side', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [
        defineResource('Team', { fields: fields.team }),
        defineResource('Seat', { fields: fields.seat }),
        ...[customer, ticket, comment, tag, label],
      ],
      endpoints: [
        opened('customers', customer, ['tickets.comments', 'tickets.tags']),
        opened('tickets', ticket, ['tags', 'labels', 'customer.tickets']),
        opened('tags', tag, ['tickets']),
        listed,
      ],
      migrations,
    },
    apps: ['shop'],
    env: { LOCALE: 'en' },
  });
  const people = new Map<Name, TestUser>();
  const as = (name: Name): TestUser => {
    const found = people.get(name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  const read = <T = Related>(by: Name, path: string) =>
    service.ok<T>('GET', `/api/v1/${path}`, { token: as(by) });
  const patch = (by: Name, path: string, body: object) =>
    service.request<Related>('PATCH', `/api/v1/${path}`, { token: as(by), body });
  const idsOf = (records: unknown) => (records as { id: number }[]).map(({ id }) => id);

  /** Status and whole text of the response to such nested items, with the id replaced. */
  const answered = async (by: Name, path: string, bodyOf: (id: number) => object, id: number) => {
    const { status, text } = await patch(by, path, bodyOf(id));
    return [status, text] as const;
  };
  /** Demands that an item with this id gets the same response as one that does not exist. */
  const isMissing = async (by: Name, path: string, bodyOf: (id: number) => object, id: number) => {
    const [status, text] = await answered(by, path, bodyOf, id);
    expect([status, text]).toEqual(await answered(by, path, bodyOf, missing));
    return [status, text] as const;
  };

  /**
   * Three tickets of customer 1: 1 and 3 are of the staff's team, 2 of another. Comment 2 is closed, and so is label 2, which
   * joins ticket 1 and tag 2. Labels 3 and 4 both join ticket 2 and tag 1, and one of them is closed.
   */
  beforeAll(async () => {
    people.set('root', await service.admin());
    for (const name of ['staff', 'other'] as const) people.set(name, await service.createUser());
    const make = (path: string, singular: string, values: object) =>
      service.ok('POST', `/api/v1/${path}`, { token: as('root'), body: { [singular]: values } });
    for (const name of ['ours', 'others']) await make('teams', 'team', { name });
    await make('seats', 'seat', { team_id: 1, user_id: as('staff').id });
    await make('customers', 'customer', { name: 'Ann' });
    for (const [title, team_id] of [
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ] as const)
      await make('tickets', 'ticket', { title, code: title, team_id, customer_id: 1 });
    await make('comments', 'comment', { text: 'x', open: true, ticket_id: 1 });
    await make('comments', 'comment', { text: 'y', ticket_id: 1 });
    for (const name of ['t', 'u']) await make('tags', 'tag', { name });
    await make('labels', 'label', { ticket_id: 1, tag_id: 1, open: true });
    await make('labels', 'label', { ticket_id: 1, tag_id: 2 });
    await make('labels', 'label', { ticket_id: 2, tag_id: 1 });
    await make('labels', 'label', { ticket_id: 2, tag_id: 1, open: true });
  });

  it('hidden references make a nested item a missing one, whatever it changes', async () => {
    const items = [
      (id: number) => ({ id }),
      (id: number) => ({ id, title: 'new' }),
      (id: number) => ({ id, title: null }),
      (id: number) => ({ id, title: 'new', code: 'a' }),
      (id: number) => ({ id, _delete: true }),
    ];
    for (const item of items) {
      const [status, text] = await isMissing(
        'staff',
        'customers/1',
        (id) => ({ customer: { tickets: [{ id: 3 }, item(id)] } }),
        2,
      );
      expect(status).toBe(422);
      expect((JSON.parse(text) as { data: unknown }).data).toEqual({
        errors: [{ field: 'tickets.1.id', rule: 'reference', message: expect.any(String) }],
      });
      await isMissing('other', 'customers/1', (id) => ({ customer: { tickets: [item(id)] } }), 1);
    }
    // Nothing was written.
    expect(await read('root', 'tickets/2')).toMatchObject({ title: 'b', customer_id: 1 });
  });

  it('hidden references make a nested item a missing one for applications, which see them nowhere', async () => {
    const ask = async (id: number) => {
      const text = JSON.stringify({ customer: { tickets: [{ id }] } });
      const headers = { ...service.sign('shop', text), 'content-type': 'application/json' };
      const answer = await service.request('PATCH', '/api/v1/customers/1', { headers, body: text });
      return [answer.status, answer.text];
    };
    expect((await ask(1))[0]).toBe(422);
    expect(await ask(1)).toEqual(await ask(missing));
  });

  it('hidden references make a nested item a missing one in batches, and below another item', async () => {
    const batch = async (id: number) => {
      const body = { update: [{ id: 1, tickets: [{ id }] }] };
      const { status, text } = await service.request('POST', '/api/v1/customers/batch', {
        token: as('staff'),
        body,
      });
      return [status, text];
    };
    expect((await batch(1))[0]).toBe(200);
    expect((await batch(2))[0]).toBe(422);
    expect(await batch(2)).toEqual(await batch(missing));
    const below = (id: number, more: object = {}) => ({
      customer: { tickets: [{ id: 1, comments: [{ id, ...more }] }] },
    });
    expect((await answered('staff', 'customers/1', below, 1))[0]).toBe(200);
    for (const more of [{}, { text: 'z' }, { text: 'far too long a text for it' }, { _delete: true }]) {
      const [status] = await isMissing('staff', 'customers/1', (id) => below(id, more), 2);
      expect(status).toBe(422);
    }
    expect(await read('root', 'comments/2')).toMatchObject({ text: 'y' });
  });

  it('hidden references leave the nested items that show them, and all of them to administrators', async () => {
    const body = (id: number) => ({ customer: { tickets: [{ id, title: 'n' }] } });
    expect((await answered('staff', 'customers/1', body, 3))[0]).toBe(200);
    expect((await answered('root', 'customers/1', body, 2))[0]).toBe(200);
    const own = { customer: { tickets: [{ id: 2, title: 'b' }] } };
    const inArea = await service.request('PATCH', '/admin/records/customers/1', {
      token: as('root'),
      body: own,
    });
    expect(inArea.status).toBe(200);
    expect(await read('staff', 'tickets?fields=title')).toEqual([
      { title: 'a' },
      { title: 'b' },
      { title: 'n' },
    ]);
  });

  it('hidden references may be set by a nested create, whose response does not list the record', async () => {
    const created = await patch('staff', 'customers/1?include=tickets', {
      customer: {
        tickets: [
          { title: 'd', team_id: 2 },
          { title: 'e', team_id: 1 },
        ],
      },
    });
    expect(created.status).toBe(200);
    expect(created.data['tickets']?.map(({ title }) => title)).toEqual(['a', 'n', 'e']);
    const all = await read('root', 'customers/1?include=tickets');
    expect(all['tickets']?.map(({ title }) => title)).toEqual(['a', 'b', 'n', 'd', 'e']);
    // The caller's own create is no exception.
    const [made = 0, seen = 0] = idsOf(all['tickets']).slice(-2);
    const gone = (id: number) => ({ customer: { tickets: [{ id, _delete: true }] } });
    expect((await isMissing('staff', 'customers/1', gone, made))[0]).toBe(422);
    expect((await answered('staff', 'customers/1', gone, seen))[0]).toBe(200);
    await service.ok('DELETE', `/api/v1/tickets/${made}`, { token: as('root') });
    const posted = await service.request<Related>('POST', '/api/v1/customers?include=tickets', {
      token: as('staff'),
      body: { customer: { name: 'Ben', tickets: [{ title: 'f', team_id: 2 }] } },
    });
    expect(posted.json.data).toMatchObject({ name: 'Ben', tickets: [] });
    const { data } = await patch('root', 'customers/2?include=tickets', { customer: {} });
    await service.ok('DELETE', `/api/v1/tickets/${data['tickets']?.[0]?.['id']}`, { token: as('root') });
  });

  it('hidden references of records between lead nowhere: includes, filters, nested writes', async () => {
    const tags = async (by: Name, id: number) =>
      idsOf((await read(by, `tickets/${id}?include=tags`))['tags']);
    const tickets = async (by: Name, id: number) =>
      idsOf((await read(by, `tags/${id}?include=tickets`))['tickets']);
    expect([await tags('root', 1), await tags('root', 2)]).toEqual([[1, 2], [1]]);
    expect([await tags('staff', 1), await tags('staff', 2)]).toEqual([[1], [1]]);
    expect([await tickets('root', 1), await tickets('root', 2)]).toEqual([[1, 2], [1]]);
    expect([await tickets('staff', 1), await tickets('staff', 2)]).toEqual([[1, 2], []]);
    const found = async (by: Name, query: string) => idsOf(await read<object[]>(by, query));
    expect(await found('root', 'tickets?filter[tags.name]=u')).toEqual([1]);
    expect(await found('staff', 'tickets?filter[tags.name]=u')).toEqual([]);
    expect(await found('staff', 'tickets?filter[tags.name]=t')).toEqual([1, 2]);
    expect(await found('root', 'tags?filter[tickets.title]=a')).toEqual([1, 2]);
    expect(await found('staff', 'tags?filter[tickets.title]=a')).toEqual([1]);
    expect(await found('staff', 'tags?filter[tickets.id][null]=true')).toEqual([2]);
    // From the tag a closed label is missing; from the ticket it is there, and does not say its tag.
    const ofTag = (id: number) => ({ tag: { labels: [{ id }] } });
    expect((await answered('staff', 'tags/1', ofTag, 1))[0]).toBe(200);
    expect((await isMissing('staff', 'tags/2', ofTag, 2))[0]).toBe(422);
    expect((await answered('root', 'tags/2', ofTag, 2))[0]).toBe(200);
    const ofTicket = (id: number) => ({ ticket: { labels: [{ id }] } });
    expect((await answered('staff', 'tickets/1', ofTicket, 2))[0]).toBe(200);
    expect((await isMissing('staff', 'tickets/2', ofTicket, 2))[0]).toBe(422);
    const { labels = [] } = await read('staff', 'tickets/1?include=labels.tag');
    expect(labels.map((each) => [each['id'], each['tag_id'], each['tag'] !== null])).toEqual([
      [1, 1, true],
      [2, undefined, false],
    ]);
  });

  it('hidden references list no record in answers of code that reads past the policy', async () => {
    const list = async (by: Name, path: string, name: string) =>
      idsOf((await read(by, `opened/${path}`))[name]);
    expect(await list('root', 'customers/1', 'tickets')).toEqual([1, 2, 3]);
    expect(await list('staff', 'customers/1', 'tickets')).toEqual([1, 3]);
    expect(await list('other', 'customers/1', 'tickets')).toEqual([]);
    const sign = { headers: service.sign('shop', '') };
    const ofApplication = (await service.get<Related>('/api/v1/opened/customers/1', sign)).json
      .data as Related;
    expect(ofApplication).toMatchObject({ name: 'Ann', tickets: [] });
    const { tickets = [] } = await read('staff', 'opened/customers/1');
    expect(tickets.map((each) => [idsOf(each['comments']), idsOf(each['tags'])])).toEqual([
      [[1], [1]],
      [[], []],
    ]);
  });

  it('hidden references of records between list no record in such answers', async () => {
    const list = async (by: Name, path: string, name: string) =>
      idsOf((await read(by, `opened/${path}`))[name]);
    expect([await list('root', 'tickets/1', 'tags'), await list('root', 'tags/2', 'tickets')]).toEqual([
      [1, 2],
      [1],
    ]);
    expect([await list('staff', 'tickets/1', 'tags'), await list('staff', 'tags/2', 'tickets')]).toEqual([
      [1],
      [],
    ]);
    // One of the two labels between them shows both.
    expect([await list('staff', 'tickets/2', 'tags'), await list('staff', 'tags/1', 'tickets')]).toEqual([
      [1],
      [1, 2],
    ]);
    expect(await list('staff', 'tickets/1', 'labels')).toEqual([1, 2]);
    const whole = await read('staff', 'opened/tickets/1');
    expect(idsOf((whole['customer'] as unknown as Related)['tickets'])).toEqual([1, 3]);
    // More than one statement asks for.
    const batch = (path: string, create: readonly object[]) =>
      service.ok<{ created: { id: number }[] }>('POST', `/api/v1/${path}/batch`, {
        token: as('root'),
        body: { create },
      });
    const numbers = Array.from({ length: 120 }, (_, index) => index);
    const tags = idsOf(
      (
        await batch(
          'tags',
          numbers.map((index) => ({ name: `n${index}` })),
        )
      ).created,
    );
    await batch(
      'labels',
      tags.map((tag_id, index) => ({ ticket_id: 3, tag_id, open: index % 2 === 0 })),
    );
    expect(await list('root', 'tickets/3', 'tags')).toEqual(tags);
    expect(await list('staff', 'tickets/3', 'tags')).toEqual(tags.filter((_, index) => index % 2 === 0));
  });

  it('hidden references reach no caller in a list that code returns instead of a record', async () => {
    const { status, text } = await service.get('/api/v1/opened/tickets', { token: as('other') });
    expect([status, text.includes('customer_id')]).toEqual([500, false]);
  });
});
