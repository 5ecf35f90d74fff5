import { expect, it } from 'vitest';
import { movableClock } from '../../support/clock.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService } from '../../support/service.ts';
import { createPeople } from '../resources/row-rules/people.ts';
import { keysOf, State } from '../resources/row-rules/plan.ts';
import { Random } from '../resources/row-rules/random.ts';
import { seed } from '../resources/row-rules/tables.ts';
import { migrationsOf } from '../resources/row-rules/world.ts';
import { playInterference } from './oracle/interference.ts';
import { someRelatedModels } from './oracle/plan.ts';
import type { Across } from './oracle/play.ts';
import type { Plain } from './oracle/policy.ts';
import { relatedResourceOf } from './oracle/world.ts';

/**
 * Records out of a caller's reach, links between records among them, and fields that they do not read change no byte of
 * any answer that goes across relations: no record, no total, no link, no tag. `Date` and `X-Request-Id` aside.
 * `RELATIONS_SEED` and `RELATIONS_WORLDS` as in relations-oracle.test.ts.
 */
const firstSeed = Number(process.env['RELATIONS_SEED'] ?? 20_261_201);
const worlds = Number(process.env['RELATIONS_WORLDS'] ?? 3);

describeEachDatabase('what related records are hidden', (databases) => {
  it('changes no byte of any answer', { timeout: 60_000 + worlds * 20_000 }, async () => {
    const plans = Array.from({ length: worlds }, (_, index) => {
      const random = new Random(firstSeed + index);
      return { seed: firstSeed + index, random, models: someRelatedModels(random, firstSeed + index) };
    });
    const all = plans.flatMap(({ models }) => models);
    await using service = await startService(databases, {
      clock: movableClock(),
      application: { resources: all.map(relatedResourceOf), migrations: migrationsOf(all) },
      apps: ['shop'],
      env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
    });
    const people = await createPeople(service, all, []);
    const persons = await service.ok<Plain[]>('GET', '/admin/users', { token: await service.admin() });
    const { inject, services } = service.server;
    const { database } = services;
    const common = { users: people.users, people, persons, inject, database, services, cells: new Map() };
    const counted = { answers: 0, changes: 0 };
    for (const { seed: worldSeed, random, models } of plans) {
      const playing: Across = { ...common, random, models, state: new State(keysOf(models)), faults: [] };
      await seed(random, database, playing);
      for (const caller of people.callers.filter(({ administers }) => !administers)) {
        const { answers, changes } = await playInterference(playing, caller);
        counted.answers += answers;
        counted.changes += changes;
        expect(playing.faults, `RELATIONS_SEED=${worldSeed} RELATIONS_WORLDS=1`).toEqual([]);
      }
    }
    const { answers, changes } = counted;
    console.log(`${databases.dialect}: ${answers} answers the same after ${changes} changes out of reach`);
    expect(changes).toBeGreaterThan(worlds * 20);
  });
});
