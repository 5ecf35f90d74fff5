import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Arrivals } from './body.ts';

it('starts those of a turn at once and in order, after the turn was announced', async () => {
  const seen: string[] = [];
  const arrivals = new Arrivals(() => seen.push('turn'));
  arrivals.join(() => seen.push('first'));
  arrivals.join(() => seen.push('second'));
  expect(seen).toEqual([]);
  await nextTurn();
  expect(seen).toEqual(['turn', 'first', 'second']);
  arrivals.join(() => seen.push('third'));
  await nextTurn();
  expect(seen).toEqual(['turn', 'first', 'second', 'turn', 'third']);
});

it('lets them go on in step', async () => {
  const seen: string[] = [];
  const arrivals = new Arrivals();
  for (const name of ['a', 'b', 'c']) {
    arrivals.join(() => {
      const steps = async (): Promise<void> => {
        seen.push(`${name}1`);
        await undefined;
        seen.push(`${name}2`);
      };
      void steps();
    });
  }
  await nextTurn();
  expect(seen).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

it('starts all that a poll has brought, the next ones when the first have gone as far as they can', async () => {
  const seen: string[] = [];
  let announced = 0;
  const arrivals = new Arrivals(() => {
    announced += 1;
  });
  for (let number = 0; number < 70; number += 1) {
    const steps = async (): Promise<void> => {
      seen.push(`start ${number}`);
      for (let step = 0; step < 10; step += 1) await undefined;
      seen.push(`end ${number}`);
    };
    arrivals.join(() => void steps());
  }
  await nextTurn();
  await nextTurn();
  expect(announced).toBe(3);
  expect(seen).toHaveLength(140);
  expect(seen.indexOf('end 31')).toBeLessThan(seen.indexOf('start 32'));
  expect(seen.indexOf('end 63')).toBeLessThan(seen.indexOf('start 64'));
  expect(seen.indexOf('start 31')).toBeLessThan(seen.indexOf('end 0'));
});

it('takes newcomers while others still wait to start', async () => {
  const seen: number[] = [];
  const arrivals = new Arrivals();
  for (let number = 0; number < 40; number += 1) {
    arrivals.join(() => {
      seen.push(number);
      if (number === 0) arrivals.join(() => seen.push(40));
    });
  }
  await nextTurn();
  await nextTurn();
  expect(seen).toEqual(Array.from({ length: 41 }, (_, index) => index));
});
