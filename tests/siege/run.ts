import { parseArgs } from 'node:util';
import { ensureBuilt } from '../tour/service.ts';
import { tableOf } from './report.ts';
import { scenariosOf } from './scenarios.ts';
import { Campaign, type Row } from './siege.ts';
import { createWorld, type DatabaseName } from './world.ts';

/**
 * `npm run siege [-- --minutes=10] [--database=sqlite|postgres] [--only=clock]`: the service under load, strangers and
 * faults, round after round, on each database for so many minutes (one round unless given), and at the end the table.
 * Status 1 where something did not hold.
 */
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0' },
    database: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
  },
});

const besiege = async (database: DatabaseName): Promise<readonly Row[]> => {
  const scenarios = scenariosOf(database, true).filter(({ name }) => name.includes(options.only));
  if (scenarios.length === 0) throw new Error(`no scenario of ${database} has '${options.only}' in its name`);
  const until = performance.now() + Number(options.minutes) * 60_000;
  const world = await createWorld(database);
  const campaign = new Campaign(world);
  const rows: Row[] = [];
  try {
    do
      for (const scenario of scenarios) {
        const row = await campaign.run(scenario);
        rows.push(row);
        const { seconds, perSecond, broken } = row;
        console.log(
          `${database}: ${scenario.name}: ${seconds.toFixed(1)} s, ${Math.round(perSecond)} writes/s`,
          ...broken.map((promise) => `\n  BROKEN ${promise}`),
        );
      }
    while (performance.now() < until);
  } finally {
    await world.end();
  }
  return rows;
};

await ensureBuilt();
for (const database of ['sqlite', 'postgres'] as const) {
  if (options.database !== '' && options.database !== database) continue;
  const rows = await besiege(database);
  console.log(`\n${database}\n\n${tableOf(rows)}\n`);
  if (rows.some(({ broken }) => broken.length > 0)) process.exitCode = 1;
}
