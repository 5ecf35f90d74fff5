import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, member, via } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const noteFields = { body: field.string({ max: 40 }), published: field.boolean({ default: false }) };
const teamFields = { name: field.string({ max: 40 }) };
const seatFields = { team: field.reference('Team', { required: true }), user_id: field.owner() };
const taskFields = {
  title: field.string({ max: 40 }),
  price: field.decimal({ scale: 2 }),
  secret: field.string({ max: 40 }),
  team: field.reference('Team'),
};
const stepFields = {
  text: field.string({ max: 40 }),
  task: field.reference('Task', { onDelete: 'null' }),
};
const billFields = { text: field.string({ max: 40 }), total: field.decimal({ scale: 2 }) };
const clientFields = { name: field.string({ max: 40 }), user_id: field.owner() };
const callFields = {
  text: field.string({ max: 40 }),
  client: field.reference('Client', { onDelete: 'null', anyone: true }),
};

const caseFields = { title: field.string({ max: 40 }) };

const kept = { history: true, events: true } as const;
const note = defineResource('Note', {
  fields: noteFields,
  publicRead: { where: { published: true } },
  ...kept,
});
const team = defineResource('Team', { fields: teamFields });
const seat = defineResource('Seat', { fields: seatFields });
const task = defineResource('Task', {
  fields: taskFields,
  views: { detail: ['id', 'title', 'price', 'team_id'] },
  isolation: member('team_id', { of: 'Seat' }),
  ...kept,
});
const step = defineResource('Step', {
  fields: stepFields,
  isolation: via('task', member('team_id', { of: 'Seat' })),
  ...kept,
});
const bill = defineResource('Bill', { fields: billFields, isolation: equals('total', '12.50'), ...kept });
const client = defineResource('Client', { fields: clientFields, isolation: true, ownership: true });
const secretCase = defineResource('SecretCase', { fields: caseFields, permissions: 'all', events: true });
const call = defineResource('Call', { fields: callFields, ...kept });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'notes', { fields: noteFields });
      await createTable(db, dialect, 'teams', { fields: teamFields });
      await createTable(db, dialect, 'seats', { fields: seatFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'tasks', { fields: taskFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'steps', { fields: stepFields, references: { task: 'tasks' } });
      await createTable(db, dialect, 'bills', { fields: billFields });
      await createTable(db, dialect, 'clients', { fields: clientFields });
      await createTable(db, dialect, 'secret_cases', { fields: caseFields });
      await createTable(db, dialect, 'calls', { fields: callFields, references: { client: 'clients' } });
    },
  },
};

type Values = Readonly<Record<string, unknown>> | null;
interface Version {
  readonly version: number;
  readonly action: string;
  readonly actor: Readonly<Record<string, unknown>>;
  readonly before: Values;
  readonly after: Values;
}

