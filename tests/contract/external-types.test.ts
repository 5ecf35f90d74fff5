/** Columns of other programs whose values have a form of their own: what a start demands of `table.types`. */

import { describe, expect, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { type AdoptedRow, asAnother } from '../support/adopted.ts';
import { type Databases, describeDatabase } from '../support/databases.ts';
import { startService } from '../support/service.ts';

type Model = ReturnType<typeof thing>;

/** A model over the table `things`; the compiler cannot know what a test leaves out. */
const thing = (fields: object, types: object, table: object = {}) =>
  defineResource('Thing', {
    fields,
    table: { name: 'things', external: true, types, ...table },
  } as never);

const start = (databases: Databases, url: string, model: Model): Promise<string> =>
  startService(databases, { url, application: { resources: [model] }, env: { NEW_DATABASE: '1' } }).then(
    async (started) => {
      await started.close();
      return 'started';
    },
    String,
  );

const serve = async (databases: Databases, url: string, model: Model) => {
  const service = await startService(databases, {
    url,
    application: { resources: [model] },
    env: { NEW_DATABASE: '1' },
  });
  const token = await service.admin();
  const listed = (query: string) => service.ok<AdoptedRow[]>('GET', `/api/v1/things?${query}`, { token });
  const asked = (method: string, path: string, body?: object) =>
    service.request<AdoptedRow>(method, `/api/v1/things${path}`, {
      token,
      ...(body === undefined ? {} : { body: { thing: body } }),
    });
  return { service, listed, asked };
};

const onPostgres = (name: string, tests: (databases: Databases) => void): void => {
  if ((process.env['TEST_DATABASE'] ?? 'postgres') === 'postgres') describeDatabase('postgres', name, tests);
};

const onSqlite = (name: string, tests: (databases: Databases) => void): void => {
  if ((process.env['TEST_DATABASE'] ?? 'sqlite') === 'sqlite') describeDatabase('sqlite', name, tests);
};

onPostgres('types of PostgreSQL', (databases) => {
  const state = field.enum(['open', 'done']);

  it('a start names an enum type that the model does not name, and labels that differ', async () => {
    const url = await databases.create();
    await asAnother(
      url,
      `create schema "Odd one"; create type state as enum ('open', 'done'); create type "Odd one".state as enum ('a');
       create table things (id serial primary key, state state, other "Odd one".state)`,
    );
    const of = (types: object, choices: readonly [string, ...string[]] = ['open', 'done']) =>
      start(databases, url, thing({ state: field.enum(choices) }, types));
    expect(await of({})).toContain("is state: say types: { state: 'state' or 'public.state' } in table");
    expect(await of({ state: 'status' })).toContain("say types: { state: 'state' or 'public.state' }");
    expect(await of({ state: 'state' })).toBe('started');
    expect(await of({ state: 'public.state' })).toBe('started');
    expect(await of({ state: 'state' }, ['open'])).toContain('has the label "done": add it to the choices');
    expect(await of({ state: 'state' }, ['open', 'done', 'lost'])).toContain(
      'has no label "lost": remove it',
    );
    expect(await start(databases, url, thing({ state: field.string() }, { state: 'state' }))).toContain(
      'is of an enum type: make the field one of the type enum',
    );
    await asAnother(url, `alter type state add value 'late' before 'done'`);
    expect(await of({ state: 'state' })).toContain(
      'Thing.state: the column state of things has the label "late": add it to the choices of the field',
    );
    const other = thing({ other: field.enum(['a']) }, { other: 'Odd one.state' });
    expect(await start(databases, url, other)).toBe('started');
  });

  it('a label that is added while the service runs ends no request, and is refused in a body', async () => {
    const url = await databases.create();
    await asAnother(
      url,
      `create type state as enum ('open', 'done'); create table things (id serial primary key, state state)`,
    );
    const { service, listed, asked } = await serve(databases, url, thing({ state }, { state: 'state' }));
    await using _ = service;
    await asAnother(url, `alter type state add value 'late'`);
    await asAnother(url, `insert into things (state) values ('late'), ('open'), (null)`);
    expect(await listed('filter[id]=1&fields=id')).toEqual([{ id: 1 }]);
    expect((await asked('POST', '', { state: 'late' })).status).toBe(422);
    expect((await listed('filter[state]=open')).map(({ id }) => id)).toEqual([2]);
  });

  it('real numbers come back as their shortest decimals, and numbers beyond them are refused', async () => {
    const url = await databases.create();
    await asAnother(url, 'create table things (id serial primary key, size real)');
    const most = 3.4028235e38;
    expect(await start(databases, url, thing({ size: field.number() }, { size: 'real' }))).toContain(
      'the column size of things is real: say max: 3.4028235e+38 or less',
    );
    const model = thing({ size: field.number({ min: -most, max: most }) }, { size: 'real' });
    const { service, listed, asked } = await serve(databases, url, model);
    await using _ = service;
    await asAnother(
      url,
      `insert into things (size) select (random() * 10 ^ (random() * 70 - 35)::int)::real from generate_series(1, 500)`,
    );
    const rows = await asAnother(url, 'select id, size::text as size from things order by things.size, id');
    const shown = await listed('sort=size&per_page=1000');
    expect(shown).toEqual(rows.map(({ id, size }) => ({ id, size: Number(size) })));
    for (const { id, size } of shown.slice(0, 500).filter((_each, nth) => nth % 25 === 0)) {
      const saved = await asked('PUT', `/${id}`, { size });
      expect(saved.data).toEqual({ id, size });
      expect(
        (await listed(`filter[size]=${encodeURIComponent(String(size))}`)).map((row) => row.id),
      ).toContain(id);
    }
    expect(
      await asAnother(url, 'select id, size::text as size from things order by things.size, id'),
    ).toEqual(rows);
    for (const [sent, kept] of [
      [1e-300, 0],
      [-0, 0],
      [0.123456789, 0.12345679],
      [most, most],
    ] as const)
      expect((await asked('POST', '', { size: sent })).data['size']).toBe(kept);
    expect((await asked('POST', '', { size: 3.5e38 })).status).toBe(422);
    for (const far of ['1e300', '-1e300', '1e-300']) expect(await listed(`filter[size]=${far}`)).toEqual([]);
  });

  it('citext takes capitals and small letters for the same in filters, unique values and pages', async () => {
    const url = await databases.create();
    await asAnother(
      url,
      `create extension citext; create table things (id serial primary key, name citext not null unique);
       insert into things (name) values ('b'), ('A'), ('C_x'), ('c'), ('Ä')`,
    );
    const model = thing(
      { name: field.string({ required: true, unique: true, max: 40 }) },
      { name: 'citext' },
    );
    const { service, listed, asked } = await serve(databases, url, model);
    await using _ = service;
    const names = async (query: string) => (await listed(query)).map((row) => row['name']);
    expect(await names('filter[name]=a')).toEqual(['A']);
    expect(await names('filter[name][in]=B,a&sort=name')).toEqual(['A', 'b']);
    expect(await names('filter[name][ne]=B&sort=id')).toEqual(['A', 'C_x', 'c', 'Ä']);
    expect(await names('filter[name][starts_with]=C&sort=id')).toEqual(['C_x', 'c']);
    expect(await names('filter[name][like]=X')).toEqual(['C_x']);
    expect(await names('filter[name][gt]=B&sort=name')).toEqual(
      (await asAnother(url, `select name::text as name from things where name > 'B' order by name`)).map(
        (row) => row['name'],
      ),
    );
    const taken = await asked('POST', '', { name: 'a' });
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('"unique"')]);
    const id = thing({ note: field.string() }, { id: 'citext' }, { columns: { id: 'name' } });
    expect(await start(databases, url, id)).not.toBe('started');
  });

  it('times of a day have the digits that the column has, and texts begin as they are written', async () => {
    const url = await databases.create();
    await asAnother(
      url,
      `create table things (id serial primary key, at time(3), code char(3), label varchar(20));
       insert into things (at, code, label) values ('09:30:00.5', 'a', 'ab-c'), ('23:00', 'ab ', 'Ab'), (null, 'abc', 'a-b')`,
    );
    const fields = (fraction?: number) => ({
      at: field.time(fraction === undefined ? {} : { fraction }),
      code: field.string({ max: 3 }),
      label: field.string({ max: 20 }),
    });
    expect(await start(databases, url, thing(fields(), { code: 'char' }))).toContain(
      'the column at of things is time(3): say fraction: 3',
    );
    expect(await start(databases, url, thing(fields(3), {}))).toContain("say types: { code: 'char' }");
    const types = { code: 'char', label: 'char' };
    expect(await start(databases, url, thing(fields(3), types))).toContain('leave it out of table.types');
    const { service, listed, asked } = await serve(databases, url, thing(fields(3), { code: 'char' }));
    await using _ = service;
    expect(await listed('filter[at]=09:30:00.500')).toEqual([
      { id: 1, at: '09:30:00.5', code: 'a', label: 'ab-c' },
    ]);
    const ids = async (query: string) => (await listed(`${query}&sort=id`)).map(({ id }) => id);
    expect(await ids('filter[code]=ab')).toEqual([2]);
    expect(await ids('filter[code][starts_with]=ab')).toEqual([2, 3]);
    expect(await ids('filter[label][starts_with]=a-')).toEqual([3]);
    expect(await ids('filter[label][starts_with]=ab')).toEqual([1]);
    expect((await asked('POST', '', { at: '23:59:59.999' })).data['at']).toBe('23:59:59.999');
    expect((await asked('POST', '', { at: '23:59:59.9999' })).status).toBe(422);
    expect((await service.request('GET', '/api/v1/things?filter[at]=09:30:00.12345', {})).status).toBe(401);
  });
});

