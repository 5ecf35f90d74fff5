import { expect, it, onTestFinished } from 'vitest';
import { migrationFile } from '../../../src/cli/scaffold/migration-file.ts';
import { dialectOf } from '../../../src/database/dialects.ts';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { runAll } from '../../../src/database/migrations/statements.ts';
import { readStored } from '../../../src/database/migrations.ts';
import { differences } from '../../../src/database/schema-differences.ts';
import { field } from '../../../src/fields/define.ts';
import type { RecordId } from '../../../src/fields/key.ts';
import { type KeyKind, keyKinds } from '../../../src/fields/keys.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { collectModels } from '../../../src/model/models.ts';
import { many } from '../../../src/model/relation.ts';
import { member } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** One key of a model: what its ids look like, and ids that no record has. */
interface KeyCase {
  readonly key: KeyKind;
  readonly form: unknown;
  /** An id of the right form that no record has. */
  readonly absent: RecordId;
  /** Texts of paths that are no ids at all. */
  readonly wrong: readonly string[];
  /** Values of bodies that are no ids at all. */
  readonly wrongValues: readonly unknown[];
  /** Type of the id in metadata. */
  readonly type: string;
  /** The number that the database has given last, before the first record. */
  readonly given?: bigint;
  /** An id for a new record, where callers give it; ids that sort by bytes in the order in which they are made. */
  readonly next?: () => RecordId;
}

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const counting = (idOf: (n: number) => RecordId): (() => RecordId) => {
  let n = 0;
  return () => {
    n += 1;
    return idOf(n);
  };
};