describeEachDatabase('former values', (databases) => {
  const resources = [note, team, seat, task, step, bill, client, call, secretCase];
  const service = useService(databases, { application: { resources, migrations } });

  const write = async (method: 'POST' | 'PATCH', path: string, singular: string, values: object) => {
    const token = await service.admin();
    return service.ok<{ id: number }>(method, `/admin/records/${path}`, {
      token,
      body: { [singular]: values },
    });
  };
  const history = async (path: string, token?: TestUser, query = '') => {
    const answer = await service.request<Version[]>('GET', `/api/v1/${path}/history${query}`, {
      ...(token === undefined ? {} : { token }),
    });
    expect(answer.status).toBe(200);
    return answer;
  };
  const sides = (of: string, versions: readonly Version[]) =>
    versions.map(({ version, before, after }) => [version, before?.[of] ?? null, after?.[of] ?? null]);

  it('former values of a record that anybody may read are those that anybody might have read', async () => {
    const { id } = await write('POST', 'notes', 'note', { body: 'draft secret' });
    await write('PATCH', `notes/${id}`, 'note', { body: 'another draft' });
    await write('PATCH', `notes/${id}`, 'note', { body: 'public', published: true });
    await write('PATCH', `notes/${id}`, 'note', { body: 'withdrawn', published: false });
    await write('PATCH', `notes/${id}`, 'note', { body: 'public again', published: true });
    const { data, headers, text } = await history(`notes/${id}`);
    expect(sides('body', data)).toEqual([
      [5, null, 'public again'],
      [4, 'public', null],
      [3, null, 'public'],
    ]);
    expect(text).not.toMatch(/secret|draft|withdrawn|root/);
    expect(headers['x-total-count']).toBe('3');
    expect(data[0]?.actor).toEqual({ kind: 'user', id: null, name: null, key: null, reason: null });
    const page = await history(`notes/${id}`, undefined, '?page=2&per_page=2');
    expect([sides('body', page.data), page.headers['x-total-count']]).toEqual([[[3, null, 'public']], '3']);
    expect(page.headers['link']).not.toContain('page=3');
    const token = await service.admin();
    // Public reads replace the isolation for administrators too; their own area does not ask.
    expect((await history(`notes/${id}`, token)).data).toHaveLength(3);
    const path = `/admin/records/notes/${id}/history`;
    const whole = await service.ok<Version[]>('GET', path, { token });
    expect(sides('body', whole).at(-1)).toEqual([1, null, 'draft secret']);
  });

  it('former values are held to a row rule by their own values, and to related records as these are now', async () => {
    const ann = await service.createUser();
    const [ours, others] = [
      await write('POST', 'teams', 'team', { name: 'ours' }),
      await write('POST', 'teams', 'team', { name: 'others' }),
    ];
    await write('POST', 'seats', 'seat', { team_id: ours.id, user_id: ann.id });
    const { id } = await write('POST', 'tasks', 'task', { title: 'internal', team_id: others.id });
    await write('PATCH', `tasks/${id}`, 'task', { title: 'given', team_id: ours.id });
    await write('PATCH', `tasks/${id}`, 'task', { title: 'ours' });
    expect(sides('title', (await history(`tasks/${id}`, ann)).data)).toEqual([
      [3, 'given', 'ours'],
      [2, null, 'given'],
    ]);
    const { id: stepId } = await write('POST', 'steps', 'step', { text: 'nowhere' });
    await write('PATCH', `steps/${stepId}`, 'step', { text: 'here', task_id: id });
    expect(sides('text', (await history(`steps/${stepId}`, ann)).data)).toEqual([[2, null, 'here']]);
    const { id: billId } = await write('POST', 'bills', 'bill', { text: 'draft', total: '12.49' });
    await write('PATCH', `bills/${billId}`, 'bill', { text: 'final', total: '12.50' });
    expect(sides('text', (await history(`bills/${billId}`, ann)).data)).toEqual([[2, null, 'final']]);
  });

  it('former values do not tell of an update that changes nothing the caller reads', async () => {
    const ann = await service.createUser();
    const { id: teamId } = await write('POST', 'teams', 'team', { name: 'a' });
    await write('POST', 'seats', 'seat', { team_id: teamId, user_id: ann.id });
    const { id } = await write('POST', 'tasks', 'task', { title: 'a', price: '1.00', team_id: teamId });
    await write('PATCH', `tasks/${id}`, 'task', { secret: 'unseen' });
    await write('PATCH', `tasks/${id}`, 'task', { secret: 'seen', title: 'b' });
    const { data, headers } = await history(`tasks/${id}`, ann);
    expect([data.map(({ version }) => version), headers['x-total-count']]).toEqual([[3, 1], '2']);
    const path = `/admin/records/tasks/${id}/history`;
    expect(await service.ok<Version[]>('GET', path, { token: await service.admin() })).toHaveLength(3);
  });

  it('former values say who and why only to callers who may read that user, and that record', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const { id: clientId } = await service.ok<{ id: number }>('POST', '/api/v1/clients', {
      token: ben,
      body: { client: { name: 'hidden' } },
    });
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/calls', {
      token: ann,
      body: { call: { text: 'a', client_id: clientId } },
    });
    await service.ok('DELETE', `/api/v1/clients/${clientId}`, { token: ben });
    const actors = async (token: TestUser) =>
      (await history(`calls/${id}`, token)).data.map(({ actor: { id, name, reason } }) => [id, name, reason]);
    expect(await actors(ann)).toEqual([
      [null, null, null],
      [String(ann.id), ann.username, null],
    ]);
    expect(await actors(ben)).toEqual([
      [String(ben.id), ben.username, null],
      [null, null, null],
    ]);
    expect(await actors(await service.admin())).toEqual([
      [String(ben.id), ben.username, `onDelete: Client ${clientId}`],
      [String(ann.id), ann.username, null],
    ]);
  });

  it('former values stand in deliveries for administrators who may read the record', async () => {
    const [root, admin] = [await service.admin(), await service.createUser(['admin'])];
    const webhook = {
      url: 'https://example.com/hook',
      models: ['SecretCase'],
      actions: ['create'],
      user_id: root.id,
    };
    const { id } = await service.ok<{ id: number }>('POST', '/admin/webhooks', {
      token: root,
      body: { webhook },
    });
    const columns = 'webhook_id, event, model, record_id, action, version, message_id, state, attempts';
    const sent = 'request_headers, request_body, response_status, response_headers, response_body';
    await service.server.services.database.execute({
      sql: `insert into gatewright_deliveries (${columns}, ${sent}, created_at) values
        (${id}, 1, 'SecretCase', 7, 'create', 1, 'msg_1', 'delivered', 1, '{"webhook-id":"msg_1"}', 'the case', 200,
        '{"echo":"the case"}', 'echo: the case', '2026-01-01T00:00:00.000Z')`,
      parameters: [],
    });
    const path = `/admin/webhooks/${id}/deliveries`;
    const whole = {
      ...{ withheld: false, request_body: 'the case', response_body: 'echo: the case' },
      ...{ request_headers: { 'webhook-id': 'msg_1' }, response_headers: { echo: 'the case' } },
    };
    const bare = {
      ...{ withheld: true, request_body: null, response_body: null },
      ...{ request_headers: null, response_headers: null, record_id: 7, status: 200 },
    };
    const shown = (token: TestUser) => service.ok<object[]>('GET', path, { token });
    expect(await shown(root)).toMatchObject([whole]);
    expect(await shown(admin)).toMatchObject([bare]);
    const csv = await service.request('GET', path, { token: admin, headers: { accept: 'text/csv' } });
    expect(csv.text).not.toContain('the case');
    const grant = '/admin/permissions/admin/SecretCase/read';
    await service.ok('PUT', grant, { token: root });
    expect(await shown(admin)).toMatchObject([whole]);
    await service.ok('DELETE', grant, { token: root });
    expect(await shown(admin)).toMatchObject([bare]);
  });

  it('former values are explained to no administrator who may not read the record: it is as one that is missing', async () => {
    const [root, admin] = [await service.admin(), await service.createUser(['admin'])];
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/secret_cases', {
      token: root,
      body: { secret_case: { title: 'a' } },
    });
    const explained = async (token: TestUser, of: number) => {
      const path = `/admin/explain?user_id=${root.id}&method=GET&path=/api/v1/secret_cases/${of}`;
      const answer = await service.ok<{ status: number; steps: object[] }>('GET', path, { token });
      return JSON.stringify([answer.status, answer.steps]).replaceAll(
        new RegExp(`"${of}(?="|：)`, 'g'),
        '"N',
      );
    };
    expect(await explained(root, id)).toMatch(/^\[200,/);
    expect(await explained(admin, id)).toMatch(/^\[404,/);
    expect(await explained(admin, id)).toBe(await explained(admin, 987_654));
  });
});
