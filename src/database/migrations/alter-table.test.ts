import { describe, expect, it } from 'vitest';
import { type Databases, describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import { field } from '../../fields/define.ts';
import { defineResource } from '../../model/define-resource.ts';
import { collectModels } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Database } from '../database.ts';
import { databaseTarget } from '../targets.ts';
import { alterTable, createTable, dropTable, renameTable } from './application-steps.ts';
import type { TableAlteration } from './columns.ts';
import { coreSet } from './core.ts';
import { describeDifference } from './describe-difference.ts';
import { differences } from './differences.ts';
import type { Migration } from './migration.ts';
import { migrate } from './runner.ts';
import { runAll } from './statements.ts';
import { readStored } from './stored.ts';

const query = (sql: string) => ({ sql, parameters: [] });

/** A database that takes one migration after the other. */
class Stage {
  readonly database: Database;
  readonly #url: string;
  readonly #steps: Record<string, Migration> = {};

  constructor(database: Database, url: string) {
    this.database = database;
    this.#url = url;
  }

  async apply(up: Migration['up']): Promise<void> {
    const name = String(Object.keys(this.#steps).length + 1).padStart(4, '0');
    const steps = { ...this.#steps, [name]: { up } };
    await migrate(databaseTarget(this.#url), steps, { tableName: 'migrations' });
    this.#steps[name] = { up };
  }

  alter(table: string, alteration: TableAlteration): Promise<void> {
    return this.apply((db, dialect) => alterTable(db, dialect, table, alteration));
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.database.all(query(sql));
  }

  async differences(...resources: readonly ResourceModel[]): Promise<string[]> {
    const { dialect } = this.database;
    const stored = await readStored((sql) => this.database.all(query(sql)), dialect);
    return differences(collectModels(resources), stored).map(describeDifference);
  }
}

const stage = async (databases: Databases): Promise<Stage> => {
  const url = await databases.create();
  await migrate(databaseTarget(url), coreSet.migrations, coreSet);
  return new Stage(await databases.open(url), url);
};

const times = `'2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'`;

const insert = (table: string, columns: string, values: string): string =>
  `insert into ${table} (${columns}, created_at, updated_at) values (${values}, ${times})`;

/** `cause` of the error that a migration ends with. */
const reason = (pattern: RegExp) =>
  expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringMatching(pattern) }) });

const every = {
  title: field.string({ required: true, unique: true }),
  body: field.text(),
  pages: field.integer({ index: true }),
  ratio: field.number(),
  price: field.decimal({ scale: 2 }),
  live: field.boolean({ required: true, default: false }),
  day: field.date(),
  at: field.datetime(),
  status: field.enum(['draft', 'live']),
  data: field.json(),
  mail: field.email(),
  site: field.url(),
  uid: field.uuid(),
  author: field.reference('User'),
  user_id: field.owner(),
};

describeEachDatabase('alterTable', (databases) => {
  it('makes a table of every field type that differs in nothing from its model', async () => {
    const it = await stage(databases);
    await it.apply((db, dialect) =>
      createTable(db, dialect, 'books', { fields: every, indexes: [['title', 'pages']] }),
    );
    const model = defineResource('Book', { fields: every, indexes: [['title', 'pages']] });
    expect(await it.differences(model)).toEqual([]);
    expect(await it.differences()).toEqual(['books: a table of no model']);
  });

  it('lets the watch over references follow whatever happens to them', async () => {
    const it = await stage(databases);
    const reference = field.reference('User');
    await it.apply((db, dialect) =>
      createTable(db, dialect, 'books', {
        fields: {
          renamed: reference,
          gone: reference,
          loosened: field.reference('User', { required: true }),
          tightened: reference,
          converted: reference,
          kept: reference,
          note: field.text(),
        },
      }),
    );
    const names = async () => {
      const rows = await it.rows(
        it.database.dialect.name === 'sqlite'
          ? "select name from sqlite_master where type = 'trigger' order by name"
          : 'select tgname as name from pg_trigger where not tgisinternal order by tgname',
      );
      return rows.flatMap(({ name }) => /^.*?_(.*)_id_nulled$/.exec(String(name))?.[1] ?? []);
    };
    expect(await names()).toEqual(['converted', 'gone', 'kept', 'renamed', 'tightened']);
    const required = field.reference('User', { required: true });
    await it.alter('books', {
      rename: { renamed_id: 'editor_id' },
      add: { added: reference },
      change: {
        loosened: { from: required, to: reference },
        tightened: { from: reference, to: required },
        converted_id: { from: reference, to: field.integer() },
      },
      drop: ['gone_id', 'note'],
    });
    await it.apply((db, dialect) => renameTable(db, dialect, 'books', 'volumes', { model: 'Volume' }));
    expect(await names()).toEqual(['added', 'editor', 'kept', 'loosened']);
    // An old name may be taken again.
    await it.alter('volumes', { add: { renamed: reference, gone: reference } });
    for (const id of [1, 2])
      await it.database.execute(
        query(
          insert(
            'users',
            'username, username_canonical, email, email_canonical, name, password_hash',
            `'u${id}', 'u${id}', 'e${id}', 'e${id}', '', ''`,
          ),
        ),
      );
    const columns = ['added', 'editor', 'kept', 'loosened', 'renamed', 'gone'].map((name) => `${name}_id`);
    for (const [index, column] of columns.entries())
      await it.database.execute(
        query(insert('volumes', `${column}, tightened_id, converted_id`, `1, 2, ${index}`)),
      );
    await it.database.execute(query('delete from users where id = 1'));
    const rows = await it.rows(`select version, coalesce(${columns.join(', ')}) as named from volumes`);
    expect(rows.map(({ version, named }) => [Number(version), named])).toEqual(columns.map(() => [2, null]));
  });

  it('changes a table in every way at once, and keeps what is in it', async () => {
    const it = await stage(databases);
    await it.apply((db, dialect) =>
      createTable(db, dialect, 'books', {
        fields: {
          pages: field.integer({ index: true }),
          code: field.string({ unique: true }),
          price: field.integer(),
          gone: field.string({ index: true }),
          note: field.text(),
        },
        indexes: [['pages', 'code']],
      }),
    );
    await it.database.execute(query(insert('books', 'pages, code, price, gone', `1, 'a', 12, 'x'`)));
    await it.database.execute(query(insert('books', 'pages, code, price, gone', `2, 'b', null, 'y'`)));
    await it.database.execute(query(insert('books', 'pages, code, price, gone', `3, 'c', 3, 'z'`)));
    await it.database.execute(query('delete from books where id = 3'));
    const fields = {
      page_count: field.integer({ index: true }),
      code: field.string({ required: true }),
      price: field.decimal({ scale: 2, required: true }),
      note: field.text(),
      status: field.enum(['draft', 'live'], { required: true, default: 'draft' }),
      author: field.reference('User'),
    };
    await it.alter('books', {
      rename: { pages: 'page_count' },
      add: { status: fields.status, author: fields.author },
      change: {
        code: { from: field.string({ unique: true }), to: fields.code },
        price: { from: field.integer(), to: fields.price },
      },
      fill: { price: '9.99' },
      drop: ['gone'],
      dropIndexes: [['page_count', 'code']],
      addIndexes: [['code', 'status']],
    });
    expect(await it.differences(defineResource('Book', { fields, indexes: [['code', 'status']] }))).toEqual(
      [],
    );
    expect(
      await it.rows('select id, page_count, code, price, status, author_id from books order by id'),
    ).toEqual([
      { id: 1, page_count: 1, code: 'a', price: 1200, status: 'draft', author_id: null },
      { id: 2, page_count: 2, code: 'b', price: 999, status: 'draft', author_id: null },
    ]);
    const [row] = await it.database.execute<{ id: number }>(
      query(`${insert('books', 'code, price, status', `'d', 1, 'live'`)} returning id`),
    );
    expect(row?.id).toBe(4);
  });

  it('refuses what would lose a value, and says which', async () => {
    const it = await stage(databases);
    await it.apply((db, dialect) =>
      createTable(db, dialect, 'books', {
        fields: { price: field.decimal({ scale: 2 }), code: field.string() },
      }),
    );
    await it.database.execute(query(insert('books', 'price', '1250')));
    await expect(
      it.alter('books', { change: { price: { from: every.price, to: field.integer() } } }),
    ).rejects.toThrow(reason(/^books\.price of record 1 is not a value of the new integer/));
    await expect(it.alter('books', { add: { isbn: field.string({ required: true }) } })).rejects.toThrow(
      reason(/^books\.isbn is required and record 1 has no value/),
    );
    await expect(
      it.alter('books', { change: { code: { from: field.string(), to: field.string({ required: true }) } } }),
    ).rejects.toThrow(reason(/^books\.code is required and record 1 has no value/));
    expect(await it.rows('select price, code from books')).toEqual([{ price: 1250, code: null }]);
  });

  it('creates, keeps and drops unique sets of fields', async () => {
    const it = await stage(databases);
    const fields = { slug: field.string(), place: field.integer(), user_id: field.owner() };
    const owned = { ...fields, slug: field.string({ unique: 'owner' }) };
    const books = (of: typeof fields | typeof owned, ...unique: ['place', 'slug'][]) =>
      defineResource('Book', { fields: of, unique });
    const row = (place: number) => query(insert('books', 'slug, place, user_id', `'a', ${place}, null`));
    await it.apply((db, dialect) =>
      createTable(db, dialect, 'books', { fields, unique: [['place', 'slug']] }),
    );
    expect(await it.differences(books(fields, ['place', 'slug']))).toEqual([]);
    expect(await it.differences(books(owned))).toEqual([
      'books: user_id, slug are not unique as a set in the database',
      'books: place, slug are unique as a set in the database only',
    ]);
    await it.database.execute(row(1));
    await expect(it.database.execute(row(1))).rejects.toMatchObject({ kind: 'unique' });
    // A rebuild of the table takes the index along, and a plain one is made where it was.
    await it.alter('books', {
      change: { place: { from: fields.place, to: field.integer({ required: true }) } },
    });
    await expect(it.database.execute(row(1))).rejects.toMatchObject({ kind: 'unique' });
    const plain = { ...fields, place: field.integer({ required: true }) };
    const wanted = defineResource('Book', { fields: plain, indexes: [['place', 'slug']] });
    expect(await it.differences(wanted)).toEqual([
      'books: place, slug are unique as a set in the database only',
      'books: no index over place, slug',
    ]);
    await it.alter('books', { dropUnique: [['place', 'slug']], addIndexes: [['place', 'slug']] });
    expect(await it.differences(wanted)).toEqual([]);
    await it.database.execute(row(1));
    await expect(it.alter('books', { addUnique: [['place', 'slug']] })).rejects.toThrow();
    expect(await it.differences(wanted)).toEqual([]);

    await it.alter('books', { change: { slug: { from: fields.slug, to: owned.slug } } });
    const both = defineResource('Book', {
      fields: { ...plain, slug: owned.slug },
      indexes: [['place', 'slug']],
    });
    expect(await it.differences(both)).toEqual([]);
    await it.alter('books', { rename: { slug: 'name' }, dropIndexes: [['place', 'name']] });
    const renamed = { name: owned.slug, place: plain.place, user_id: fields.user_id };
    expect(await it.differences(defineResource('Book', { fields: renamed }))).toEqual([]);
    await it.apply((db, dialect) => renameTable(db, dialect, 'books', 'notes', { model: 'Note' }));
    expect(await it.differences(defineResource('Note', { fields: renamed }))).toEqual([]);
    await it.alter('notes', { change: { name: { from: owned.slug, to: field.string() } } });
    expect(
      await it.differences(defineResource('Note', { fields: { ...renamed, name: field.string() } })),
    ).toEqual([]);
  });

  it('lets references follow what they mean', async () => {
    const it = await stage(databases);
    const author = { name: field.string() };
    await it.apply(async (db, dialect) => {
      await createTable(db, dialect, 'authors', { fields: author });
      await createTable(db, dialect, 'books', { fields: { author: field.reference('Author') } });
    });
    await it.database.execute(query(insert('authors', 'name', `'Li'`)));
    await it.database.execute(query(insert('books', 'author_id', '1')));
    const required = field.reference('Author', { required: true });
    await it.alter('books', { change: { author: { from: field.reference('Author'), to: required } } });
    await expect(it.database.execute(query('delete from authors'))).rejects.toMatchObject({
      kind: 'foreign_key',
    });
    await it.apply((db, dialect) => renameTable(db, dialect, 'authors', 'writers', { model: 'Writer' }));
    expect(
      await it.differences(
        defineResource('Writer', { fields: author }),
        defineResource('Book', { fields: { author: field.reference('Writer', { required: true }) } }),
      ),
    ).toEqual([]);
    await it.alter('books', { rename: { author_id: 'writer_id' } });
    const writer = field.reference('Writer', { required: true });
    await it.alter('books', { change: { writer_id: { from: writer, to: field.integer() } } });
    await it.apply((db, dialect) => dropTable(db, dialect, 'writers'));
    expect(await it.rows('select id, writer_id from books')).toEqual([{ id: 1, writer_id: 1 }]);
    expect(await it.differences(defineResource('Book', { fields: { writer_id: field.integer() } }))).toEqual(
      [],
    );
  });

  it('changes what becomes of a reference, in either direction', async () => {
    const it = await stage(databases);
    const author = { name: field.string() };
    const [restrict, nulled, cascade] = (['restrict', 'null', 'cascade'] as const).map((onDelete) =>
      field.reference('Author', { onDelete }),
    );
    if (restrict === undefined || nulled === undefined || cascade === undefined) throw new Error('three');
    await it.apply(async (db, dialect) => {
      await createTable(db, dialect, 'authors', { fields: author });
      await createTable(db, dialect, 'books', { fields: { author: field.reference('Author') } });
    });
    const differing = (of: typeof restrict) =>
      it.differences(
        defineResource('Author', { fields: author }),
        defineResource('Book', { fields: { author: of } }),
      );
    const differences = ['books.author_id: goes otherwise in the database with what it refers to'];
    expect(await differing(nulled)).toEqual([]);
    for (const [from, to] of [
      [nulled, cascade],
      [cascade, restrict],
      [restrict, cascade],
      [cascade, nulled],
      [nulled, restrict],
      [restrict, nulled],
    ] as const) {
      expect(await differing(to)).toEqual(differences);
      await it.alter('books', { change: { author: { from, to } } });
      expect(await differing(to)).toEqual([]);
      expect(await differing(from)).toEqual(differences);
      await it.database.execute(query(insert('authors', 'name', `'Li'`)));
      await it.database.execute(query(insert('books', 'author_id', '(select max(id) from authors)')));
      const remove = it.database.execute(query('delete from authors'));
      if (to === restrict) await expect(remove).rejects.toMatchObject({ kind: 'foreign_key' });
      else await remove;
      const row = { cascade: [], nulled: [{ author_id: null, version: 2 }] };
      if (to === cascade) expect(await it.rows('select * from books')).toEqual(row.cascade);
      if (to === nulled)
        expect(await it.rows('select author_id, version from books')).toMatchObject([row.nulled[0]]);
      await it.database.execute(query('delete from books'));
      await it.database.execute(query('delete from authors'));
    }
  });

  it('takes grants along with a renamed table, and drops them with a dropped one', async () => {
    const it = await stage(databases);
    await it.apply(async (db, dialect) => {
      for (const table of ['books', 'notes'])
        await createTable(db, dialect, table, { fields: { n: field.integer() } });
      await createTable(db, dialect, 'folk', { fields: { n: field.integer() }, model: 'Person' });
    });
    for (const model of ['Book', 'Note', 'Person', 'Volume'])
      await it.database.execute(
        query(
          `insert into permissions (role, model, action, created_at) values ('viewer', '${model}', 'create', '2024-01-01T00:00:00.000Z')`,
        ),
      );
    const granted = async () =>
      (await it.rows('select model from permissions order by model')).map((row) => row['model']);
    await it.apply((db, dialect) => renameTable(db, dialect, 'books', 'volumes', { model: 'Volume' }));
    expect(await granted()).toEqual(['Note', 'Person', 'Volume']);
    await it.apply(async (db, dialect) => {
      await dropTable(db, dialect, 'notes');
      await dropTable(db, dialect, 'folk');
    });
    expect(await granted()).toEqual(['Volume']);
  });

  it('lets webhooks follow their models', async () => {
    const it = await stage(databases);
    await it.apply(async (db, dialect) => {
      for (const table of ['books', 'notes', 'bookshelves'])
        await createTable(db, dialect, table, { fields: { n: field.integer() } });
    });
    for (const model of ['Book', 'Note', 'Bookshelf'])
      await it.database.execute(
        query(`insert into permission_entries (model, action) values ('${model}', 'create')`),
      );
    const webhooks = [
      ['Book', 'Note', 'Bookshelf'],
      ['Note', 'Book'],
      ['Note'],
      ['Bookshelf', 'Note', 'Book'],
    ];
    for (const models of webhooks)
      await it.database.execute(
        query(`insert into gatewright_webhooks (url, models, actions, secret, cursor, created_at, updated_at)
          values ('', '${JSON.stringify(models)}', '[]', '', 0, '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z')`),
      );
    await it.apply((db, dialect) => renameTable(db, dialect, 'books', 'volumes', { model: 'Volume' }));
    await it.apply((db, dialect) => dropTable(db, dialect, 'notes'));
    const rows = await it.rows('select cast(models as text) as models from gatewright_webhooks order by id');
    expect(rows.map(({ models }) => JSON.parse(String(models)))).toEqual([
      ['Volume', 'Bookshelf'],
      ['Volume'],
      [],
      ['Bookshelf', 'Volume'],
    ]);
  });

  it('converts many rows', async () => {
    const it = await stage(databases);
    await it.apply((db, dialect) =>
      createTable(db, dialect, 'books', { fields: { n: field.string({ unique: true }) } }),
    );
    await it.database.write(async (transaction) => {
      for (let n = 1; n <= 1203; n += 1) await transaction.run(query(insert('books', 'n', `'${n}'`)));
    });
    await it.alter('books', {
      change: { n: { from: field.string({ unique: true }), to: field.integer({ unique: true }) } },
    });
    expect(await it.rows('select count(*) as c, sum(n * 1) as s from books')).toMatchObject([{ c: 1203 }]);
    expect(await it.rows('select id from books where n = 1203')).toEqual([{ id: 1203 }]);
  });

  it('converts rows whose ids are UUIDs, and references to them stay', async () => {
    const it = await stage(databases);
    const [plain, whole] = [field.string({ unique: true }), field.integer({ unique: true })];
    const noted = field.reference('Book', { key: 'uuid' });
    await it.apply(async (db, dialect) => {
      await createTable(db, dialect, 'books', { key: 'uuid', fields: { n: plain, v: field.text() } });
      await createTable(db, dialect, 'notes', { fields: { book: noted } });
    });
    const idOf = (n: number) => `0198000${n % 10}-0000-7000-8000-${String(n).padStart(12, '0')}`;
    await it.database.write(async (transaction) => {
      for (let n = 1; n <= 1203; n += 1)
        await transaction.run(query(insert('books', 'id, n, v', `'${idOf(n)}', '${n}', 'v${n}'`)));
    });
    await it.database.execute(query(insert('notes', 'book_id', `'${idOf(7)}'`)));
    await it.alter('books', { change: { n: { from: plain, to: whole } }, drop: ['v'] });
    expect(await it.rows('select count(*) as c, sum(n * 1) as s from books')).toMatchObject([{ c: 1203 }]);
    expect(await it.rows('select id from books where n = 1203')).toEqual([{ id: idOf(1203) }]);
    expect(await it.rows('select n from notes join books on books.id = book_id')).toEqual([{ n: 7 }]);
    const models = [
      defineResource('Book', { key: 'uuid', fields: { n: whole } }),
      defineResource('Note', { fields: { book: noted } }),
    ];
    expect(await it.differences(...models)).toEqual([]);
  });

  it('says that a key was changed where both have one type of column', async () => {
    const it = await stage(databases);
    await it.apply(async (db, dialect) => {
      await createTable(db, dialect, 'books', { fields: { n: field.text() } });
      await createTable(db, dialect, 'shelves', { key: 'bigint', fields: { n: field.text() } });
    });
    const modelsOf = (book: 'integer' | 'bigint', shelf: 'integer' | 'bigint') => [
      defineResource('Book', { key: book, fields: { n: field.text() } }),
      defineResource('Shelf', { key: shelf, plural: 'shelves', fields: { n: field.text() } }),
    ];
    expect(await it.differences(...modelsOf('integer', 'bigint'))).toEqual([]);
    expect(await it.differences(...modelsOf('bigint', 'integer'))).toEqual([
      "books.id: the table was not made with the key 'bigint', and a key stays as it is",
      "shelves.id: the table was not made with the key 'integer', and a key stays as it is",
    ]);
    // A register of a former version has no key.
    await it.database.execute(query(`delete from gatewright_columns where column_name = 'id'`));
    expect(await it.differences(...modelsOf('bigint', 'bigint'))).toHaveLength(2);
    expect(await it.differences(...modelsOf('integer', 'integer'))).toEqual([]);
  });

  it('says by name that a key was changed, of the model and of a reference to it', async () => {
    const it = await stage(databases);
    await it.apply(async (db, dialect) => {
      await createTable(db, dialect, 'books', { fields: { n: field.text() } });
      await createTable(db, dialect, 'shelves', { key: 'uuid', fields: { n: field.text() } });
      await createTable(db, dialect, 'notes', { fields: { book: field.reference('Book') } });
    });
    const found = await it.differences(
      defineResource('Book', { key: 'uuid', fields: { n: field.text() } }),
      defineResource('Shelf', { plural: 'shelves', fields: { n: field.text() } }),
      defineResource('Note', { fields: { book: field.reference('Book', { key: 'uuid' }) } }),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        "books.id: the table was not made with the key 'uuid', and a key stays as it is",
        "shelves.id: the table was not made with the key 'integer', and a key stays as it is",
        expect.stringMatching(/^notes\.book_id: /),
      ]),
    );
  });
});

