import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { Problem } from '../kernel/problem.ts';
import { ConstraintError, type Database, type DialectName, type Query, type SqlValue } from './database.ts';

const query = (sql: string, ...parameters: SqlValue[]): Query => ({ sql, parameters });

const schema: Readonly<Record<DialectName, readonly string[]>> = {
  sqlite: [
    'create table users (id integer primary key autoincrement, name text not null, constraint users_name_unique unique (name))',
    'create table tags (label text)',
    'create unique index tags_lower_label_unique on tags (lower(label))',
    `create table posts (id integer primary key autoincrement, user_id integer references users (id), title text,
       stars integer check (stars >= 0), live boolean not null default 0)`,
  ],
  postgres: [
    'create table users (id bigint generated always as identity primary key, name text not null, constraint users_name_unique unique (name))',
    'create table tags (label text)',
    'create unique index tags_lower_label_unique on tags (lower(label))',
    `create table posts (id bigint generated always as identity primary key, user_id bigint references users (id),
       title text, stars bigint check (stars >= 0), live boolean not null default false)`,
  ],
};

const caught = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
};

describeEachDatabase('a database', (databases) => {
  /** Placeholders are the dialect's own: these statements are written by hand. */
  const sql = (text: string): string => {
    let count = 0;
    return databases.dialect === 'sqlite' ? text : text.replaceAll('?', () => `$${++count}`);
  };
  const insertUser = (name: string | null): Query =>
    query(sql('insert into users (name) values (?) returning id, name'), name);
  const insertPost = (userId: number | null, stars: number): Query =>
    query(sql('insert into posts (user_id, title, stars) values (?, ?, ?) returning id'), userId, 't', stars);
  const names = async (database: Database): Promise<string[]> =>
    (await database.all<{ name: string }>(query('select name from users order by id'))).map(
      (row) => row.name,
    );

  const prepared = async (): Promise<{ url: string; database: Database }> => {
    const url = await databases.create();
    const database = await databases.open(url);
    for (const statement of schema[databases.dialect]) await database.execute(query(statement));
    return { url, database };
  };

  it('answers rows, the first row, none, and what a statement returned', async () => {
    const { database } = await prepared();
    expect(await database.execute(insertUser('a'))).toEqual([{ id: 1, name: 'a' }]);
    await database.execute(insertUser('b'));
    expect(await database.all(query('select id, name from users order by id'))).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ]);
    expect(await database.get(query(sql('select name from users where id = ?'), 2))).toEqual({ name: 'b' });
    expect(await database.get(query(sql('select name from users where id = ?'), 9))).toBeUndefined();
    expect(await database.scan(query('select count(*) as n from users'))).toEqual([{ n: 2 }]);
    const changed = await database.write((transaction) =>
      transaction.run(query(`update users set name = name || '!'`)),
    );
    expect(changed).toBe(2);
  });

  it('lets one caller have two hundred scans under way: they wait for each other, and none is refused', async () => {
    const { database } = await prepared();
    const { signal } = new AbortController();
    const by = { caller: 'user:1', signal, cut: () => {} };
    const all = Array.from({ length: 200 }, () =>
      database.scan<{ one: number }>(query('select 1 as one'), by),
    );
    expect(new Set((await Promise.all(all)).flat().map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"one":1}']),
    );
  });

  it('keeps integers integers, also beyond 32 bits, and refuses what a number cannot hold', async () => {
    const { database } = await prepared();
    const big = Number.MAX_SAFE_INTEGER;
    await database.execute(insertPost(null, big));
    expect(await database.get(query(sql('select stars from posts where stars = ?'), big))).toEqual({
      stars: big,
    });
    const text =
      databases.dialect === 'sqlite' ? 'select cast(? as text) as t' : 'select $1::bigint::text as t';
    expect(await database.get(query(text, 2))).toEqual({ t: '2' });
    expect(await caught(database.get(query('select 9007199254740993 as n')))).toBeInstanceOf(RangeError);
  });

  it('writes booleans and finds them', async () => {
    const { database } = await prepared();
    await database.execute(query(sql('insert into posts (live) values (?), (?)'), true, false));
    expect(await database.all(query(sql('select id from posts where live = ?'), true))).toEqual([{ id: 1 }]);
  });

  it('undoes only the unit that fails, of 32 at a time', async () => {
    const { database } = await prepared();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, index) =>
        database.write(async (transaction) => {
          const user = await transaction.get<{ id: number }>(insertUser(`u${index}`));
          await transaction.get(insertPost(user?.id ?? null, index));
          if (index === 13) throw new Error('thirteen');
          return index;
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: new Error('thirteen') },
    ]);
    expect(outcomes[14]).toEqual({ status: 'fulfilled', value: 14 });
    expect(await names(database)).toHaveLength(31);
    expect(await names(database)).not.toContain('u13');
    expect(await database.get(query('select count(*) as n from posts'))).toEqual({ n: 31 });
  });

  it('undoes only the statement that fails, of 32 at a time', async () => {
    const { database } = await prepared();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, index) =>
        database.execute(insertUser(index === 13 ? null : `u${index}`)),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await names(database)).toHaveLength(31);
  });

  it('shows nothing of a transaction before its end, and all of it to every connection after', async () => {
    const { url, database } = await prepared();
    const other = await databases.open(url);
    const seen: string[][] = [];
    await database.write(async (transaction) => {
      await transaction.run(insertUser('a'));
      // A read outside of the unit is what this test is about: otherwise no code would wait for one here.
      seen.push(await names(database));
      expect(await transaction.all(query('select name from users'))).toEqual([{ name: 'a' }]);
    });
    expect(seen).toEqual([[]]);
    expect(await names(database)).toEqual(['a']);
    expect(await names(other)).toEqual(['a']);
  });

  it('refuses the whole unit where it goes on after a refused statement', async () => {
    const { database } = await prepared();
    await database.execute(insertUser('a'));
    const error = await caught(
      database.write(async (transaction) => {
        await transaction.run(insertUser('b'));
        await caught(transaction.run(insertUser('a')));
        return 'as if nothing had happened';
      }),
    );
    expect(error).toBeInstanceOf(ConstraintError);
    expect(await names(database)).toEqual(['a']);
  });

  it('lets a unit put its own error in the place of a violated constraint', async () => {
    const { database } = await prepared();
    await database.execute(insertUser('a'));
    const error = await caught(
      database.write(async (transaction) => {
        try {
          await transaction.run(insertUser('a'));
        } catch {
          throw new Problem('conflict');
        }
      }),
    );
    expect(error).toMatchObject({ problem: 'conflict' });
  });

  it('refuses a statement that comes after the end of its unit', async () => {
    const { database } = await prepared();
    let late: (() => Promise<unknown>) | undefined;
    await database.write(async (transaction) => {
      late = () => transaction.run(insertUser('late'));
    });
    expect(await caught(late?.() ?? Promise.resolve())).toMatchObject({
      message: expect.stringContaining('transaction is over'),
    });
    expect(await names(database)).toEqual([]);
  });

  it.each([
    ['unique', ['name'], () => insertUser('a')],
    ['unique', ['lower_label'], () => query(`insert into tags values ('a'), ('A')`)],
    ['not_null', [], () => insertUser(null)],
    ['foreign_key', [], () => insertPost(77, 1)],
    ['check', [], () => insertPost(null, -1)],
    ['foreign_key', [], () => query('delete from users')],
  ] as const)('names a violated constraint: %s %j', async (kind, columns, statement) => {
    const { database } = await prepared();
    await database.execute(insertUser('a'));
    await database.execute(insertPost(1, 1));
    const error = await caught(database.execute(statement()));
    expect(error).toBeInstanceOf(ConstraintError);
    expect(error).toMatchObject({ kind, columns });
    expect(await caught(database.write((transaction) => transaction.run(statement())))).toMatchObject({
      kind,
      columns,
    });
  });

  it('lets two units that would undermine each other not both succeed', async () => {
    const { url, database } = await prepared();
    const other = await databases.open(url);
    for (const name of ['a', 'b']) await database.execute(insertUser(name));
    // Each removes one user, provided that one remains: the last administrator's rule.
    const remove = (from: Database, name: string) =>
      from.write(async (transaction) => {
        const rows = await transaction.all(query('select id from users'));
        if (rows.length < 2) return false;
        return (await transaction.run(query(sql('delete from users where name = ?'), name))) === 1;
      });
    const removed = await Promise.all([remove(database, 'a'), remove(other, 'b')]);
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect(await names(database)).toHaveLength(1);
  });

  it('loses no update of units that meet on one row', async () => {
    const { url, database } = await prepared();
    const other = await databases.open(url);
    await database.execute(insertPost(null, 0));
    const increment = (on: Database) =>
      on.write(async (transaction) => {
        const row = await transaction.get<{ stars: number }>(query('select stars from posts where id = 1'));
        await transaction.run(query(sql('update posts set stars = ? where id = 1'), (row?.stars ?? 0) + 1));
      });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => increment(index % 2 === 0 ? database : other)),
    );
    expect(await database.get(query('select stars from posts where id = 1'))).toEqual({ stars: 40 });
  });

  it('refuses what comes after close, and closes twice', async () => {
    const { database } = await prepared();
    const taken = database.execute(insertUser('a'));
    await Promise.all([taken, database.close()]);
    await database.close();
    for (const late of [
      database.ping(),
      database.execute(insertUser('b')),
      database.scan(insertUser('c')),
      database.stream(insertUser('d')),
    ]) {
      expect(await caught(late)).toMatchObject({ problem: 'database_unavailable' });
    }
  });
});
