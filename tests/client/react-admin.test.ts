import type { DataProvider } from 'ra-core';
import { beforeAll, expect, it } from 'vitest';
import {
  createAuthProvider,
  createDataProvider,
  createTokenAccess,
  etagField,
  everyRecord,
  routesOf,
  type SecondFactorQuestion,
  type Send,
} from '../../client/react-admin/index.ts';
import { createTransport } from '../../client/transport.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeDatabase } from '../support/databases.ts';
import { codeOf, enrol } from '../support/second-factor.ts';
import { useService } from '../support/service.ts';

const fields = {
  name: field.string({ required: true }),
  size: field.integer(),
  code: field.string({ unique: true }),
};

interface Part {
  readonly id: number;
  readonly name: string;
  readonly size: number | null;
  readonly code: string | null;
}

describeDatabase('sqlite', 'gatewright/react-admin', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [defineResource('Part', { fields })],
      migrations: { '0001_parts': { up: (db, dialect) => createTable(db, dialect, 'parts', { fields }) } },
    },
  });
  let provider: DataProvider;
  let send: Send;
  const asked: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  const routeOf = (resource: string) =>
    resource === 'roles'
      ? { path: '/admin/roles', singular: 'role', key: 'name', detail: false }
      : { path: '/api/v1/parts', singular: 'part' };

  beforeAll(async () => {
    const { token } = await service.admin();
    const transport = createTransport({ baseUrl: service.origin, auth: { token } });
    send = (method, path, options) => {
      asked.push({ method, path, body: options?.body });
      return transport.send(method, path, options);
    };
    provider = createDataProvider({ send, routeOf });
    for (const [index, name] of ['c', 'a', 'b', 'a b', 'd'].entries())
      await provider.create('parts', { data: { name, size: index, code: `code ${index}` } });
  });

  const list = (filter: object, sort = { field: 'id', order: 'ASC' as const }) =>
    provider.getList<Part>('parts', { pagination: { page: 1, perPage: 3 }, sort, filter });

  it('tells whether pages adjoin where nothing is counted, and how many there are at least', async () => {
    const uncounted = createDataProvider({ send, routeOf, total: 'none' });
    const pageOf = (page: number, meta?: object) =>
      uncounted.getList<Part>('parts', { pagination: { page, perPage: 3 }, ...(meta && { meta }) });
    expect(await pageOf(1)).toMatchObject({ pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const last = await pageOf(2);
    expect(last).toMatchObject({ pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    expect([last.data.length, last.total]).toEqual([2, undefined]);
    expect(await pageOf(1, { total: 'exact' })).toMatchObject({ total: 5 });
    const estimated = await pageOf(1, { total: 'estimate' });
    expect([estimated.total, estimated.pageInfo]).toEqual([5, undefined]);
    await expect(pageOf(1, { total: 'some' })).rejects.toThrow('meta.total takes');
    // The same response for more records than an estimate counts.
    const many: Send = async (method, path, options) => {
      const answer = await send<never>(method, path, options);
      const headers = new Headers(answer.headers);
      headers.set('x-total-count', '10000');
      headers.set('x-total-count-relation', 'gte');
      return { ...answer, headers };
    };
    const listed = await createDataProvider({ send: many, routeOf }).getList('parts', {
      pagination: { page: 1, perPage: 3 },
    });
    expect([listed.total, listed.pageInfo?.hasNextPage, listed.meta]).toEqual([
      undefined,
      true,
      { atLeast: 10_000 },
    ]);
    const [one] = (await uncounted.getMany<Part>('parts', { ids: [1] })).data;
    expect(one?.name).toBe('c');
    expect(Object.keys(await uncounted.getOne('roles', { id: 'admin' }))).not.toContain('pageInfo');
  });

  it('lists with filters, search, sort and total', async () => {
    const first = await list({});
    expect([first.data.map(({ name }) => name), first.total]).toEqual([['c', 'a', 'b'], 5]);
    const sized = await list({ 'size@gte': 2, 'size@lt': 4 });
    expect([sized.data.map(({ name }) => name), sized.total]).toEqual([['b', 'a b'], 2]);
    expect((await list({ q: 'a', size: '' })).data.map(({ name }) => name)).toEqual(['a', 'a b']);
    expect((await list({ name: ['c', 'd'] })).total).toBe(2);
    const page = await provider.getList<Part>('parts', {
      pagination: { page: 2, perPage: 3 },
      sort: { field: 'name', order: 'DESC' },
      filter: {},
    });
    expect(page.data.map(({ name }) => name)).toEqual(['a b', 'a']);
  });

  it('asks for many at once, in one request', async () => {
    const before = asked.length;
    const { data } = await provider.getMany<Part>('parts', { ids: [5, 1] });
    expect(data.map(({ id }) => id)).toEqual([1, 5]);
    expect(asked.length - before).toBe(1);
  });

  it('names records by another key, and finds one in its list', async () => {
    const { data } = await provider.getList('roles', {
      pagination: { page: 1, perPage: 10 },
      sort: { field: 'id', order: 'DESC' },
      filter: {},
    });
    expect(data.map(({ id }) => id)).toEqual(['viewer', 'super_admin', 'admin']);
    expect((await provider.getOne('roles', { id: 'viewer' })).data).toMatchObject({ built_in: true });
    await expect(provider.getOne('roles', { id: 'nobody' })).rejects.toMatchObject({ status: 404 });
  });

  it('sends what was changed, with the version that the form began with', async () => {
    const { data: first } = await provider.getOne<Part & { [etagField]?: string }>('parts', { id: 2 });
    expect(first[etagField]).toMatch(/^"\d+-detail"$/);
    await provider.update('parts', { id: 2, data: { ...first, size: 9 }, previousData: first });
    expect(asked.at(-1)).toEqual({ method: 'PATCH', path: '/api/v1/parts/2', body: { part: { size: 9 } } });
    const late = provider.update('parts', { id: 2, data: { ...first, name: 'z' }, previousData: first });
    await expect(late).rejects.toMatchObject({ status: 412, body: { code: 41200 } });
    expect((await provider.getOne<Part>('parts', { id: 2 })).data).toMatchObject({ name: 'a', size: 9 });
  });

  it('tells of every field that was refused', async () => {
    const refused = provider.create('parts', { data: { name: '', code: 'code 1' } });
    await expect(refused).rejects.toMatchObject({
      status: 422,
      body: { code: 42200, errors: { name: '名称不能为空', code: 'Code 已被使用' } },
    });
  });

  it('deletes several, and says so where one was not there', async () => {
    await provider.deleteMany('parts', { ids: [4] });
    await expect(provider.deleteMany('parts', { ids: [4, 5] })).rejects.toMatchObject({ status: 404 });
    expect((await list({})).total).toBe(3);
  });

  it('reads everything behind a cursor', async () => {
    const { database } = service.server.services;
    await database.execute({
      sql: `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
        insert into parts (name, size, created_at, updated_at)
        select 'many', i, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
      parameters: [],
    });
    const seen: unknown[] = [];
    let pages = 0;
    const sort = { field: 'size', order: 'DESC' } as const;
    for await (const records of everyRecord({ send, routeOf }, 'parts', { sort, filter: { name: 'many' } })) {
      pages += 1;
      seen.push(...records.map(({ size }) => size));
    }
    expect([pages, seen.length, seen[0], seen.at(-1), new Set(seen).size]).toEqual([3, 2500, 2500, 1, 2500]);
  });

  it('asks once who is signed in, and forgets it with a 401', async () => {
    const admin = await service.admin();
    const auth = createAuthProvider(send);
    const count = (): number => asked.filter(({ path }) => path === '/admin/session').length;
    const before = count();
    await auth.checkAuth({});
    await auth.checkAuth({});
    expect(await auth.getIdentity?.()).toMatchObject({ id: admin.id, username: admin.username });
    expect(await auth.getPermissions?.({})).toEqual(['super_admin']);
    expect(count() - before).toBe(1);
    await auth.checkError({ status: 403 });
    await expect(auth.checkError({ status: 401 })).rejects.toMatchObject({ status: 401 });
    await auth.checkAuth({});
    expect(count() - before).toBe(2);
  });

  it('says what else is asked of an account with a second factor, and takes the answer', async () => {
    const { user, secret } = await enrol(service);
    const auth = createAuthProvider(send);
    const refused: unknown = await auth
      .login({ username: user.username, password: user.password })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      status: 401,
      code: 40_107,
      data: { methods: ['totp', 'recovery_code'] },
    });
    const { ticket } = (refused as { readonly data: SecondFactorQuestion }).data;
    const code = codeOf(secret, service.clock.now());
    await auth.login({ ticket, code });
    expect(await auth.getIdentity?.()).toMatchObject({ id: user.id, username: user.username });
  });

  it('signs in by token, keeps it in the given storage, and forgets it with a 401', async () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    };
    const user = await service.createUser();
    const baseUrl = service.origin;
    const { authProvider: auth } = createTokenAccess({ baseUrl, storage });
    await expect(auth.checkAuth({})).rejects.toThrow('not signed in');
    await expect(auth.getIdentity?.()).rejects.toThrow('not signed in');
    const wrong = { username: user.username, password: 'wrong' };
    await expect(auth.login(wrong)).rejects.toMatchObject({ status: 401 });
    await auth.login({ username: user.username, password: user.password });
    await auth.checkAuth({});
    expect(kept.size).toBe(1);

    // After a reload of the page.
    const { authProvider: later, send: sendLater } = createTokenAccess({ baseUrl, storage });
    expect(await later.getIdentity?.()).toMatchObject({ id: user.id, username: user.username });
    expect(await later.getPermissions?.({})).toEqual(['viewer']);
    const routeOf = routesOf({ parts: { singular: 'part' } });
    const { total } = await createDataProvider({ send: sendLater, routeOf }).getList('parts', {});
    expect(total).toBeGreaterThan(0);
    expect(() => routeOf('toString')).toThrow('there is no resource toString');
    await later.checkError({ status: 403 });
    await later.checkAuth({});
    await expect(later.checkError({ status: 401 })).rejects.toMatchObject({ status: 401 });
    await expect(later.checkAuth({})).rejects.toThrow('not signed in');
    expect(kept.size).toBe(0);
    await auth.logout({});
    await expect(createTokenAccess({ baseUrl }).authProvider.checkAuth({})).rejects.toThrow();
  });
});
