import { expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';

describeDatabase('postgres', 'a session that listens', (databases) => {
  it('hears notifications, again after its connection was cut, and reports the cut', async () => {
    const url = await databases.create();
    const [one, other] = [await databases.open(url), await databases.open(url)];
    let heard = 0;
    const end = one.listen?.('channel', () => {
      heard += 1;
    });
    await expect.poll(() => heard).toBe(1);
    await other.tell?.('channel');
    await expect.poll(() => heard).toBe(2);
    await other.tell?.('another');
    const killed = await other.execute({
      sql: `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()`,
      parameters: [],
    });
    expect(killed).toHaveLength(1);
    await expect.poll(() => heard, { timeout: 5_000 }).toBe(3);
    await other.tell?.('channel');
    await expect.poll(() => heard).toBe(4);
    await end?.();
    const left = await other.all({
      sql: `select pid from pg_stat_activity where query like 'listen %' and datname = current_database()`,
      parameters: [],
    });
    expect(left).toEqual([]);
  });

  it('a session that listens does not hear notifications of its own process', async () => {
    const url = await databases.create();
    const [one, other] = [await databases.open(url), await databases.open(url)];
    const heard = { one: 0, other: 0 };
    const ends = [
      one.listen?.('channel', () => {
        heard.one += 1;
      }),
      other.listen?.('channel', () => {
        heard.other += 1;
      }),
    ];
    await expect.poll(() => heard).toEqual({ one: 1, other: 1 });
    await one.tell?.('channel');
    await expect.poll(() => heard).toEqual({ one: 1, other: 2 });
    // Notifications arrive in their order.
    await other.tell?.('channel');
    await expect.poll(() => heard).toEqual({ one: 2, other: 2 });
    for (const end of ends) await end?.();
  });

  it('a session that listens is none behind a pooler in transaction mode, which passes nothing on', async () => {
    const database = await databases.open(undefined, { prepare: false });
    expect([database.listen, database.tell]).toEqual([undefined, undefined]);
  });
});
