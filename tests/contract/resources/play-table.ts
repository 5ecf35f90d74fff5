import { expect, it } from 'vitest';
import type { DialectName } from '../../../src/database/database.ts';
import { describeDatabase } from '../../support/databases.ts';
import { useService } from '../../support/service.ts';
import { testsAll } from '../../support/tiers.ts';
import { createCallers, grantEntries } from './callers.ts';
import { playCombination } from './cells.ts';
import { combinations, migrations, sample } from './combinations.ts';
import type { TableContext } from './rows.ts';

/**
 * The table of all rules on one database: every combination of the switches, every caller, every action and record,
 * against the oracle; and the explanation of each. Outside the long tier a sample of the combinations.
 */
export const playTable = (dialect: DialectName): void => {
  const played = testsAll ? combinations : sample;
  describeDatabase(dialect, `${played.length} combinations of rules`, (databases) => {
    const service = useService(databases, {
      application: { resources: played.map(({ model }) => model), migrations },
      apps: ['shop'],
      env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
    });

    it('answers, writes and explains as the contract says', { timeout: 600_000 }, async () => {
      await grantEntries(service, played);
      const [stranger, heir, admin] = [
        await service.createUser(),
        await service.createUser(),
        await service.admin(),
      ];
      const context: TableContext = {
        inject: service.server.inject,
        database: service.server.services.database,
        callers: await createCallers(service, 'shop'),
        stranger: stranger.id,
        heir: heir.id,
        asker: admin.token,
        faults: [],
        count: { cells: 0, explained: 0 },
        // An explanation reads the caller and the record from the database; all else is the same on both.
        explains: ({ acceptsAll }) => dialect === 'sqlite' || acceptsAll,
      };
      const started = performance.now();
      const before = process.cpuUsage();
      for (const combination of played) {
        await playCombination(context, combination);
        if (context.faults.length > 20) break;
      }
      const seconds = (performance.now() - started) / 1000;
      const { cells, explained } = context.count;
      const { user, system } = process.cpuUsage(before);
      const rate = Math.round((cells + explained) / seconds);
      console.log(
        `${dialect}: ${cells} cells, ${explained} explained, ${seconds.toFixed(1)} s (${Math.round((user + system) / 1e6)} s of a processor), ${rate} a second`,
      );
      expect(context.faults.slice(0, 20)).toEqual([]);
    });
  });
};
