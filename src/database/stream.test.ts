import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import type { Database, DialectName, Query, SqlValue } from './database.ts';

const query = (sql: string, ...parameters: SqlValue[]): Query => ({ sql, parameters });

const create = 'create table notes (id integer primary key, body text not null)';

/** Rows numbered from 1, each with the same number of characters. */
const fill: Readonly<Record<DialectName, (rows: number, length: number) => Query>> = {
  sqlite: (rows, length) =>
    query(
      `insert into notes (id, body) with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
       select i, printf('%.*c', ?, 'x') from n`,
      rows,
      length,
    ),
  postgres: (rows, length) =>
    query(
      `insert into notes (id, body) select i, repeat('x', $2::int) from generate_series(1, $1::int) i`,
      rows,
      length,
    ),
};

const list: Readonly<Record<DialectName, string>> = {
  sqlite: `select json_object('id', id, 'body', body) as json from notes`,
  postgres: `select row_to_json(r)::text as json from (select id, body from notes) r`,
};

interface Note {
  readonly id: number;
  readonly body: string;
}

const parse = (chunk: string): Note[] => JSON.parse(`[${chunk}]`) as Note[];

const collect = async (chunks: AsyncIterable<string>): Promise<Note[]> => {
  const notes: Note[] = [];
  for await (const chunk of chunks) notes.push(...parse(chunk));
  return notes;
};

describeEachDatabase('a stream', (databases) => {
  const prepared = async (rows: number, length: number): Promise<Database> => {
    const database = await databases.open();
    await database.execute(query(create));
    if (rows > 0) await database.execute(fill[databases.dialect](rows, length));
    return database;
  };
  const all = query(`${list[databases.dialect]} order by id`);

  it.each([0, 1, 32, 33, 1_000])('gives each of %i rows once, in order', async (rows) => {
    const database = await prepared(rows, 10);
    const notes = await collect(await database.stream(all));
    expect(notes.map((note) => note.id)).toEqual(Array.from({ length: rows }, (_, index) => index + 1));
  });

  it('a stream binds its parameters', async () => {
    const database = await prepared(10, 1);
    const placeholder = databases.dialect === 'sqlite' ? '?' : '$1';
    const chunks = await database.stream(
      query(`${list[databases.dialect]} where id > ${placeholder} order by id`, 8),
    );
    expect((await collect(chunks)).map((note) => note.id)).toEqual([9, 10]);
  });

  it('gives 200,000 rows (120 MB) in constant memory, as chunks of about 64 KiB', async () => {
    const database = await prepared(200_000, 600);
    const before = process.memoryUsage().rss;
    let most = 0;
    let rows = 0;
    let longest = 0;
    for await (const chunk of await database.stream(all)) {
      rows += chunk.split('"id"').length - 1;
      longest = Math.max(longest, chunk.length);
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(rows).toBe(200_000);
    expect(longest).toBeLessThan(256 * 1024);
    expect(most / 2 ** 20).toBeLessThan(90);
  });

  it('shows the moment at which it began', async () => {
    const database = await prepared(5_000, 100);
    const chunks = await database.stream(all);
    await database.execute(query('delete from notes where id > 10'));
    await database.execute(query(`update notes set body = 'changed'`));
    const notes = await collect(chunks);
    expect(notes).toHaveLength(5_000);
    expect(new Set(notes.map((note) => note.body))).toEqual(new Set(['x'.repeat(100)]));
    expect(await database.get(query('select count(*) as n from notes'))).toEqual({ n: 10 });
  });

  it('a stream is open at most 8 times, and an early end makes room, read or not', async () => {
    const database = await prepared(5_000, 100);
    const open = await Promise.all(Array.from({ length: 8 }, () => database.stream(all)));
    // A ninth waits; its caller hangs up.
    const ninth = database.stream(all, { caller: 'user:1', signal: AbortSignal.timeout(50), cut: () => {} });
    await expect(ninth).rejects.toMatchObject({
      problem: 'overloaded',
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    });
    const [unread, read, ...others] = open;
    await unread?.return?.();
    expect(await unread?.next()).toEqual({ value: undefined, done: true });
    for await (const chunk of read ?? []) {
      expect(chunk).not.toBe('');
      break;
    }
    const again = await Promise.all([database.stream(all), database.stream(all)]);
    for (const chunks of [...others, ...again]) expect(await collect(chunks)).toHaveLength(5_000);
    expect(await collect(await database.stream(all))).toHaveLength(5_000);
  });

  it('keeps no place for a statement that fails', async () => {
    const database = await prepared(1, 1);
    for (let count = 0; count < 10; count += 1) {
      await expect(database.stream(query('select json from nowhere'))).rejects.toThrow(/nowhere/);
    }
    expect(await collect(await database.stream(all))).toHaveLength(1);
  });

  it('answers calls of next that do not wait for each other in order', async () => {
    const database = await prepared(2_000, 100);
    const chunks = await database.stream(all);
    const results = await Promise.all(Array.from({ length: 20 }, () => chunks.next()));
    const notes = results.flatMap((result) => (result.done === true ? [] : parse(result.value)));
    expect(notes.map((note) => note.id)).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
  });
});
