import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';
import { OwnedBytes } from '../../kernel/owned-bytes.ts';
import type { Query } from '../database.ts';

const shared = (sql: string, ...parameters: readonly (number | string)[]): Query => ({
  sql,
  parameters,
  shared: true,
});

const asker = (caller: string) => {
  const gone = new AbortController();
  return { by: { caller, signal: gone.signal, cut: () => {} }, hangUp: () => gone.abort() };
};

/** How many statements the server was asked for: each takes a number. */
const take = `select nextval('taken')::int as n, $1::text as text`;

describeDatabase('postgres', 'reads that are not sent yet', (databases) => {
  const open = async (poolSize = 10) => {
    const database = await databases.open(undefined, { poolSize });
    await database.execute({ sql: 'create sequence taken', parameters: [] });
    return database;
  };

  it('answer those that are the same, and no others', async () => {
    const database = await open();
    const ask = (text: string) => database.get<{ n: number; text: string }>(shared(take, text));
    const [one, same, other] = await Promise.all([ask('a'), ask('a'), ask('b')]);
    expect(same).toEqual(one);
    expect(other).toEqual({ n: 3 - Number(one?.n), text: 'b' });
    expect((await ask('a'))?.n).toBe(3);
    const own = { ...shared(take, 'a'), shared: false };
    const [first, second] = await Promise.all([database.get(own), database.get(own)]);
    expect(first).not.toEqual(second);
  });

  it('leave everybody the bytes that another has taken', async () => {
    const database = await open();
    const query = shared(`select cast(repeat('ä', $1) as bpchar) as json`, 10_000);
    const { by } = asker('user:1');
    type Row = { readonly json: Uint8Array };
    const ask = async () => (await database.get<Row>(query))?.json ?? new Uint8Array();
    const scan = async () => (await database.scan<Row>(query, by))[0]?.json ?? new Uint8Array();
    const taken = async (bytes: Promise<Uint8Array>) =>
      Buffer.from(new OwnedBytes(await bytes).take()).toString();
    const text = 'ä'.repeat(10_000);
    expect(await Promise.all([ask(), ask(), ask()].map(taken))).toEqual([text, text, text]);
    expect(await Promise.all([scan(), scan(), scan()].map(taken))).toEqual([text, text, text]);
    // Asked by one, they are moved.
    for (const own of [await ask(), await scan()]) {
      expect(Buffer.from(new OwnedBytes(own).take()).toString()).toBe(text);
      expect(own).toHaveLength(0);
    }
  });

  it('show whatever was committed before they were asked for', async () => {
    const database = await open(4);
    await database.execute({ sql: 'create table t (n int)', parameters: [] });
    const count = shared('select count(*)::int as n, pg_sleep(0.02) from t');
    const { by } = asker('user:1');
    const rounds = Array.from({ length: 6 }, async (_, worker) => {
      for (let round = 1; round <= 10; round += 1) {
        await database.execute({ sql: 'insert into t values ($1)', parameters: [worker] });
        const own = shared('select count(*)::int as n from t where n = $1', worker);
        expect((await database.scan<{ n: number }>(own, by))[0]?.n).toBe(round);
        const [seen] = await database.scan<{ n: number }>(count, by);
        expect(seen?.n).toBeGreaterThanOrEqual(round);
        expect((await database.get<{ n: number }>(own))?.n).toBe(round);
      }
    });
    await Promise.all(rounds);
  });

  it('are scans of one caller only, who takes one place with them', async () => {
    const database = await open(4);
    const slow = shared(`${take}, pg_sleep(0.2)`, 'a');
    const [one, other] = [asker('user:1').by, asker('user:2').by];
    const running = database.scan<{ n: number }>(slow, one);
    await turn();
    const waiting = [one, one, other].map((by) => database.scan<{ n: number }>(slow, by));
    const [[first], ...rest] = await Promise.all([running, ...waiting]);
    const [second, third, strange] = rest.map(([row]) => row?.n);
    expect(second).toBe(third);
    expect(new Set([first?.n, second, strange])).toEqual(new Set([1, 2, 3]));
  });

  it('go on for those who stay where somebody hangs up, and are given up where nobody stays', async () => {
    const database = await open(4);
    const running = database.scan(shared('select pg_sleep(0.4)'), asker('user:1').by);
    const [first, second] = [asker('user:1'), asker('user:1')];
    const kept = database.scan<{ n: number }>(shared(take, 'kept'), first.by);
    const also = database.scan<{ n: number }>(shared(take, 'kept'), second.by);
    const alone = asker('user:1');
    const left = database.scan(shared(take, 'left'), alone.by).catch((error: unknown) => error);
    first.hangUp();
    alone.hangUp();
    expect(await left).toMatchObject({ problem: 'overloaded' });
    // Who comes after that is not refused with them.
    const later = database.scan<{ n: number }>(shared(take, 'left'), asker('user:1').by);
    expect(await kept).toEqual(await also);
    expect((await later)[0]?.n).toBe(2);
    await running;
  });

  it('fail together, and are asked again by those who come after', async () => {
    const database = await open();
    const wrong = shared('select 1 / $1::int as n', 0);
    const outcomes = await Promise.allSettled([
      database.get(wrong),
      database.get(wrong),
      database.scan(wrong, asker('user:1').by),
      database.scan(wrong, asker('user:1').by),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
    expect(await database.scan(shared('select 1 / $1::int as n', 1))).toEqual([{ n: 1 }]);
  });
});
