import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import type { BeforeCommitContext } from '../../../src/model/hooks.ts';
import { many } from '../../../src/model/relation.ts';
import { equals } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** `beforeCommit` sets fields of its own record. */

const shopFields = { name: field.string({ max: 20 }) };
const billFields = {
  shop: field.reference('Shop'),
  number: field.sequence(),
  label: field.string({ max: 20, unique: true }),
  note: field.string({ max: 20 }),
  total: field.decimal({ scale: 2 }),
  open: field.boolean({ default: true }),
  user_id: field.owner(),
};

const shop = defineResource('Shop', {
  fields: shopFields,
  relations: { bills: many('Bill', { by: 'shop', write: true }) },
});

let inCommit: (context: BeforeCommitContext) => void | Promise<void> = () => {};
let committed: JsonObject[] = [];

const bill = defineResource('Bill', {
  fields: billFields,
  ownership: true,
  isolation: { read: 'everyone', write: equals('open', true) },
  restricted: ['total'],
  history: true,
  events: true,
  trash: true,
  hooks: {
    beforeCommit: (context) => inCommit(context as unknown as BeforeCommitContext),
    afterCommit: ({ record, values }) => void committed.push({ record, values } as unknown as JsonObject),
  },
});

const inScope = defineEndpoint({
  method: 'POST',
  path: '/in-scope',
  auth: ['jwt'],
  input: { bill: field.json({ required: true }) },
  handle: ({ values, records }) => records('Bill').create(values.bill as JsonObject),
});

/** Goes on after a create that is refused. */
const goOn = defineEndpoint({
  method: 'POST',
  path: '/go-on',
  auth: ['jwt'],
  handle: ({ transaction }) =>
    transaction(async ({ records }) => {
      await records('Bill')
        .create({})
        .catch(() => {});
      return {};
    }),
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'shops', { fields: shopFields });
      await createTable(db, dialect, 'bills', {
        fields: { ...billFields, number: field.sequence({ unique: true }) },
        references: { shop: 'shops' },
      });
    },
  },
};

interface Bill extends JsonObject {
  readonly id: number;
}

