import { expect, it } from 'vitest';
import { type Databases, describeEachDatabase } from '../../../tests/support/databases.ts';
import { field } from '../../fields/define.ts';
import { searchWords } from '../../kernel/search-words.ts';
import { param, sql, statement } from '../statement.ts';
import { databaseTarget } from '../targets.ts';
import { searchTriggers } from './0072-search-triggers.ts';
import { foldedSearches } from './0079-folded-searches.ts';
import { alterTable, createTable, dropTable, renameTable } from './application-steps.ts';
import type { TableAlteration } from './columns.ts';
import { coreSet } from './core.ts';
import type { Migration } from './migration.ts';
import { isSearchTable } from './names.ts';
import { type Conditions, migrate, migrateAll } from './runner.ts';
import { readStored } from './stored.ts';

const query = (text: string) => ({ sql: text, parameters: [] });
const fields = { title: field.string(), body: field.text(), pages: field.integer() };

/** A table of books with one record, and migrations that follow one another. */
const stage = async (databases: Databases, search?: readonly string[]) => {
  const url = await databases.create();
  await migrate(databaseTarget(url), coreSet.migrations, coreSet);
  const database = await databases.open(url);
  const { dialect } = database;
  const steps: Record<string, Migration> = {};
  const apply = async (up: Migration['up'], conditions?: Conditions) => {
    steps[String(Object.keys(steps).length + 1).padStart(4, '0')] = { up };
    await migrateAll(databaseTarget(url), [{ migrations: steps, tableName: 'migrations' }], conditions);
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
    alter: (alteration: TableAlteration, conditions?: Conditions) =>
      apply((db, name) => alterTable(db, name, 'books', alteration), conditions),
    apply,
    execute,
    /** Runs statements in one transaction. */
    inTransaction: (texts: readonly string[]) =>
      database.write(async (transaction) => {
        for (const text of texts) await transaction.all(query(text));
      }),
    insert,
    rows: <Row>(text: string) => database.all<Row>(query(text)),
    /** A start of the service where no migration is pending does the same. */
    start: () => migrate(databaseTarget(url), steps, { tableName: 'migrations' }),
    /** Tells letters that the database takes for letters, which those of newer versions of Unicode are not. */
    known: async (letters: readonly string[]): Promise<(letter: string) => boolean> => {
      // The tokenizer has the letters of 2012, and these are none of them.
      if (dialect.name === 'sqlite') return (letter) => !/[\u19B0-\u19C9\u1CF2\u1CF3]/.test(letter);
      const known = await database.all<{ letter: string }>(
        query(`select letter from unnest(string_to_array('${letters.join('')}', null)) as all_letters (letter)
          where letter ~ '[[:alnum:]]' collate "und-x-icu"`),
      );
      const set = new Set(known.map(({ letter }) => letter));
      return (letter) => set.has(letter);
    },
    /** All words of the search: SQLite shows them by a table of the connection. */
    words: (vocabulary: string) =>
      database.write(async (transaction) => {
        if (dialect.name === 'sqlite')
          await transaction.all(
            query(
              `create virtual table if not exists temp.words using fts5vocab(main, gatewright_search_books, row)`,
            ),
          );
        return (await transaction.all<{ word: string }>(query(vocabulary))).map(({ word }) => word);
      }),
    fills: () => database.all(query('select table_name, below from gatewright_fills')),
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
      }[database.dialect.name];
      return (await database.all<{ name: string }>(query(names))).filter(({ name }) => isSearchTable(name));
    },
  };
};

const both = ['title', 'body'];

