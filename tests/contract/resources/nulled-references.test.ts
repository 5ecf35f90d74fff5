import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** Whatever makes a reference null changes the record: its entity tag, its version for `If-Match`, its `updated_at`. */

const shelfFields = { name: field.string() };
const bookFields = {
  title: field.string(),
  shelf: field.reference('Shelf'),
  spare: field.reference('Shelf'),
  sequel: field.reference('Book'),
  keeper: field.reference('User', { anyone: true }),
  user_id: field.owner(),
};
const loanFields = { book: field.reference('Book', { required: true }) };
const shelf = defineResource('Shelf', { fields: shelfFields, plural: 'shelves' });
const book = defineResource('Book', { fields: bookFields });
const loan = defineResource('Loan', { fields: loanFields });
const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      const references = { shelf: 'shelves', spare: 'shelves' };
      await createTable(db, dialect, 'shelves', { fields: shelfFields });
      await createTable(db, dialect, 'books', { fields: bookFields, references });
      await createTable(db, dialect, 'loans', { fields: loanFields });
    },
  },
};
const resources = [shelf, book, loan];

interface Record {
  readonly id: number;
  readonly shelf_id: number | null;
  readonly updated_at: string;
}

describeEachDatabase('a reference that becomes null', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  const run = (sql: string) => service.server.services.database.execute({ sql, parameters: [] });

  const create = (path: string, values: object, token: TestUser) =>
    service.ok<Record>('POST', `/api/v1/${path}`, {
      token,
      body: { [path === 'shelves' ? 'shelf' : path.slice(0, -1)]: values },
    });
  const show = async (id: number, token: TestUser) => {
    const { headers, data } = await service.get<Record>(`/api/v1/books/${id}`, { token });
    return { tag: String(headers['etag']), record: data };
  };

  /** The book before and after; both forms of a stale tag have to be refused. */
  const demandChanged = async (
    id: number,
    token: TestUser,
    nulling: () => Promise<unknown>,
    names: readonly string[],
  ) => {
    const before = await show(id, token);
    await nulling();
    const after = await show(id, token);
    for (const name of names) expect(after.record).toHaveProperty(name, null);
    expect(after.tag).not.toBe(before.tag);
    expect(Date.parse(after.record.updated_at)).toBeGreaterThan(Date.parse(before.record.updated_at));
    const known = await service.get(`/api/v1/books/${id}`, {
      token,
      headers: { 'if-none-match': before.tag },
    });
    expect(known.status).toBe(200);
    const body = { book: { title: 'lost update' } };
    const path = `/api/v1/books/${id}`;
    const stale = await service.request('PATCH', path, { token, body, headers: { 'if-match': before.tag } });
    expect(stale.status).toBe(412);
    const fresh = await service.request('PATCH', path, { token, body, headers: { 'if-match': after.tag } });
    expect(fresh.status).toBe(200);
  };

  const setUp = async () => {
    const token = await service.admin();
    const [one, two] = [await create('shelves', {}, token), await create('shelves', {}, token)];
    return { token, one: one.id, two: two.id };
  };

  it('a reference that becomes null by the deletion of its record changes every record that named it, and no other', async () => {
    const { token, one, two } = await setUp();
    const both = await create('books', { shelf_id: one, spare_id: one }, token);
    const other = await create('books', { shelf_id: two, spare_id: null }, token);
    const untouched = await show(other.id, token);
    const remove = () => service.ok('DELETE', `/api/v1/shelves/${one}`, { token });
    await demandChanged(both.id, token, remove, ['shelf_id', 'spare_id']);
    expect(await show(other.id, token)).toEqual(untouched);
  });

  it('a reference within its own table becomes null too, and not where the record names itself', async () => {
    const { token } = await setUp();
    const second = await create('books', {}, token);
    const first = await create('books', { sequel_id: second.id }, token);
    const remove = async (id: number) => {
      const { tag } = await show(id, token);
      await service.ok('DELETE', `/api/v1/books/${id}`, { token, headers: { 'if-match': tag } });
    };
    await demandChanged(first.id, token, () => remove(second.id), ['sequel_id']);
    await service.ok('PATCH', `/api/v1/books/${first.id}`, {
      token,
      body: { book: { sequel_id: first.id } },
    });
    await remove(first.id);
  });

  it('a reference becomes null by a deletion in the administration area, and by that of a user, with their keys and sessions', async () => {
    const { token, one } = await setUp();
    const { id } = await create('books', { shelf_id: one }, token);
    const removeShelf = () => service.ok('DELETE', `/admin/records/shelves/${one}`, { token });
    await demandChanged(id, token, removeShelf, ['shelf_id']);
    const keeper = await service.createUser();
    const key = await service.createKey(keeper);
    await service.ok('PATCH', `/api/v1/books/${id}`, {
      token,
      body: { book: { keeper_id: keeper.id, user_id: keeper.id } },
    });
    const removeUser = () => service.ok('DELETE', `/admin/users/${keeper.id}`, { token });
    await demandChanged(id, token, removeUser, ['keeper_id', 'user_id']);
    const list = await service.get(`/api/v1/books`, { headers: { 'x-api-key': key.key } });
    expect(list.status).toBe(401);
    const keys = await service.server.services.database.all({
      sql: `select id from api_keys where user_id = ${keeper.id} union all select id from sessions where user_id = ${keeper.id}`,
      parameters: [],
    });
    expect(keys).toEqual([]);
  });

  it('a reference becomes null by SQL that goes around the service', async () => {
    const { token, one, two } = await setUp();
    const { id } = await create('books', { shelf_id: one, spare_id: two }, token);
    await demandChanged(id, token, () => run(`delete from shelves where id = ${one}`), ['shelf_id']);
    await demandChanged(id, token, () => run(`update books set spare_id = null where id = ${id}`), [
      'spare_id',
    ]);
  });

  it('leaves everything as it was where the deletion is refused', async () => {
    const { token } = await setUp();
    const sequel = await create('books', {}, token);
    const { id } = await create('books', { sequel_id: sequel.id }, token);
    await create('loans', { book_id: sequel.id }, token);
    const before = await show(id, token);
    expect((await service.delete(`/api/v1/books/${sequel.id}`, { token })).status).toBe(409);
    expect(await show(id, token)).toEqual(before);
  });

  it('a reference that becomes null by a caller’s own write counts once', async () => {
    const { token, one } = await setUp();
    const { id } = await create('books', { shelf_id: one, spare_id: one }, token);
    const body = { book: { shelf_id: null, spare_id: null } };
    const answer = await service.request('PATCH', `/api/v1/books/${id}`, { token, body });
    expect(answer.headers['etag']).toBe('"2-saved"');
    expect((await show(id, token)).tag).toBe('"2-detail"');
  });
});