describe('conversions', () => {
  const pairs = [
    ['integer', field.integer(), `12`, field.string(), '12'],
    ['text of a number', field.string(), `'12'`, field.integer(), 12],
    ['date', field.date(), `'2024-02-29'`, field.datetime(), '2024-02-29T00:00:00.000Z'],
    ['scale', field.decimal({ scale: 1 }), '15', field.decimal({ scale: 3 }), 1500],
    ['text of json', field.string(), `'a"b'`, field.json(), '"a\\"b"'],
    ['json', field.json(), `'{"a":[1]}'`, field.text(), '{"a":[1]}'],
    [
      'uuid',
      field.uuid(),
      `'9f8b4b0e-7d7c-4a55-9f3b-0a4f9b9d1c11'`,
      field.string(),
      '9f8b4b0e-7d7c-4a55-9f3b-0a4f9b9d1c11',
    ],
  ] as const;
  for (const dialect of ['sqlite', 'postgres'] as const)
    describeDatabase(dialect, 'keep the value', (databases) => {
      it.each(pairs)('a conversion keeps the value of %s', async (_name, from, stored, to, expected) => {
        const it = await stage(databases);
        await it.apply((db, name) =>
          createTable(db, name, 'books', { fields: { v: from, r: field.text() } }),
        );
        await it.database.execute(query(insert('books', 'v', stored)));
        await it.alter('books', { change: { v: { from, to } } });
        const [row] = await it.rows('select v from books');
        const value = row?.['v'];
        const iso = to.type.kind === 'datetime' ? new Date(`${value}`).toISOString() : value;
        expect(iso).toEqual(expected);
        expect(await it.differences(defineResource('Book', { fields: { v: to, r: field.text() } }))).toEqual(
          [],
        );
      });
    });
});

describeDatabase('sqlite', 'a rebuild', (databases) => {
  it('keeps indexes and triggers made by hand, and refuses what it would lose', async () => {
    const it = await stage(databases);
    await it.apply(async (db, dialect) => {
      await createTable(db, dialect, 'books', { fields: { n: field.integer(), m: field.integer() } });
      await runAll(db, [
        'create index odd on books (n) where n > 1',
        'create trigger t after delete on books begin select 1; end',
        `create table kept (id integer primary key, n integer check (n > 0), created_at text)`,
      ]);
    });
    await it.alter('books', { drop: ['m'] });
    expect(
      (await it.rows(`select name from sqlite_master where tbl_name = 'books' order by name`)).map(
        (row) => row['name'],
      ),
    ).toEqual(['books', 'odd', 't']);
    await expect(it.alter('kept', { drop: ['n'] })).rejects.toThrow(
      reason(/^the table kept was made with CHECK/),
    );
  });
});
