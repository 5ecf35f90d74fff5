import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';
import { TooLongError } from '../database.ts';

const query = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters });
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describeDatabase('sqlite', 'the files of a database', (databases) => {
  it('the files of a database are readable for their owner only, and so are the directories made for them', async () => {
    const path = join(dirname((await databases.create()).slice('sqlite:'.length)), 'new', 'deep', 'a.db');
    const database = await databases.open(`sqlite:${path}`);
    await database.execute(query('create table t (n integer)'));
    const files = readdirSync(dirname(path)).sort();
    expect(files).toEqual(['a.db', 'a.db-shm', 'a.db-wal']);
    for (const file of files) expect(modeOf(join(dirname(path), file))).toBe(0o600);
    expect(modeOf(dirname(path))).toBe(0o700);
    expect(modeOf(dirname(dirname(path)))).toBe(0o700);
  });

  it('become so where they were made by somebody less careful', async () => {
    const url = await databases.create();
    const path = url.slice('sqlite:'.length);
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    const database = await databases.open(url);
    await database.execute(query('create table t (n integer)'));
    for (const suffix of ['', '-wal', '-shm']) expect(modeOf(`${path}${suffix}`)).toBe(0o600);
  });

  it('the files of a database hold nothing of a deleted row once the log is written back', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    await database.execute(query('create table t (secret text)'));
    await database.execute(query('insert into t values (?)', 'a-very-secret-word'));
    await database.execute(query('pragma wal_checkpoint(truncate)'));
    await database.execute(query('delete from t'));
    await database.execute(query('pragma wal_checkpoint(truncate)'));
    const { readFile } = await import('node:fs/promises');
    expect((await readFile(url.slice('sqlite:'.length))).includes('very-secret')).toBe(false);
  });

  it('the files of a database leave no more for a checkpoint than a turn can wait for: a log of 400 pages, and the last commit', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    await database.execute(query('create table t (id integer primary key, n integer, filling text)'));
    const all =
      'with recursive r (i) as (select 1 union all select i + 1 from r where i < 4000) select i, 0, ? from r';
    await database.execute(query(`insert into t ${all}`, 'x'.repeat(2000)));
    await database.execute(query('pragma wal_checkpoint(truncate)'));
    for (let n = 1; n <= 1500; n += 1)
      await database.execute(query('update t set n = ? where id = ?', n, 1 + ((n * 197) % 4000)));
    // 24 bytes stand before each page, and 32 before all.
    expect(statSync(`${url.slice('sqlite:'.length)}-wal`).size).toBeLessThan(410 * (4096 + 24) + 32);
  });

  it('the files of a database are refused where they are no database, or a directory', async () => {
    const path = (await databases.create()).slice('sqlite:'.length);
    writeFileSync(path, 'not a database, however long it may be '.repeat(50));
    await expect(databases.open(`sqlite:${path}`)).rejects.toThrow(/not a database/);
    mkdirSync(`${path}.d`);
    await expect(databases.open(`sqlite:${path}.d`)).rejects.toThrow();
  });
});

describeDatabase('sqlite', 'prepared statements', (databases) => {
  it('sees a column that another connection has added under a prepared statement', async () => {
    const url = await databases.create();
    const [database, other] = [await databases.open(url), await databases.open(url)];
    await database.execute(query('create table t (a integer)'));
    await database.execute(query('insert into t values (1)'));
    const read = query('select * from t');
    expect(await database.get(read)).toEqual({ a: 1 });
    await other.execute(query('alter table t add column b integer'));
    expect(await database.get(read)).toEqual({ a: 1, b: null });
    expect(await database.write((transaction) => transaction.get(read))).toEqual({ a: 1, b: null });
  });
});

