/** Ids that callers give, and numbers that a double does not hold or that are not positive. */
import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { runAll } from '../../../src/database/migrations/statements.ts';
import { field } from '../../../src/fields/define.ts';
import type { RecordId } from '../../../src/fields/key.ts';
import { textKey } from '../../../src/fields/keys/text.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService, type TestUser, useService } from '../../support/service.ts';

const countryFields = { name: field.string({ required: true }) };
const cityFields = {
  country: field.reference('Country', { key: 'text', required: true, onDelete: 'cascade' }),
};
const entryFields = {
  note: field.string({ required: true }),
  parent: field.reference('Entry'),
};
const ledgerFields = {
  note: field.string({ required: true }),
  parent: field.reference('Ledger', { key: 'bigint' }),
};
const sheetFields = {
  ledger: field.reference('Ledger', { key: 'bigint', required: true }),
  number: field.sequence({ per: 'ledger' }),
};

const country = defineResource('Country', {
  key: 'text',
  plural: 'countries',
  fields: countryFields,
  history: true,
  events: true,
  trash: true,
  relations: { cities: many('City', { by: 'country', write: true }) },
});
const city = defineResource('City', { key: 'text', plural: 'cities', fields: cityFields, trash: true });
const entry = defineResource('Entry', {
  plural: 'entries',
  fields: entryFields,
  table: { external: true },
});
const ledger = defineResource('Ledger', { key: 'bigint', fields: ledgerFields, history: true, trash: true });
const sheet = defineResource('Sheet', { fields: sheetFields });
const resources = [country, city, entry, ledger, sheet];

const least = '-9223372036854775808';
/** No record has it: the database could give no further id. */
const greatest = '9223372036854775807';
const near = ['9007199254740992', '9007199254740993', '9007199254740994'] as const;
const numbers = { entries: ['-7', '0'], ledgers: [least, '-1', '0', ...near] } as const;

const migrations: Migrations = {
  '0001_keys': {
    up: async (db, dialect) => {
      const references = { country: 'countries', parent: 'entries', ledger: 'ledgers' };
      await createTable(db, dialect, 'countries', { key: 'text', fields: countryFields });
      await createTable(db, dialect, 'cities', { key: 'text', fields: cityFields, references });
      const counted = dialect === 'postgres' ? 'bigint generated always as identity' : 'integer';
      const text = dialect === 'postgres' ? 'text collate "C"' : 'text';
      await runAll(db, [
        `create table entries (id ${counted} primary key, note ${text} not null, parent_id bigint references entries)`,
      ]);
      await createTable(db, dialect, 'ledgers', { key: 'bigint', fields: ledgerFields });
      await createTable(db, dialect, 'sheets', { fields: sheetFields, references });
      const given = dialect === 'postgres' ? ' overriding system value' : '';
      for (const [table, ids] of Object.entries(numbers)) {
        const at = "'2030-01-01T00:00:00.000Z'";
        const times = table === 'entries' ? '' : `, ${at}, ${at}`;
        const rows = ids.map((id) => `(${id}, 'old'${times})`);
        const into = `insert into "${table}" (id, note${times === '' ? '' : ', created_at, updated_at'})`;
        await runAll(db, [`${into}${given} values ${rows.join(', ')}`]);
      }
    },
  },
};

/** Ids that something on the way may take for its own. */
const unusual = [
  '%',
  '%2F',
  '%2e%2e',
  'a/b',
  '/',
  '...',
  '~',
  ',',
  'a\\,b',
  '\'"; --',
  'A',
  'a',
  '\u00e9',
  'e\u0301',
  '\u{1f600}',
  '\uffff',
  '1',
  '-1',
  '01',
  'null',
  '__proto__',
  'constructor',
  '=1+1',
  '#?&+;',
  'id',
  'history',
  'Export',
  'x'.repeat(255),
  '\u{1f600}'.repeat(255),
];

