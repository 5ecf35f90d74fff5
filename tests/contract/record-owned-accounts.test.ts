import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { member } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

/** Service accounts that a record owns: users who manage the record have the keys, and they end with the record. */

const fields = {
  groups: { name: field.string() },
  companies: { name: field.string(), group: field.reference('Group', { onDelete: 'cascade' }) },
  memberships: {
    company: field.reference('Company', { required: true, onDelete: 'cascade' }),
    role: field.enum(['member', 'owner'], { required: true }),
    user_id: field.owner(),
  },
} as const;

const reads = member('id', { of: 'Membership', on: 'company_id' });
const isOwner = member('id', { of: 'Membership', on: 'company_id', where: { role: 'owner' } });
const resources = [
  defineResource('Group', { fields: fields.groups }),
  defineResource('Company', {
    fields: fields.companies,
    auth: ['jwt', 'api_key'],
    isolation: { read: reads, write: isOwner },
    trash: true,
    manage: isOwner,
  }),
  defineResource('Membership', { fields: fields.memberships }),
];

const migrations: Migrations = {
  '0001_companies': {
    up: async (db, dialect) => {
      for (const name of ['groups', 'companies', 'memberships'] as const)
        await createTable(db, dialect, name, { fields: fields[name] });
    },
  },
};

interface Account {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly owner_id: number | null;
  readonly owner: { readonly model?: string; readonly id: number } | null;
  readonly disabled: boolean;
  readonly roles?: readonly string[];
  readonly keys: readonly { readonly id: number; readonly name: string }[];
}

interface MadeKey {
  readonly id: number;
  readonly key: string;
}

