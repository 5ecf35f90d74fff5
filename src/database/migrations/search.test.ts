import { expect, it } from 'vitest';
import { type Databases, describeEachDatabase } from '../../../tests/support/databases.ts';
import { field } from '../../fields/define.ts';
import { searchWords } from '../../kernel/search-words.ts';
import { dialectOf } from '../registry.ts';
import { param, sql, statement } from '../statement.ts';
import { databaseTarget } from '../targets.ts';
import { alterTable } from './alter-table.ts';
import type { TableAlteration } from './columns.ts';
import { coreMigrations } from './core.ts';
import type { Migration } from './migration.ts';
import { isSearchTable } from './names.ts';
import { migrate } from './runner.ts';
import { createTable } from './schema.ts';
import { readStored } from './stored.ts';
import { dropTable, renameTable } from './tables.ts';

const query = (text: string) => ({ sql: text, parameters: [] });
const fields = { title: field.string(), body: field.text(), pages: field.integer() };

/** A table of books with one record, and migrations that follow one another. */
const stage = async (databases: Databases, search?: readonly string[]) => {
  const url = await databases.create();
  await migrate(databaseTarget(url), coreMigrations, { tableName: 'gatewright_migrations' });
  const database = await databases.open(url);
  const dialect = dialectOf(database);
  const steps: Record<string, Migration> = {};
  const apply = async (up: Migration['up']) => {
    steps[String(Object.keys(steps).length + 1).padStart(4, '0')] = { up };
    await migrate(databaseTarget(url), steps, { tableName: 'migrations' });
  };
  await apply((db, name) =>
    createTable(db, name, 'books', { fields, ...(search === undefined ? {} : { search }) }),
  );
  const execute = (text: string) => database.execute(query(text));
  const insert = (title: string, body: string) =>
    execute(
      `insert into books (title, body, pages, created_at, updated_at) values ('${title}', '${body}', 12, '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z')`,
    );
  await insert('Übersicht', 'über 中文 und Ähnliches');
  return {
    alter: (alteration: TableAlteration) => apply((db, name) => alterTable(db, name, 'books', alteration)),
    apply,
    execute,
    insert,
    search: async (table = 'books') =>
      (await readStored((text) => database.all(query(text)), database.dialect)).tables.get(table)?.search,
    /** Ids of the records that match in these columns. */
    find: async (words: string, of: readonly string[], columns = of, table = 'books') => {
      const found = statement<{ words: string }>(dialect, () => {
        const request = { index: { of: table, columns: of }, columns, words: param('words') };
        return sql`select id from ${sql.raw(table)} where ${dialect.search.matches(sql`id`, request)} order by id`;
      });
      const rows = await database.all<{ id: number }>(found({ words: searchWords(words).join(' ') }));
      return rows.map(({ id }) => Number(id));
    },
    /** Whatever is left of a search in the database. */
    left: async () => {
      const names = {
        sqlite: `select name from sqlite_master where type <> 'view'`,
        postgres: `select relname as name from pg_class union all select tgname from pg_trigger
          union all select proname from pg_proc where proname <> 'gatewright_search_words'`,
      }[database.dialect];
      return (await database.all<{ name: string }>(query(names))).filter(({ name }) => isSearchTable(name));
    },
  };
};

const both = ['title', 'body'];

describeEachDatabase('migrations of a full-text search', (databases) => {
  it('add one to records that are there, and remove it without residue', async () => {
    const books = await stage(databases);
    await books.alter({ search: { from: [], to: both } });
    expect(await books.search()).toEqual(both);
    await books.insert('Zweites', 'Überblick');
    expect(await books.find('uber', both)).toEqual([1, 2]);
    expect(await books.find('uber', both, ['title'])).toEqual([1]);
    expect(await books.find('uberblick', both, ['title'])).toEqual([]);
    expect(await books.find('中', both)).toEqual([1]);
    await books.execute(`update books set body = 'anders' where id = 2`);
    expect(await books.find('uberblick', both)).toEqual([]);
    expect(await books.find('anders', both)).toEqual([2]);
    await books.execute('delete from books where id = 1');
    expect(await books.find('uber', both)).toEqual([]);
    await books.alter({ search: { from: both, to: [] } });
    expect(await books.search()).toBeUndefined();
    expect(await books.left()).toEqual([]);
    await books.insert('Drittes', 'ohne');
  });

  it('follow columns that are renamed, changed and dropped, and others that are rebuilt', async () => {
    const books = await stage(databases, both);
    await books.alter({ rename: { title: 'heading' } });
    expect(await books.search()).toEqual(['heading', 'body']);
    expect(await books.find('ubersicht', ['heading', 'body'])).toEqual([1]);
    await books.alter({ change: { pages: { from: field.integer(), to: field.string({ required: true }) } } });
    expect(await books.find('ubersicht', ['heading', 'body'])).toEqual([1]);
    await books.execute(`update books set heading = 'Katalog' where id = 1`);
    expect(await books.find('katalog', ['heading', 'body'])).toEqual([1]);
    await books.alter({ change: { body: { from: field.text(), to: field.string() } } });
    expect(await books.find('katalog ahnliches', ['heading', 'body'])).toEqual([1]);
    await books.alter({ drop: ['body'] });
    expect(await books.search()).toEqual(['heading']);
    expect(await books.find('katalog', ['heading'])).toEqual([1]);
    await books.alter({ drop: ['heading'] });
    expect(await books.left()).toEqual([]);
  });

  it('refuse a column that goes', async () => {
    const books = await stage(databases, both);
    await expect(books.alter({ drop: ['body'], search: { from: both, to: both } })).rejects.toThrow(
      'search: books has no column body any more',
    );
  });

  it('follow a table that is renamed and dropped', async () => {
    const books = await stage(databases, both);
    await books.apply((db, name) => renameTable(db, name, 'books', 'volumes', { model: 'Volume' }));
    expect(await books.search('volumes')).toEqual(both);
    expect(await books.find('ubersicht', both, both, 'volumes')).toEqual([1]);
    await books.execute(`update volumes set title = 'Band' where id = 1`);
    expect(await books.find('band', both, both, 'volumes')).toEqual([1]);
    await books.apply((db, name) => dropTable(db, name, 'volumes'));
    expect(await books.left()).toEqual([]);
  });
});
