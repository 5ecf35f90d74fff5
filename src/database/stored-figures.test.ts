import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { applyMigrations } from '../app/migrate.ts';
import type { Figure } from '../kernel/figure.ts';
import type { Database } from './database.ts';
import { createStoredFigures, mostCounted, webhooksListed } from './stored-figures.ts';
import { databaseTarget } from './targets.ts';

const past = '2020-01-01T00:00:00.000Z';

/** Rows of a table, as many as asked for; `values` may name their number `i`. */
const fill = (database: Database, table: string, columns: string, values: string, count: number) =>
  database.execute({
    sql: `insert into ${table} (${columns}) with recursive n (i) as (
        select 1 union all select i + 1 from n where i < ${count}
      ) select ${values} from n returning id`,
    parameters: [],
  });

describeEachDatabase('figures that lie in the database', (databases) => {
  const migrated = async (): Promise<Database> => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    return databases.open(url);
  };
  const valuesOf = (figures: readonly Figure[], name: string) =>
    figures
      .find((figure) => figure.name === name)
      ?.samples.map(({ labels = {}, value }) => [...Object.values(labels), value]);

  it('stored figures are zero where nothing is stored', async () => {
    const figures = await createStoredFigures(await migrated())();
    expect(figures.flatMap(({ samples }) => samples.map(({ value }) => value))).toEqual(Array(9).fill(0));
    // Every instance tells the same.
    expect(new Set(figures.map(({ across }) => across))).toEqual(new Set(['max']));
    expect(figures.every(({ help }) => help.includes('by max, not by sum'))).toBe(true);
  });

  it('figures that lie in the database count no further than they say, and tell webhooks apart that are the furthest behind', async () => {
    const database = await migrated();
    const job = 'name, input, state, created_at, available_at';
    const more = mostCounted + 5;
    await fill(database, 'gatewright_jobs', job, `'a', '{}', 'failed', '${past}', null`, more);
    await fill(database, 'gatewright_jobs', job, `'a', '{}', 'waiting', '${past}', '${past}'`, 3);
    await fill(
      database,
      'gatewright_jobs',
      job,
      `'a', '{}', 'waiting', '${past}', '2099-01-01T00:00:00.000Z'`,
      2,
    );
    const event = 'model, record_id, version, action, at, actor_kind, fields';
    await fill(database, 'gatewright_events', event, `'A', i, 1, 'create', '${past}', 'user', '[]'`, 500);
    const webhook = 'url, models, actions, secret, cursor, disabled, created_at, updated_at';
    const values = (disabled: boolean) => `'u', '[]', '[]', 's', i, ${disabled}, '${past}', '${past}'`;
    await fill(database, 'gatewright_webhooks', webhook, values(false), webhooksListed + 20);
    await fill(database, 'gatewright_webhooks', webhook, values(true), 4);
    const figures = await createStoredFigures(database)();
    expect(valuesOf(figures, 'jobs')).toEqual([
      ['ready', 3],
      ['scheduled', 2],
      ['running', 0],
      ['failed', mostCounted],
    ]);
    const years = (valuesOf(figures, 'job_oldest_ready_seconds')?.[0]?.[0] as number) / 31_556_952;
    expect(years).toBeGreaterThan(5);
    expect(valuesOf(figures, 'event_last_number')).toEqual([[500]]);
    expect(valuesOf(figures, 'webhooks_disabled')).toEqual([[4]]);
    const lags = valuesOf(figures, 'webhook_lag_events') ?? [];
    expect([lags.length, lags[0], lags.at(-1)]).toEqual([100, ['1', 499], ['100', 400]]);
  });
});
