import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { describeDatabase } from '../support/databases.ts';

const query = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters });

describeDatabase('sqlite', 'a process that is killed', (databases) => {
  it('a killed process has kept every row that it acknowledged, and no half of a unit', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    await database.execute(query('create table single (n integer primary key)'));
    await database.execute(query('create table paired (n integer, part integer)'));
    const child = startChild('faults/children/write-rows.ts', [url]);
    let acknowledged = -1;
    for await (const line of child.lines) {
      acknowledged = Number(line);
      if (acknowledged >= 2_000) child.process.kill('SIGKILL');
    }
    expect(await child.exited).toBeNull();
    const single = await database.all<{ n: number }>(query('select n from single'));
    const paired = await database.all<{ n: number; parts: number }>(
      query('select n, count(*) as parts from paired group by n'),
    );
    expect(paired.filter(({ parts }) => parts !== 2)).toEqual([]);
    const kept = new Set([...single, ...paired].map(({ n }) => n));
    const lost = Array.from({ length: acknowledged + 1 }, (_, n) => n).filter((n) => !kept.has(n));
    expect(acknowledged).toBeGreaterThanOrEqual(2_000);
    expect(lost).toEqual([]);
    expect(await database.get(query('pragma integrity_check'))).toEqual({ integrity_check: 'ok' });
  });
});

describeDatabase('sqlite', 'another process that holds the database', (databases) => {
  const prepared = async (busyLimit: number) => {
    const url = await databases.create();
    const database = await databases.open(url, { busyLimit });
    await database.execute(query('create table t (n integer)'));
    return { path: url.slice('sqlite:'.length), database };
  };

  it('delays writes for three seconds and fails none, while reads go on', async () => {
    const { path, database } = await prepared(10_000);
    const child = startChild('faults/children/hold-lock.ts', [path, '3000']);
    expect(await child.lines.next()).toMatchObject({ value: 'held' });
    const started = performance.now();
    let waiting = true;
    const writes = Promise.all([
      ...Array.from({ length: 20 }, (_, n) => database.execute(query('insert into t values (?)', n))),
      ...Array.from({ length: 20 }, (_, n) =>
        database.write((transaction) => transaction.run(query('insert into t values (?)', n))),
      ),
    ]).finally(() => {
      waiting = false;
    });
    const loop = monitorEventLoopDelay({ resolution: 5 });
    loop.enable();
    let reads = 0;
    while (waiting) {
      await database.get(query('select count(*) from t'));
      reads += 1;
      await turn();
    }
    loop.disable();
    await writes;
    const waited = performance.now() - started;
    expect(waited).toBeGreaterThan(2_000);
    expect(await database.get(query('select count(*) as n from t'))).toEqual({ n: 40 });
    expect(reads).toBeGreaterThan(1_000);
    // Had a write waited inside SQLite, the loop would have stood still for all of that time.
    expect(loop.max / 1e6).toBeLessThan(1_000);
    expect(await child.exited).toBe(0);
  });

  it('a process that holds the database too long is answered 503, and writes go on afterwards', async () => {
    const { path, database } = await prepared(200);
    const child = startChild('faults/children/hold-lock.ts', [path, '1500']);
    await child.lines.next();
    const outcomes = await Promise.allSettled([
      database.execute(query('insert into t values (1)')),
      database.write((transaction) => transaction.run(query('insert into t values (2)'))),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          problem: 'database_unavailable',
          status: 503,
          headers: { 'Retry-After': expect.any(String) },
        },
      });
    }
    expect(await child.exited).toBe(0);
    await database.execute(query('insert into t values (3)'));
    expect(await database.all(query('select n from t'))).toEqual([{ n: 3 }]);
  });
});