describeEachDatabase('migrations of a full-text search', (databases) => {
  it('migrations of a full-text search add one to records that are there, and remove it without residue', async () => {
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

  it('migrations of a full-text search make the words of many records beside writes, none of which waits for all of them', async () => {
    const books = await stage(databases);
    const many = 6000;
    await books.execute(`with recursive n (i) as (select 2 union all select i + 1 from n where i < ${many})
      insert into books (title, body, pages, created_at, updated_at)
      select 'Stored ' || i, 'text', 1, '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z' from n`);
    let done = false;
    const reported: unknown[] = [];
    const onFilling: Conditions['onFilling'] = (...fill) => void reported.push(fill);
    const migrated = books.alter({ search: { from: [], to: both } }, { onFilling }).finally(() => {
      done = true;
    });
    const written: number[] = [];
    for (let nth = 1; !done && nth < many / 2; nth += 1) {
      const [changed, deleted] = [many - nth, 2 * nth];
      await books.execute(`update books set title = 'Written ' || id where id = ${changed}`);
      await books.execute(`delete from books where id = ${deleted} and title not like 'Written%'`);
      written.push(changed, deleted);
    }
    await migrated;
    const kept = await books.find('text', both);
    const rows = await books.rows<{ id: number; title: string }>('select id, title from books order by id');
    expect(kept).toEqual(rows.flatMap(({ id }) => (Number(id) === 1 ? [] : [Number(id)])));
    for (const word of ['Stored', 'Written'])
      expect(await books.find(word, both)).toEqual(
        rows.flatMap(({ id, title }) => (title.startsWith(word) ? [Number(id)] : [])),
      );
    expect(written.length).toBeGreaterThan(4);
    expect(reported).toEqual([['books', expect.any(Number)]]);
    expect(await books.fills()).toEqual([]);
  }, 60_000);

  it('migrations of a full-text search go on with the words where a process before was killed, with the next start', async () => {
    const books = await stage(databases);
    for (let nth = 2; nth <= 20; nth += 1) await books.insert(`Stored ${nth}`, 'text');
    await books.alter({ search: { from: [], to: both } });
    expect(await books.fills()).toEqual([]);
    const words = `gatewright_search_books`;
    await books.execute(`delete from ${words} where ${databases.dialect === 'sqlite' ? 'rowid' : 'id'} < 15`);
    await books.execute(`insert into gatewright_fills (table_name, below) values ('books', 15)`);
    expect((await books.find('stored', both)).length).toBe(6);
    await books.start();
    expect((await books.find('stored', both)).length).toBe(19);
    expect(await books.fills()).toEqual([]);
  });

  it('migrations of a full-text search forget words that are missing where a statement in SQL has dropped the table', async () => {
    const books = await stage(databases);
    await books.execute(`insert into gatewright_fills (table_name, below) values ('gone', 15)`);
    await books.start();
    expect(await books.fills()).toEqual([]);
  });

  // SQLite lets one transaction write at a time.
  it.runIf(databases.dialect === 'postgres')(
    'migrations of a full-text search keep the words of a record that comes back while those of deleted ones are removed',
    async () => {
      const books = await stage(databases, both);
      await books.execute('delete from books');
      const words = `gatewright_search_books`;
      for (const id of [1, 2]) await books.execute(`insert into ${words} (id, words) values (${id}, 'left')`);
      await books.execute(`insert into gatewright_fills (table_name, below) values ('books', 1)`);
      const returned = books.inTransaction([
        `insert into books (id, title, body, pages, created_at, updated_at) overriding system value
          values (1, 'Returned', '', 12, '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z')`,
        'select pg_sleep(0.3)',
      ]);
      await expect
        .poll(() => books.rows(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`))
        .toHaveLength(1);
      await books.start();
      await returned;
      expect(await books.find('returned', both)).toEqual([1]);
      expect(await books.rows(`select id from ${words} where id = 2`)).toEqual([]);
    },
  );

  it('migrations of a full-text search follow columns that are renamed, changed and dropped, and others that are rebuilt', async () => {
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

  // The triggers of PostgreSQL are the same in every release.
  it.runIf(databases.dialect === 'sqlite')(
    'migrations of a full-text search replace the triggers of earlier releases',
    async () => {
      const books = await stage(databases, both);
      const triggers = () =>
        books.rows(`select name, sql from sqlite_master where type = 'trigger' order by name`);
      const made = await triggers();
      await books.execute('drop trigger gatewright_search_books_insert');
      await books.execute(
        'create trigger gatewright_search_books_insert after insert on books begin select 1; end',
      );
      await books.apply(searchTriggers.up);
      expect(await triggers()).toEqual(made);
      await books.insert('Ἄγγελος й', '检索');
      for (const words of ['αγγελος', 'и', '检索', 'ubersicht'])
        expect(await books.find(words, both)).toHaveLength(1);
    },
  );

  it('migrations of a full-text search fold every letter of both databases as queries do', async () => {
    const books = await stage(databases, both);
    const all = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point)).filter((letter) =>
      /^[\p{L}\p{Nd}]$/u.test(letter),
    );
    // Characters of these languages are words by themselves.
    const others = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\uFF70\uFF9E\uFF9F]/u;
    const isKnown = await books.known(all);
    const tested = all.filter((letter) => !others.test(letter) && isKnown(letter));
    const vocabulary = {
      sqlite: 'select term as word from temp.words',
      postgres: `select distinct unnest(tsvector_to_array(words)) as word from gatewright_search_books`,
    }[databases.dialect];
    expect(tested.length).toBeGreaterThan(14_000);
    const [missing, further]: [string[], string[]] = [[], []];
    for (let start = 0; start < tested.length; start += 2000) {
      const text = tested
        .slice(start, start + 2000)
        .map((letter) => `x${letter}y`)
        .join(' ');
      await books.execute('delete from books');
      await books.insert('', text);
      const [found, wanted] = [new Set(await books.words(vocabulary)), new Set(searchWords(text))];
      missing.push(...wanted.difference(found));
      further.push(...found.difference(wanted));
    }
    expect({ missing, further }).toEqual({ missing: [], further: [] });
  }, 60_000);

  it('migrations of a full-text search make the words of earlier releases again, beside writes', async () => {
    const books = await stage(databases, both);
    const many = 3000;
    await books.execute(`with recursive n (i) as (select 2 union all select i + 1 from n where i < ${many})
      insert into books (title, body, pages, created_at, updated_at)
      select 'Weiß ' || i, 'text', 1, '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z' from n`);
    // The words, and the triggers, as an earlier release has made them.
    const name = 'gatewright_search_books';
    const earlier = {
      sqlite: [
        ...['insert', 'update', 'delete'].map((action) => `drop trigger ${name}_${action}`),
        'drop view gatewright_rare_letters',
        'drop view gatewright_letters',
        `create view gatewright_letters as select 'ά' as letter, 'α' as plain`,
        `create trigger ${name}_insert after insert on books begin
          insert into ${name} (rowid, title, body) values (new.id, new.title, new.body); end`,
        `create trigger ${name}_update after update of title, body on books begin
          delete from ${name} where rowid = old.id;
          insert into ${name} (rowid, title, body) values (new.id, new.title, new.body); end`,
        `create trigger ${name}_delete after delete on books begin delete from ${name} where rowid = old.id; end`,
        `insert into ${name} (${name}) values ('delete-all')`,
        `insert into ${name} (rowid, title, body) select id, title, body from books`,
      ],
      postgres: [
        `create or replace function gatewright_search_words(value text) returns tsvector language sql immutable
          as $$ select to_tsvector('pg_catalog.simple', value) $$`,
        `delete from ${name}`,
        `insert into ${name} (id, words) select id, setweight(gatewright_search_words(title), 'A')
          || setweight(gatewright_search_words(body), 'B') from books`,
      ],
    }[databases.dialect];
    await books.inTransaction(earlier);
    expect(await books.find('weiss', both)).toEqual([]);
    expect(await books.find('text', both)).toHaveLength(many - 1);
    let done = false;
    const migrated = books.apply(foldedSearches.up).finally(() => {
      done = true;
    });
    let writes = 0;
    for (let nth = 1; !done && nth < many / 2; nth += 1) {
      await books.execute(`update books set title = 'Łódź ' || id where id = ${many - nth}`);
      await books.execute(`delete from books where id = ${2 * nth} and title not like 'Łódź%'`);
      await books.insert('Ødegård', 'text');
      writes += 3;
    }
    await migrated;
    expect(writes).toBeGreaterThan(3);
    const rows = await books.rows<{ id: number; title: string }>('select id, title from books order by id');
    for (const [word, start] of [
      ['weiss', 'Weiß'],
      ['lodz', 'Łódź'],
      ['odegard', 'Ødegård'],
    ] as const)
      expect(await books.find(word, both)).toEqual(
        rows.flatMap(({ id, title }) => (title.startsWith(start) ? [Number(id)] : [])),
      );
    expect(await books.fills()).toEqual([]);
    expect(await books.search()).toEqual(both);
    await books.insert('Strøm', 'nach der Änderung');
    expect(await books.find('strom', both)).toHaveLength(1);
  }, 60_000);

  it('migrations of a full-text search refuse a column that goes', async () => {
    const books = await stage(databases, both);
    await expect(books.alter({ drop: ['body'], search: { from: both, to: both } })).rejects.toThrow(
      'search: books has no column body any more',
    );
  });

  it('migrations of a full-text search follow a table that is renamed and dropped', async () => {
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
