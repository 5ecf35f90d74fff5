import { expect, it } from 'vitest';
import { movableClock } from '../../support/clock.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService } from '../../support/service.ts';
import type { Playing } from './row-rules/asking.ts';
import { playInterference } from './row-rules/interference.ts';
import { createPeople } from './row-rules/people.ts';
import { keysOf, State } from './row-rules/plan.ts';
import { playBefore } from './row-rules/play.ts';
import { Random } from './row-rules/random.ts';
import { scopeEndpoints } from './row-rules/scopes.ts';
import { seed } from './row-rules/tables.ts';
import { migrationsOf, resourceWith, someModels } from './row-rules/world.ts';

/**
 * Rows out of a caller's reach change nothing of a response: no byte of a body, no header, no total, no
 * message, in lists, records, history, events, the trash, batches and imports. Permitted differences:
 *
 * - `Date` and `X-Request-Id` are of the moment and of the request;
 * - the id of a new record is the next one of all records, readable or not: ids are never reused;
 * - what a rule says itself, where it asks hidden records on purpose, such as whether a record's team is open;
 * - that a value is taken (`unique`) or a record still referred to (409) holds among all records, as the contract has
 *   both: the worlds have no unique fields, and a 409 that a change brings about is such a rule.
 *
 * `ROW_RULES_SEED` and `ROW_RULES_WORLDS` as in row-rules-oracle.test.ts.
 */
const firstSeed = Number(process.env['ROW_RULES_SEED'] ?? 20_260_901);
const worlds = Number(process.env['ROW_RULES_WORLDS'] ?? 2);

describeEachDatabase('what is out of reach', (databases) => {
  it('changes no byte of any answer', { timeout: 60_000 + worlds * 20_000 }, async () => {
    const plans = Array.from({ length: worlds }, (_, index) => {
      const random = new Random(firstSeed + index);
      return { seed: firstSeed + index, random, models: someModels(random, firstSeed + index) };
    });
    const all = plans.flatMap(({ models }) => models);
    // Responses to writes contain the time: it is the same for all of them.
    const moment = Date.now();
    const clock = { ...movableClock(), now: () => moment, unix: () => Math.floor(moment / 1000) };
    await using service = await startService(databases, {
      clock,
      application: {
        resources: all.map((plan) => resourceWith(plan, { history: true, events: true, trash: true })),
        endpoints: scopeEndpoints,
        migrations: migrationsOf(all),
      },
      apps: ['shop'],
      env: { LOG_LEVEL: 'warn', API_DOCS: 'off' },
    });
    const people = await createPeople(service, all, scopeEndpoints);
    const { inject, services } = service.server;
    const { database } = services;
    const common = { users: people.users, people, inject, database, services, faults: [], cells: new Map() };
    const counted = { answers: 0, changes: 0 };
    for (const { seed: worldSeed, random, models } of plans) {
      const playing: Playing = { ...common, random, models, state: new State(keysOf(models)) };
      await seed(random, database, playing);
      await playBefore(playing, 12);
      const callers = people.callers.filter(({ administers }) => !administers);
      const rounds = [
        ...random.some(callers, 0.6, 1).map((caller) => ({ kind: 'past', caller }) as const),
        ...callers.map((caller) => ({ kind: 'present', caller }) as const),
      ];
      for (const { kind, caller } of rounds) {
        const { answers, changes } = await playInterference(playing, caller, kind);
        counted.answers += answers;
        counted.changes += changes;
        expect(playing.faults, `ROW_RULES_SEED=${worldSeed} ROW_RULES_WORLDS=1`).toEqual([]);
      }
    }
    console.log(
      `${databases.dialect}: ${counted.answers} answers the same after ${counted.changes} changes out of reach`,
    );
    expect(counted.changes).toBeGreaterThan(worlds * 20);
  });
});
