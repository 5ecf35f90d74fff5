import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { applyMigrations } from '../app/migrate.ts';
import type { Query } from './database.ts';
import { watchDatabase } from './database-watch.ts';
import { databaseTarget } from './targets.ts';

const query = (sql: string) => ({ sql, parameters: [] });

describeEachDatabase('watchDatabase', (databases) => {
  const watched = async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const state = { now: 0, writes: 0, reports: [] as string[] };
    const watch = await watchDatabase({
      database,
      clock: () => {
        state.writes += 1;
        return state.writes;
      },
      report: (what, sentence) => state.reports.push(`${what}: ${sentence}`),
      now: () => state.now,
    });
    return { database, watch, state };
  };

  it('writes once a second at most, however many ask', async () => {
    const { database, watch, state } = await watched();
    await Promise.all(Array.from({ length: 50 }, () => watch.ready()));
    state.now = 999;
    await watch.ready();
    expect(state.writes).toBe(1);
    state.now = 1_000;
    await watch.ready();
    expect(state.writes).toBe(2);
    expect(await database.get(query('select checked_at from gatewright_database'))).toEqual({
      checked_at: 2,
    });
    watch.stop();
  });

  it('repeats a refusal for a second too, then asks again', async () => {
    const { database, watch, state } = await watched();
    database.refuseWrites(new Error('for a test'));
    for (let count = 0; count < 3; count += 1)
      await expect(watch.ready()).rejects.toMatchObject({ problem: 'database_unavailable' });
    expect(state.writes).toBe(1);
    database.refuseWrites(undefined);
    state.now = 1_000;
    await expect(watch.ready()).resolves.toBeUndefined();
    watch.stop();
  });

  it('rejects in time where the database hangs, and checks again as soon as a late check has ended', async () => {
    const { database, watch } = await watched();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { execute } = database;
    database.execute = async <Row>(statement: Query) => {
      await held;
      return execute.call(database, statement) as Promise<Row[]>;
    };
    const start = performance.now();
    await expect(watch.ready()).rejects.toMatchObject({ problem: 'database_unavailable' });
    expect(performance.now() - start).toBeLessThan(1_900);
    const again = performance.now();
    await expect(watch.ready()).rejects.toMatchObject({ problem: 'database_unavailable' });
    expect(performance.now() - again).toBeLessThan(100);
    release();
    await expect
      .poll(() =>
        watch.ready().then(
          () => 'ready',
          () => 'not ready',
        ),
      )
      .toBe('ready');
    watch.stop();
  });

  it('refuses writes while another database answers, and tells each change once', async () => {
    const { database, watch, state } = await watched();
    const rename = (id: string) => query(`update gatewright_database set id = ${id}`);
    await database.execute(rename(`id || 'x'`));
    await watch.look();
    await watch.look();
    await expect(database.execute(rename('id'))).rejects.toMatchObject({ problem: 'database_unavailable' });
    await expect(database.write(async () => 1)).rejects.toMatchObject({ problem: 'database_unavailable' });
    database.refuseWrites(undefined);
    await database.execute(rename('substr(id, 1, 32)'));
    await watch.look();
    expect(state.reports).toEqual([
      'lost: the database is lost, writes are refused: another one stands in its place',
      'back: the database is the one of before again: writes are taken',
    ]);
    await database.execute(query('drop table gatewright_database'));
    await watch.look();
    expect(state.reports.at(-1)).toMatch(/it was emptied \(.*gatewright_database/);
    watch.stop();
  });
});