const cases: readonly KeyCase[] = [
  {
    key: 'integer',
    form: expect.any(Number),
    absent: 999_999,
    wrong: ['0', '-1', '01', 'x', '1.5', '9007199254740992'],
    wrongValues: ['1', 0, -1, 1.5],
    type: 'integer',
  },
  {
    key: 'uuid',
    form: expect.stringMatching(version7),
    absent: '01980000-0000-7000-8000-000000000000',
    wrong: ['1', 'x', '01980000-0000-7000-8000-00000000000', '01980000-0000-7000-8000-00000000000g'],
    wrongValues: [1, 'x', '01980000-0000-7000-8000-00000000000g'],
    type: 'uuid',
  },
  {
    key: 'bigint',
    // Two neighbours that one double stands for, and more: nothing may be read by a double on the way.
    form: expect.stringMatching(/^9223372036854774\d{3}$/),
    absent: '9007199254740993',
    wrong: ['01', '+1', '-0', '1.0', '1e3', 'x', '9223372036854775808', '-9223372036854775809'],
    wrongValues: [1, 9, '01', ' 1', '1.0', '9223372036854775808', ''],
    type: 'string',
    given: 9_223_372_036_854_774_000n,
  },
  {
    key: 'text',
    // All that a path, a list of values, a line of CSV, or SQL could take for its own.
    form: expect.stringMatching(/^[0-9]{4} a\/b,%2F"'é😀\\;\?#$/),
    absent: 'not/there, %',
    wrong: ['..%2f%00', 'x%01', '%20x', 'x%20', 'a'.repeat(256)],
    wrongValues: [1, '', ' x', 'x\n', '.', '..', 'batch', 'a'.repeat(256)],
    type: 'string',
    next: counting((n) => `${String(n).padStart(4, '0')} a/b,%2F"'é😀\\;?#`),
  },
];

type Row = { readonly id: RecordId } & Readonly<Record<string, unknown>>;

/** An id in a path, and in a list of values of a filter. */
const inPath = (id: RecordId): string => encodeURIComponent(id);
const inList = (id: RecordId): string => encodeURIComponent(String(id).replaceAll(/[\\,]/g, '\\$&'));

for (const { key, form, absent, wrong, wrongValues, type, given, next } of cases) {
  /** The values of a new record, with its id where callers give it. */
  const fresh = <Values extends object>(values: Values) =>
    next === undefined ? values : { id: next(), ...values };

  const shelfFields = { name: field.string({ required: true, max: 40 }) };
  const boxFields = {
    label: field.string({ required: true, max: 40, unique: true }),
    shelf: field.reference('Shelf', { key, onDelete: 'null' }),
    user_id: field.owner(),
  };
  const itemFields = {
    name: field.string({ required: true, max: 40 }),
    box: field.reference('Box', { key, required: true, onDelete: 'cascade' }),
    number: field.sequence({ per: 'box' }),
  };
  const shelf = defineResource('Shelf', {
    key,
    plural: 'shelves',
    fields: shelfFields,
    history: true,
    trash: true,
    events: true,
  });
  const box = defineResource('Box', {
    key,
    plural: 'boxes',
    fields: boxFields,
    history: true,
    trash: true,
    events: true,
    isolation: true,
    ownership: true,
    relations: { items: many('Item', { by: 'box', write: true }) },
  });
  const companyFields = { name: field.string() };
  const membershipFields = {
    company: field.reference('Company', { key, required: true, onDelete: 'cascade' }),
    user_id: field.owner(),
  };
  const isMember = member('id', { of: 'Membership', on: 'company_id' });
  const company = defineResource('Company', {
    key,
    plural: 'companies',
    fields: companyFields,
    isolation: { read: isMember, write: isMember },
    trash: true,
    manage: isMember,
  });
  const membership = defineResource('Membership', { fields: membershipFields });
  const item = defineResource('Item', { key, fields: itemFields, events: true });
  const resources = [shelf, box, item, company, membership];
  const migrations: Migrations = {
    '0001_boxes': {
      up: async (db, dialect) => {
        const references = { shelf: 'shelves', box: 'boxes' };
        await createTable(db, dialect, 'shelves', { key, fields: shelfFields });
        await createTable(db, dialect, 'boxes', { key, fields: boxFields, references });
        await createTable(db, dialect, 'items', {
          key,
          fields: itemFields,
          references,
          unique: [['box_id', 'number']],
        });
        await createTable(db, dialect, 'companies', { key, fields: companyFields });
        await createTable(db, dialect, 'memberships', {
          fields: membershipFields,
          references: { company: 'companies' },
          indexes: [['user_id', 'company_id']],
        });
        if (given === undefined) return;
        for (const table of ['shelves', 'boxes', 'items', 'companies'])
          await runAll(db, dialectOf(dialect).schema.moving.setCounter({ table, column: 'id', last: given }));
      },
    },
  };

  describeEachDatabase(`records with the key ${key}`, (databases) => {
    const service = useService(databases, {
      application: { resources, migrations },
      times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100, timeout: 1_000, rest: 200 } },
      env: { WEBHOOK_PRIVATE: '1', LOCALE: 'en' },
    });

    const asked = async (method: string, path: string, token: TestUser, body?: object) =>
      service.request<Row>(method, `/api/v1/${path}`, body === undefined ? { token } : { token, body });
    const listed = async (path: string, token: TestUser) =>
      service.ok<Row[]>('GET', `/api/v1/${path}`, { token });
    const newBox = async (token: TestUser, values: object) => {
      const { data, status } = await asked('POST', 'boxes', token, { box: fresh(values) });
      expect(status).toBe(201);
      return data;
    };

    it('gives a new record an id, and finds, changes and deletes the record by it', async () => {
      const ann = await service.createUser();
      const made = await newBox(ann, { label: 'one' });
      expect(made.id).toEqual(form);
      // No other id comes from a client.
      if (next === undefined) expect((await newBox(ann, { id: absent, label: 'own' })).id).not.toBe(absent);
      expect((await asked('GET', `boxes/${inPath(made.id)}`, ann)).data).toEqual(made);
      const changed = await asked('PATCH', `boxes/${inPath(made.id)}`, ann, { box: { label: 'two' } });
      expect(changed).toMatchObject({ status: 200, data: { id: made.id, label: 'two' } });
      expect((await asked('DELETE', `boxes/${inPath(made.id)}`, ann)).status).toBe(200);
      expect((await asked('GET', `boxes/${inPath(made.id)}`, ann)).status).toBe(404);
    });

    it('answers 404 to a path that names no record, and 422 to such a reference', async () => {
      const ann = await service.createUser();
      for (const text of [inPath(absent), ...wrong])
        for (const method of ['GET', 'DELETE'])
          expect([text, (await asked(method, `boxes/${text}`, ann)).status]).toEqual([text, 404]);
      for (const value of [absent, ...wrongValues]) {
        const answer = await asked('POST', 'boxes', ann, { box: fresh({ label: 'x', shelf_id: value }) });
        expect([value, answer.status]).toEqual([value, 422]);
      }
    });

    it('sorts, filters and pages by the id, with cursors too', async () => {
      const ann = await service.createUser();
      const ids: RecordId[] = [];
      for (const label of ['a', 'b', 'c', 'd', 'e']) ids.push((await newBox(ann, { label: `p${label}` })).id);
      const idsOf = (rows: readonly Row[]): readonly RecordId[] => rows.map(({ id }) => id);
      expect(idsOf(await listed('boxes', ann))).toEqual(ids);
      expect(idsOf(await listed('boxes?sort=-id&per_page=2&page=2', ann))).toEqual([ids[2], ids[1]]);
      expect(
        idsOf(await listed(`boxes?filter[id][in]=${inList(ids[3] ?? '')},${inList(ids[1] ?? '')}`, ann)),
      ).toEqual([ids[1], ids[3]]);
      expect(idsOf(await listed(`boxes?filter[id][gt]=${inPath(ids[3] ?? '')}`, ann))).toEqual([ids[4]]);
      const seen: RecordId[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const path: string = `/api/v1/boxes?per_page=2&after=${after}`;
        const { status, data, headers } = await service.request<Row[]>('GET', path, { token: ann });
        expect(status).toBe(200);
        seen.push(...idsOf(data));
        after = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
      }
      expect(seen).toEqual(ids);
    });

    it('follows references: include, filters across them, nested records and counts of each', async () => {
      const ann = await service.createUser();
      const root = await service.admin();
      const { data: held } = await asked('POST', 'shelves', root, { shelf: fresh({ name: 'upper' }) });
      const made = await newBox(ann, {
        label: 'with',
        shelf_id: held.id,
        items: [fresh({ name: 'i1' }), fresh({ name: 'i2' })],
      });
      const { data } = await asked('GET', `boxes/${inPath(made.id)}?include=shelf,items`, ann);
      expect(data).toMatchObject({
        shelf_id: held.id,
        shelf: { id: held.id, name: 'upper' },
        items: [
          { name: 'i1', box_id: made.id, number: '1' },
          { name: 'i2', box_id: made.id, number: '2' },
        ],
      });
      const [first, second] = data['items'] as readonly [Row, Row];
      expect(first.id).toEqual(form);
      const changed = await asked('PATCH', `boxes/${inPath(made.id)}?include=items`, ann, {
        box: {
          items: [
            { id: first.id, name: 'I1' },
            { id: second.id, _delete: true },
            ...(next === undefined ? [{ name: 'i3' }] : []),
          ],
        },
      });
      if (next !== undefined)
        await asked('POST', 'items', ann, { item: fresh({ name: 'i3', box_id: made.id }) });
      expect(changed.status).toBe(200);
      const { data: now } = await asked('GET', `boxes/${inPath(made.id)}?include=items`, ann);
      expect(now['items']).toMatchObject([
        { id: first.id, name: 'I1' },
        { name: 'i3', number: '3' },
      ]);
      expect(await listed(`boxes?filter[shelf.name]=upper`, ann)).toMatchObject([{ id: made.id }]);
      expect(await listed(`boxes?filter[shelf_id]=${inPath(held.id)}`, ann)).toMatchObject([{ id: made.id }]);
      expect(await listed(`items?filter[box_id][in]=${inList(made.id)}`, ann)).toHaveLength(2);
      const other = await newBox(ann, { label: 'other', items: [fresh({ name: 'o1' })] });
      expect(await listed(`items?filter[box_id]=${inPath(other.id)}`, ann)).toMatchObject([{ number: '1' }]);
    });

    it('writes many at once: batch and import name records by their ids', async () => {
      const ann = await service.createUser();
      const [one, two] = [await newBox(ann, { label: 'b1' }), await newBox(ann, { label: 'b2' })];
      const batch = await asked('POST', 'boxes/batch', ann, {
        create: [fresh({ label: 'b3' })],
        update: [{ id: one.id, label: 'B1' }],
        delete: [two.id],
      });
      expect(batch).toMatchObject({
        status: 200,
        data: { updated: [{ id: one.id, label: 'B1' }], deleted: 1 },
      });
      const missing = await asked('POST', 'boxes/batch', ann, { update: [{ id: absent, label: 'z' }] });
      expect(missing.status).toBe(422);
      const lines = `${JSON.stringify({ id: one.id, label: 'imported' })}\n`;
      const imported = await service.request('POST', '/api/v1/boxes/import?update_by=id', {
        token: ann,
        body: lines,
        headers: { 'content-type': 'application/jsonl' },
      });
      expect([imported.status, imported.data]).toEqual([200, { created: 0, updated: 1 }]);
    });

    it('keeps history, events, trash and references of a deleted record, and restores them', async () => {
      const ann = await service.createUser();
      const root = await service.admin();
      const { data: held } = await asked('POST', 'shelves', root, { shelf: fresh({ name: 'lower' }) });
      const made = await newBox(ann, { label: 'kept', shelf_id: held.id, items: [fresh({ name: 'k1' })] });
      const historyOf = async (path: string) =>
        (
          await service.ok<{ version: number; action: string }[]>('GET', `/admin/records/${path}/history`, {
            token: root,
          })
        ).map(({ version, action }) => [version, action]);
      expect(await historyOf(`boxes/${inPath(made.id)}`)).toEqual([[expect.any(Number), 'create']]);
      const forecast = await service.ok<{ references: Row[] }>(
        'GET',
        `/admin/records/shelves/${inPath(held.id)}/references`,
        {
          token: root,
        },
      );
      expect(forecast.references).toMatchObject([{ model: 'Box', to: [held.id] }]);
      // The shelf goes into the trash, and the reference of the box becomes null.
      expect((await asked('DELETE', `shelves/${inPath(held.id)}`, root)).status).toBe(200);
      expect((await asked('GET', `boxes/${inPath(made.id)}`, ann)).data).toMatchObject({ shelf_id: null });
      const trashed = await service.ok<Row[]>('GET', '/admin/records/shelves?trashed=true', { token: root });
      expect(trashed.map(({ id }) => id)).toContainEqual(held.id);
      const back = await service.request('POST', `/admin/records/shelves/${inPath(held.id)}/restore`, {
        token: root,
      });
      expect(back.status).toBe(200);
      expect((await asked('GET', `boxes/${inPath(made.id)}`, ann)).data).toMatchObject({ shelf_id: held.id });
      // A record goes with those that refer to it, and comes back with them.
      expect((await asked('DELETE', `boxes/${inPath(made.id)}`, ann)).status).toBe(200);
      expect(await listed(`items?filter[box_id]=${inPath(made.id)}`, ann)).toEqual([]);
      expect(
        (await service.request('POST', `/admin/records/boxes/${inPath(made.id)}/restore`, { token: root }))
          .status,
      ).toBe(200);
      expect(await listed(`items?filter[box_id]=${inPath(made.id)}`, ann)).toMatchObject([{ name: 'k1' }]);
      const versions = await historyOf(`boxes/${inPath(made.id)}`);
      expect(versions.map(([, action]) => action)).toEqual([
        'create',
        'destroy',
        'update',
        'update',
        'create',
      ]);
      const { events } = service.server.services;
      await events.settle();
      const all = await events.after(0, 10_000);
      const ofBox = all.filter(({ record, model }) => model === 'Box' && record === made.id);
      expect(ofBox.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'destroy', 'create']);
      const forgotten = await service.ok<{ versions: number; events: number }>(
        'POST',
        `/admin/records/boxes/${inPath(made.id)}/forget`,
        { token: root },
      );
      expect(forgotten).toMatchObject({ versions: 5, events: 5 });
    });

    it('finds and explains records in the administration area', async () => {
      const ann = await service.createUser();
      const root = await service.admin();
      const made = await newBox(ann, { label: 'sought' });
      const found = await service.ok<{ resource: string; records: Row[] }[]>(
        'GET',
        `/admin/search?q=${inPath(made.id)}`,
        {
          token: root,
        },
      );
      expect(found.flatMap(({ records }) => records.map(({ id }) => id))).toContainEqual(made.id);
      const seen = await service.ok<Row>('GET', `/admin/users/${ann.id}/view/boxes/${inPath(made.id)}`, {
        token: root,
      });
      expect(seen.id).toEqual(made.id);
    });

    it('keeps the order of deliveries of each record, and sends its id', async () => {
      const ann = await service.createUser();
      const root = await service.admin();
      const receiver = await startReceiver();
      onTestFinished(() => receiver.close());
      const hook = await service.ok<{ id: number }>('POST', '/admin/webhooks', {
        token: root,
        body: { webhook: { url: receiver.url, models: ['Box'], user_id: ann.id } },
      });
      const [one, two] = [await newBox(ann, { label: 'w1' }), await newBox(ann, { label: 'w2' })];
      for (const label of ['w1b', 'w1c'])
        await asked('PATCH', `boxes/${inPath(one.id)}`, ann, { box: { label } });
      const sent = () =>
        receiver.received.map(({ message }) => [message.data.id, message.data.action, message.data.version]);
      await expect.poll(() => sent().length, { timeout: 20_000 }).toBe(4);
      const ofOne = sent().filter(([id]) => id === one.id);
      // A text that callers give may have been given before: its versions do not begin with 1.
      const first = key === 'text' ? Number(ofOne[0]?.[2]) : 1;
      expect(ofOne).toEqual([
        [one.id, 'create', first],
        [one.id, 'update', first + 1],
        [one.id, 'update', first + 2],
      ]);
      expect(sent()).toContainEqual([two.id, 'create', key === 'text' ? expect.any(Number) : 1]);
      const deliveries = await service.ok<{ record_id: RecordId }[]>(
        'GET',
        `/admin/webhooks/${hook.id}/deliveries`,
        { token: root },
      );
      expect(deliveries.map(({ record_id }) => record_id)).toContainEqual(two.id);
    });

    it('admits members of a record, who own service accounts with it', async () => {
      const [ann, eve] = [await service.createUser(), await service.createUser()];
      const root = await service.admin();
      const made = await service.ok<Row>('POST', '/admin/records/companies', {
        token: root,
        body: { company: fresh({ name: 'Roofs' }) },
      });
      const joined = { company_id: made.id, user_id: ann.id };
      await service.ok('POST', '/admin/records/memberships', { token: root, body: { membership: joined } });
      expect((await asked('GET', `companies/${inPath(made.id)}`, ann)).data).toMatchObject({ id: made.id });
      expect((await asked('GET', `companies/${inPath(made.id)}`, eve)).status).toBe(404);
      const owner = { model: 'Company', id: made.id };
      const create = (token: TestUser, of: object) =>
        asked('POST', 'service_accounts', token, { service_account: { name: 'ERP', owner: of } });
      expect((await create(eve, owner)).status).toBe(422);
      expect((await create(ann, { ...owner, id: absent })).status).toBe(422);
      expect(await create(ann, owner)).toMatchObject({ status: 201, data: { owner } });
      const query = `owner_model=Company&owner_id=${inPath(made.id)}`;
      expect(await service.ok('GET', `/api/v1/service_accounts?${query}`, { token: ann })).toMatchObject([
        { owner, disabled: false },
      ]);
      const users = await service.ok<Row[]>('GET', '/admin/users?filter[kind]=service&sort=-id', {
        token: root,
      });
      expect(users[0]).toMatchObject({ disabled: false });
      // The accounts end with the record.
      expect((await asked('DELETE', `companies/${inPath(made.id)}`, ann)).status).toBe(200);
      const ended = await service.ok<Row>('GET', `/admin/users/${users[0]?.id}`, { token: root });
      expect(ended).toMatchObject({ disabled: true });
    });

    it('describes the key in metadata, explanations and migrations', async () => {
      const ann = await service.createUser();
      const root = await service.admin();
      const made = await newBox(ann, { label: 'described' });
      const meta = await service.ok<{ fields: { name: string; type: string }[] }>(
        'GET',
        `/api/v1/meta/Box?id=${inPath(made.id)}`,
        { token: ann },
      );
      expect(meta.fields.find(({ name }) => name === 'id')?.type).toBe(type);
      const explained = await service.ok<{ allowed: boolean }>(
        'GET',
        `/admin/explain?user_id=${ann.id}&method=GET&path=${encodeURIComponent(`/api/v1/boxes/${inPath(made.id)}`)}`,
        { token: root },
      );
      expect(explained).toMatchObject({ allowed: true });
      const models = collectModels(resources);
      const { database } = service.server.services;
      const stored = await readStored((sql) => database.all({ sql, parameters: [] }), database.dialect);
      expect(differences(models, stored)).toEqual([]);
      const text = migrationFile([{ kind: 'create', model: models.get('Box') ?? box }], models);
      for (const other of keyKinds.filter((kind) => kind !== 'integer'))
        expect(text.includes(`key: '${other}'`)).toBe(key === other);
    });
  });
}