describeDatabase('sqlite', 'a group of writes', (databases) => {
  const prepared = async () => {
    const database = await databases.open();
    await database.execute(query('create table parents (id integer primary key)'));
    await database.execute(
      query('create table children (id integer references parents (id) deferrable initially deferred)'),
    );
    return database;
  };
  const count = async (database: Awaited<ReturnType<typeof prepared>>, table: string) =>
    (await database.get<{ n: number }>(query(`select count(*) as n from ${table}`)))?.n;

  it('a group of writes is not held up by a unit that awaits something else: that one is undone', async () => {
    const database = await prepared();
    const { promise, resolve } = Promise.withResolvers<void>();
    const insert = query('insert into parents default values');
    const outcomes = await Promise.allSettled([
      database.execute(insert),
      database.write(async (transaction) => {
        await transaction.run(insert);
        await promise;
        await transaction.run(insert);
      }),
      database.write((transaction) => transaction.run(insert)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({
      reason: { message: expect.stringContaining('awaited something other') },
    });
    // Its late statement finds its transaction over.
    resolve();
    await turn();
    expect(await count(database, 'parents')).toBe(2);
    await expect(
      database.write(async (transaction) => {
        await transaction.run(insert);
        await turn();
      }),
    ).rejects.toThrow(/awaited something other/);
    expect(await count(database, 'parents')).toBe(2);
  });

  it('a group of writes does not perish by a deferred foreign key of one of its units', async () => {
    const database = await prepared();
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((id) =>
        database.write(async (transaction) => {
          await transaction.run(query('insert into children values (?)', id));
          if (id !== 3) await transaction.run(query('insert into parents values (?)', id));
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[2]).toMatchObject({ reason: { name: 'ConstraintError', kind: 'foreign_key' } });
    expect(await count(database, 'children')).toBe(3);
  });

  it('a group of writes is refused as a whole where one of them ends the transaction', async () => {
    const database = await prepared();
    const outcomes = await Promise.allSettled([
      database.execute(query('insert into parents values (1)')),
      database.execute(query('insert or rollback into parents values (1)')),
      database.execute(query('insert into parents values (2)')),
    ]);
    expect(outcomes.slice(0, 2).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const kept = outcomes[2]?.status === 'fulfilled' ? 1 : 0;
    expect(await count(database, 'parents')).toBe(kept);
    await database.execute(query('insert into parents values (3)'));
  });

  it('waits for the turn that follows while turns bring more writes', async () => {
    const database = await prepared();
    const insert = query('insert into parents default values');
    const first = [database.execute(insert), database.execute(insert)];
    await turn();
    const late = database.execute(insert);
    await first[0];
    expect(await count(database, 'parents')).toBe(3);
    await Promise.all([...first, late]);
  });

  it('a group of one write waits for nothing', async () => {
    const database = await prepared();
    let done = false;
    const write = database.execute(query('insert into parents default values')).then(() => {
      done = true;
    });
    await turn();
    expect(done).toBe(true);
    await write;
  });

  it('a group of writes does not wait for long where every turn brings more', async () => {
    const database = await prepared();
    const insert = query('insert into parents default values');
    const more: Promise<unknown>[] = [];
    let done = false;
    const first = database.execute(insert).then(() => {
      done = true;
    });
    while (!done && more.length < 200) {
      more.push(database.execute(insert));
      const until = performance.now() + 0.2;
      while (performance.now() < until);
      await turn();
    }
    expect(more.length).toBeLessThan(100);
    await Promise.all([first, ...more]);
  });

  it('a group of writes is of bounded size, so that a read gets its turn before a thousand writes are done', async () => {
    const database = await prepared();
    let done = 0;
    const writes = Array.from({ length: 1_000 }, () =>
      database.execute(query('insert into parents default values')).then(() => {
        done += 1;
      }),
    );
    while (done === 0) await turn();
    expect(done).toBeLessThan(1_000);
    expect(await count(database, 'parents')).toBe(done);
    await Promise.all(writes);
    expect(await count(database, 'parents')).toBe(1_000);
  });

  it('takes no more than a bounded number of writes', async () => {
    const database = await prepared();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10_001 }, () => database.execute(query('insert into parents default values'))),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ problem: 'overloaded' }) },
    ]);
    expect(await count(database, 'parents')).toBe(10_000);
  });
});

describeDatabase('sqlite', 'reading in threads', (databases) => {
  /** Counts to a number: time without data. */
  const counting =
    'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?) select max(i) as i from n';

  it('runs many scans at once without holding up the event loop', async () => {
    const database = await databases.open();
    let turns = 0;
    let running = true;
    const scans = Promise.all(
      Array.from({ length: 6 }, () => database.scan(query(counting, 300_000))),
    ).finally(() => {
      running = false;
    });
    while (running) {
      await turn();
      turns += 1;
    }
    expect(await scans).toEqual(Array.from({ length: 6 }, () => [{ i: 300_000 }]));
    expect(turns).toBeGreaterThan(100);
  });

  it('a reader thread cannot write', async () => {
    const database = await databases.open();
    await expect(database.scan(query('create table t (n integer)'))).rejects.toThrow(
      /query_only|readonly|unavailable/,
    );
  });

  it('gives up a scan that takes too long, and the next one gets a thread', async () => {
    const database = await databases.open(undefined, { scanLimit: 500 });
    await expect(database.scan(query(counting, 20_000_000))).rejects.toMatchObject({ problem: 'overloaded' });
    const next = await databases.open(undefined, { scanLimit: 20_000 });
    expect(await next.scan(query(counting, 10))).toEqual([{ i: 10 }]);
    // The thread that was given up keeps its place until SQLite is out of the statement: only then it can be closed.
    const scans = () => database.figures?.().find(({ name }) => name === 'database_scans');
    await expect.poll(() => scans()?.samples, { timeout: 30_000 }).toEqual([{ value: 0 }]);
    // On a busy machine a new thread takes longer than the limit to begin.
    await expect.poll(() => database.scan(query(counting, 10)), { timeout: 30_000 }).toEqual([{ i: 10 }]);
  });

  it('ends a statement that makes too long a text, wherever it runs, and the next one like it runs as ever', async () => {
    const database = await databases.open();
    const read = { ...query('select group_concat(value) as text from json_each(?)'), longest: 2_000 };
    const words = (count: number) => ({ ...read, parameters: [JSON.stringify(Array(count).fill('word'))] });
    for (let time = 0; time < 4; time += 1) {
      await expect(database.scan(words(250))).resolves.toHaveLength(1);
      await expect(database.scan(words(1_000))).rejects.toThrow(TooLongError);
      await expect(database.get(words(250))).resolves.toBeDefined();
      await expect(database.get(words(1_000))).rejects.toThrow(TooLongError);
      await expect(database.scan({ ...words(1_000), longest: 9_000 })).resolves.toHaveLength(1);
    }
  });

  it('refuses a scan of very many rows', async () => {
    const database = await databases.open();
    const many =
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000000) select i from n';
    await expect(database.scan(query(many))).rejects.toThrow('more than 100000 rows');
    expect(await database.scan(query(counting, 10))).toEqual([{ i: 10 }]);
  });

  it('survives a scan that gathers more than a thread may hold', async () => {
    const database = await databases.open();
    const huge = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 90000)
      select i, printf('%.*c', 5000, 'x') as text from n`;
    await expect(database.scan(query(huge))).rejects.toMatchObject({ problem: 'database_unavailable' });
    expect(await database.scan(query(counting, 10))).toEqual([{ i: 10 }]);
  });
});
