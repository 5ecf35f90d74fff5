import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { equals } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application-endpoints.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, type TestUser, useService } from '../../support/service.ts';

/** `Prefer: handling=strict`: a write is refused for each field that it would ignore. */

const fields = {
  bill: {
    title: field.string({ max: 20, required: true }),
    state: field.string({ max: 20 }),
    note: field.string({ max: 20 }),
    cost: field.integer(),
    user_id: field.owner(),
  },
  line: {
    bill: field.reference('Bill', { required: true }),
    text: field.string({ max: 20 }),
    margin: field.integer(),
  },
  seal: { title: field.string({ max: 20 }), code: field.integer({ required: true }) },
} as const;

let hooks = 0;

const bill = defineResource('Bill', {
  fields: fields.bill,
  ownership: true,
  restricted: ['cost', { fields: ['note'], unless: equals('state', 'draft') }],
  relations: { lines: many('Line', { by: 'bill', write: true }) },
  hooks: {
    beforeSave: () => {
      hooks += 1;
    },
  },
});
const line = defineResource('Line', { fields: fields.line, restricted: ['margin'] });
const seal = defineResource('Seal', { fields: fields.seal, restricted: ['code'] });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'bills', { fields: fields.bill });
      await createTable(db, dialect, 'lines', { fields: fields.line, references: { bill: 'bills' } });
      await createTable(db, dialect, 'seals', { fields: fields.seal });
    },
  },
};

const greeting = defineEndpoint({
  method: 'POST',
  path: '/greeting',
  auth: ['jwt'],
  input: { name: field.string({ max: 20, required: true }) },
  handle: ({ values, body }) => ({ name: values.name, sent: Object.keys(body).length }),
});
const open = defineEndpoint({
  method: 'POST',
  path: '/open',
  auth: ['jwt'],
  handle: ({ body }) => ({ sent: Object.keys(body).length }),
});

const strict = { prefer: 'handling=strict' };

