import { describe, expect, it } from 'vitest';
import { testsAll } from '../../tests/support/tiers.ts';
import type { RowExpression } from '../model/row-expression.ts';
import {
  caller,
  edited,
  hasMore,
  illegalIn,
  isSo,
  Random,
  type Small,
  smallOf,
  someCondition,
  WorldSets,
  witnessTables,
} from './test-worlds.ts';
import { compareConditions, type Judgement, type Witness } from './verdict.ts';

/** Pairs of conditions, and the first seed. */
const pairs = Number(process.env['CONDITION_PAIRS'] ?? (testsAll ? 1_000_000 : 10_000));
const firstSeed = Number(process.env['CONDITION_SEED'] ?? 1);
const perShape = 2000;

const show = (expression: RowExpression): string =>
  JSON.stringify(expression, (key, value) => (key === 'stored' ? undefined : value));

/** Why a world does not show what it is said to show; undefined if it does. */
const flawOf = (
  small: Small,
  witness: Witness | undefined,
  held: RowExpression,
  refuted: RowExpression,
): string | undefined => {
  if (witness === undefined) return 'no witness';
  const tables = witnessTables(witness, small);
  const illegal = illegalIn(tables, small.shapes);
  if (illegal !== undefined) return illegal;
  if (!isSo(held, witness.record, tables, witness.caller)) return 'the one does not hold';
  return isSo(refuted, witness.record, tables, witness.caller) ? 'the other holds too' : undefined;
};

/** The faults of a verdict. Worlds of a few rows refute what is said of all data; witnesses prove the rest. */
const faultsOf = (
  small: Small,
  sets: WorldSets,
  { verdict, gained, lost }: Judgement,
  before: RowExpression,
  after: RowExpression,
): readonly string[] => {
  const [one, other] = [sets.of(before), sets.of(after)];
  const faults: string[] = [];
  if (verdict === 'undecided') faults.push('undecided');
  const saysGained = verdict === 'wider' || verdict === 'differs';
  const saysLost = verdict === 'narrower' || verdict === 'differs';
  if (!saysGained && hasMore(other, one)) faults.push(`${verdict}, and a small world gains`);
  if (!saysLost && hasMore(one, other)) faults.push(`${verdict}, and a small world loses`);
  if (saysGained) faults.push(...[flawOf(small, gained, after, before)].flatMap((flaw) => flaw ?? []));
  if (saysLost) faults.push(...[flawOf(small, lost, before, after)].flatMap((flaw) => flaw ?? []));
  return faults;
};

describe('verdicts about random conditions', () => {
  it(`verdicts are those of every small world, and their witnesses hold: ${pairs} pairs`, {
    timeout: 3_600_000,
  }, () => {
    const counts: Record<string, number> = {};
    for (let done = 0, seed = firstSeed; done < pairs; seed += 1) {
      const random = new Random(seed);
      const small = smallOf(random);
      const sets = [new WorldSets(small, true), new WorldSets(small, false)];
      for (let at = 0; at < perShape && done < pairs; at += 1, done += 1) {
        const before = someCondition(random, small, small.model, 4);
        const after = random.chance(0.7)
          ? edited(random, small, before, small.model)
          : someCondition(random, small, small.model, 4);
        const [users, others] = sets;
        const set = random.chance(0.1) ? others : users;
        if (set === undefined) throw new Error('no worlds');
        const { shapes, model, action } = small;
        const subject = { shapes, model, action, user: set.user };
        const judged = compareConditions(subject, before, after);
        counts[judged.verdict] = (counts[judged.verdict] ?? 0) + 1;
        const faults = faultsOf(small, set, judged, before, after);
        if (faults.length > 0)
          throw new Error(
            `seed ${seed}, pair ${at}, user ${set.user}, ${action} ${model}: ${faults.join(', ')}\n${show(before)}\n${show(after)}\n${JSON.stringify(judged)}\n${JSON.stringify([...small.shapes].map(([name, { fields, unique }]) => [name, [...fields], unique]))}`,
          );
      }
    }
    expect(caller).toBe(1);
    for (const verdict of ['equal', 'narrower', 'wider', 'differs'])
      expect(counts[verdict]).toBeGreaterThan(pairs / 100);
  });
});
