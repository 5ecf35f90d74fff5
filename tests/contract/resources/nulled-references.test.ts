import { expect, it } from 'vitest';
import { createApplication } from '../../../src/app/application.ts';
import { applyMigrations } from '../../../src/app/migrate.ts';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { databaseTarget } from '../../../src/database/targets.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService, type TestUser, useService } from '../../support/service.ts';

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

/** Tables of the service that came after the version of which the test makes a database. */
const laterTables = [
  'gatewright_fills',
  'gatewright_buckets',
  'gatewright_jobs',
  'gatewright_schedules',
  'gatewright_imports',
  'gatewright_import_places',
  'gatewright_history',
  'gatewright_events',
  'gatewright_event_inbox',
  'gatewright_trash',
  'gatewright_webhooks',
  'gatewright_deliveries',
  'gatewright_invitations',
  'gatewright_views',
  'gatewright_key_calls',
  'gatewright_key_uses',
  'gatewright_route_times',
  'gatewright_key_usage',
  'gatewright_refusals',
  'gatewright_factor_setups',
  'gatewright_sign_in_tickets',
  'gatewright_recovery_codes',
  'gatewright_passkeys',
  'gatewright_totp',
  'gatewright_revoked_keys',
  'gatewright_revoked_tokens',
  'gatewright_former_secrets',
  'gatewright_nonces',
  'gatewright_counts',
  'gatewright_account_links',
  'gatewright_linked_accounts',
  'gatewright_sign_in_codes',
];
/** The same holds for indexes of tables that were there. */
const laterIndexes = [
  'api_keys_idle',
  'api_keys_created_by',
  'audit_failed_sign_ins',
  'users_owner_id',
  'users_kind_service',
];
/** The same holds for their columns. */
const laterColumns = [
  ['users', 'security_stamp'],
  ['users', 'second_factor'],
  ['users', 'password_set_by'],
  ['users', 'last_token_expiry'],
  ['users', 'revoked_token_expiry'],
  ['users', 'kind'],
  ['users', 'owner_id'],
  ['api_keys', 'scopes'],
  ['api_keys', 'networks'],
  ['api_keys', 'rotated_at'],
  ['api_keys', 'secret_used_at'],
  ['api_keys', 'notified_expires_at'],
  ['api_keys', '"limit"'],
  ['api_keys', 'quota'],
  ['sessions', 'second_factor'],
  ['idempotency_keys', 'model'],
  ['api_keys', 'created_by'],
  ['gatewright_database', 'clock_at'],
  ['gatewright_database', 'backed_up_at'],
] as const;

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

  it('a reference becomes null also in tables that were made before it was so, with no migration of the application', async () => {
    const url = await databases.create();
    const application = createApplication({ resources, migrations });
    await applyMigrations(databaseTarget(url), application);
    const before = await databases.open(url);
    const names = ['shelf', 'spare', 'sequel', 'keeper', 'user'].map((name) => `books_${name}_id_nulled`);
    const on = databases.dialect === 'postgres' ? ' on books' : '';
    for (const name of names) await before.execute({ sql: `drop trigger ${name}${on}`, parameters: [] });
    // Later indexes are undone with that migration.
    for (const index of laterIndexes) await before.execute({ sql: `drop index ${index}`, parameters: [] });
    for (const [table, column] of laterColumns)
      await before.execute({ sql: `alter table ${table} drop column ${column}`, parameters: [] });
    for (const table of laterTables) await before.execute({ sql: `drop table ${table}`, parameters: [] });
    await before.execute({
      sql: `delete from gatewright_migrations where name >= '0006_nulled_references'`,
      parameters: [],
    });
    await using older = await startService(databases, { url, application });
    const token = await older.admin();
    const owner = await older.createUser();
    const { id } = await older.ok<Record>('POST', '/api/v1/books', {
      token,
      body: { book: { user_id: owner.id } },
    });
    await older.ok('DELETE', `/admin/users/${owner.id}`, { token });
    const { headers, data } = await older.get(`/api/v1/books/${id}`, { token });
    expect([headers['etag'], data]).toEqual(['"2-detail"', expect.objectContaining({ user_id: null })]);
  });
});
