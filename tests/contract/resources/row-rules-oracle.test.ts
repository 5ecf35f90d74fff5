import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService } from '../../support/service.ts';
import type { Playing } from './row-rules/asking.ts';
import { createPeople } from './row-rules/people.ts';
import { keysOf, State } from './row-rules/plan.ts';
import { playWorld } from './row-rules/play.ts';
import { Random } from './row-rules/random.ts';
import { scopeEndpoints } from './row-rules/scopes.ts';
import { seed } from './row-rules/tables.ts';
import { migrationsOf, resourceWith, someModels } from './row-rules/world.ts';

/**
 * Random models, rules, memberships, callers and requests against an oracle of plain JavaScript. `ROW_RULES_SEED` is the
 * seed of the first world, and each next world has the next one; `ROW_RULES_WORLDS` says how many there are. A fault
 * names the seed of its world: with it and one world it is found again.
 */
const firstSeed = Number(process.env['ROW_RULES_SEED'] ?? 20_260_801);
const worlds = Number(process.env['ROW_RULES_WORLDS'] ?? 4);

describeEachDatabase('rows under random rules', (databases) => {
  it('rows under random rules are answered and written as an oracle says', {
    timeout: 60_000 + worlds * 20_000,
  }, async () => {
    const plans = Array.from({ length: worlds }, (_, index) => {
      const random = new Random(firstSeed + index);
      return { seed: firstSeed + index, random, models: someModels(random, firstSeed + index) };
    });
    const all = plans.flatMap(({ models }) => models);
    await using service = await startService(databases, {
      application: {
        resources: all.map((plan) => resourceWith(plan, { history: true, events: true, trash: true })),
        migrations: migrationsOf(all),
        endpoints: scopeEndpoints,
      },
      apps: ['shop'],
      env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
    });
    const people = await createPeople(service, all, scopeEndpoints);
    const cells = new Map<string, number>();
    const { inject, services } = service.server;
    const started = performance.now();
    for (const { seed: worldSeed, random, models } of plans) {
      const playing: Playing = {
        random,
        models,
        state: new State(keysOf(models)),
        users: people.users,
        people,
        inject,
        database: services.database,
        services,
        faults: [],
        cells,
      };
      await seed(random, services.database, playing);
      await playWorld(playing, { rounds: 2, writesPerRound: 25 });
      expect(playing.faults.slice(0, 5), `ROW_RULES_SEED=${worldSeed} ROW_RULES_WORLDS=1`).toEqual([]);
    }
    const total = [...cells.values()].reduce((sum, count) => sum + count, 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const table = [...cells].sort().map(([what, count]) => `${what}: ${count}`);
    console.log(`${databases.dialect}: ${total} answers in ${seconds} s; ${table.join(', ')}`);
    const countOf = (outcome: string) => cells.get(outcome) ?? 0;
    // The comparison proves nothing unless the rules let some calls pass.
    if (worlds >= 4)
      for (const outcome of [
        'create 201',
        'create 403',
        'create 422',
        'update 200',
        'update 403',
        'update 404',
        ...['batch 200', 'batch 403', 'batch 422', 'restore 200', 'restore 403', 'restore 404', 'trash 200'],
        ...['members named', 'managed 200', 'managed seen', 'return 200', 'return 404'],
        ...['import written', 'import refused', 'import forbidden'],
      ])
        expect(countOf(outcome) + countOf(outcome.replace(' ', ' by a scope ')), outcome).toBeGreaterThan(0);
  });
});