describeEachDatabase('a service account of a record', (databases) => {
  const service = useService(databases, { application: { resources, migrations }, env: { LOCALE: 'en' } });
  let root: TestUser;
  let ann: TestUser;
  let ben: TestUser;
  let eve: TestUser;

  beforeAll(async () => {
    root = await service.admin();
    [ann, ben, eve] = [await service.createUser(), await service.createUser(), await service.createUser()];
  });

  const record = async (path: string, singular: string, values: object): Promise<number> => {
    const body = { [singular]: values };
    return (await service.ok<Account>('POST', `/admin/records/${path}`, { token: root, body })).id;
  };
  const join = (company: number, { id }: TestUser, role = 'owner') =>
    record('memberships', 'membership', { company_id: company, user_id: id, role });
  /** A company that Ann and Ben own, and of which Eve is a member. */
  const found = async (group: number | null = null): Promise<number> => {
    const company = await record('companies', 'company', { name: 'Roofs', group_id: group });
    for (const each of [ann, ben]) await join(company, each);
    await join(company, eve, 'member');
    return company;
  };
  const post = (token: TestUser, body: object) =>
    service.post<Account>('/api/v1/service_accounts', { token, body: { service_account: body } });
  const makeAccount = async (company: number, token = ann): Promise<Account> => {
    const { status, data } = await post(token, {
      name: 'ERP sync',
      owner: { model: 'Company', id: company },
    });
    expect(status).toBe(201);
    return data;
  };
  const postKey = (token: TestUser, account: number) =>
    service.post<MadeKey>('/api/v1/api_keys', {
      token,
      body: { api_key: { name: 'erp', service_account_id: account } },
    });
  const makeKey = async (token: TestUser, account: number): Promise<MadeKey> => {
    const { status, data } = await postKey(token, account);
    expect(status).toBe(201);
    return data;
  };
  const works = async (key: string): Promise<boolean> => {
    const { status } = await service.get('/api/v1/companies', { key });
    expect([200, 401]).toContain(status);
    return status === 200;
  };
  const list = (token: TestUser, company: number) =>
    service.get<Account[]>(`/api/v1/service_accounts?owner_model=Company&owner_id=${company}`, { token });
  const errorsOf = (answer: { readonly status: number; readonly json: object }) => {
    expect(answer.status).toBe(422);
    const { data } = answer.json as { data: { errors: readonly { field: string; rule: string }[] } };
    return data.errors.map((each) => `${each.field} ${each.rule}`);
  };

  it('users who manage a record make an account with a made username, which reads by its own memberships', async () => {
    const company = await found();
    const account = await makeAccount(company);
    expect(account).toMatchObject({
      name: 'ERP sync',
      username: expect.stringMatching(/^ERP-sync-[0-9a-f]{6}$/),
      owner_id: null,
      owner: { model: 'Company', id: company },
      disabled: false,
      keys: [],
    });
    const shown = await service.ok<Account>('GET', `/admin/users/${account.id}`, { token: root });
    expect(shown).toMatchObject({
      ...{ kind: 'service', roles: ['viewer'], owner_id: null },
      owner: { model: 'Company', id: company },
    });
    const { key, id } = await makeKey(ann, account.id);
    const read = () => service.ok<Account[]>('GET', '/api/v1/companies', { key });
    expect(await read()).toEqual([]);
    await join(company, { ...ann, id: account.id }, 'member');
    expect((await read()).map((each) => each.id)).toEqual([company]);
    expect((await list(ben, company)).data).toMatchObject([{ id: account.id, keys: [{ id, name: 'erp' }] }]);
  });

  it('all who manage the record make, rotate and end the keys, and no others do', async () => {
    const company = await found();
    const account = await makeAccount(company);
    const made = await makeKey(ben, account.id);
    const rotated = await service.ok<MadeKey>('POST', `/api/v1/api_keys/${made.id}/rotate`, {
      token: ann,
      body: { overlap: 0 },
    });
    expect([await works(made.key), await works(rotated.key)]).toEqual([false, true]);
    const other = await found();
    const stranger = await service.createUser();
    await join(other, stranger);
    for (const token of [eve, stranger]) {
      expect(errorsOf(await post(token, { name: 'x', owner: { model: 'Company', id: company } }))).toEqual([
        'owner reference',
      ]);
      expect(errorsOf(await postKey(token, account.id))).toEqual(['service_account_id reference']);
      expect((await list(token, company)).status).toBe(404);
      const path = `/api/v1/api_keys/${made.id}`;
      expect((await service.post(`${path}/rotate`, { token, body: {} })).status).toBe(404);
      expect((await service.request('DELETE', path, { token })).status).toBe(404);
    }
    expect(await works(rotated.key)).toBe(true);
    await service.ok('DELETE', `/api/v1/api_keys/${made.id}`, { token: ben });
    expect(await works(rotated.key)).toBe(false);
  });

  it('outlives the person who made it, who loses it with the right to manage', async () => {
    const company = await found();
    const maker = await service.createUser();
    const membership = await join(company, maker);
    const account = await makeAccount(company, maker);
    const { key, id } = await makeKey(maker, account.id);
    await service.ok('PATCH', `/admin/records/memberships/${membership}`, {
      token: root,
      body: { membership: { role: 'member' } },
    });
    expect((await service.post(`/api/v1/api_keys/${id}/rotate`, { token: maker, body: {} })).status).toBe(
      404,
    );
    expect((await service.request('DELETE', `/admin/users/${maker.id}`, { token: root })).status).toBe(200);
    expect(await works(key)).toBe(true);
    expect((await service.request('DELETE', `/api/v1/api_keys/${id}`, { token: ben })).status).toBe(200);
  });

  it('ends with the record, also by a cascade, and does not come back from the trash', async () => {
    const group = await record('groups', 'group', { name: 'all' });
    const [first, second] = [await found(), await found(group)];
    const [one, two] = [await makeAccount(first), await makeAccount(second)];
    const keys = [await makeKey(ann, one.id), await makeKey(ann, two.id)];
    expect((await service.request('DELETE', `/api/v1/companies/${first}`, { token: ben })).status).toBe(200);
    expect([await works(keys[0]?.key ?? ''), await works(keys[1]?.key ?? '')]).toEqual([false, true]);
    expect((await service.request('DELETE', `/admin/records/groups/${group}`, { token: root })).status).toBe(
      200,
    );
    expect(await works(keys[1]?.key ?? '')).toBe(false);
    for (const { id } of [one, two])
      expect(await service.ok<Account>('GET', `/admin/users/${id}`, { token: root })).toMatchObject({
        disabled: true,
      });
    expect(errorsOf(await postKey(ann, one.id))).toEqual(['service_account_id reference']);
    const restored = await service.post(`/admin/records/companies/${first}/restore`, { token: root });
    expect(restored.status).toBe(200);
    expect(await works(keys[0]?.key ?? '')).toBe(false);
    expect(errorsOf(await postKey(ann, one.id))).toEqual(['service_account_id reference']);
    const lines = await service.ok<{ readonly detail: object }[]>(
      'GET',
      `/admin/audit?filter[action]=user.update&filter[target_id]=${one.id}`,
      { token: root },
    );
    expect(lines).toMatchObject([{ detail: { disabled: true, owner: { model: 'Company', id: first } } }]);
  });

  it('leaves no working key when the record is deleted while keys are made', async () => {
    for (let round = 0; round < 6; round += 1) {
      const company = await found();
      const account = await makeAccount(company);
      const first = await makeKey(ann, account.id);
      const [, ...made] = await Promise.all([
        service.request('DELETE', `/api/v1/companies/${company}`, { token: ann }),
        postKey(ann, account.id),
        postKey(ben, account.id),
        service.post(`/api/v1/api_keys/${first.id}/rotate`, { token: ben, body: { overlap: 0 } }),
        post(ben, { name: 'late', owner: { model: 'Company', id: company } }),
      ]);
      for (const { status, json } of made) {
        expect([200, 201, 404, 422]).toContain(status);
        const key = status < 300 && json.data !== undefined && 'key' in json.data ? json.data.key : undefined;
        if (key !== undefined) expect(await works(String(key))).toBe(false);
      }
      const left = await service.server.services.database.all({
        sql: `select id from users where owner_record = ${company} and disabled = false`,
        parameters: [],
      });
      expect(left).toEqual([]);
    }
  });

  it('a body is refused with an owner that is none, and with two', async () => {
    const company = await found();
    const owner = { model: 'Company', id: company };
    for (const [body, errors] of [
      [{ owner }, ['name required']],
      [{ name: 'x', owner: { model: 'Company' } }, ['owner type']],
      [{ name: 'x', owner: { ...owner, more: 1 } }, ['owner type']],
      [{ name: 'x', owner: 'Company' }, ['owner type']],
      [{ name: 'x', owner: { model: 'Company', id: 1e9 } }, ['owner reference']],
      [{ name: 'x', owner: { model: 'Membership', id: 1 } }, ['owner reference']],
      [{ name: 'x', owner: { model: '__proto__', id: 1 } }, ['owner reference']],
      [{ name: 'x', owner, owner_id: ann.id }, ['owner one_owner']],
      [{ name: 'x', owner_id: ben.id }, ['owner_id reference']],
      [{ name: 'x', owner_id: 'me' }, ['owner_id type']],
    ] as const)
      expect([body, errorsOf(await post(ann, body))]).toEqual([body, errors]);
    for (const query of ['owner_model=Company', 'owner_id=1', 'owner_model=Company&owner_id=x', 'more=1'])
      expect((await service.get(`/api/v1/service_accounts?${query}`, { token: ann })).status).toBe(400);
    await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: 'clerk' } } });
    const plain = await service.createUser(['clerk']);
    await join(company, plain);
    expect((await post(plain, { name: 'x', owner })).status).toBe(403);
  });

  it('a service account can belong to its maker, and there are at most twenty of one owner', async () => {
    const maker = await service.createUser();
    const made = await post(maker, { name: 'mine' });
    expect(made.data).toMatchObject({ owner_id: maker.id, owner: null });
    expect((await makeKey(maker, made.data.id)).key).toBeDefined();
    const own = () => service.ok<Account[]>('GET', '/api/v1/service_accounts', { token: maker });
    expect((await own()).map(({ id }) => id)).toEqual([made.data.id]);
    const answers = await Promise.all(
      Array.from({ length: 21 }, () => post(maker, { name: '!', owner_id: maker.id })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19);
    expect(errorsOf(await post(maker, { name: 'more', owner_id: maker.id }))).toEqual(['name too_many']);
    expect(await own()).toHaveLength(20);
  });

  it('administrators make an account for any record with manage, and give it to a person', async () => {
    const company = await found();
    const create = (user: object) =>
      service.post<Account>('/admin/users', {
        token: root,
        body: { user: { username: `robot-${company}`, kind: 'service', ...user } },
      });
    const owner = { model: 'Company', id: company };
    expect(errorsOf(await create({ owner: { model: 'Company', id: 1e9 } }))).toEqual(['owner reference']);
    expect(errorsOf(await create({ owner: { model: 'Membership', id: 1 } }))).toEqual(['owner reference']);
    expect(errorsOf(await create({ owner, owner_id: ann.id }))).toEqual(['owner one_owner']);
    expect(errorsOf(await create({ owner: 7 }))).toEqual(['owner type']);
    expect(
      errorsOf(
        await create({ kind: 'person', email: 'p@example.com', password: 'tulip-anvil-47 kettle', owner }),
      ),
    ).toEqual(['owner only_service_accounts']);
    expect(errorsOf(await create({}))).toEqual(['owner_id required']);
    const { status, data } = await create({ owner });
    expect([status, data]).toEqual([201, expect.objectContaining({ owner_id: null, owner })]);
    const made = await makeKey(ben, data.id);
    const moved = await service.ok<Account>('PATCH', `/admin/users/${data.id}`, {
      token: root,
      body: { user: { owner_id: eve.id } },
    });
    expect(moved).toMatchObject({ owner_id: eve.id, owner: { id: eve.id, username: eve.username } });
    expect(errorsOf(await postKey(ben, data.id))).toEqual(['service_account_id reference']);
    expect((await service.request('DELETE', `/api/v1/companies/${company}`, { token: ann })).status).toBe(
      200,
    );
    expect(await works(made.key)).toBe(true);
  });
});
