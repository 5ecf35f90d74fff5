import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import type { OpenDatabase } from '../../src/database/database.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { collectModels } from '../../src/model/models.ts';
import { own } from '../../src/model/row-rule.ts';
import { type Databases, describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { startService } from '../support/service.ts';

const item = defineResource('Item', {
  fields: {
    title: field.string({ required: true, max: 40 }),
    count: field.integer({ min: 0, max: 1000 }),
    label: field.string({ generated: true }),
    user_id: field.owner(),
    parent: field.reference('Item'),
  },
  isolation: own('user_id'),
  ownership: true,
  table: {
    name: 'T Items',
    external: true,
    columns: { id: 'item no', title: 'Title', label: 'made', user_id: 'Holder', parent: 'Of' },
  },
});
const entry = defineResource('Entry', {
  fields: { note: field.string({ max: 40 }) },
  table: {
    name: 'log_entries',
    external: true,
    columns: { id: 'no', created_at: 'born', updated_at: 'touched', version: 'rev' },
  },
});
const wide = defineResource('Wide', {
  plural: 'wides',
  fields: { title: field.string() },
  table: { name: 'wide items', external: true, readOnly: true, columns: { title: 'Title' } },
});
const resources = [item, entry, wide];

/** Tables as another program makes them. A trigger fills in a value after each write. */
const foreign = async (databases: Databases, url: string): Promise<OpenDatabase> => {
  const database = await databases.open(url);
  const isSqlite = databases.dialect === 'sqlite';
  const key = isSqlite ? 'integer primary key' : 'integer generated always as identity primary key';
  const time = isSqlite ? 'text' : 'timestamptz(3)';
  const statements = [
    `create table "T Items" ("item no" ${key}, "Title" varchar(40) not null, "count" integer,
      "made" text, "Holder" bigint, "Of" integer references "T Items" ("item no"))`,
    `create table log_entries (no ${key}, note text, born ${time}, touched ${time}, rev integer not null default 1)`,
    `create view "wide items" as select "item no" as id, "Title" from "T Items" where "count" > 5`,
    ...(isSqlite
      ? ['insert', 'update of "Title"'].map(
          (event, nth) => `create trigger t${nth} after ${event} on "T Items" begin
            update "T Items" set made = 'made of ' || new."Title" where "item no" = new."item no"; end`,
        )
      : [
          `create function fill_made() returns trigger language plpgsql as $$
            begin new.made := 'made of ' || new."Title"; return new; end $$`,
          `create trigger t before insert or update on "T Items" for each row execute function fill_made()`,
        ]),
  ];
  for (const sql of statements) await database.execute({ sql, parameters: [] });
  return database;
};

describeEachDatabase('tables of another program', (databases) => {
  const stage = async () => {
    const url = await databases.create();
    const other = await foreign(databases, url);
    const service = await startService(databases, {
      url,
      application: { resources },
      env: { NEW_DATABASE: '1' },
    });
    const run = (sql: string) => other.execute({ sql, parameters: [] });
    const user = await service.createUser();
    return { service, user, run, url };
  };
  const items = '/api/v1/items';

  it('records of another program are written and read, with what its triggers make of them', async () => {
    const { service, user, run } = await stage();
    await using _ = service;
    const made = await service.post(items, {
      token: user,
      body: { item: { title: 'one', count: 3, label: 'mine', id: 99 } },
    });
    const record = { id: 1, title: 'one', count: 3, label: 'made of one', user_id: user.id, parent_id: null };
    expect([made.status, made.json.data]).toEqual([201, record]);
    const read = await service.get(`${items}/1`, { token: user });
    expect(read.json.data).toEqual(record);
    const etag = String(read.headers['etag']);
    const hash = /^"\d+/.exec(etag)?.[0] ?? '';
    expect([Number(hash.slice(1)) > 2 ** 20, made.headers['etag']]).toEqual([
      true,
      expect.stringContaining(hash),
    ]);
    expect(
      (await service.get(`${items}/1`, { token: user, headers: { 'if-none-match': etag } })).status,
    ).toBe(304);
    await run(`update "T Items" set "count" = 7 where "item no" = 1`);
    const put = (body: object, ifMatch?: string) =>
      service.request('PUT', `${items}/1`, {
        token: user,
        body: { item: body },
        ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }),
      });
    expect((await put({ title: 'lost' }, etag)).status).toBe(412);
    const now = await service.get(`${items}/1`, { token: user });
    expect(now.json.data).toEqual({ ...record, count: 7 });
    const saved = await put({ title: 'two' }, String(now.headers['etag']));
    expect([saved.status, saved.json.data]).toEqual([
      200,
      { ...record, count: 7, title: 'two', label: 'made of two' },
    ]);
    expect((await put({}, String(saved.headers['etag']))).status).toBe(200);
    const groups = await service.get(`${items}/aggregate?sum=count`, { token: user });
    expect([groups.status, groups.text]).toEqual([200, expect.stringContaining('7')]);
    expect((await service.delete(`${items}/1`, { token: user, headers: { 'if-match': etag } })).status).toBe(
      412,
    );
    expect((await service.delete(`${items}/1`, { token: user })).status).toBeLessThan(300);
  });

  it('the next request sees what another program has written, in lists and totals too', async () => {
    const { service, user, run } = await stage();
    await using _ = service;
    const insert = (title: string) =>
      run(`insert into "T Items" ("Title", "count", "Holder") values ('${title}', 6, ${user.id})`);
    const page = async () => {
      const { json, headers } = await service.get(`${items}?page=1&per_page=1&sort=-title`, { token: user });
      return [JSON.stringify(json).match(/"total":(\d+)/)?.[1] ?? headers['x-total-count'], json.data];
    };
    const seen: unknown[] = [];
    for (const title of ['a', 'b', 'c']) {
      await insert(title);
      for (let again = 0; again < 3; again += 1) seen.push((await page())[0]);
    }
    expect(seen.map(Number)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
    await run(`delete from "T Items" where "Title" = 'a'`);
    expect(Number((await page())[0])).toBe(2);
    const views = await service.get('/api/v1/wides?sort=title', { token: user });
    expect(views.json.data).toEqual([
      { id: 2, title: 'b' },
      { id: 3, title: 'c' },
    ]);
    expect(
      (await service.post('/api/v1/wides', { token: user, body: { wide: { title: 'x' } } })).status,
    ).toBe(405);
    expect((await service.delete('/api/v1/wides/2', { token: user })).status).toBe(405);
    const stranger = await service.createUser();
    expect((await service.get(items, { token: stranger })).json.data).toEqual([]);
  });

  it('named times and a named version are kept as the service keeps its own', async () => {
    const { service, user, run } = await stage();
    await using _ = service;
    const made = await service.ok<Record<string, unknown>>('POST', '/api/v1/entries', {
      token: user,
      body: { entry: { note: 'x' } },
    });
    expect(made).toEqual({
      id: 1,
      note: 'x',
      created_at: expect.stringMatching(/Z$/),
      updated_at: made['created_at'],
    });
    const before = await service.get('/api/v1/entries/1', { token: user });
    expect(before.headers['etag']).toBe('"1-detail"');
    const after = await service.request('PUT', '/api/v1/entries/1', {
      token: user,
      body: { entry: { note: 'y' } },
    });
    expect(after.headers['etag']).toBe('"2-saved"');
    await run('update log_entries set rev = 9 where no = 1');
    expect((await service.get('/api/v1/entries/1', { token: user })).headers['etag']).toBe('"9-detail"');
  });

  it('nothing of another program’s tables is made, changed or reported, and a start names what does not fit', async () => {
    const { service, run, url } = await stage();
    const catalogue =
      databases.dialect === 'sqlite'
        ? `select type, name, sql from sqlite_master where tbl_name in ('T Items', 'log_entries') order by name`
        : `select c.relname::text as name, c.relkind::text as kind, (select count(*) from pg_trigger t where t.tgrelid = c.oid)::int as triggers
             from pg_class c where c.relname in ('T Items', 'log_entries') or c.relname like '%Items%' order by 1`;
    const { database } = service.server.services;
    const found = await database.all({ sql: catalogue, parameters: [] });
    expect(found.length).toBeGreaterThan(2);
    expect(JSON.stringify(found)).not.toMatch(/_fkey"|_nulled|_unique/);
    expect(service.lines.join('')).not.toMatch(/models and database differ/);
    await service.close();
    const start = (models: readonly (typeof resources)[number][]) =>
      startService(databases, { url, application: createApplication({ resources: models }) }).then(
        async (started) => {
          await started.close();
          return 'started';
        },
        String,
      );
    const entryWith = (table: object, fields = {}) =>
      defineResource('Entry', {
        fields: { note: field.string({ max: 40 }), ...fields },
        table: { name: 'log_entries', external: true, columns: { id: 'no' }, ...table },
      }) as unknown as (typeof resources)[number];
    expect(await start([entryWith({})])).toBe('started');
    for (const [model, sentence] of [
      [entryWith({ name: 'users' }), /belongs to the service itself|has no table users/],
      [entryWith({ name: 'nowhere' }), 'Entry: the database has no table nowhere, which is external'],
      [
        entryWith({}, { missing: field.string() }),
        'Entry.missing: the table log_entries has no column missing',
      ],
      [
        entryWith({}, { rev: field.string() }),
        /Entry\.rev: the table log_entries has rev as integer, and a field of the type string needs text/i,
      ],
      [
        entryWith({ columns: { id: 'note', note: 'touched' } }),
        /Entry\.id: the table log_entries has note as text/i,
      ],
      [entryWith({ columns: { id: 'rev' } }), 'has no key over rev alone: say readOnly: true'],
      [
        entryWith({ name: 'wide items', columns: { note: 'Title' } }),
        'Entry: wide items is a view: say readOnly: true in table',
      ],
    ] as const)
      expect(await start([model])).toMatch(sentence);
    await run('create table strict (id integer primary key, code text not null, kind text not null)');
    const strict = (fields: object) =>
      defineResource('Strict', {
        plural: 'stricts',
        fields: { code: field.string({ required: true, max: 9 }), ...fields },
        table: { name: 'strict', external: true },
      }) as unknown as (typeof resources)[number];
    expect(await start([strict({})])).toContain('Strict: the column kind of strict demands a value');
    expect(await start([strict({ kind: field.string() })])).toContain(
      'Strict.kind: the column kind of strict may not be null: say required: true',
    );
    if (databases.dialect === 'postgres') {
      expect(await start([strict({ kind: field.string({ required: true }) })])).toContain(
        'Strict.id: the column id of strict gets no value from the database',
      );
      await run('alter table strict alter id add generated always as identity');
      await run(
        'alter table strict add n integer, add c varchar(5), add g text generated always as (code) stored',
      );
      const more = { kind: field.string({ required: true }) };
      for (const [fields, sentence] of [
        [{ n: field.integer() }, 'Strict.n: the column n of strict is integer: say max: 2147483647 or less'],
        [{ n: field.integer({ max: 5 }) }, 'say min: -2147483648 or more'],
        [{ c: field.string({ max: 6 }) }, 'is character varying(5): say max: 5 or less'],
        [
          { g: field.string() },
          'Strict.g: the column g of strict is computed by the database: say generated',
        ],
      ] as const)
        expect(await start([strict({ ...more, ...fields })])).toContain(sentence);
      expect(await start([strict({ ...more, g: field.string({ generated: true }) })])).toBe('started');
    }
    await run('drop table log_entries');
    expect(await start([entryWith({})])).toContain('the database has no table log_entries');
  });

  it('a table that vanishes while the service runs is an error of its requests only', async () => {
    const { service, user, run } = await stage();
    await using _ = service;
    expect((await service.get('/api/v1/entries', { token: user })).status).toBe(200);
    await run('drop table log_entries');
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: { entry: { note: 'x' } } } : {};
      const answer = await service.request(method, '/api/v1/entries', { token: user, ...body });
      expect(answer.status).toBeGreaterThanOrEqual(500);
    }
    expect(service.lines.join('')).toMatch(/log_entries/);
    expect((await service.get(items, { token: user })).status).toBe(200);
  });
});

