import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** Teams, tenants, shared and public records, by example. Random rules are in row-rules-oracle.test.ts. */

const fields = {
  team: { name: field.string({ required: true, max: 20 }), user_id: field.owner() },
  membership: {
    team: field.reference('Team', { required: true, anyone: true }),
    role: field.enum(['viewer', 'editor', 'owner'], { default: 'viewer' }),
    user_id: field.owner(),
  },
  project: {
    name: field.string({ required: true, max: 20 }),
    team: field.reference('Team', { required: true }),
    visibility: field.enum(['team', 'public'], { default: 'team' }),
  },
  task: {
    title: field.string({ required: true, max: 20 }),
    code: field.string({ max: 20, unique: true }),
    project: field.reference('Project', { required: true }),
    assignee: field.reference('User', { anyone: true }),
  },
} as const;

const membership = defineResource('Membership', { fields: fields.membership });
const inTeam = member('team_id', { of: membership });
const editsTeam = member('team_id', { of: 'Membership', where: { role: ['editor', 'owner'] } });

const team = defineResource('Team', {
  fields: fields.team,
  ownership: true,
  isolation: anyOf(own(), member('id', { of: 'Membership', on: 'team_id' })),
});
const project = defineResource('Project', {
  fields: fields.project,
  auth: ['jwt', 'signature'],
  isolation: { read: anyOf(inTeam, equals('visibility', 'public')), write: editsTeam },
});
const task = defineResource('Task', {
  fields: fields.task,
  isolation: {
    read: anyOf(own('assignee_id'), via('project', anyOf(inTeam, equals('visibility', 'public')))),
    write: via('project', allOf(editsTeam)),
  },
});
/** Every caller reads, owners write. */
const note = defineResource('Note', {
  fields: fields.team,
  ownership: true,
  isolation: { read: 'everyone', write: own() },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'notes', { fields: fields.team });
      await createTable(db, dialect, 'memberships', {
        fields: fields.membership,
        references: { team: 'teams' },
        indexes: [['user_id', 'team_id']],
      });
      await createTable(db, dialect, 'projects', { fields: fields.project, references: { team: 'teams' } });
      await createTable(db, dialect, 'tasks', { fields: fields.task, references: { project: 'projects' } });
    },
  },
};

/** The code that a test runs with the caller's scope. */
let work: Parameters<typeof defineEndpoint>[0]['handle'] = () => null;
const worker = defineEndpoint({ method: 'POST', path: '/work', handle: (scope) => work(scope) });

