import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { createApplication } from '../app/application.ts';
import { applyMigrations } from '../app/migrate.ts';
import type { Database } from '../database/database.ts';
import { databaseTarget } from '../database/targets.ts';
import { EventLog } from './event-log.ts';

/** More than one statement gives their numbers. */
const events = 4_500;

describeEachDatabase('the event log', (databases) => {
  it('the event log has numbered all that was committed before, however many processes number at once', async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), createApplication({}));
    const [one, other] = [await databases.open(url), await databases.open(url)];
    const hasInbox = one.dialect.commitOrderLock !== undefined;
    const written = hasInbox ? 'gatewright_event_inbox' : 'gatewright_events';
    const ask = async (database: Database, sql: string): Promise<number> =>
      Number((await database.get<{ count: number }>({ sql, parameters: [] }))?.count);
    for (let round = 1; round <= 4; round += 1) {
      await one.execute({
        sql: `insert into ${written} (model, record_id, version, action, at, actor_kind, fields)
          with recursive n (i) as (select 1 union all select i + 1 from n where i < ${events})
          select 'Order', i, 1, 'create', '2026-11-23T00:00:00.000Z', 'nobody', '[]' from n`,
        parameters: [],
      });
      const left = await Promise.all(
        [one, other, one, other].map(async (database) => {
          await new EventLog(database).settle();
          return ask(database, 'select count(*) as count from gatewright_event_inbox');
        }),
      );
      expect(left).toEqual([0, 0, 0, 0]);
      expect(await ask(other, 'select count(*) as count from gatewright_events')).toBe(round * events);
    }
  });
});