describeEachDatabase('writes with `Prefer: handling=strict`', (databases) => {
  const service = useService(databases, {
    application: { resources: [bill, line, seal], endpoints: [greeting, open], migrations },
    env: { LOCALE: 'en', CORS_ORIGINS: 'https://app.example' },
  });
  let user: TestUser;
  let root: TestUser;

  beforeAll(async () => {
    user = await service.createUser();
    root = await service.admin();
  });

  beforeEach(() => {
    hooks = 0;
  });

  const write = (method: string, path: string, body: unknown, more: RequestOptions = {}) =>
    service.request<{ readonly id: number; readonly errors: readonly Record<string, string>[] }>(
      method,
      `/api/v1/${path}`,
      { token: user, body, headers: strict, ...more },
    );
  const ignoredIn = (answer: Awaited<ReturnType<typeof write>>): readonly (string | undefined)[] => {
    expect(answer.status).toBe(422);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
    return answer.data.errors.map(({ field: name, rule }) => `${name} ${rule}`);
  };
  const countOf = async (path: string): Promise<number> =>
    (await service.ok<unknown[]>('GET', `/api/v1/${path}`, { token: root })).length;

  it('refuses a create for restricted, read-only, conditional and unknown fields, all at once', async () => {
    const before = await countOf('bills');
    const body = { bill: { title: '', cost: 1, note: 'a', id: 7, created_at: 'x', colour: 'red' } };
    const answer = await write('POST', 'bills', body);
    expect(ignoredIn(answer)).toEqual([
      'title required',
      'cost ignored',
      'note ignored',
      'id ignored',
      'created_at ignored',
      'colour ignored',
    ]);
    expect(answer.data.errors.map(({ message }) => message)).toContain('colour would be ignored');
    expect(await countOf('bills')).toBe(before);
    expect(hooks).toBe(0);
  });

  it('writes a body of which it uses every field, and says that the preference was applied', async () => {
    const answer = await write('POST', 'bills', { bill: { title: 'one', state: 'draft', note: 'kept' } });
    expect(answer.status).toBe(201);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
    expect(answer.data).toMatchObject({ title: 'one', note: 'kept' });
  });

  it('ignores the same fields without the header, and says nothing about a preference', async () => {
    const body = { bill: { title: 'plain', cost: 1, colour: 'red' } };
    const answer = await write('POST', 'bills', body, { headers: {} });
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty('preference-applied');
    expect(answer.data).toMatchObject({ title: 'plain', cost: null });
    const lenient = await write('POST', 'bills', body, { headers: { prefer: 'handling=lenient' } });
    expect(lenient.status).toBe(201);
    expect(lenient.headers).not.toHaveProperty('preference-applied');
  });

  it('takes the preference among others and from several header lines', async () => {
    const body = { bill: { title: 'lines', colour: 1 } };
    const answer = await write('POST', 'bills', body, {
      headers: { prefer: ['respond-async, wait=1', 'Handling="STRICT"; x=1'] },
    });
    expect(ignoredIn(answer)).toEqual(['colour ignored']);
  });

  it('decides by the record for an update, after 404', async () => {
    const made = await write('POST', 'bills', { bill: { title: 'two', state: 'sent' } });
    const path = `bills/${made.data.id}`;
    expect(ignoredIn(await write('PATCH', path, { bill: { title: 'x', note: 'a' } }))).toEqual([
      'note ignored',
    ]);
    const state = await service.ok('GET', `/api/v1/${path}`, { token: user });
    expect(state).toMatchObject({ title: 'two', note: null });
    expect((await write('PATCH', path, { bill: { state: 'draft' } })).status).toBe(200);
    expect((await write('PATCH', path, { bill: { note: 'a' } })).status).toBe(200);
    expect((await write('PATCH', 'bills/999999', { bill: { colour: 1 } })).status).toBe(404);
  });

  it('refuses every record of a batch by its place, and writes none', async () => {
    const made = await write('POST', 'bills', { bill: { title: 'three', state: 'sent' } });
    const before = await countOf('bills');
    const answer = await write('POST', 'bills/batch', {
      create: [{ title: 'fine' }, { title: 'bad', cost: 1 }],
      update: [{ id: made.data.id, title: 'changed', note: 'a', colour: 2 }],
    });
    expect(ignoredIn(answer)).toEqual([
      'update.0.note ignored',
      'update.0.colour ignored',
      'create.1.cost ignored',
    ]);
    expect(await countOf('bills')).toBe(before);
    expect(await service.ok('GET', `/api/v1/bills/${made.data.id}`, { token: user })).toMatchObject({
      title: 'three',
    });
  });

  it('refuses nested records too, and writes neither them nor the outer one', async () => {
    const before = await countOf('bills');
    const lines = [{ text: 'a' }, { text: 'b', margin: 1 }, { bill_id: 1, text: 'c' }];
    const inner = await write('POST', 'bills', { bill: { title: 'outer', lines } });
    expect(ignoredIn(inner)).toEqual(['lines.1.margin ignored', 'lines.2.bill_id ignored']);
    const both = await write('POST', 'bills', { bill: { title: 'outer', cost: 1, lines } });
    expect(ignoredIn(both)).toEqual(['cost ignored', 'lines.1.margin ignored', 'lines.2.bill_id ignored']);
    expect(await countOf('bills')).toBe(before);
    expect(await countOf('lines')).toBe(0);
    const fine = await write('POST', 'bills', { bill: { title: 'outer', lines: [{ text: 'a' }] } });
    expect(fine.status).toBe(201);
  });

  it('keeps 403 for a required field that the caller may not write', async () => {
    expect((await write('POST', 'seals', { seal: { title: 'a', code: 1 } })).status).toBe(403);
    const both = await write('POST', 'seals', { seal: { title: 'a', code: 1, colour: 1 } });
    expect(ignoredIn(both)).toEqual(['colour ignored']);
  });

  it('refuses names that a declared input lacks, and passes undeclared bodies on', async () => {
    expect(ignoredIn(await write('POST', 'greeting', { name: 'Ada', age: 3 }))).toEqual(['age ignored']);
    expect((await write('POST', 'greeting', { name: 'Ada', age: 3 }, { headers: {} })).status).toBe(200);
    const free = await write('POST', 'open', { name: 'Ada' });
    expect(free.status).toBe(200);
    expect(free.headers).not.toHaveProperty('preference-applied');
  });

  it('refuses unknown names in the service’s own bodies', async () => {
    const answer = await write('POST', 'api_keys', { api_key: { name: 'a', colour: 1 } });
    expect(ignoredIn(answer)).toEqual(['colour ignored']);
    const fine = await write('POST', 'api_keys', { api_key: { name: 'a' } });
    expect(fine.status).toBeLessThan(300);
  });

  it('takes the same body with and without the preference for two requests of an Idempotency-Key', async () => {
    const body = { bill: { title: 'key' } };
    const headers = { 'idempotency-key': 'one-key' };
    expect((await write('POST', 'bills', body, { headers })).status).toBe(201);
    const again = await write('POST', 'bills', body, { headers: { ...headers, ...strict } });
    expect(again.status).toBe(409);
  });

  it('reports fifty ignored names at most, each cut to a hundred characters', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`x${index}`.padEnd(300, 'y'), 1]),
    );
    const { data } = await write('POST', 'bills', { bill: { title: 'many', ...many } });
    expect(data.errors).toHaveLength(50);
    expect(data.errors[0]?.['field']).toHaveLength(100);
  });

  it('lets pages of other origins send the header and read the response header', async () => {
    const preflight = await service.request('OPTIONS', '/api/v1/bills', {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'prefer',
      },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('Prefer');
    expect(preflight.headers['access-control-expose-headers']).toContain('Preference-Applied');
  });
});
