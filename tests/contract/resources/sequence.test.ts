import { expect, it } from 'vitest';
import { alterTable, createTable, renameTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { migrate } from '../../../src/database/migrations/runner.ts';
import { databaseTarget } from '../../../src/database/targets.ts';
import { field } from '../../../src/fields/define.ts';
import { Problem } from '../../../src/kernel/problem.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { invoicesApplication, receipt } from '../../support/invoices.ts';
import { type Service, startService, useService } from '../../support/service.ts';

interface Invoice {
  readonly id: number;
  readonly number: string;
}

const year = 2026;
const numbered = (n: number, of = year): string => `INV-${of}-${String(n).padStart(5, '0')}`;

describeEachDatabase('a sequence', (databases) => {
  const service = useService(databases, { application: invoicesApplication(), env: { LOCALE: 'en' } });

  const organise = async (): Promise<number> => {
    const token = await service.admin();
    const body = { organisation: { name: 'one' } };
    return (await service.ok<{ id: number }>('POST', '/api/v1/organisations', { token, body })).id;
  };
  const create = async (values: object, on: Service = service) =>
    on.request<Invoice>('POST', '/api/v1/invoices', {
      ...{ token: await service.admin(), body: { invoice: values } },
    });
  const next = async (organisation: number): Promise<number> => {
    const { data } = await create({ organisation_id: organisation });
    return Number(data.number.slice(-5));
  };
  const atYear = (of: number): void => {
    service.clock.reset();
    service.clock.advance((Date.UTC(of, 6, 1) - service.clock.now()) / 1_000);
  };

  it('counts the records of each reference, in the year of UTC', async () => {
    const [one, other] = [await organise(), await organise()];
    const first = await create({ organisation_id: one });
    const current = new Date(service.clock.now()).getUTCFullYear();
    expect(first.data.number).toBe(numbered(1, current));
    expect(await next(one)).toBe(2);
    expect(await next(other)).toBe(1);
    atYear(current + 2);
    try {
      // Tokens of two years ago are no longer valid.
      const token = await service.login('root', 'tulip-anvil-47 kettle');
      const body = { invoice: { organisation_id: one } };
      const { data } = await service.post<Invoice>('/api/v1/invoices', { token: token.data.token, body });
      expect(data.number).toBe(numbered(1, current + 2));
    } finally {
      service.clock.reset();
    }
    expect(await next(one)).toBe(3);
  });

  it('a sequence has no setter, and never changes', async () => {
    const token = await service.admin();
    const [one, other] = [await organise(), await organise()];
    const made = await create({ organisation_id: one, number: 'X' });
    expect(made).toMatchObject({ status: 201, data: { number: expect.stringMatching(/^INV-\d{4}-00001$/) } });
    const path = `/api/v1/invoices/${made.data.id}`;
    const moved = { token, body: { invoice: { number: 'X', organisation_id: other } } };
    const { number } = made.data;
    // The record does not move to where its number may be taken.
    const kept = { status: 200, data: { number, organisation_id: one } };
    expect(await service.request('PATCH', path, moved)).toMatchObject(kept);
    await service.server.services
      .systemScope('a test')
      .records('Invoice')
      .update(made.data.id, { organisation_id: other });
    expect(await service.request('PATCH', path, moved)).toMatchObject(kept);
    expect([await next(other), await next(one)]).toEqual([1, 2]);
  });

  it('a sequence has no gap for what is refused, rolled back or passed over', async () => {
    const token = await service.createUser();
    const post = (path: string, body: object) => service.request('POST', path, { token, body });
    const open = async () => {
      const { data } = await create({});
      return Number(data.number.slice(-5));
    };
    const start = await open();
    expect((await create({ code: 'refused' })).status).toBe(422);
    expect((await post('/api/v1/invoices', { invoice: { note: 'not mine' } })).status).toBe(403);
    expect((await post('/api/v1/invoices', { invoice: { note: 'mine', code: 'turned' } })).status).toBe(403);
    const batch = { create: [{ note: 'mine' }, { note: 'mine', code: 'turned' }] };
    expect((await post('/api/v1/invoices/batch', batch)).status).toBe(403);
    expect((await post('/api/v1/invoices', { invoice: { note: 'mine', code: 5 } })).status).toBe(422);
    expect(await open()).toBe(start + 1);
    // A refusal before the number is taken can be passed over, a later one cannot.
    await create({ code: 'double' });
    expect(await post('/api/v1/pass_over', { code: 'double' })).toMatchObject({
      data: { number: expect.stringContaining(String(start + 3)) },
    });
    expect((await post('/api/v1/pass_over', { code: 'turned' })).status).toBe(403);
    expect(await open()).toBe(start + 4);
  });

  it('counts in batches, nested records and imports, in their order', async () => {
    const token = await service.admin();
    const one = await organise();
    const batch = { create: [1, 2, 3].map((n) => ({ organisation_id: one, note: `${n}` })) };
    const written = await service.ok<{ created: Invoice[] }>('POST', '/api/v1/invoices/batch', {
      ...{ token, body: batch },
    });
    const ends = (invoices: readonly Invoice[]) => invoices.map(({ number }) => Number(number.slice(-5)));
    expect(ends(written.created)).toEqual([1, 2, 3]);
    const nested = { organisation: { invoices: [{ note: '4' }, { note: '5' }] } };
    await service.ok('PATCH', `/api/v1/organisations/${one}`, { token, body: nested });
    const lines = Array.from({ length: 100 }, (_, n) => ({
      ...{ line: n + 2, values: { organisation_id: one, note: `${n + 6}`, number: 'of a file' } },
    }));
    const preview = { preview: true, lines: lines.slice(0, 2) };
    await service.ok('POST', '/admin/records/invoices/import', { token, body: preview });
    await service.ok('POST', '/admin/records/invoices/import', { token, body: { lines } });
    const path = `/api/v1/invoices?filter[organisation_id]=${one}&sort=number&per_page=100`;
    const found = await service.ok<(Invoice & { note: string })[]>('GET', path, { token });
    expect(ends(found)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(found.map(({ note }) => Number(note))).toEqual(ends(found));
    expect(await next(one)).toBe(106);
    const by = await service.request('POST', '/admin/records/receipts/import', {
      ...{ token, body: { by: 'number', lines: [{ line: 2, values: { number: '1' } }] } },
    });
    expect(by.status).toBe(400);
  });

  it('counts on across instances', async () => {
    const second = await service.secondInstance();
    const one = await organise();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        // One of two with the same code is refused, perhaps by the statement that inserts it.
        const values = { organisation_id: one, code: `${one} ${n - (n % 4 === 1 ? 1 : 0)}` };
        return create(values, n % 2 === 0 ? service : second);
      }),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual(
      Array.from({ length: 15 }, () => 422),
    );
    const numbers = made.map(({ data }) => Number(data.number.slice(-5))).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 45 }, (_, n) => n + 1));
  });

  it('stays with a record that comes back', async () => {
    const token = await service.admin();
    const one = await organise();
    const { data: made } = await create({ organisation_id: one });
    await service.ok('DELETE', `/api/v1/invoices/${made.id}`, { token });
    expect(await next(one)).toBe(2);
    await service.ok('POST', `/admin/records/invoices/${made.id}/restore`, { token });
    expect(await service.ok('GET', `/api/v1/invoices/${made.id}`, { token })).toMatchObject({
      number: made.number,
    });
    expect(await next(one)).toBe(3);
    const versions = await service.ok<{ values: object }[]>('GET', `/api/v1/invoices/${made.id}/history`, {
      token,
    });
    expect(JSON.stringify(versions)).toContain(made.number);
  });

  it('stands in metadata and description as what it is', async () => {
    const token = await service.admin();
    const meta = await service.ok<{
      fields: { name: string }[];
      unique: string[][];
      schemas: Record<'create' | 'update' | 'read', { properties: object }>;
    }>('GET', '/api/v1/meta/Invoice', { token });
    expect(meta.fields.find(({ name }) => name === 'number')).toMatchObject({
      ...{ type: 'sequence', read_only: true, required: false },
    });
    expect(meta.unique).toEqual([['organisation_id', 'number']]);
    expect(Object.keys(meta.schemas.create.properties)).not.toContain('number');
    expect(Object.keys(meta.schemas.create.properties)).toContain('organisation_id');
    expect(Object.keys(meta.schemas.update.properties)).not.toContain('organisation_id');
    expect(meta.schemas.read.properties).toMatchObject({ number: { readOnly: true } });
    const csv = await service.get('/api/v1/receipts', { token, headers: { accept: 'text/csv' } });
    expect(csv.text).toContain('id,number,invoice_id');
  });

  it('a sequence is null in records that are older, and follows its table and its columns', async () => {
    const url = await databases.create();
    const billFields = { shop: field.reference('Shop'), note: field.string() };
    const shop = defineResource('Shop', { fields: { name: field.string() } });
    const made: Migrations = {
      '0001': {
        up: async (db, dialect) => {
          await createTable(db, dialect, 'shops', { fields: { name: field.string() } });
          await createTable(db, dialect, 'bills', { fields: billFields });
        },
      },
    };
    const started = (model: string, fields: object, migrations: Migrations) =>
      startService(databases, {
        ...{
          url,
          application: { resources: [shop, defineResource(model, { fields: { ...fields } })], migrations },
        },
      });
    const numbersOf = async (of: Service, path: string) => {
      const token = await of.admin();
      const body = { [path.slice(0, -1)]: {} };
      await of.ok('POST', `/api/v1/${path}`, { token, body });
      const found = await of.ok<Record<string, unknown>[]>('GET', `/api/v1/${path}`, { token });
      return found.sort((a, b) => Number(a['id']) - Number(b['id']));
    };
    {
      await using first = await started('Bill', billFields, made);
      await numbersOf(first, 'bills');
    }
    const number = field.sequence({ per: 'shop', format: 'B{n:3}' });
    const added: Migrations = {
      ...made,
      '0002': {
        up: (db, dialect) =>
          alterTable(db, dialect, 'bills', { add: { number }, addUnique: [['shop_id', 'number']] }),
      },
    };
    await migrate(databaseTarget(url), added, { tableName: 'migrations' });
    {
      await using second = await started('Bill', { ...billFields, number }, added);
      expect(await numbersOf(second, 'bills')).toMatchObject([{ number: null }, { number: 'B001' }]);
    }
    const renamed: Migrations = {
      ...added,
      '0003': {
        up: async (db, dialect) => {
          await alterTable(db, dialect, 'bills', { rename: { number: 'serial', shop_id: 'place_id' } });
          await renameTable(db, dialect, 'bills', 'slips', { model: 'Slip' });
        },
      },
    };
    await migrate(databaseTarget(url), renamed, { tableName: 'migrations' });
    const fields = {
      ...{ place: field.reference('Shop'), note: field.string() },
      serial: field.sequence({ per: 'place', format: 'B{n:3}' }),
    };
    await using third = await started('Slip', fields, renamed);
    expect(await numbersOf(third, 'slips')).toMatchObject([
      ...[{ serial: null }, { serial: 'B001' }, { serial: 'B002' }],
    ]);
  });

  it('a sequence begins its years in a zone, is formatted by the record, and counts by any reference', async () => {
    const fields = {
      kind: field.string(),
      amount: field.decimal(),
      user_id: field.owner(),
      parent: field.reference('Note'),
      yearly: field.sequence({ format: '{year}-{n}', zone: 'Pacific/Kiritimati' }),
      late: field.sequence({ format: '{year}-{n}', zone: 'Etc/GMT+12' }),
      of_owner: field.sequence({ per: 'user_id' }),
      of_parent: field.sequence({ per: 'parent' }),
      chosen: field.sequence({
        format: (record) => {
          if (record['kind'] === 'refused') throw new Problem('forbidden');
          if (record['kind'] === 'failing') throw new TypeError('no such kind');
          if (record['kind'] === 'long') return `{n}${'x'.repeat(200)}`;
          if (record['kind'] === 'number') return 5 as unknown as string;
          if (record['kind'] === 'without') return 'CN';
          return record['kind'] === 'credit' ? `CN-${String(record['amount'])}-{n:3}` : 'INV-{n:3}';
        },
      }),
    };
    const note = defineResource('Note', { fields, ownership: true });
    const unique = field.sequence({ unique: true });
    const single = { yearly: unique, late: unique, chosen: unique };
    const migrations: Migrations = {
      '0001': {
        up: (db, dialect) =>
          createTable(db, dialect, 'notes', { fields: { ...fields, ...single }, unique: note.unique }),
      },
    };
    await using started = await startService(databases, { application: { resources: [note], migrations } });
    const [one, other] = [await started.createUser(), await started.createUser()];
    const post = (token: string, values: object) =>
      started.request<Record<string, string>>('POST', '/api/v1/notes', { token, body: { note: values } });
    const made = async (token: string, values: object) => {
      const answer = await post(token, values);
      expect(answer.status).toBe(201);
      return answer.data;
    };
    const first = await made(one.token, { kind: 'invoice' });
    const now = started.clock.now();
    const of = new Date(now).getUTCFullYear();
    const local = (hours: number) => new Date(now + hours * 3_600_000).getUTCFullYear();
    expect(first).toMatchObject({
      yearly: `${local(14)}-1`,
      late: `${local(-12)}-1`,
      of_owner: '1',
      of_parent: '1',
      chosen: 'INV-001',
    });
    for (const kind of ['refused', 'failing', 'long', 'number', 'without']) {
      const answer = await post(one.token, { kind });
      expect([kind, answer.status]).toEqual([kind, kind === 'refused' ? 403 : 500]);
    }
    expect(await made(one.token, { kind: 'credit', amount: '2.5', parent_id: first['id'] })).toMatchObject({
      yearly: `${local(14)}-2`,
      of_owner: '2',
      of_parent: '1',
      chosen: 'CN-2.50-002',
    });
    expect(await made(other.token, { kind: 'invoice', parent_id: first['id'] })).toMatchObject({
      of_owner: '1',
      of_parent: '2',
      chosen: 'INV-003',
    });
    const at = (time: number): void => started.clock.advance((time - started.clock.now()) / 1_000);
    // The year is over in the one zone, and 25 hours later it is not in the other.
    at(Date.UTC(of + 1, 11, 31, 11));
    const { token } = (await started.login(one.username, one.password)).data;
    expect(await made(token, {})).toMatchObject({ yearly: `${of + 2}-1`, late: `${of + 1}-1` });
    at(Date.UTC(of + 2, 0, 1, 11, 30));
    const again = (await started.login(one.username, one.password)).data;
    expect(await made(again.token, {})).toMatchObject({ yearly: `${of + 2}-2`, late: `${of + 1}-2` });
  });

  it.each([
    [{ format: 'A' }, 'format needs the number once'],
    [{ format: '{n}-{n:2}' }, 'format needs the number once'],
    [{ format: '{n}{month}' }, 'format takes {year}'],
    [{ format: '{year:4}{n}' }, 'format takes {year}'],
    [{ format: '{n:16}' }, 'format takes {year}'],
    [{ format: `{n}${'x'.repeat(98)}` }, 'format must be a text of at most 100'],
    [{ per: 'note' }, 'per names note, which is not a reference'],
    [{ per: 'orgnisation' }, 'the nearest is "organisation_id"'],
    [{ per: 'organisation', unique: true }, 'with per, numbers are unique'],
    [{ zone: 'Europe/Berlni' }, 'zone must be the name of a time zone, such as Europe/Berlin'],
    [{ zone: '+08:00' }, 'zone must be the name of a time zone'],
    [{ format: 5 }, 'format must be a text'],
    [{ required: true }, 'required'],
    [{ default: '1' }, 'default'],
  ])('refuses a model with %j', (options, message) => {
    const fields = {
      ...{ organisation: field.reference('Organisation'), note: field.string() },
      number: field.sequence(options as object),
    };
    expect(() => defineResource('Invoice', { fields })).toThrow(message);
  });

  it('refuses a rule that would have it written', () => {
    const fields = { number: field.sequence() };
    expect(() => defineResource('Invoice', { fields, restricted: ['number'] })).toThrow('never written');
    expect(receipt.fields.get('number')).toMatchObject({ unique: true, serverSet: true });
  });
});
