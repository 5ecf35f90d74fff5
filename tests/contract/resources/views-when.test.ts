import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { allOf, anyOf, equals, member, own } from '../../../src/model/row-rule.ts';
import type { DetailOf, ListItemOf } from '../../../src/model/types.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** `views: { when }`: the staff of a ticket's team sees its note and its customer, its reporter the cost. */

const fields = {
  team: { name: field.string({ max: 20 }) },
  seat: { team: field.reference('Team', { required: true }), user_id: field.owner() },
  customer: { name: field.string({ max: 20 }) },
  ticket: {
    title: field.string({ max: 20 }),
    note: field.string({ max: 20, required: true }),
    cost: field.integer(),
    open: field.boolean({ default: false }),
    hint: field.string({ max: 20 }),
    team: field.reference('Team', { anyone: true }),
    customer: field.reference('Customer'),
    user_id: field.owner(),
  },
  vault: { name: field.string({ max: 20 }), user_id: field.owner() },
  box: {
    name: field.string({ max: 20 }),
    vault: field.reference('Vault'),
    keeper: field.reference('User', { anyone: true, shows: ['name'] }),
    user_id: field.owner(),
  },
  card: { name: field.string({ max: 20 }), mark: field.string({ max: 20 }), user_id: field.owner() },
} as const;

const ticket = defineResource('Ticket', {
  fields: fields.ticket,
  ownership: true,
  history: true,
  trash: true,
  manage: equals('open', true),
  auth: ['jwt', 'signature'],
  views: {
    detail: ['id', 'title', 'team_id', 'user_id', 'updated_at'],
    list: ['id', 'title', 'note', 'cost', 'hint'],
    when: [
      [member('team_id', { of: 'Seat' }), ['note', 'customer_id']],
      [own(), ['cost']],
      [equals('open', true), ['hint']],
    ],
  },
});
/** Read by their owners; a box of this name shows the vault in it, and its keeper, to its own owner only. */
const vault = defineResource('Vault', { fields: fields.vault, ownership: true, isolation: true });
const box = defineResource('Box', {
  fields: fields.box,
  ownership: true,
  history: true,
  trash: true,
  manage: anyOf(own(), equals('name', 'b')),
  views: { when: [[allOf(own(), equals('name', 'b')), ['vault_id', 'keeper_id']]] },
});
/** Its condition asks for the caller, and is not the same for users and applications; both read every field. */
const card = defineResource('Card', {
  fields: fields.card,
  ownership: true,
  history: true,
  auth: ['jwt', 'signature'],
  views: { when: [[anyOf(own(), equals('name', 'open')), ['mark']]] },
});
const customer = defineResource('Customer', {
  fields: fields.customer,
  relations: { tickets: many('Ticket', { by: 'customer' }) },
});

/** Code of the application that reads past the policy, with a ticket as its output. */
const opened = defineEndpoint({
  method: 'GET',
  path: '/opened/:id',
  auth: ['jwt', 'signature'],
  output: ticket,
  handle: ({ asSystem, params }) =>
    asSystem('to show it')
      .records(ticket)
      .get(Number(params['id']), { include: ['customer'] }),
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'customers', { fields: fields.customer });
      await createTable(db, dialect, 'seats', { fields: fields.seat, references: { team: 'teams' } });
      await createTable(db, dialect, 'tickets', {
        fields: fields.ticket,
        references: { team: 'teams', customer: 'customers' },
      });
      await createTable(db, dialect, 'vaults', { fields: fields.vault });
      await createTable(db, dialect, 'boxes', { fields: fields.box, references: { vault: 'vaults' } });
      await createTable(db, dialect, 'cards', { fields: fields.card });
    },
  },
};

type Name = 'staff' | 'reporter' | 'other' | 'root';

interface Step {
  readonly rule: string;
  readonly outcome: string;
  readonly because: string;
}