describeEachDatabase('set of beforeCommit', (databases) => {
  const service = useService(databases, {
    application: { resources: [shop, bill], endpoints: [inScope, goOn], migrations },
    env: { LOCALE: 'en' },
  });
  let ann: TestUser;
  let root: TestUser;

  const send = (method: string, path: string, body?: object, token = ann) =>
    service.request<Bill>(method, path, { token, body });
  const create = (values: object = {}) => send('POST', '/api/v1/bills', { bill: values });
  const newest = async (): Promise<Bill> => {
    const [found] = await service.ok<Bill[]>('GET', '/api/v1/bills?sort=-id&per_page=1', { token: root });
    if (found === undefined) throw new Error('there is no bill');
    return found;
  };
  const historyOf = (id: number) =>
    service.ok<{ version: number; after: JsonObject }[]>('GET', `/api/v1/bills/${id}/history`, {
      token: root,
    });
  const eventsOf = async (id: number): Promise<readonly (readonly string[])[]> => {
    const { events } = service.server.services;
    await events.settle();
    const found = await events.after(0, 1_000);
    return found.flatMap(({ record, fields }) => (record === id ? [fields.toSorted()] : []));
  };

  beforeAll(async () => {
    [ann, root] = [await service.createUser(), await service.admin()];
  });
  beforeEach(() => {
    committed = [];
    inCommit = ({ after, set }) => {
      if (after !== undefined) set({ label: `B-${after['number']}`, total: 2.5 });
    };
  });

  it.each([
    ['a create', () => create({ note: 'a' })],
    ['a batch', () => send('POST', '/api/v1/bills/batch', { create: [{ note: 'a' }] })],
    ['a scope', () => send('POST', '/api/v1/in-scope', { bill: { note: 'a' } })],
    ['a record within another', () => send('POST', '/api/v1/shops', { shop: { bills: [{ note: 'a' }] } })],
    ['the administration area', () => send('POST', '/admin/records/bills', { bill: { note: 'a' } }, root)],
    [
      'an import',
      () =>
        send('POST', '/admin/records/bills/import', { lines: [{ line: 1, values: { note: 'a' } }] }, root),
    ],
  ])('the set of beforeCommit is part of the write: one version, one event, by %s', async (_name, write) => {
    const answer = await write();
    expect(answer.status).toBeLessThan(300);
    const made = await newest();
    const final = { note: 'a', label: `B-${made['number']}`, total: '2.50' };
    expect(made).toMatchObject(final);
    const [version, ...others] = await historyOf(made.id);
    expect([version?.version, version?.after, others]).toEqual([1, expect.objectContaining(final), []]);
    const shown = await send('GET', `/api/v1/bills/${made.id}`);
    expect(shown.data).toEqual(made);
    await expect.poll(() => committed).toMatchObject([{ record: made, values: final }]);
  });

  it('stands in the response and its ETag, in the event, and after an update', async () => {
    const made = await create({ note: 'a' });
    const shown = await send('GET', `/api/v1/bills/${made.data.id}`);
    expect([made.data, made.headers.etag, shown.headers.etag]).toEqual([
      shown.data,
      `"1-saved"`,
      `"1-detail"`,
    ]);
    inCommit = ({ action, after, set }) => {
      if (action === 'destroy') return;
      set({ label: 'never seen' });
      set({ label: `${after?.['note']}!` });
    };
    const path = `/api/v1/bills/${made.data.id}`;
    const changed = await send('PATCH', path, { bill: { note: 'b' } });
    expect(changed.data).toMatchObject({ note: 'b', label: 'b!', total: '2.50' });
    expect((await historyOf(made.data.id)).map(({ version }) => version)).toEqual([2, 1]);
    expect(await eventsOf(made.data.id)).toEqual([
      ['label', 'note', 'number', 'open', 'total', 'user_id'],
      ['label', 'note'],
    ]);
    await service.ok('DELETE', path, { token: root });
    inCommit = ({ set }) => set({ label: 'back' });
    const back = await send('POST', `/admin/records/bills/${made.data.id}/restore`, undefined, root);
    expect([back.status, back.data['label']]).toEqual([200, 'back']);
  });

  it('sets no field that a hook cannot set', async () => {
    inCommit = ({ set }) => set({ id: 900, number: 7, created_at: null, user_id: root.id });
    const { data } = await create();
    expect(data).toMatchObject({ id: expect.any(Number), user_id: ann.id });
    expect([data.id, data['number']]).not.toContain(900);
    expect(data['number']).not.toBe('7');
    // An owner is set like any other field later.
    const changed = await send('PATCH', `/api/v1/bills/${data.id}`, { bill: { note: 'a' } });
    expect(changed.data['user_id']).toBe(root.id);
  });

  it('fails with an error of the code where it sets a name that no field has', async () => {
    inCommit = ({ set }) => set({ nott: 'x' });
    const { status } = await send('POST', '/api/v1/bills', { bill: {} }).catch(() => ({ status: 500 }));
    expect(status).toBe(500);
    expect(service.lines.findLast((line) => line.includes('has no field'))).toMatch(
      /Bill has no field .*nott/,
    );
    inCommit = () => {};
  });

  describe.each<[string, JsonObject, number, JsonObject[]]>([
    ['an invalid value', { note: 'x'.repeat(21) }, 422, [{ field: 'note', rule: 'max_length' }]],
    ['a value that is taken', { label: 'taken' }, 422, [{ field: 'label', rule: 'unique' }]],
    ['a reference to no record', { shop_id: 99_999 }, 422, [{ field: 'shop_id', rule: 'reference' }]],
    ['a value that the row rule forbids', { open: false }, 403, []],
  ])('with %s', (_name, values, status, errors) => {
    it('refuses the write', async () => {
      inCommit = ({ set }) => set({ label: 'taken' });
      if (errors[0]?.['rule'] === 'unique') expect((await create()).status).toBe(201);
      inCommit = ({ set }) => set(values);
      const { id } = await newest().catch(() => ({ id: 0 }));
      const refused = await create({ note: 'a' });
      expect(refused.status).toBe(status);
      expect(refused.json.data ?? { errors: [] }).toMatchObject({ errors });
      expect((await send('POST', '/api/v1/go-on', {})).status).toBe(status);
      expect((await newest().catch(() => ({ id: 0 }))).id).toBe(id);
    });
  });

  it('beforeCommit has nothing to set in a destroy', async () => {
    const { data } = await create();
    inCommit = ({ set }) => set({ note: 'late' });
    expect((await send('DELETE', `/api/v1/bills/${data.id}`, undefined, root)).status).toBe(500);
    expect((await send('GET', `/api/v1/bills/${data.id}`)).status).toBe(200);
  });

  it('completes the last version where the hook has written the record as well', async () => {
    inCommit = async ({ id, before, after, asSystem, set }) => {
      if (before !== undefined || after?.['note'] !== 'twice') return;
      await asSystem('a second write').records('Bill').update(id, { note: 'again' });
      set({ label: 'twice' });
    };
    const { data } = await create({ note: 'twice' });
    expect(data).toMatchObject({ note: 'again', label: 'twice' });
    const versions = await historyOf(data.id);
    expect(versions.map(({ version, after }) => [version, after['note'], after['label']])).toEqual([
      [2, 'again', 'twice'],
      [1, 'twice', null],
    ]);
  });

  it('the set of beforeCommit is in its version however much its hook writes, and the record may be gone', async () => {
    inCommit = async ({ after, set, records }) => {
      if (after?.['note'] !== 'many') return;
      const made = Array.from({ length: 300 }, () => records('Bill').create({ note: 'one' }));
      await Promise.all(made);
      set({ label: 'many' });
    };
    const { data } = await create({ note: 'many' });
    const [version] = await historyOf(data.id);
    expect(version?.after).toMatchObject({ label: 'many' });
    inCommit = async ({ id, action, set, asSystem }) => {
      if (action === 'destroy') return;
      await asSystem('never mind').records('Bill').remove(id);
      set({ note: 'gone' });
    };
    expect((await create()).status).toBe(404);
  });
});
