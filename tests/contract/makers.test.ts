import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const password = 'walnut-harbour-61 lamp';
const fields = { title: field.string({ max: 40 }) };

interface ManagedUser {
  readonly id: number;
  readonly invitation_expires_at: string | null;
  readonly invited_by: number | null;
  readonly must_change_password: boolean;
}

interface Reference {
  readonly model: string;
  readonly field: string;
  readonly on_delete: string;
  readonly count: number;
}

describeEachDatabase('what one user made for another', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [defineResource('Item', { fields, events: true })],
      migrations: { '0001_items': { up: (db, dialect) => createTable(db, dialect, 'items', { fields }) } },
    },
  });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });

  const roles = (id: number, ...names: string[]) =>
    service.ok('PATCH', `/admin/users/${id}`, { token: root, body: { user: { roles: names } } });
  const change = (id: number, user: object, token: TestUser = root) =>
    service.request('PATCH', `/admin/users/${id}`, { token, body: { user } });
  const shown = (id: number) => service.ok<ManagedUser>('GET', `/admin/users/${id}`, { token: root });
  const link = async (id: number, token: TestUser): Promise<string> => {
    const path = `/admin/users/${id}/invitation`;
    const { url } = await service.ok<{ url: string }>('POST', path, { token });
    return new URL(url).hash.slice(1);
  };
  const use = (token: string) => service.post('/admin/invitation', { body: { token, password } });
  const codeOf = async (token: string): Promise<readonly number[]> => {
    const looked = await service.post('/admin/invitation/lookup', { body: { token } });
    return [looked.json.code, (await use(token)).json.code];
  };

  describe('an invitation link', () => {
    it('ends when its user becomes a super_admin, and does not come back', async () => {
      const admin = await service.createUser(['admin']);
      const user = await service.createUser(['viewer']);
      const token = await link(user.id, admin);
      expect(await shown(user.id)).toMatchObject({ invited_by: admin.id });
      await roles(user.id, 'super_admin');
      expect(await shown(user.id)).toMatchObject({ invited_by: null, invitation_expires_at: null });
      expect(await codeOf(token)).toEqual([41002, 41002]);
      await roles(user.id, 'viewer');
      expect(await codeOf(token)).toEqual([41002, 41002]);
    });

    it.each([
      ['demoted', (id: number) => roles(id, 'viewer'), 41002],
      ['disabled', (id: number) => change(id, { disabled: true }), 41002],
      ['deleted', (id: number) => service.ok('DELETE', `/admin/users/${id}`, { token: root }), 40402],
    ] as const)('ends when its maker is %s', async (_, remove, code) => {
      const admin = await service.createUser(['admin']);
      const token = await link((await service.createUser(['viewer'])).id, admin);
      await remove(admin.id);
      expect(await codeOf(token)).toEqual([code, code]);
      if (code === 40402) return;
      await change(admin.id, { disabled: false, roles: ['admin'] });
      expect(await codeOf(token)).toEqual([code, code]);
    });

    it('ends when its maker is a super_admin no more', async () => {
      const [maker, user] = [
        await service.createUser(['super_admin']),
        await service.createUser(['super_admin']),
      ];
      const token = await link(user.id, maker);
      await roles(maker.id, 'admin');
      expect(await codeOf(token)).toEqual([41002, 41002]);
    });

    it('an invitation link is not good where its maker lost the right by a statement that ends no links', async () => {
      const run = (sql: string) => service.server.services.database.execute({ sql, parameters: [] });
      const admin = await service.createUser(['admin']);
      const user = await service.createUser(['viewer']);
      const token = await link(user.id, admin);
      await run(`update user_roles set role = 'super_admin' where user_id = ${user.id}`);
      expect(await codeOf(token)).toEqual([41002, 41002]);
      await run(`update user_roles set role = 'viewer' where user_id = ${user.id}`);
      await run(`update user_roles set role = 'viewer' where user_id = ${admin.id}`);
      expect(await codeOf(token)).toEqual([41002, 41002]);
    });

    it('used while its user becomes a super_admin sets a password before that or none', async () => {
      for (let round = 0; round < 8; round += 1) {
        const admin = await service.createUser(['admin']);
        const user = await service.createUser(['viewer']);
        const token = await link(user.id, admin);
        const [used] = await Promise.all([use(token), roles(user.id, 'super_admin')]);
        expect([200, 410]).toContain(used.status);
        const entries = await service.ok<readonly { action: string }[]>(
          'GET',
          `/admin/audit?filter[target_id]=${user.id}&filter[target_kind]=user&sort=id`,
          { token: root },
        );
        const order = entries
          .map(({ action }) => action)
          .filter((each) => ['invitation.use', 'user.update'].includes(each));
        expect(order).toEqual(used.status === 200 ? ['invitation.use', 'user.update'] : ['user.update']);
        expect((await use(token)).status).toBe(410);
      }
    });
  });

  describe('a password', () => {
    const promoted = async (id: number) => {
      await roles(id, 'super_admin');
      return (await shown(id)).must_change_password;
    };

    it('a password that an admin set is to be changed by who becomes a super_admin', async () => {
      const admin = await service.createUser(['admin']);
      const user = await service.createUser(['viewer']);
      expect((await change(user.id, { password }, admin)).status).toBe(200);
      expect(await promoted(user.id)).toBe(true);
    });

    it('a password that an admin made the user with is to be changed by who becomes a super_admin', async () => {
      const token = await service.createUser(['admin']);
      const body = { user: { username: 'made', email: 'made@example.com', password } };
      const { id } = await service.ok<ManagedUser>('POST', '/admin/users', { token, body });
      expect(await promoted(id)).toBe(true);
    });

    it('a password of their own, or set by a super_admin, is not to be changed', async () => {
      const [own, by] = [await service.createUser(['viewer']), await service.createUser(['viewer'])];
      await change(by.id, { password });
      await change(own.id, { password });
      const body = { current_password: password, password: 'another-lantern-52 moss' };
      await service.ok('PUT', '/api/v1/auth/password', { token: await service.tokenOf(own.id), body });
      expect([await promoted(own.id), await promoted(by.id)]).toEqual([false, false]);
    });
  });

  it('stands in the preview of a deletion, and can be listed', async () => {
    const admin = await service.createUser(['admin']);
    const user = await service.createUser(['viewer']);
    const token = admin;
    const key = (user_id: number) =>
      service.ok<{ id: number }>('POST', '/admin/api_keys', {
        token,
        body: { api_key: { name: 'x', user_id } },
      });
    await key(admin.id);
    const { id } = await key(user.id);
    const webhook = { url: 'https://example.com/', models: ['Item'], user_id: user.id };
    await service.ok('POST', '/admin/webhooks', { token, body: { webhook } });
    await link(user.id, admin);
    const preview = await service.ok<{ references: readonly Reference[] }>(
      'GET',
      `/admin/users/${admin.id}/references`,
      { token: root },
    );
    expect(
      preview.references.map((each) => `${each.model}.${each.field} ${each.on_delete} ${each.count}`),
    ).toEqual([
      'Invitation.invited_by cascade 1',
      'ApiKey.user cascade 1',
      'ApiKey.created_by keep 1',
      'Webhook.created_by keep 1',
    ]);
    const ids = async (path: string) =>
      (await service.ok<readonly { id: number }[]>('GET', path, { token: root })).map((each) => each.id);
    expect(await ids(`/admin/api_keys?filter[created_by]=${admin.id}`)).toEqual([id]);
    expect(await ids(`/admin/users?filter[invited_by]=${admin.id}`)).toEqual([user.id]);
    expect(await ids(`/admin/webhooks?filter[created_by]=${admin.id}`)).toHaveLength(1);
    await service.ok('DELETE', `/admin/users/${admin.id}`, { token: root });
    expect(await ids(`/admin/api_keys?filter[created_by]=${admin.id}`)).toEqual([id]);
  });
});