describeEachDatabase('rows of a team', (databases) => {
  const service = useService(databases, {
    application: { resources: [team, membership, project, task, note], migrations, endpoints: [worker] },
    apps: ['shop'],
  });

  const root = async () => ({ token: await service.admin() });
  const made = async (path: string, key: string, values: object, token?: TestUser): Promise<number> => {
    const { id } = await service.ok<{ id: number }>('POST', `/api/v1/${path}`, {
      ...(token === undefined ? await root() : { token }),
      body: { [key]: values },
    });
    return id;
  };
  const joins = (user: TestUser, team_id: number, role: string) =>
    made('memberships', 'membership', { user_id: user.id, team_id, role });
  const get = (path: string, token: TestUser) => service.request('GET', `/api/v1/${path}`, { token });
  const status = async (path: string, token: TestUser): Promise<number> => (await get(path, token)).status;
  const change = (path: string, key: string, values: object, token: TestUser, headers = {}) =>
    service.request('PATCH', `/api/v1/${path}`, { token, headers, body: { [key]: values } });

  const setUp = async () => {
    const [ann, ben, eve] = await Promise.all([
      service.createUser(),
      service.createUser(),
      service.createUser(),
    ]);
    const [red, blue] = [
      await made('teams', 'team', { name: 'red' }),
      await made('teams', 'team', { name: 'blue' }),
    ];
    await joins(ann, red, 'editor');
    const seat = await joins(ben, red, 'viewer');
    await joins(ben, blue, 'owner');
    const secret = await made('projects', 'project', { name: 'secret', team_id: red });
    const open = await made('projects', 'project', { name: 'open', team_id: red, visibility: 'public' });
    const first = await made('tasks', 'task', { title: 'first', project_id: secret });
    return { ann, ben, eve, red, blue, seat, secret, open, first };
  };

  it('rows of a team are read by members, and missing for everybody else', async () => {
    const { ann, ben, eve, red, secret, open, first } = await setUp();
    for (const reader of [ann, ben]) {
      expect(await status(`projects/${secret}`, reader)).toBe(200);
      expect(await status(`tasks/${first}`, reader)).toBe(200);
      expect(await status(`teams/${red}`, reader)).toBe(200);
    }
    expect(await status(`projects/${secret}`, eve)).toBe(404);
    expect(await status(`projects/${open}`, eve)).toBe(200);
    expect(await status(`tasks/${first}`, eve)).toBe(404);
    expect(await status(`teams/${red}`, eve)).toBe(404);
    const list = await get(`projects?page=1&filter[team_id]=${red}`, eve);
    expect(list.data).toMatchObject([{ id: open }]);
    expect(list.headers['x-total-count']).toBe('1');
    expect((await get(`projects?filter[team_id]=${red}&sort=-id`, ben)).data).toMatchObject([
      { id: open },
      { id: secret },
    ]);
  });

  it('rows of a team may be read and not written: 403, while what is not read stays missing', async () => {
    const { ann, ben, eve, secret, first } = await setUp();
    const refused = await change(`projects/${secret}`, 'project', { name: 'mine' }, ben, {
      'if-match': '"9-saved"',
    });
    expect(refused.status).toBe(403);
    // A caller who may not write at all does not learn the errors of the body.
    expect((await change(`projects/${secret}`, 'project', { name: '' }, ben)).status).toBe(403);
    expect((await change(`projects/${secret}`, 'project', { name: '' }, eve)).status).toBe(404);
    expect((await change(`projects/${secret}`, 'project', { name: '' }, ann)).status).toBe(422);
    expect((await service.request('DELETE', `/api/v1/tasks/${first}`, { token: ben })).status).toBe(403);
    expect((await service.request('DELETE', `/api/v1/tasks/${first}`, { token: eve })).status).toBe(404);
    expect((await change(`projects/${secret}`, 'project', { name: 'ours' }, ann)).data).toMatchObject({
      name: 'ours',
    });
    expect((await service.request('DELETE', `/api/v1/tasks/${first}`, { token: ann })).status).toBe(200);
  });

  it('rows of a team are made and changed only to what their writer may write, after 422, and nothing is written', async () => {
    const { ann, ben, red, blue, secret } = await setUp();
    await joins(ann, blue, 'viewer');
    const create = (values: object, token: TestUser) =>
      service.post('/api/v1/projects', { token, body: { project: values } });
    const total = async () =>
      (await service.request('GET', '/api/v1/projects?page=1', await root())).headers['x-total-count'];
    const before = await total();
    expect((await create({ name: '', team_id: blue }, ann)).status).toBe(422);
    expect((await create({ name: 'x', team_id: blue }, ann)).status).toBe(403);
    expect((await create({ name: 'x', team_id: 999_999 }, ann)).status).toBe(422);
    expect(await total()).toBe(before);
    expect((await create({ name: 'x', team_id: red }, ann)).status).toBe(201);
    // Ben writes in blue and only reads red: he can bring nothing from one to the other.
    const his = await create({ name: 'his', team_id: blue }, ben);
    expect(his.status).toBe(201);
    const { id } = his.data as { id: number };
    expect((await change(`projects/${id}`, 'project', { team_id: red }, ben)).status).toBe(403);
    expect((await change(`projects/${secret}`, 'project', { team_id: blue }, ben)).status).toBe(403);
    expect((await get(`projects/${id}`, ben)).data).toMatchObject({ team_id: blue, name: 'his' });
    await joins(ben, red, 'owner');
    expect((await change(`projects/${id}`, 'project', { team_id: red }, ben)).data).toMatchObject({
      team_id: red,
    });
  });

  it('rows of a team follow the memberships from the next request on, on every instance', async () => {
    const { ann, ben, secret, seat } = await setUp();
    const second = databases.dialect === 'postgres' ? await service.secondInstance() : service;
    const path = `/api/v1/projects/${secret}`;
    expect((await second.request('GET', path, { token: ben })).status).toBe(200);
    await service.ok('DELETE', `/api/v1/memberships/${seat}`, await root());
    expect((await second.request('GET', path, { token: ben })).status).toBe(404);
    expect((await second.request('GET', path, { token: ann })).status).toBe(200);
    expect(await status(`projects/${secret}`, ben)).toBe(404);
  });

  it('rows of a team are named by references only where they are read', async () => {
    const { ann, eve, secret, open, first } = await setUp();
    const create = (project_id: number, token: TestUser) =>
      service.post('/api/v1/tasks', { token, body: { task: { title: 'x', project_id } } });
    const [hidden, nowhere] = [await create(secret, eve), await create(999_999, eve)];
    expect(hidden.status).toBe(422);
    expect(hidden.text.replaceAll(`${secret}`, '')).toBe(nowhere.text.replaceAll('999999', ''));
    // It may be named, and the task would not be hers to write.
    expect((await create(open, eve)).status).toBe(403);
    expect((await create(open, ann)).status).toBe(201);
    expect((await change(`tasks/${first}`, 'task', { project_id: 999_999 }, ann)).status).toBe(422);
  });

  it('applications and strangers have the rows of a team that need no caller', async () => {
    const { red, secret, open } = await setUp();
    const signed = (path: string) => service.request('GET', path, { headers: service.sign('shop', '') });
    expect((await signed(`/api/v1/projects/${secret}`)).status).toBe(404);
    expect((await signed(`/api/v1/projects/${open}`)).status).toBe(200);
    expect((await signed(`/api/v1/projects?filter[team_id]=${red}`)).data).toMatchObject([{ id: open }]);
    const body = JSON.stringify({ project: { name: 'x', team_id: red, visibility: 'public' } });
    const created = await service.request('POST', '/api/v1/projects', {
      headers: service.sign('shop', body),
      body,
    });
    // Team red is none that an application reads.
    expect(created.status).toBe(422);
  });

  it('rows of a team are all open to administrators, in the API and in their area', async () => {
    const { secret, red } = await setUp();
    expect((await service.request('GET', `/api/v1/projects/${secret}`, await root())).status).toBe(200);
    await service.ok('PATCH', `/admin/records/projects/${secret}`, {
      ...(await root()),
      body: { project: { name: 'x' } },
    });
    await made('projects', 'project', { name: 'y', team_id: red });
  });

  it('rows of a team may be read by everyone and written by some', async () => {
    const { ann, ben } = await setUp();
    const id = await made('notes', 'note', { name: 'x' }, ann);
    expect(await status(`notes/${id}`, ben)).toBe(200);
    expect((await change(`notes/${id}`, 'note', { name: 'y' }, ben)).status).toBe(403);
    expect((await change(`notes/${id}`, 'note', { name: 'y' }, ann)).status).toBe(200);
  });

  it('rows of a team are the same in code of the application', async () => {
    const { ann, ben, eve, secret } = await setUp();
    const seen: unknown[] = [];
    work = async ({ records }) => {
      const found = await records(project).find(secret);
      seen.push(found?.id, await records(project).count());
      await records(project).update(secret, { name: 'code' });
      return null as unknown as JsonObject;
    };
    const run = (token: TestUser) => service.request('POST', '/api/v1/work', { token, body: {} });
    expect([(await run(ann)).status, (await run(ben)).status, (await run(eve)).status]).toEqual([
      200, 403, 404,
    ]);
    expect(seen[0]).toBe(secret);
    expect(seen[4]).toBeUndefined();
    expect((await get(`projects/${secret}`, ann)).data).toMatchObject({ name: 'code' });
  });
});
