import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const bookFields = {
  title: field.string({ required: true, max: 80 }),
  isbn: field.string({ unique: true, max: 20 }),
  blurb: field.text(),
  pages: field.integer(),
};
const letterFields = { subject: field.string({ required: true, max: 80 }), user_id: field.owner() };
const countFields = { number: field.integer({ required: true }) };

const resources = [
  defineResource('Book', { fields: bookFields, permissions: 'writes' }),
  defineResource('Letter', { fields: letterFields, permissions: 'all' }),
  defineResource('Count', { fields: countFields }),
];

const migrations: Migrations = {
  '0001_books': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'books', { fields: bookFields });
      await createTable(db, dialect, 'letters', { fields: letterFields });
      await createTable(db, dialect, 'counts', { fields: countFields });
    },
  },
};

interface Group {
  readonly model: string;
  readonly resource: string;
  readonly records: readonly { readonly id: number; readonly name: string; readonly match: string | null }[];
  readonly more: boolean;
  readonly searched: string;
}

describeEachDatabase('/admin/search', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  let root: TestUser;
  let plain: TestUser;

  const make = async (path: string, singular: string, values: object): Promise<number> => {
    const body = { [singular]: values };
    return (await service.ok<{ id: number }>('POST', `/admin/records/${path}`, { token: root, body })).id;
  };
  const find = (words: string, token: TestUser = root) =>
    service.ok<Group[]>('GET', `/admin/search?q=${encodeURIComponent(words)}`, { token });
  const namesOf = async (words: string, token: TestUser = root) =>
    Object.fromEntries(
      (await find(words, token)).map(({ model, records }) => [model, records.map(({ name }) => name)]),
    );

  beforeAll(async () => {
    root = await service.admin();
    plain = await service.createUser(['admin'], { username: 'quill', name: 'Quill Keeper' });
    await make('books', 'book', { title: 'The Quillfeather', isbn: '978-1', pages: 4711 });
    await make('books', 'book', { title: 'Other', isbn: '978-2', blurb: 'Of a QUILLFEATHER and ink' });
    await make('letters', 'letter', { subject: 'To the quillfeather', user_id: root.id });
    await service.ok('POST', '/admin/api_keys', {
      token: root,
      body: { api_key: { name: 'quill press', user_id: plain.id } },
    });
  });

  it('finds records, users and keys by what their lists search, the newest first', async () => {
    expect(await namesOf('quillfeather')).toEqual({
      Book: ['Other', 'The Quillfeather'],
      Letter: ['To the quillfeather'],
    });
    const groups = await find('QUILL');
    expect(groups.map(({ model, resource, searched }) => [model, resource, searched])).toEqual([
      ['User', 'users', 'whole'],
      ['ApiKey', 'api_keys', 'whole'],
      ['Book', 'records/books', 'whole'],
      ['Letter', 'records/letters', 'whole'],
    ]);
    expect(groups[0]?.records).toEqual([{ id: plain.id, name: 'quill', alias: 'Quill Keeper', match: null }]);
    expect(groups[1]?.records[0]).toMatchObject({
      name: 'quill press',
      alias: expect.stringMatching(/^.+\*{4}$/),
    });
    expect(await find('no such word')).toEqual([]);
  });

  it('says by which part of another field a record was found, unless its name has the words', async () => {
    const blurb = `${'x '.repeat(80)}to Zanzibar${' y'.repeat(80)}`;
    await make('books', 'book', { title: 'A journey', isbn: '978-3', blurb });
    const matchesOf = async (words: string) =>
      (await find(words)).flatMap(({ records }) => records.map(({ name, match }) => [name, match]));
    expect(await matchesOf('quillfeather')).toEqual([
      ['Other', 'Of a QUILLFEATHER and ink'],
      ['The Quillfeather', null],
      ['To the quillfeather', null],
    ]);
    expect(await matchesOf('978-2')).toEqual([['Other', '978-2']]);
    const [[, match] = []] = await matchesOf('zanzibar');
    expect(match).toMatch(/^…x .*to Zanzibar y.*…$/);
    expect(match?.length).toBeLessThan(70);
  });

  it('finds by number, and not by numbers that stand in fields', async () => {
    const id = await make('counts', 'count', { number: 99_887 });
    const found = (await find(`#${id}`)).find(({ model }) => model === 'Count');
    expect(found?.records).toEqual([{ id, name: `#${id}`, alias: null, match: null }]);
    for (const words of ['99887', '4711']) expect(await find(words)).toEqual([]);
  });

  it('answers a handful of each, and says that there are more', async () => {
    for (let index = 0; index < 7; index += 1)
      await make('books', 'book', { title: `Serial ${index}`, isbn: `s-${index}` });
    const [group] = await find('serial');
    expect(group?.records.map(({ name }) => name)).toEqual([6, 5, 4, 3, 2].map((index) => `Serial ${index}`));
    expect(group?.more).toBe(true);
  });

  it('finds nothing where the caller may not read', async () => {
    // Administrators without super_admin read letters by a permission alone; books are there for every administrator.
    expect(await namesOf('quillfeather', plain)).toEqual({ Book: ['Other', 'The Quillfeather'] });
    await service.ok('PUT', '/admin/permissions/admin/Letter/read', { token: root });
    expect(await namesOf('quillfeather', plain)).toMatchObject({ Letter: ['To the quillfeather'] });
    await service.ok('DELETE', '/admin/permissions/admin/Letter/read', { token: root });
    expect(await namesOf('quillfeather', plain)).not.toHaveProperty('Letter');
    const outside = await service.createUser(['viewer'], { username: 'quillless' });
    expect((await service.get('/admin/search?q=quill', { token: outside })).status).toBe(403);
    expect((await service.get('/admin/search?q=quill')).status).toBe(401);
    // Credentials are no field of any list.
    const { key } = await service.createKey(plain);
    for (const words of [key, key.slice(-12), 'scrypt', '$'])
      expect([words, await find(words)]).toEqual([words, []]);
  });

  it('takes words and nothing else', async () => {
    const wrong = [
      '',
      '?q=',
      '?q=%20',
      '?q=a&q=b',
      '?q=a&page=2',
      '?q=a&filter[id]=1',
      `?q=${'x'.repeat(101)}`,
    ];
    for (const query of wrong)
      expect([query, (await service.get(`/admin/search${query}`, { token: root })).status]).toEqual([
        query,
        400,
      ]);
    for (const words of ['%', '_', "'", '"', '\\', ';--', '(', 'a,b', '#', '#0', '9'.repeat(40)])
      expect([words, await find(words)]).toEqual([words, []]);
  });

  it('looks through the newest of a large table, and through all of it by number and index', async () => {
    const { database } = service.server.services;
    const first = await make('books', 'book', { title: 'Longago', isbn: 'old-1' });
    const last = first + 60_000;
    await database.execute({
      sql: `insert into books (id, title, isbn, created_at, updated_at, version)
 ${database.dialect.name === 'postgres' ? 'overriding system value' : ''}
        select ${last}, 'Longnow', 'new-1', created_at, updated_at, 1 from books where id = ${first}`,
      parameters: [],
    });
    const booksOf = async (words: string) => (await find(words)).find(({ model }) => model === 'Book');
    expect(await booksOf('long')).toMatchObject({ records: [{ id: last }], searched: 'newest' });
    expect(await booksOf('old-')).toMatchObject({ records: [{ id: first }], searched: 'newest' });
    expect(await booksOf(String(first))).toMatchObject({ records: [{ id: first }] });
    // The response says that there may be more where nothing was found, too.
    expect(await booksOf('nowhere')).toMatchObject({ records: [], searched: 'newest' });
  });
});
