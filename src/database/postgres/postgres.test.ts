import { expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';
import { StatementNames } from './statement-names.ts';

const query = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters });

describeDatabase('postgres', 'sessions', (databases) => {
  it('sessions keep a bounded number of prepared statements', async () => {
    const database = await databases.open(undefined, { poolSize: 1 });
    for (let number = 0; number < 1_200; number += 1) {
      expect(await database.get(query(`select ${number}::int as n`))).toEqual({ n: number });
    }
    const prepared = await database.get<{ n: number }>(
      query('select count(*) as n from pg_prepared_statements'),
    );
    expect(prepared?.n).toBeGreaterThan(100);
    expect(prepared?.n).toBeLessThanOrEqual(501);
  });

  it('sessions go on when another instance changes a table under a prepared statement', async () => {
    const url = await databases.create();
    const database = await databases.open(url, { poolSize: 2 });
    const other = await databases.open(url);
    await database.execute(query('create table t (a int)'));
    await database.execute(query('insert into t values (1)'));
    const read = query('select * from t');
    const inUnit = () => database.write((transaction) => transaction.get(read));
    expect(await Promise.all([database.get(read), inUnit()])).toEqual([{ a: 1 }, { a: 1 }]);
    await other.execute(query('alter table t add column b int'));
    expect(await inUnit()).toEqual({ a: 1, b: null });
    await other.execute(query('alter table t add column c int'));
    expect(await database.get(read)).toEqual({ a: 1, b: null, c: null });
  });

  it('sessions have the settings of the service beside those of the URL', async () => {
    const url = new URL(await databases.create());
    url.searchParams.set('options', '-c work_mem=5MB -c TimeZone=Asia/Tokyo');
    const database = await databases.open(url.href);
    const settings = `select current_setting('TimeZone') as zone, current_setting('work_mem') as memory,
      current_setting('application_name') as name, current_setting('statement_timeout') as timeout,
      current_setting('lock_timeout') as lock`;
    expect(await database.get(query(settings))).toEqual({
      zone: 'UTC',
      memory: '5MB',
      name: 'gatewright',
      timeout: '30s',
      lock: '3s',
    });
  });

  it('sessions answer dates, JSON and numerics as the text that the server gives', async () => {
    const database = await databases.open();
    const values = `select date '2026-01-02' as d, timestamptz '2026-01-02 03:04:05.678+05:45' as t,
      json '{"a": 1}' as j, 1.50::numeric as n, true as b, 3::smallint as s, 0.5::float8 as f`;
    expect(await database.get(query(values))).toEqual({
      d: '2026-01-02',
      t: '2026-01-01 21:19:05.678+00',
      j: '{"a": 1}',
      n: '1.50',
      b: true,
      s: 3,
      f: 0.5,
    });
  });

  it('sessions that an operator ends are replaced, and nothing crashes', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    const operator = await databases.open(url, { poolSize: 1 });
    await Promise.all(Array.from({ length: 5 }, () => database.execute(query('select pg_sleep(0.05)'))));
    const running = database.execute(query('select pg_sleep(20)')).catch((error: unknown) => error);
    const active = `select count(*) as n from pg_stat_activity where query = 'select pg_sleep(20)' and state = 'active'`;
    await expect.poll(() => operator.get(query(active))).toMatchObject({ n: 1 });
    await operator.execute(
      query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`),
    );
    expect(await running).toMatchObject({ problem: 'database_unavailable' });
    await expect.poll(() => database.get(query('select 1 as n')).catch(() => 'not yet')).toEqual({ n: 1 });
  });

  it('sessions let no more than a bounded number of callers wait', async () => {
    const database = await databases.open(undefined, { poolSize: 1 });
    await database.execute(query('create table t (n int)'));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10_002 }, () => database.execute(query('insert into t values (1)'))),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const outcome of refused.slice(0, 2)) expect(outcome).toMatchObject({ reason: { status: 503 } });
    const kept = await database.get<{ n: number }>(query('select count(*) as n from t'));
    expect(kept?.n).toBe(10_002 - refused.length);
  });

  it('sessions are shared by more units than there are connections', async () => {
    const database = await databases.open(undefined, { poolSize: 2 });
    await database.execute(query('create table t (n int)'));
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        database.write((transaction) => transaction.run(query('insert into t values ($1)', n))),
      ),
    );
    expect(await database.get(query('select count(*) as n from t'))).toEqual({ n: 50 });
  });
});

describeDatabase('postgres', 'sessions that take no writes', (databases) => {
  it('sessions that take no writes are all replaced as soon as one has said so', async () => {
    const url = await databases.create();
    const operator = await databases.open(url, { poolSize: 1 });
    await operator.execute(query('create table t (n int)'));
    const name = new URL(url).pathname.slice(1);
    const set = (value: string) =>
      operator.execute(query(`alter database ${name} set default_transaction_read_only = ${value}`));
    await set('on');
    const database = await databases.open(url, { poolSize: 4 });
    const insert = query('insert into t values (1)');
    const write = () => database.write((transaction) => transaction.run(insert));
    const outage = { problem: 'database_unavailable', headers: { 'Retry-After': expect.any(String) } };
    const sleeps = () =>
      Promise.all(Array.from({ length: 4 }, () => database.scan(query('select pg_sleep(0.1)'))));
    await sleeps();
    await expect(database.execute(insert)).rejects.toMatchObject(outage);
    await expect(write()).rejects.toMatchObject(outage);
    await sleeps();
    await operator.execute(query('set default_transaction_read_only = off'));
    await set('off');
    // One caller may still see the error; none after that.
    await database.execute(insert).catch(() => {});
    for (let count = 0; count < 8; count += 1) await database.execute(insert);
    await Promise.all(Array.from({ length: 8 }, write));
  });
});

describeDatabase('postgres', 'names of prepared statements', (databases) => {
  const read = query('select $1::int as n', 1);

  it('names of prepared statements say what they stand for, so that no other process can have used one for something else', () => {
    const [one, other] = [new StatementNames(), new StatementNames()];
    one.nameOf('select 1');
    expect(other.nameOf(read.sql)).toBe(one.nameOf(read.sql));
    expect(one.nameOf('select 2')).not.toBe(one.nameOf('select 3'));
  });

  it.each(['deallocate all', `prepare NAME as select 0 as n`])(
    "names of prepared statements are given up where the session is somebody else's: %s",
    async (sql) => {
      const database = await databases.open(undefined, { poolSize: 1 });
      if (sql.startsWith('deallocate')) await database.get(read);
      const name = new StatementNames().nameOf(read.sql) ?? '';
      await database.execute(query(sql.replace('NAME', name)));
      const [outcome, inUnit] = await Promise.all([
        database.get(read),
        database.write((transaction) => transaction.get(read)),
      ]);
      expect([outcome, inUnit]).toEqual([{ n: 1 }, { n: 1 }]);
    },
  );

  it('names of prepared statements are not made where they are switched off', async () => {
    const database = await databases.open(undefined, { poolSize: 1, prepare: false });
    expect(await database.get(read)).toEqual({ n: 1 });
    expect(await database.get(query('select count(*) as n from pg_prepared_statements'))).toEqual({ n: 0 });
  });
});

describeDatabase('postgres', 'reads of one turn', (databases) => {
  it('reads of one turn share sessions, and each gets its own answer', async () => {
    const database = await databases.open();
    const read = query('select $1::int as n, pg_backend_pid() as session', 0);
    const rows = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        database.get<{ n: number; session: number }>({ ...read, parameters: [n] }),
      ),
    );
    expect(rows.map((row) => row?.n)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(new Set(rows.map((row) => row?.session)).size).toBeLessThanOrEqual(5);
  });

  it('reads of one turn fail alone, whether the statement or a value is refused', async () => {
    const database = await databases.open(undefined, { poolSize: 1 });
    const quotient = query('select 10 / $1::int as n');
    const outcomes = await Promise.allSettled([
      database.get({ ...quotient, parameters: [5] }),
      database.get({ ...quotient, parameters: [0] }),
      database.get(query('select nothing from nowhere')),
      database.get(query('select nothing from nowhere')),
      database.get({ ...quotient, parameters: ['x'] }),
      database.get({ ...quotient, parameters: [2] }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[5]).toMatchObject({ value: { n: 5 } });
    expect(await database.get({ ...quotient, parameters: [1] })).toEqual({ n: 10 });
  });

  it('all fail where their session is ended, and the next ones find another', async () => {
    const url = await databases.create();
    const database = await databases.open(url, { poolSize: 1 });
    const operator = await databases.open(url, { poolSize: 1 });
    const session = await database.get<{ pid: number }>(query('select pg_backend_pid() as pid'));
    const reads = [20, 0, 0].map((seconds) => query('select pg_sleep($1)', seconds));
    const outcomes = Promise.allSettled(reads.map((read) => database.get(read)));
    const active = query('select count(*) as n from pg_stat_activity where wait_event = $1', 'PgSleep');
    await expect.poll(() => operator.get(active)).toMatchObject({ n: 1 });
    await operator.get(query('select pg_terminate_backend($1)', session?.pid ?? 0));
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { problem: 'database_unavailable' } });
    expect(await database.get(query('select 3 as n'))).toEqual({ n: 3 });
  });

  it('reads of one turn do not wait for slow statements: scans and writes have sessions of their own', async () => {
    const database = await databases.open(undefined, { poolSize: 3 });
    let slow = 2;
    const done = (): void => {
      slow -= 1;
    };
    const scan = database.scan(query('select pg_sleep(1)')).then(done);
    const write = database.execute(query('select pg_sleep(1)')).then(done);
    await Promise.all(Array.from({ length: 20 }, () => database.get(query('select 1 as n'))));
    expect(slow).toBe(2);
    await Promise.all([scan, write]);
  });

  it('brief reads have sessions of their own, which slow ones leave free', async () => {
    const database = await databases.open(undefined, { poolSize: 6 });
    const by = (caller: string) => ({ caller, signal: new AbortController().signal, cut: () => {} });
    let slow = 3;
    const done = (): void => {
      slow -= 1;
    };
    const scans = ['user:1', 'user:2', 'user:3'].map((caller) =>
      database.scan(query('select pg_sleep(1)'), by(caller)).then(done),
    );
    const brief = { ...query('select 1 as n'), brief: true };
    await Promise.all(Array.from({ length: 20 }, () => database.scan(brief, by('user:1'))));
    expect(slow).toBe(3);
    await Promise.all(scans);
  });
});

describeDatabase('postgres', 'a slow unit that is run again after conflicts', (databases) => {
  it('keeps those of other tables not waiting, and those of its own for a moment', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    const other = await databases.open(url);
    for (const table of ['one', 'two'])
      await database.execute(
        query(`create table ${table} as select id, 0 as n from generate_series(1, 2) as id`),
      );

    /**
     * A unit that meets a conflict twice, on a row that another session changes meanwhile; the third run does as it
     * likes.
     */
    const conflicting = (table: string, id: number, third: () => Promise<void>) => {
      let runs = 0;
      return database.write(async (transaction) => {
        const row = query(`select n from ${table} where id = $1`, id);
        await transaction.get(row);
        runs += 1;
        if (runs < 3) await other.execute(query(`update ${table} set n = n + 1 where id = $1`, id));
        else await third();
        await transaction.run(query(`update ${table} set n = n + 1 where id = $1`, id));
        return runs;
      });
    };

    const [begun, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = conflicting('one', 1, () => {
      begun.resolve();
      return slow.promise;
    });
    await begun.promise;
    expect(await conflicting('two', 1, async () => {})).toBeGreaterThan(2);
    expect(await conflicting('one', 2, async () => {})).toBeGreaterThan(2);
    slow.resolve();
    expect(await held).toBeGreaterThan(2);
  });
});