describeDatabase('sqlite', 'a full disk', (databases) => {
  it('a full disk is answered 503, loses nothing that was written, and ends when there is room again', async () => {
    const database = await databases.open();
    await database.execute(query('create table t (n integer primary key, text text)'));
    // The writing connection may not make the file any larger than this: SQLITE_FULL, as from a full disk.
    await database.execute(query('pragma max_page_count = 30'));
    const insert = (n: number) => query('insert into t values (?, ?)', n, 'x'.repeat(1_000));
    const written: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const numbers = Array.from({ length: 16 }, (_, index) => round * 16 + index);
      const outcomes = await Promise.allSettled(numbers.map((n) => database.execute(insert(n))));
      outcomes.forEach((outcome, index) => {
        if (outcome.status === 'fulfilled') written.push(numbers[index] ?? -1);
        else expect(outcome.reason).toMatchObject({ problem: 'database_unavailable' });
      });
    }
    expect(written.length).toBeGreaterThan(10);
    expect(written.length).toBeLessThan(320);
    expect((await database.all<{ n: number }>(query('select n from t'))).map(({ n }) => n)).toEqual(written);
    await database.execute(query('pragma max_page_count = 10000'));
    await database.execute(insert(1_000));
  });
});

describeDatabase('sqlite', 'a log that cannot be written at COMMIT', (databases) => {
  it('leaves the outcome unknown, and says so of what would have stood, of nothing else', async () => {
    const url = await databases.create();
    const child = fileURLToPath(new URL('children/file-limit.ts', import.meta.url));
    // Beyond the limit the system refuses to write (EFBIG), as a broken disk does: SQLITE_IOERR_WRITE.
    const script = `trap '' XFSZ; ulimit -f 1024; exec "$0" "$@"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, child, url]);
    expect(JSON.parse(stdout)).toEqual({
      alone: '50302 never',
      unit: '50302 never',
      batch: ['50302 never', expect.stringContaining('nowhere')],
      rows: true,
    });
  });
});

describeDatabase('sqlite', 'a damaged page', (databases) => {
  /** A file with a table of which some pages hold no sense, and a sound one. */
  const damaged = async () => {
    const url = await databases.create();
    const whole = await databases.open(url);
    for (const table of ['broken', 'sound']) {
      await whole.execute(query(`create table ${table} (id integer primary key, text text)`));
      const rows = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)';
      await whole.execute(query(`${rows} insert into ${table} select i, hex(randomblob(500)) from n`));
    }
    const page = await whole.get<{ pageno: number }>(
      query(`select pageno from dbstat where name = 'broken' and pagetype = 'leaf' limit 1 offset 5`),
    );
    await whole.close();
    const file = await open(url.slice('sqlite:'.length), 'r+');
    await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, ((page?.pageno ?? 0) - 1) * 4_096);
    await file.close();
    return databases.open(url);
  };
  const all = (table: string) => query(`select count(text) as n from ${table} where text <> 'x'`);
  const damage = { problem: 'database_damaged', status: 500 };

  it('fails the reads that meet it and no others, in one turn and in the next', async () => {
    const database = await damaged();
    for (let round = 0; round < 3; round += 1) {
      database.renewSnapshot?.();
      const [broken, sound] = await Promise.allSettled([
        database.get(all('broken')),
        database.get(all('sound')),
      ]);
      expect(broken).toMatchObject({ reason: damage });
      expect(sound).toEqual({ status: 'fulfilled', value: { n: 500 } });
      expect(database.revision?.(all('sound').sql)).toBeGreaterThan(0);
      await turn();
      await turn();
    }
    await expect(database.scan(all('broken'))).rejects.toMatchObject(damage);
    expect(await database.scan(all('sound'))).toEqual([{ n: 500 }]);
    const streamed = async (table: string): Promise<number> => {
      let length = 0;
      for await (const chunk of await database.stream(query(`select text as json from ${table}`)))
        length += chunk.length;
      return length;
    };
    await expect(streamed('broken')).rejects.toMatchObject(damage);
    expect(await streamed('sound')).toBeGreaterThan(500_000);
  });

  it('fails the writes that meet it and no others, alone and in a batch', async () => {
    const database = await damaged();
    const spoil = query(`update broken set text = 'x' where text <> 'x'`);
    const write = query(`insert into sound (text) values ('y')`);
    await expect(database.execute(spoil)).rejects.toMatchObject(damage);
    const outcomes = await Promise.allSettled([database.execute(spoil), database.execute(write)]);
    expect(outcomes[0]).toMatchObject({ reason: damage });
    await database.execute(write);
    const written = outcomes[1]?.status === 'fulfilled' ? 2 : 1;
    expect(await database.get(query(`select count(*) as n from sound where text = 'y'`))).toEqual({
      n: written,
    });
  });
});
