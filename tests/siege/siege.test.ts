import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../tour/service.ts';
import { scenariosOf } from './scenarios.ts';
import { Campaign } from './siege.ts';
import { createWorld, type World } from './world.ts';

/** One round of what `npm run siege` does for as long as one likes. */
describe.each(['sqlite', 'postgres'] as const)('under siege (%s)', (database) => {
  let world: World | undefined;
  let campaign: Campaign | undefined;

  beforeAll(async () => {
    await ensureBuilt();
    world = await createWorld(database);
    campaign = new Campaign(world);
  }, 120_000);

  afterAll(() => world?.end());

  it.each(scenariosOf(database, false))(
    'the service holds under siege: $name',
    { timeout: 60_000 },
    async (scenario) => {
      const row = await campaign?.run(scenario);
      expect(row?.broken).toEqual([]);
      expect(row?.acknowledged).toBeGreaterThan(20);
    },
  );

  it('the siege would have noticed a write that was lost', async () => {
    expect(campaign?.ledger.compare((await world?.stored()) ?? []).lost).toEqual([]);
    await world?.beneath.run('delete from entries where id = (select max(id) from entries)');
    expect(campaign?.ledger.compare((await world?.stored()) ?? []).lost).toHaveLength(1);
  });
});
