import { expect, it } from 'vitest';
import { field } from '../../../src/fields/define.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService } from '../../support/service.ts';
import { createPeople } from '../resources/row-rules/people.ts';
import { keysOf, State } from '../resources/row-rules/plan.ts';
import { Random } from '../resources/row-rules/random.ts';
import { seed } from '../resources/row-rules/tables.ts';
import { migrationsOf } from '../resources/row-rules/world.ts';
import { someRelatedModels } from './oracle/plan.ts';
import { type Across, playDetail, playList, playScope } from './oracle/play.ts';
import type { Plain } from './oracle/policy.ts';
import { relatedResourceOf } from './oracle/world.ts';

/**
 * Random models, relations, rules, callers and requests against two oracles: plain JavaScript over the rows, and the
 * other models' own detail endpoints. `RELATIONS_SEED` is the seed of the first world, and each next world has the next
 * one; `RELATIONS_WORLDS` says how many there are. A fault names the seed of its world.
 */
const firstSeed = Number(process.env['RELATIONS_SEED'] ?? 20_261_122);
const worlds = Number(process.env['RELATIONS_WORLDS'] ?? 5);
const rounds = 6;

/** A list through the scope of an application's code. */
const looks = defineEndpoint({
  method: 'POST',
  path: '/looks-across',
  auth: ['jwt', 'api_key', 'signature'],
  input: {
    model: field.string({ required: true }),
    system: field.boolean({ required: true }),
    filter: field.json({ required: true }),
    sort: field.json({ required: true }),
  },
  handle: async ({ records, asSystem, values }) => {
    const of = values.system ? asSystem('to look').records(values.model) : records(values.model);
    const query = { filter: values.filter as never, sort: values.sort as never, page: 1, perPage: 1000 };
    const { records: found, total } = await of.page(query);
    return { records: found, total: total ?? null };
  },
});

describeEachDatabase('related records under random rules', (databases) => {
  it('related records under random rules are included, filtered and sorted by as two oracles say', {
    timeout: 60_000 + worlds * 20_000,
  }, async () => {
    const plans = Array.from({ length: worlds }, (_, index) => {
      const random = new Random(firstSeed + index);
      return { seed: firstSeed + index, random, models: someRelatedModels(random, firstSeed + index) };
    });
    const all = plans.flatMap(({ models }) => models);
    await using service = await startService(databases, {
      application: {
        resources: all.map(relatedResourceOf),
        migrations: migrationsOf(all),
        endpoints: [looks],
      },
      apps: ['shop'],
      env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
    });
    const callers = await createPeople(service, all, [looks]);
    const token = await service.admin();
    const persons = await service.ok<Plain[]>('GET', '/admin/users', { token });
    const cells = new Map<string, number>();
    const { inject, services } = service.server;
    const started = performance.now();
    for (const { seed: worldSeed, random, models } of plans) {
      const playing: Across = {
        random,
        models,
        state: new State(keysOf(models)),
        users: callers.users,
        people: callers,
        persons,
        inject,
        database: services.database,
        services,
        faults: [],
        cells,
      };
      await seed(random, services.database, playing);
      for (let round = 0; round < rounds; round += 1)
        for (const caller of callers.callers) {
          const where = caller.administers && caller.method === 'jwt' && random.chance(0.5) ? 'admin' : 'api';
          await playDetail(playing, caller, where, random.pick(models));
          await playList(playing, caller, where, random.pick(models));
          if (random.chance(0.5)) await playScope(playing, caller, random.pick(models));
        }
      expect(playing.faults.slice(0, 5), `RELATIONS_SEED=${worldSeed} RELATIONS_WORLDS=1`).toEqual([]);
    }
    const total = [...cells.values()].reduce((sum, each) => sum + each, 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const table = [...cells].sort().map(([what, each]) => `${what}: ${each}`);
    console.log(`${databases.dialect}: ${total} answers in ${seconds} s; ${table.join(', ')}`);
    // The comparison proves nothing unless every outcome occurred.
    if (worlds >= 5)
      for (const outcome of [
        ...['alone 200', 'alone 404', 'detail 400', 'detail 403', 'list 400', 'list 403'],
        'detail with a hidden field',
      ])
        expect(cells.get(outcome) ?? 0, outcome).toBeGreaterThan(9);
  });
});