describeEachDatabase('ids of other kinds', (databases) => {
  const service = useService(databases, { application: { resources, migrations }, env: { LOCALE: 'en' } });
  type Row = { readonly id: RecordId } & Readonly<Record<string, unknown>>;
  const asked = (method: string, path: string, token: TestUser, body?: object) =>
    service.request<Row>(method, `/api/v1/${path}`, body === undefined ? { token } : { token, body });
  const at = (path: string, id: RecordId): string => `${path}/${encodeURIComponent(id)}`;
  const make = (token: TestUser, values: object) => asked('POST', 'countries', token, { country: values });
  const rulesOf = ({ json }: { readonly json: unknown }) =>
    (json as { data: { errors: { field: string; rule: string }[] } }).data.errors.map(({ field, rule }) => [
      field,
      rule,
    ]);

  it('a text comes with the create, is there once, and never changes', async () => {
    const ann = await service.createUser();
    expect(rulesOf(await make(ann, { name: 'none' }))).toEqual([['id', 'required']]);
    const made = await make(ann, { id: 'DE', name: 'Germany' });
    expect([made.status, made.data.id]).toEqual([201, 'DE']);
    const again = await make(ann, { id: 'DE', name: 'Twice' });
    expect([again.status, rulesOf(again)]).toEqual([422, [['id', 'unique']]]);
    const changed = await asked('PATCH', 'countries/DE', ann, { country: { id: 'FR', name: 'Deutschland' } });
    expect(changed.data).toMatchObject({ id: 'DE', name: 'Deutschland' });
    expect((await asked('GET', 'countries/FR', ann)).status).toBe(404);
  });

  it('a text with which a path would mean something else is refused', async () => {
    const ann = await service.createUser();
    const refused = [
      '',
      ' ',
      '.',
      '..',
      ' a',
      'a ',
      'a\n',
      'a\tb',
      'export',
      'batch',
      'new',
      'y'.repeat(256),
    ];
    for (const id of refused) expect([id, (await make(ann, { id, name: 'x' })).status]).toEqual([id, 422]);
    for (const id of [1, true, {}, null]) expect((await make(ann, { id, name: 'x' })).status).toBe(422);
    const { text } = await service.get('/api-docs/openapi.json?lang=en&area=all');
    const { paths } = JSON.parse(text) as { paths: object };
    const names = Object.keys(paths).flatMap((path) => /\/countries\/([^/{]+)$/.exec(path)?.[1] ?? []);
    expect(names).toContain('batch');
    expect(names.filter((name) => textKey.parse(name) !== undefined)).toEqual([]);
  });

  it('any other text names its record in paths, references and filters, in the order of its bytes', async () => {
    const ann = await service.createUser();
    for (const [index, id] of unusual.entries()) {
      expect((await make(ann, { id, name: 'unusual' })).status, id).toBe(201);
      expect((await asked('GET', at('countries', id), ann)).data.id).toBe(id);
      const place = await asked('POST', 'cities', ann, {
        city: { id: `c${index}`, country_id: id },
      });
      expect([id, place.status, place.data['country_id']]).toEqual([id, 201, id]);
      const within = await service.ok<Row[]>(
        'GET',
        `/api/v1/cities?filter[country_id]=${encodeURIComponent(id)}`,
        {
          token: ann,
        },
      );
      expect(within.map((row) => row['country_id'])).toEqual([id]);
      const versions = await service.ok<object[]>('GET', `/api/v1/${at('countries', id)}/history`, {
        token: ann,
      });
      expect(versions).toHaveLength(1);
    }
    const ids: RecordId[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const path: string = `/api/v1/countries?filter[name]=unusual&per_page=5&after=${after}`;
      const { data, headers } = await service.request<Row[]>('GET', path, { token: ann });
      ids.push(...data.map(({ id }) => id));
      after = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1];
    }
    expect(ids).toEqual(
      unusual.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    const root = await service.admin();
    const list = ['a/b', ',', '%'].map((id) => encodeURIComponent(encodeURIComponent(id))).join(',');
    const forecast = await service.ok<{ references: Row[] }>(
      'GET',
      `/admin/records/countries/references?ids=${list}`,
      { token: root },
    );
    expect([...((forecast.references[0]?.['to'] ?? []) as RecordId[])].toSorted()).toEqual(['%', ',', 'a/b']);
    for (const id of unusual) expect((await asked('DELETE', at('countries', id), ann)).status).toBe(200);
  });

  it('writes of many records give ids, and find records by them', async () => {
    const ann = await service.createUser();
    const whole = await make(ann, { id: 'NL', name: 'Netherlands', cities: [{ id: 'AMS' }, { id: 'RTM' }] });
    expect(whole.status).toBe(201);
    const twice = await make(ann, { id: 'BE', name: 'Belgium', cities: [{ id: 'AMS' }] });
    expect([twice.status, rulesOf(twice)]).toEqual([422, [['cities.0.id', 'unique']]]);
    const nested = { cities: [{ id: 'AMS', _delete: true }, { id: 'BRU' }] };
    expect((await asked('PATCH', 'countries/NL', ann, { country: nested })).status).toBe(422);
    const batch = await asked('POST', 'countries/batch', ann, {
      create: [{ id: 'LU', name: 'Luxembourg' }],
      update: [{ id: 'NL', name: 'Nederland' }],
    });
    expect(batch.data).toMatchObject({ created: [{ id: 'LU' }], updated: [{ id: 'NL', name: 'Nederland' }] });
    const imported = await service.request('POST', '/api/v1/countries/import?update_by=id', {
      token: ann,
      body: 'id,name\nLU,Lëtzebuerg\nAT,Austria\n',
      headers: { 'content-type': 'text/csv' },
    });
    expect([imported.status, imported.data]).toEqual([200, { created: 1, updated: 1 }]);
    expect((await asked('GET', 'countries/LU', ann)).data).toMatchObject({ name: 'Lëtzebuerg' });
  });

  it('a deleted record whose id another one has since got stays in the trash', async () => {
    const ann = await service.createUser();
    const root = await service.admin();
    const restore = () => service.request('POST', '/admin/records/countries/XK/restore', { token: root });
    await make(ann, { id: 'XK', name: 'first' });
    expect((await asked('DELETE', 'countries/XK', ann)).status).toBe(200);
    await make(ann, { id: 'XK', name: 'second' });
    expect((await restore()).status).toBeGreaterThanOrEqual(400);
    expect((await asked('GET', 'countries/XK', ann)).data).toMatchObject({ name: 'second' });
  });

  it('numbers that are zero, negative, or of 64 bits are exact everywhere', async () => {
    const ann = await service.createUser();
    for (const [path, singular, ids] of [
      ['ledgers', 'ledger', numbers.ledgers],
      ['entries', 'entry', numbers.entries.map(Number)],
    ] as const)
      for (const id of ids) {
        expect((await asked('GET', at(path, id), ann)).data.id).toBe(id);
        const child = await asked('POST', path, ann, { [singular]: { note: 'child', parent_id: id } });
        expect([id, child.status, child.data['parent_id']]).toEqual([id, 201, id]);
        const { data } = await asked('GET', `${at(path, child.data.id)}?include=parent`, ann);
        expect(data['parent']).toMatchObject({ id });
        const changed = await asked('PATCH', at(path, id), ann, { [singular]: { note: `of ${id}` } });
        expect(changed.data).toMatchObject({ id, note: `of ${id}` });
        const history = await service.get(`/api/v1/${at(path, id)}/history`, { token: ann });
        if (path === 'ledgers') expect(history.data).toHaveLength(1);
        expect((await asked('DELETE', at(path, child.data.id), ann)).status).toBe(200);
      }
    const shown = async (query: string) =>
      (await service.ok<Row[]>('GET', `/api/v1/${query}`, { token: ann })).map(({ id }) => id);
    expect(await shown(`ledgers?filter[id][lte]=${greatest}&sort=-id`)).toEqual(numbers.ledgers.toReversed());
    expect(await shown(`ledgers?filter[id][gt]=${near[0]}&filter[id][lt]=${near[2]}`)).toEqual([near[1]]);
    expect(await shown('entries?filter[id][lte]=0')).toEqual([-7, 0]);
    expect((await asked('GET', 'entries/-0', ann)).status).toBe(404);
    expect((await asked('GET', 'ledgers/-0', ann)).status).toBe(404);
  });

  it('records of one text have no version in common, whatever happened to the first', async () => {
    const ann = await service.createUser();
    const changed = (body: object, headers: Record<string, string> = {}) =>
      service.request('PATCH', '/api/v1/countries/SU', { token: ann, body: { country: body }, headers });
    const tags: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      const made = await make(ann, { id: 'SU', name });
      tags.push(String(made.headers['etag']));
      for (const each of [1, 2])
        tags.push(String((await changed({ name: `${name} ${each}` })).headers['etag']));
      const whole = await asked('GET', 'countries/SU/history', ann);
      const [latest, , first] = whole.data as unknown as { version: number }[];
      expect([latest?.version, Number.isSafeInteger(latest?.version)]).toEqual([
        Number(first?.version) + 2,
        true,
      ]);
      expect((await asked('DELETE', 'countries/SU', ann)).status).toBe(200);
    }
    const versions = tags.map((tag) => Number(/\d+/.exec(tag)?.[0]));
    expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
    await make(ann, { id: 'SU', name: 'fourth' });
    for (const tag of tags) expect((await changed({ name: 'lost' }, { 'if-match': tag })).status).toBe(412);
    expect((await asked('GET', 'countries/SU', ann)).data).toMatchObject({ name: 'fourth' });
  });

  it('a record counts by itself whose number has the low bits of another one', async () => {
    const ann = await service.createUser();
    const next = async (ledger_id: string) =>
      (await asked('POST', 'sheets', ann, { sheet: { ledger_id } })).data['number'];
    const numbered: unknown[] = [];
    for (const id of ['0', near[0], '-1', near[0], near[1]]) numbered.push(await next(id));
    expect(numbered).toEqual(['1', '1', '1', '2', '1']);
  });

  it('no endpoint of an application takes the path of a record', async () => {
    const endpoints = [defineEndpoint({ method: 'GET', path: '/countries/summary', handle: () => ({}) })];
    await expect(
      startService(databases, { application: { resources, migrations, endpoints } }),
    ).rejects.toThrow('a Country may have the id summary');
  });
});
