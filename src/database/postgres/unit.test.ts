import { expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';
import { Pulse } from './pulse.ts';
import { Sessions } from './sessions.ts';
import { runUnit } from './unit.ts';

describeDatabase('postgres', 'a unit', (databases) => {
  it('fails where the server answers its COMMIT with ROLLBACK', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    await database.execute({ sql: 'create table t (n int)', parameters: [] });
    const pulse = new Pulse({ connectionString: url }, { hung: () => {}, back: () => {} });
    const sessions = new Sessions({ connectionString: url }, { places: 1 }, 10_000, pulse);
    try {
      const outcome = sessions.use('insert into t', (session) =>
        runUnit(session, async (transaction) => {
          await transaction.run({ sql: 'insert into t values (1)', parameters: [] });
          // Refused behind the transaction's back: to the server it has failed, the unit knows nothing of it.
          await session.runOnce('select 1 / 0').catch(() => {});
        }),
      );
      await expect(outcome).rejects.toThrow('The server answered COMMIT with ROLLBACK');
      expect(await database.get({ sql: 'select count(*) as n from t', parameters: [] })).toEqual({ n: 0 });
      const after = sessions.use('insert into t', (session) =>
        runUnit(session, (transaction) =>
          transaction.run({ sql: 'insert into t values (2)', parameters: [] }),
        ),
      );
      expect(await after).toBe(1);
    } finally {
      await sessions.close(1_000);
    }
  });
});