describeEachDatabase('fields that are seen where a record meets a condition', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [
        defineResource('Team', { fields: fields.team }),
        defineResource('Seat', { fields: fields.seat }),
        customer,
        ticket,
        vault,
        box,
        card,
      ],
      endpoints: [opened],
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
  const read = <T = JsonObject>(by: Name, path: string) =>
    service.ok<T>('GET', `/api/v1/${path}`, { token: as(by) });

  /** 1 is of the staff's team, 2 of another; both are the reporter's. The second one is open. */
  beforeAll(async () => {
    people.set('root', await service.admin());
    for (const name of ['staff', 'reporter', 'other'] as const) people.set(name, await service.createUser());
    const make = (path: string, singular: string, values: object, by: Name = 'root') =>
      service.ok('POST', `/api/v1/${path}`, { token: as(by), body: { [singular]: values } });
    for (const name of ['ours', 'others']) await make('teams', 'team', { name });
    await make('seats', 'seat', { team_id: 1, user_id: as('staff').id });
    await make('customers', 'customer', { name: 'Ann' });
    const common = { cost: 5, customer_id: 1 };
    await make(
      'tickets',
      'ticket',
      { ...common, title: 'a', note: 'first', hint: 'h', team_id: 1 },
      'reporter',
    );
    await make(
      'tickets',
      'ticket',
      { ...common, title: 'b', note: 'second', hint: 'h', open: true, team_id: 2 },
      'reporter',
    );
  });

  it('conditional fields are absent from lists and details elsewhere, and there for administrators', async () => {
    expect(await read('staff', 'tickets')).toEqual([
      { id: 1, title: 'a', note: 'first' },
      { id: 2, title: 'b', hint: 'h' },
    ]);
    expect(await read('reporter', 'tickets')).toEqual([
      { id: 1, title: 'a', cost: 5 },
      { id: 2, title: 'b', cost: 5, hint: 'h' },
    ]);
    const all = ['id', 'title', 'team_id', 'user_id', 'updated_at', 'note', 'customer_id', 'cost', 'hint'];
    expect(Object.keys(await read('root', 'tickets/1'))).toEqual(all);
    expect(Object.keys(await read('staff', 'tickets/1'))).toEqual(all.slice(0, 7));
    expect(Object.keys(await read('staff', 'tickets/2'))).toEqual([...all.slice(0, 5), 'hint']);
  });

  it('conditional fields count as null for filters, sorts, searches and groups', async () => {
    const ids = async (by: Name, query: string) =>
      (await read<{ id: number }[]>(by, `tickets?${query}`)).map(({ id }) => id);
    expect(await ids('staff', 'filter[note]=second')).toEqual([]);
    expect(await ids('root', 'filter[note]=second')).toEqual([2]);
    expect(await ids('staff', 'filter[note][null]=true')).toEqual([2]);
    expect(await ids('staff', 'filter[note][ne]=first')).toEqual([2]);
    expect(await ids('staff', 'sort=-note')).toEqual([1, 2]);
    expect(await ids('staff', 'sort=note')).toEqual([2, 1]);
    expect(await ids('other', 'q=second')).toEqual([]);
    expect(await ids('staff', 'q=first')).toEqual([1]);
    expect(await read('staff', 'tickets/aggregate?group=note&count&sum=cost')).toEqual([
      { note: null, count: 1, sum_cost: null },
      { note: 'first', count: 1, sum_cost: null },
    ]);
    // A total that was counted for one reader is not that of another.
    const total = async (by: Name) => {
      const path = '/api/v1/tickets?filter[cost]=5&page=1&per_page=1';
      return (await service.get(path, { token: as(by) })).headers['x-total-count'];
    };
    expect([await total('reporter'), await total('staff'), await total('reporter')]).toEqual(['2', '0', '2']);
    const more = { title: 'c', note: 'x', cost: 5 };
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/tickets', {
      token: as('other'),
      body: { ticket: more },
    });
    expect([await total('reporter'), await total('other'), await total('root')]).toEqual(['2', '1', '3']);
    await service.ok('DELETE', `/api/v1/tickets/${id}`, { token: as('root') });
    const pages: unknown[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const answer: Awaited<ReturnType<typeof service.get>> = await service.get(
        `/api/v1/tickets?sort=note&per_page=1&after=${after}`,
        {
          token: as('staff'),
        },
      );
      pages.push(...(answer.json.data as { id: number }[]).map(({ id }) => id));
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
      after = next === undefined ? null : new URL(next).searchParams.get('after');
    }
    expect(pages).toEqual([2, 1]);
  });

  it('conditional fields are empty cells of CSV', async () => {
    const { text } = await service.get('/api/v1/tickets', {
      token: as('staff'),
      headers: { accept: 'text/csv' },
    });
    expect(text).toBe('id,title,note,cost,hint\r\n1,a,first,,\r\n2,b,,,h\r\n');
  });

  it('conditional fields lead nowhere and are reached from nowhere, where they are references', async () => {
    const customers = async (by: Name) =>
      (await read<{ customer: unknown }[]>(by, 'tickets?include=customer&page=1')).map(
        (each) => each.customer,
      );
    const ann = expect.objectContaining({ name: 'Ann' });
    expect(await customers('root')).toEqual([ann, ann]);
    expect(await customers('staff')).toEqual([ann, null]);
    expect(await customers('other')).toEqual([null, null]);
    const tickets = async (by: Name) =>
      (await read<{ tickets: object[] }>(by, 'customers/1?include=tickets')).tickets;
    expect(await tickets('staff')).toEqual([{ id: 1, title: 'a', note: 'first' }]);
    expect(await tickets('other')).toEqual([]);
    const chosen = (await read('staff', 'customers/1?include=tickets&fields[tickets]=cost')) as unknown as {
      tickets: object[];
    };
    expect(chosen.tickets).toEqual([{}]);
    const found = async (by: Name, query: string) => (await read<object[]>(by, query)).length;
    expect(await found('other', 'tickets?filter[customer.name]=Ann')).toBe(0);
    expect(await found('staff', 'tickets?filter[customer.name]=Ann')).toBe(1);
    expect(await found('root', 'customers?filter[tickets.note]=second')).toBe(1);
    expect(await found('staff', 'customers?filter[tickets.note]=second')).toBe(0);
    expect(await found('staff', 'customers?filter[tickets.note]=first')).toBe(1);
    expect(await read('staff', 'tickets?sort=-customer.name&fields=id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('conditional fields make a tag that changes with what is seen', async () => {
    const tagOf = async (by: Name) =>
      String((await service.get('/api/v1/tickets/1', { token: as(by) })).headers['etag']);
    const [staff, other, root] = [await tagOf('staff'), await tagOf('other'), await tagOf('root')];
    expect(new Set([staff, other, root]).size).toBe(3);
    expect(root).toBe('"1-detail"');
    const again = await service.get('/api/v1/tickets/1', {
      token: as('staff'),
      headers: { 'if-none-match': other },
    });
    expect(again.status).toBe(200);
    const changed = await service.request('PATCH', '/api/v1/tickets/1', {
      token: as('staff'),
      body: { ticket: { title: 'a' } },
      headers: { 'if-match': staff },
    });
    expect(changed.status).toBe(200);
    expect(changed.json.data).toMatchObject({ note: 'first' });
    expect(changed.json.data).not.toHaveProperty('cost');
  });

  it('conditional fields are not in answers of code that reads more', async () => {
    const keys = async (by: Name, id: number) => Object.keys(await read(by, `opened/${id}`));
    expect(await keys('staff', 1)).toContain('note');
    expect(await keys('staff', 1)).not.toContain('cost');
    expect(await keys('staff', 2)).not.toContain('note');
    expect(await keys('root', 2)).toContain('note');
    // A record behind a reference that the record hides is hidden with it.
    expect(await read('staff', 'opened/1')).toMatchObject({ customer: { name: 'Ann' } });
    for (const by of ['reporter', 'other'] as const) expect(await keys(by, 1)).not.toContain('customer');
    // Applications are in no team and own nothing, whatever the code of the application reads.
    const sign = { headers: service.sign('shop', '') };
    const ofApplication = (await service.get('/api/v1/opened/2', sign)).json.data as JsonObject;
    expect(ofApplication).toMatchObject({ title: 'b', hint: 'h' });
    for (const name of ['note', 'cost', 'customer_id', 'customer'])
      expect(ofApplication).not.toHaveProperty(name);
  });

  it('conditional fields are no reference that a body may keep unseen', async () => {
    const body = { ticket: { customer_id: 1 } };
    // Every caller reads every customer, so that naming one tells nothing.
    const answer = await service.request('PATCH', '/api/v1/tickets/2', { token: as('other'), body });
    expect(answer.json.data).not.toHaveProperty('customer_id');

    await service.ok('POST', '/api/v1/vaults', { token: as('root'), body: { vault: { name: 'v' } } });
    await service.ok('POST', '/api/v1/boxes', { token: as('reporter'), body: { box: { name: 'b' } } });
    await service.ok('PATCH', '/api/v1/boxes/1', { token: as('root'), body: { box: { vault_id: 1 } } });
    const keep = async (by: Name, id: number) => {
      const sent = { token: as(by), body: { box: { vault_id: id } } };
      const { status, json } = await service.request('PATCH', '/api/v1/boxes/1', sent);
      return [status, json.code, json.message];
    };
    // The owner of the box sees the vault in it, and may send it back; to others it is as good as missing.
    expect((await keep('reporter', 1))[0]).toBe(200);
    expect((await keep('other', 1))[0]).toBe(422);
    expect(await keep('other', 1)).toEqual(await keep('other', 99));
    expect(await read('reporter', 'boxes/1')).toMatchObject({ vault_id: 1 });
    expect(await read('other', 'boxes/1')).not.toHaveProperty('vault_id');
    await service.ok('PATCH', '/api/v1/boxes/1', { token: as('root'), body: { box: { name: 'c' } } });
    expect(await read('reporter', 'boxes/1')).not.toHaveProperty('vault_id');
    expect((await keep('reporter', 1))[0]).toBe(422);
  });

  it('conditional fields are decided by the values of each version in history, and by those of a deleted record in the trash', async () => {
    const move = (values: object) =>
      service.ok('PATCH', '/api/v1/tickets/2', { token: as('root'), body: { ticket: values } });
    await move({ team_id: 1 });
    await move({ note: 'third' });
    await move({ team_id: 2 });
    await move({ note: 'fourth' });
    const versions = await read<{ before: JsonObject | null; after: JsonObject | null }[]>(
      'staff',
      'tickets/2/history?per_page=4',
    );
    // The last change was of a field that neither side shows, and so were those of other versions before.
    expect(versions.map(({ before, after }) => [before?.['note'], after?.['note']]).slice(0, 3)).toEqual([
      ['third', undefined],
      ['second', 'third'],
      [undefined, 'second'],
    ]);
    await service.ok('DELETE', '/api/v1/tickets/2', { token: as('root') });
    const [deleted] = await service.ok<JsonObject[]>('GET', '/admin/records/tickets?trashed=true', {
      token: as('root'),
    });
    expect(deleted).toMatchObject({ note: 'fourth', cost: 5 });
    await service.ok('POST', '/admin/records/tickets/2/restore', { token: as('root'), body: {} });
  });

  it('conditional fields are not in the trash of callers who manage the record, and do not see them in it', async () => {
    const values = { title: 'd', note: 'n', cost: 7, hint: 'h', open: true, team_id: 1 };
    const made = await service.ok<{ id: number }>('POST', '/api/v1/tickets', {
      token: as('reporter'),
      body: { ticket: values },
    });
    await service.ok('DELETE', `/api/v1/tickets/${made.id}`, { token: as('root') });
    const shown = async (caller: object) => {
      const [first] = await service.ok<JsonObject[]>('GET', '/api/v1/tickets?trashed=true', caller);
      const deletion = ['id', 'deleted_at', 'deleted_by', 'kept_until'];
      return Object.keys(first ?? {}).filter((name) => !deletion.includes(name));
    };
    expect(await shown({ headers: service.sign('shop', '') })).toEqual(['title', 'hint']);
    const users = ['staff', 'reporter', 'other', 'root'] as const;
    expect(await Promise.all(users.map((by) => shown({ token: as(by) })))).toEqual([
      ['title', 'note', 'hint'],
      ['title', 'cost', 'hint'],
      ['title', 'hint'],
      ['title', 'note', 'cost', 'hint'],
    ]);
  });

  it('conditional fields are kept in history for callers who see them, and name no user to others', async () => {
    interface Version {
      readonly after: JsonObject | null;
      readonly actor: { readonly name: string | null };
    }
    const root = as('root');
    const make = { token: as('reporter'), body: { box: { name: 'b', keeper_id: root.id } } };
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/boxes', make);
    const change = (by: Name, values: object) =>
      service.ok('PATCH', `/api/v1/boxes/${id}`, { token: as(by), body: { box: values } });
    await change('root', { vault_id: 1 });
    await change('root', { name: 'e' });
    await change('other', { name: 'b' });
    const versions = async (by: Name) =>
      (await read<Version[]>(by, `boxes/${id}/history`)).map(({ after, actor }) => [
        after?.['name'],
        after?.['vault_id'],
        actor.name,
      ]);
    const { name } = await service.ok<{ name: string }>('GET', '/api/v1/auth/me', { token: root });
    expect((await versions('root')).map((each) => each.slice(0, 2))).toEqual([
      ['b', 1],
      ['e', 1],
      ['b', 1],
      ['b', null],
    ]);
    // Before the name changed, the record showed its keeper to its owner, who sees their name.
    expect((await versions('reporter')).slice(1)).toEqual([
      ['e', undefined, name],
      ['b', 1, name],
      ['b', null, expect.any(String)],
    ]);
    expect(await versions('other')).toEqual([
      ['b', undefined, expect.any(String)],
      ['e', undefined, null],
      ['b', undefined, null],
    ]);
    await service.ok('DELETE', `/api/v1/boxes/${id}`, { token: root });
    const deletedBy = async (by: Name) =>
      (await read<{ deleted_by: { name: string | null } }[]>(by, 'boxes?trashed=true'))[0]?.deleted_by.name;
    expect([await deletedBy('reporter'), await deletedBy('other')]).toEqual([name, null]);
  });

  it('conditional fields are read by the condition for the kind of caller, in every order of callers', async () => {
    const body = { card: { name: 'shut', mark: 'm' } };
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/cards', { token: as('reporter'), body });
    const path = `/api/v1/cards/${id}/history`;
    const marks = async (caller: object) =>
      (await service.ok<{ after: JsonObject }[]>('GET', path, caller)).map(({ after }) => after['mark']);
    const sign = { headers: service.sign('shop', '') };
    expect(await marks(sign)).toEqual([undefined]);
    expect(await marks({ token: as('reporter') })).toEqual(['m']);
    expect(await marks({ token: as('other') })).toEqual([undefined]);
  });

  it('conditional fields are no fields at all of callers who see them in no record', async () => {
    const sign = { headers: service.sign('shop', '') };
    const answer = await service.get('/api/v1/tickets/1', sign);
    expect(Object.keys(answer.json.data as object)).toEqual([
      'id',
      'title',
      'team_id',
      'user_id',
      'updated_at',
    ]);
    expect(
      (await service.get('/api/v1/tickets?filter[note]=x', { headers: service.sign('shop', '') })).json.code,
    ).toBe(40007);
  });

  it('conditional fields appear in metadata, for all records and for one', async () => {
    const names = async (by: Name, query = '') => {
      const described = await read<{ schemas: { read: { required: string[]; properties: object } } }>(
        by,
        `meta/Ticket${query}`,
      );
      const { required, properties } = described.schemas.read;
      return { required, named: Object.keys(properties) };
    };
    const always = ['id', 'title', 'team_id', 'user_id', 'updated_at'];
    const every = [...always, 'note', 'customer_id', 'cost', 'hint'];
    expect(await names('staff')).toEqual({ required: always, named: every });
    expect(await names('root')).toEqual({ required: every, named: every });
    const seen = [...always, 'note', 'customer_id'];
    expect(await names('staff', '?id=1')).toEqual({ required: seen, named: seen });
  });

  it('conditional fields are optional in the API description and in clients', async () => {
    const { text } = await service.get('/api-docs/openapi.json');
    const { paths, components } = JSON.parse(text) as {
      paths: Record<string, Record<string, { 'x-gatewright': object }>>;
      components: { schemas: Record<string, { required?: string[]; properties: object }> };
    };
    expect(paths['/api/v1/tickets/{id}']?.['get']?.['x-gatewright']).toMatchObject({
      viewed_when: [
        { fields: ['note', 'customer_id'], when: expect.stringContaining('`Seat`') },
        { fields: ['cost'], when: 'Records where `user_id` is the caller' },
        { fields: ['hint'], when: expect.stringContaining('`open`') },
      ],
    });
    const described = Object.values(components.schemas).filter(
      ({ properties }) => properties !== undefined && 'note' in properties && 'updated_at' in properties,
    );
    expect(described.length).toBeGreaterThan(0);
    const optional = described.filter(({ required }) => required?.includes('note') === false);
    expect(optional.length).toBeGreaterThan(0);
    // The record is a related one too.
    const related = components.schemas['TicketRelated']?.properties as Record<string, object>;
    for (const [name, isConditional] of Object.entries({ title: false, note: true, cost: true }))
      expect([name, 'x-gatewright' in (related[name] ?? {})]).toEqual([name, isConditional]);
    const item: ListItemOf<typeof ticket> = { id: 1, title: null };
    const whole: DetailOf<typeof ticket> = {
      id: 1,
      title: '',
      team_id: 1,
      user_id: 1,
      updated_at: '',
      note: '',
    };
    expect([item.cost, whole.hint]).toEqual([undefined, undefined]);
  });

  it('conditional fields appear in explain', async () => {
    const explained = async (by: Name, path: string) => {
      const query = `user_id=${as(by).id}&method=GET&path=/api/v1/tickets${path}`;
      const { steps } = await service.ok<{ steps: Step[] }>('GET', `/admin/explain?${query}`, {
        token: as('root'),
      });
      return steps.flatMap(({ rule, outcome, because }) =>
        rule === 'viewed_fields' ? [`${outcome} ${because}`] : [],
      );
    };
    const note = 'note, customer_id when team_id in Seat.team_id where user_id = caller';
    expect(await explained('staff', '/1')).toEqual([
      `passed ${note}`,
      'narrowed cost when user_id = caller',
      'narrowed hint when open = true',
    ]);
    expect(await explained('staff', '')).toEqual([
      `narrowed ${note}`,
      'narrowed cost when user_id = caller',
      'narrowed hint when open = true',
    ]);
    expect(await explained('root', '/1')).toEqual([]);
  });
});