describeDatabase('postgres', 'tables of another program in schemas', (databases) => {
  const of = (name: string, table: object) =>
    defineResource(name, {
      fields: { title: field.string({ max: 40 }) },
      table: { name: 'parts', external: true, ...table },
    } as const);

  it('the schema of a model decides between tables of one name, and a start names the others', async () => {
    const url = await databases.create();
    const other = await databases.open(url);
    const run = (sql: string) => other.execute({ sql, parameters: [] });
    for (const schema of ['stock', 'public', 'Sales area'])
      for (const sql of [
        `create schema if not exists "${schema}"`,
        `create table "${schema}".parts (id integer generated always as identity primary key, title text)`,
        `insert into "${schema}".parts (title) values ('of ${schema}')`,
      ])
        await run(sql);
    const models = [
      of('Part', {}),
      of('Piece', { schema: 'stock' }),
      of('Deal', { schema: 'Sales area', readOnly: true }),
    ];
    const options = '?options=-c%20search_path%3Dpublic,stock';
    await using service = await startService(databases, {
      url: url + options,
      application: { resources: models },
      env: { NEW_DATABASE: '1' },
    });
    const user = await service.createUser();
    const titles = async (path: string) =>
      (await service.ok<{ title: string }[]>('GET', `/api/v1/${path}`, { token: user })).map(
        ({ title }) => title,
      );
    expect([await titles('parts'), await titles('pieces'), await titles('deals')]).toEqual([
      ['of public'],
      ['of stock'],
      ['of Sales area'],
    ]);
    expect(service.lines.join('')).toContain('there are others in stock: say schema in table');
    const made = await service.post('/api/v1/pieces', { token: user, body: { piece: { title: 'new' } } });
    expect(made.status).toBe(201);
    const etag = String(made.headers['etag']);
    const update = { token: user, body: { piece: { title: 'newer' } }, headers: { 'if-match': etag } };
    expect((await service.request('PUT', '/api/v1/pieces/2', update)).status).toBe(200);
    expect((await service.request('PUT', '/api/v1/pieces/2', update)).status).toBe(412);
    expect((await service.delete('/api/v1/pieces/1', { token: user })).status).toBeLessThan(300);
    expect(await titles('pieces')).toEqual(['newer']);
    expect(await titles('parts')).toEqual(['of public']);
  });

  it('a start is refused by name for a table without rights, with row security, or of the service itself', async () => {
    const url = await databases.create();
    const other = await databases.open(url);
    const run = (sql: string) => other.execute({ sql, parameters: [] });
    const owner = new URL(url);
    const role = `limited_${owner.pathname.slice(1)}`.slice(0, 60);
    await run(`create role "${role}" login password 'x'`);
    onTestFinished(async () => {
      await run(`drop owned by "${role}"`);
      await run(`drop role "${role}"`);
    });
    await run(`grant create on database "${owner.pathname.slice(1)}" to "${role}"`);
    await run(`grant create, usage on schema public to "${role}"`);
    await run('create table parts (id integer primary key, title text)');
    await run('create schema hidden');
    await run('create table hidden.parts (id integer primary key, title text)');
    owner.username = role;
    owner.password = 'x';
    const start = (model: ReturnType<typeof of>) =>
      startService(databases, {
        url: owner.href,
        application: { resources: [model] },
        env: { NEW_DATABASE: '1' },
      }).then(async (started) => {
        await started.close();
        return 'started';
      }, String);
    expect(await start(of('Part', {}))).toContain(
      `the database user ${role} may not select, insert, update, delete on the table parts`,
    );
    await run(`grant select, insert on parts to "${role}"`);
    expect(await start(of('Part', {}))).toContain('may not update, delete on the table parts');
    expect(await start(of('Part', { readOnly: true }))).toBe('started');
    expect(await start(of('Part', { schema: 'hidden' }))).toContain('on the table hidden.parts');
    await run('alter table parts enable row level security');
    expect(await start(of('Part', { readOnly: true }))).toContain('the table parts has row security');
    expect(await start(of('Part', { schema: 'public', name: 'users' }))).toContain(
      'the table public.users belongs to the service itself',
    );
  });
});

