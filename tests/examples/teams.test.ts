import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApplication, type TestUser, testApplication } from '../../src/testing/testing.ts';
import { describeEachDatabase } from '../support/databases.ts';

const folder = fileURLToPath(new URL('../../examples/teams', import.meta.url));

describeEachDatabase('teams', (databases) => {
  let app: TestApplication;

  beforeAll(async () => {
    const url = await databases.create();
    app = await testApplication({ application: folder, env: { DATABASE_URL: url, LOCALE: 'en' } });
  });
  afterAll(() => app.close());

  const made = async (user: TestUser, path: string, key: string, values: object): Promise<number> => {
    const answer = await user.post(`/api/v1/${path}`, { [key]: values });
    expect([path, answer.status, answer.message]).toEqual([path, 201, 'Success']);
    return Number(answer.data.id);
  };

  /** A team with an owner, an editor, a viewer, a project and a task. */
  const team = async () => {
    const [ann, ed, vi, eve] = await Promise.all([app.user(), app.user(), app.user(), app.user()]);
    const id = await made(ann, 'teams', 'team', { name: 'Red' });
    const joins = (user: TestUser, role: string) =>
      made(ann, 'memberships', 'membership', { team_id: id, user_id: user.id, role });
    const seats = { ed: await joins(ed, 'editor'), vi: await joins(vi, 'viewer') };
    const project = await made(ed, 'projects', 'project', { name: 'Roof', team_id: id });
    const task = await made(ed, 'tasks', 'task', { title: 'Tiles', project_id: project });
    return { ann, ed, vi, eve, id, seats, project, task };
  };

  it('are made with their first owner, and belong to no other', async () => {
    const { ann, eve, id } = await team();
    const members = await ann.get(`/api/v1/memberships?filter[team_id]=${id}&sort=id`);
    expect([members.data.length, members.data[0]]).toMatchObject([3, { user_id: ann.id, role: 'owner' }]);
    expect((await eve.get(`/api/v1/teams/${id}`)).status).toBe(404);
    expect((await eve.get('/api/v1/memberships')).data).toEqual([]);
    // A stranger cannot join, and does not learn that the team exists.
    for (const team_id of [id, 999_999]) {
      const seat = await eve.post('/api/v1/memberships', {
        membership: { team_id, user_id: eve.id, role: 'owner' },
      });
      expect([seat.status, seat.data.errors]).toMatchObject([422, [{ field: 'team_id', rule: 'reference' }]]);
    }
    expect((await eve.get('/api/v1/teams')).data).toEqual([]);
  });

  it('are read by members, written by editors, and by viewers where a task is theirs', async () => {
    const { ann, ed, vi, eve, project, task } = await team();
    const done = { task: { done: true } };
    for (const member of [ann, ed, vi])
      expect((await member.get(`/api/v1/projects/${project}`)).status).toBe(200);
    expect((await eve.get(`/api/v1/tasks/${task}`)).status).toBe(404);
    expect((await eve.patch(`/api/v1/tasks/${task}`, done)).status).toBe(404);
    expect((await vi.patch(`/api/v1/tasks/${task}`, done)).status).toBe(403);
    expect((await ed.patch(`/api/v1/tasks/${task}`, { task: { assignee_id: vi.id } })).status).toBe(200);
    expect((await vi.patch(`/api/v1/tasks/${task}`, done)).status).toBe(200);
    expect((await vi.patch(`/api/v1/tasks/${task}`, { task: { assignee_id: ed.id } })).status).toBe(403);
    const other = await team();
    const moved = await ed.patch(`/api/v1/tasks/${task}`, { task: { project_id: other.project } });
    expect([moved.status, moved.data.errors]).toMatchObject([422, [{ rule: 'reference' }]]);
  });

  it('share what is public for reading, tasks included', async () => {
    const { ed, eve, project, task } = await team();
    await ed.patch(`/api/v1/projects/${project}`, { project: { visibility: 'public' } });
    expect((await eve.get(`/api/v1/tasks/${task}`)).status).toBe(200);
    const strange = { task: { title: 'Mine', project_id: project, assignee_id: eve.id } };
    expect((await eve.post('/api/v1/tasks', strange)).status).toBe(403);
  });

  it('end with the membership, and with the team', async () => {
    const { ann, ed, vi, id, seats, project, task } = await team();
    expect(
      (await vi.patch(`/api/v1/memberships/${seats.vi}`, { membership: { role: 'owner' } })).status,
    ).toBe(403);
    for (const status of [200, 404])
      expect((await vi.delete(`/api/v1/teams/${id}/membership`)).status).toBe(status);
    expect((await vi.get(`/api/v1/projects/${project}`)).status).toBe(404);
    expect((await ann.delete(`/api/v1/memberships/${seats.ed}`)).status).toBe(200);
    expect((await ed.get(`/api/v1/tasks/${task}`)).status).toBe(404);
    expect((await ann.delete(`/api/v1/teams/${id}`)).status).toBe(200);
    expect((await app.as('admin').get(`/api/v1/tasks/${task}`)).status).toBe(404);
  });
});
