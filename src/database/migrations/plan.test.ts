import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import { field } from '../../fields/define.ts';
import { databaseTarget } from '../targets.ts';
import { alterTable, createTable } from './application-steps.ts';
import type { Migrations } from './migration.ts';
import { plan } from './plan.ts';
import { migrate, pending } from './runner.ts';

const options = { tableName: 'migrations' };

const first: Migrations = {
  '0001_books': {
    up: (db, dialect) =>
      createTable(db, dialect, 'books', { fields: { pages: field.integer(), code: field.string() } }),
  },
};

const both: Migrations = {
  ...first,
  '0002_more': {
    up: (db, dialect) =>
      alterTable(db, dialect, 'books', {
        rename: { code: 'isbn' },
        add: { status: field.enum(['a', 'b'], { required: true, default: 'a' }) },
        change: { pages: { from: field.integer(), to: field.string({ unique: true }) } },
      }),
  },
};

const query = (sql: string) => ({ sql, parameters: [] });

describeEachDatabase('a plan', (databases) => {
  it('a plan is the SQL that is run afterwards, and runs none of it', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    await migrate(target, first, options);
    const database = await databases.open(url);
    const at = '2024-01-01T00:00:00.000Z';
    await database.execute(
      query(`insert into books (pages, created_at, updated_at) values (7, '${at}', '${at}')`),
    );
    const steps = await plan(target, both, options);
    expect(steps.map(({ name }) => name)).toEqual(['0002_more']);
    const statements = steps[0]?.statements ?? [];
    expect(statements[0]).toBe('alter table "books" rename column "code" to "isbn";');
    expect(statements).toContain('-- every value of books.pages is converted');
    expect(statements.join('\n')).toMatch(/create unique index "books_pages_unique" on "books" \("pages"\);/);
    expect(await pending(target, both, options)).toEqual(['0002_more']);
    expect(await database.all(query('select pages, code from books'))).toEqual([{ pages: 7, code: null }]);
    await migrate(target, both, options);
    expect(await database.all(query('select pages, isbn, status from books'))).toEqual([
      { pages: '7', isbn: null, status: 'a' },
    ]);
    expect(await plan(target, both, options)).toEqual([]);
  });

  it('covers an empty database as far as it can be known', async () => {
    const url = await databases.create();
    const steps = await plan(databaseTarget(url), both, options);
    expect(steps.map(({ name }) => name)).toEqual(['0001_books', '0002_more']);
    expect(steps[0]?.statements[0]).toMatch(/^create table "books" /);
    const rest = steps[1]?.statements.join('\n');
    expect(rest).toMatch(
      databases.dialect === 'sqlite'
        ? /rename column "code" to "isbn"/
        : /-- 0002_more reads what the steps above make/,
    );
  });
});

describeDatabase('sqlite', 'a plan', (databases) => {
  it('makes no file', async () => {
    const url = await databases.create();
    await plan(databaseTarget(url), first, options);
    expect(existsSync(url.slice('sqlite:'.length))).toBe(false);
  });
});