describe('models of external tables', () => {
  const loosely = (definition: object) => () => defineResource('Item', definition as never);
  const fields = { title: field.string() };
  const table = { external: true };

  it.each<[object, string]>([
    [{ fields, table, history: true }, 'Item: history: the table is external'],
    [{ fields, table, events: true }, 'Item: events: the table is external'],
    [{ fields, table, trash: true }, 'Item: trash: the table is external'],
    [{ fields, table, search: ['title'] }, 'Item: search: the table is external'],
    [{ fields: { no: field.sequence() }, table }, 'Item.no: the table is external'],
    [
      { fields: { of: field.reference('Item', { onDelete: 'null' }) }, table },
      'Item.of_id: the table is external',
    ],
    [{ fields, table: { readOnly: true } }, 'table.readOnly: only an external table'],
    [{ fields, table: { external: false } }, 'table.external must be true'],
    [
      { fields: { title: field.string({ generated: true }) } },
      'Item.title: generated: only an external table',
    ],
    [{ fields, table, views: { list: ['created_at'] } }, 'unknown field "created_at"'],
    [{ fields, table: { ...table, name: 'gatewright_jobs' } }, 'belongs to the service'],
    [{ fields, table: { ...table, columns: { version: 'title' } } }, 'title and version have one column'],
  ])('refuses %j', (definition, message) => {
    expect(loosely(definition)).toThrow(message);
  });

  it('refuses a reference of a table of the service to one of another program', () => {
    const note = defineResource('Note', { fields: { item: field.reference('Item') } });
    expect(() => collectModels([item, note])).toThrow('Note.item_id: the table of Item is external');
  });

  it('takes a table of the same name in two schemas for two tables', () => {
    const one = defineResource('One', { fields, table: { ...table, schema: 'a', name: 't' } } as never);
    const two = defineResource('Two', { fields, table: { ...table, schema: 'b', name: 't' } } as never);
    expect([...collectModels([one, two]).values()].map((model) => model.table)).toEqual(['a.t', 'b.t']);
  });
});