onSqlite('times of SQLite', (databases) => {
  it('a start demands the form of times, and the column has it after each write', async () => {
    const url = await databases.create();
    await asAnother(
      url,
      `create table things (id integer primary key, plain datetime, fine timestamp, mixed datetime, own datetime, said text);
       insert into things (plain, fine, mixed, own) values
         ('2024-01-01 10:00:00', '2024-01-01 10:00:00.120000', '2024-01-01 10:00:00.000001', '2024-01-01T10:00:00.120Z')`,
    );
    const time = field.datetime();
    const fields = { plain: time, fine: time, mixed: time, own: time, said: time };
    const types = {
      plain: 'YYYY-MM-DD HH:MM:SS',
      fine: 'YYYY-MM-DD HH:MM:SS.ffffff',
      mixed: 'YYYY-MM-DD HH:MM:SS[.ffffff]',
      own: 'YYYY-MM-DDTHH:MM:SS.sssZ',
      said: 'YYYY-MM-DD HH:MM:SS',
    };
    expect(await start(databases, url, thing({ plain: time }, {}))).toContain(
      "is datetime: say types: { plain: 'YYYY-MM-DD HH:MM:SS' or",
    );
    expect(await start(databases, url, thing({ said: time }, {}))).toBe('started');
    const { service, listed, asked } = await serve(databases, url, thing(fields, types));
    await using _ = service;
    const [first] = await listed('filter[mixed]=2024-01-01T10:00:00Z');
    expect(first).toEqual({
      id: 1,
      plain: '2024-01-01T10:00:00.000Z',
      fine: '2024-01-01T10:00:00.120Z',
      mixed: '2024-01-01T10:00:00.000Z',
      own: '2024-01-01T10:00:00.120Z',
      said: null,
    });
    const etag = async () => String((await asked('GET', '/1')).headers['etag']);
    const before = await etag();
    await asAnother(url, `update things set mixed = '2024-01-01 10:00:00.000002' where id = 1`);
    expect(await etag()).not.toBe(before);
    for (const [at, ends] of [
      ['2024-02-29T09:30:00.120Z', ['', '.120000', '.120000']],
      ['2024-02-29T09:30:00.000Z', ['', '.000000', '']],
    ] as const) {
      const made = await asked('POST', '', { plain: at, fine: at, mixed: at, own: at, said: at });
      expect(made.status).toBe(201);
      const [row] = await asAnother(url, 'select * from things order by id desc limit 1');
      const [plain, fine, mixed] = ends.map((end) => `2024-02-29 09:30:00${end}`);
      expect(row).toMatchObject({ plain, fine, mixed, own: at, said: plain });
    }
    const later = await listed('filter[fine][gt]=2024-01-01T10:00:00.120Z&sort=-fine');
    expect(later.map(({ id }) => id)).toEqual([2, 3]);
  });
});

describe('table.types', () => {
  const definition =
    (types: object, table: object = { external: true }) =>
    () =>
      defineResource('Thing', { fields: { note: field.string() }, table: { ...table, types } } as never);

  it.each<[object, string]>([
    [{ nothing: 'real' }, 'table.types names the unknown field "nothing"'],
    [{ note: 'a"; drop table x; --' }, 'is no name of a type'],
    [{ note: 'a.b.c' }, 'is no name of a type'],
  ])('refuses %j', (types, message) => {
    expect(definition(types)).toThrow(message);
  });

  it('types are of external tables alone, and so are times with parts of a second', () => {
    expect(definition({ note: 'char' }, {})).toThrow('only an external table has types of its own');
    const own = () => defineResource('Shop', { fields: { opens: field.time({ fraction: 3 }) } });
    expect(own).toThrow('fraction: only a column of an external table has parts of a second');
    const wrong = () => defineResource('Shop', { fields: { opens: field.time({ fraction: 7 }) } });
    expect(wrong).toThrow('fraction must be a whole number from 0 to 6');
  });
});
