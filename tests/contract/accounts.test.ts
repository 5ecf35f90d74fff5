import { beforeAll, describe, expect, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import type { Scope } from '../../src/model/scope.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const auth = ['jwt', 'api_key', 'signature'] as const;

/** Users as the scope of a caller reads them. */
const people = defineEndpoint({
  method: 'POST',
  path: '/people',
  auth,
  handle: async ({ records, body }) => {
    const users = records('User');
    return {
      list: [...(await users.list({ sort: 'id' }))],
      one: (await users.find(Number(body['id']))) ?? null,
    };
  },
});
/** A registration, as code of an application does it for anybody. */
const register = defineEndpoint({
  method: 'POST',
  path: '/register',
  auth: [],
  input: {
    username: field.string({ required: true }),
    email: field.email({ required: true }),
    password: field.string({ required: true }),
  },
  handle: async ({ asSystem, values }) => {
    const users = asSystem('registration').records('User');
    const { username, email, password } = values;
    const { id } = await users.create({ username, email, password });
    return { id, token: await users.issueToken(id) };
  },
});

const password = 'walnut-4-anchor';
let counter = 0;
const someone = () => {
  counter += 1;
  return { username: `person${counter}`, email: `person${counter}@example.com` };
};

describeEachDatabase('users in code', (databases) => {
  const service = useService(databases, { application: { endpoints: [people, register] }, apps: ['shop'] });
  let root: TestUser;
  let system: Scope<'all'>;
  beforeAll(async () => {
    root = await service.admin();
    system = service.server.services.systemScope('a test');
  });
  const users = () => system.records('User');
  const me = async (token: string) => (await service.get('/api/v1/auth/me', { token })).status;
  const lines = (id: number) =>
    service.ok<{ action: string; actor_kind: string; detail: Readonly<Record<string, unknown>> }[]>(
      'GET',
      `/admin/audit?filter[target_kind]=user&filter[target_id]=${id}&sort=id`,
      { token: root },
    );

  describe('of the system', () => {
    it('code of the system creates, reads, changes and disables users, with the rules of the administration area', async () => {
      const made = await users().create({ ...someone(), password, roles: ['admin'] });
      expect(made).toMatchObject({ roles: ['admin'], disabled: false, must_change_password: false });
      expect((await service.login(made.username, password)).status).toBe(200);
      expect(await users().find(made.id)).toEqual(made);
      expect(await users().list({ filter: { username: made.username } })).toEqual([made]);
      for (const account of [String(made.email).toUpperCase(), made.username.toUpperCase()])
        expect(await users().findByAccount(account)).toEqual(made);
      for (const account of ['nobody@example.com', '', made.name.repeat(99)])
        expect(await users().findByAccount(account)).toBeUndefined();
      const renamed = await users().update(made.id, { name: 'Ann', roles: ['viewer', 'admin'] });
      expect(renamed).toMatchObject({ name: 'Ann', roles: ['admin', 'viewer'] });
      const { token } = (await service.login(made.username, password)).data;
      expect(await me(token)).toBe(200);
      expect(await users().disable(made.id)).toMatchObject({ disabled: true });
      expect(await me(token)).toBe(401);
      await expect(users().issueToken(made.id)).rejects.toMatchObject({ problem: 'user_disabled' });
      const written = (await lines(made.id)).filter(({ action }) => action !== 'sign_in');
      expect(written.map(({ action }) => action)).toEqual(['user.create', 'user.update', 'user.update']);
      expect(
        written.every(
          ({ actor_kind, detail }) => actor_kind === 'application' && detail['reason'] === 'a test',
        ),
      ).toBe(true);
    });

    it('users in code get a password and tokens: each new password ends what there was before', async () => {
      const { id, username } = await users().create(someone());
      expect((await service.login(username, password)).status).toBe(401);
      const token = await users().issueToken(id);
      expect(await me(token)).toBe(200);
      await users().setPassword(id, password);
      expect(await me(token)).toBe(401);
      const second = await users().issueToken(id);
      expect([second === token, await me(second)]).toEqual([false, 200]);
      expect((await service.login(username, password)).status).toBe(200);
      expect((await lines(id)).map(({ action }) => action)).toContain('token.issue');
    });

    it('users in code are refused by field, and nothing is written', async () => {
      const taken = await users().create(someone());
      const before = await users().list();
      await expect(
        users().create({
          username: taken.username.toUpperCase(),
          email: 'nowhere',
          password: 'short',
          roles: ['none'],
        }),
      ).rejects.toMatchObject({
        problem: 'invalid_record',
        errors: [
          { field: 'username', rule: 'unique' },
          { field: 'email' },
          { field: 'password' },
          { field: 'roles', rule: 'role' },
        ],
      });
      await expect(users().setPassword(taken.id, taken.username)).rejects.toMatchObject({
        problem: 'invalid_record',
      });
      await expect(users().update(taken.id, { email: root.email })).rejects.toMatchObject({
        problem: 'invalid_record',
      });
      const missing = [
        () => users().update(987_654, {}),
        () => users().disable(0),
        () => users().issueToken(-1),
      ];
      for (const write of missing)
        await expect(write()).rejects.toMatchObject({ problem: 'record_not_found' });
      await expect(users().disable(root.id)).rejects.toMatchObject({ problem: 'last_super_admin' });
      await expect(users().list({ filter: { password_hash: 'x' } })).rejects.toMatchObject({
        problem: 'unusable_field',
      });
      expect(await users().list()).toEqual(before);
    });

    it('users in code take part in a transaction', async () => {
      const names = someone();
      const failing = system.transaction(async ({ records }) => {
        const { id } = await records('User').create({ ...names, password });
        expect(await records('User').update(id, { name: 'Inside' })).toMatchObject({ name: 'Inside' });
        expect(await records('User').findByAccount(names.email)).toMatchObject({ id });
        throw new RangeError('rolled back');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await users().list({ filter: { username: names.username } })).toEqual([]);
      const token = await system.transaction(async ({ records }) => {
        const { id } = await records('User').create(names);
        return records('User').issueToken(id);
      });
      expect(await me(token)).toBe(200);
    });

    it('users in code are invited by a link, which stays valid without a maker', async () => {
      const names = someone();
      const { id, url, expires_at } = await users().invite(names);
      expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(71 * 3_600_000);
      const token = new URL(url).hash.replace(/^#.*?=?(?=[\w-]+$)/, '');
      const use = (with_: string) =>
        service.post('/admin/invitation', {
          headers: { origin: service.origin },
          body: { token: with_, password },
        });
      expect((await service.login(names.username, password)).status).toBe(401);
      expect((await use(token)).status).toBe(200);
      expect((await service.login(names.username, password)).status).toBe(200);
      expect((await use(token)).json.code).toBe(41001);
      const again = await users().invite(id);
      expect(again.url).not.toBe(url);
      expect((await lines(id)).map(({ action }) => action)).toContain('invitation.create');
      await users().disable(id);
      await expect(users().invite(id)).rejects.toMatchObject({ problem: 'user_disabled' });
    });

    it('users in code have no way into a service account', async () => {
      const { id } = await service.ok<{ id: number }>('POST', '/admin/users', {
        token: root,
        body: { user: { username: 'robot', kind: 'service', owner_id: root.id } },
      });
      await expect(users().issueToken(id)).rejects.toMatchObject({ problem: 'service_account' });
      await expect(users().setPassword(id, password)).rejects.toMatchObject({ problem: 'invalid_record' });
    });
  });

  it('code of an application registers its users', async () => {
    const names = someone();
    const answer = await service.post<{ id: number; token: string }>('/api/v1/register', {
      body: { ...names, password },
    });
    expect(answer.status).toBe(200);
    expect(await me(answer.data.token)).toBe(200);
    const again = await service.post('/api/v1/register', { body: { ...names, password } });
    expect([again.status, again.json.code]).toEqual([422, 42200]);
    const [line] = await lines(answer.data.id);
    expect(line).toMatchObject({
      action: 'user.create',
      actor_kind: 'nobody',
      detail: { reason: 'registration' },
    });
  });

  describe('of a caller', () => {
    const read = (credentials: object, id: number) =>
      service.post<{ list: { id: number }[]; one: object | null }>('/api/v1/people', {
        ...credentials,
        body: { id },
      });

    it('a caller’s scope has the users of the list of users', async () => {
      const ann = await service.createUser();
      const { key } = await service.createKey(ann);
      const own = {
        id: ann.id,
        username: ann.username,
        email: ann.email,
        name: expect.any(String),
        roles: ['viewer'],
      };
      for (const credentials of [{ token: ann }, { key }]) {
        expect((await read(credentials, root.id)).data).toEqual({ list: [own], one: null });
        expect((await read(credentials, ann.id)).data.one).toEqual(own);
      }
      const { list, one } = (await read({ token: root }, ann.id)).data;
      expect(list.map(({ id }) => id)).toEqual(expect.arrayContaining([root.id, ann.id]));
      expect(one).toEqual(own);
    });

    it('403: of an application, and of a key without the scope', async () => {
      const ann = await service.createUser();
      const { key } = await service.createKey(ann, undefined, ['POST /people']);
      expect((await read({ key }, ann.id)).status).toBe(403);
      const body = JSON.stringify({ id: ann.id });
      const signed = await service.post('/api/v1/people', { body, headers: service.sign('shop', body) });
      expect(signed.status).toBe(403);
    });
  });
});
