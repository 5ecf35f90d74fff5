import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('starts those of a turn together and in order, after the turn was announced', async () => {
  const seen: string[] = [];
  const turns = new Turns(() => seen.push('turn'));
  turns.join(() => seen.push('first'));
  turns.join(() => seen.push('second'));
  expect(seen).toEqual([]);
  await nextTurn();
  expect(seen).toEqual(['turn', 'first', 'second']);
  turns.join(() => seen.push('third'));
  await nextTurn();
  expect(seen).toEqual(['turn', 'first', 'second', 'turn', 'third']);
});

it('lets them go on in step', async () => {
  const seen: string[] = [];
  const turns = new Turns();
  for (const name of ['a', 'b', 'c']) {
    turns.join(() => {
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
  const turns = new Turns(() => {
    announced += 1;
  });
  for (let number = 0; number < 70; number += 1) {
    const steps = async (): Promise<void> => {
      seen.push(`start ${number}`);
      for (let step = 0; step < 10; step += 1) await undefined;
      seen.push(`end ${number}`);
    };
    turns.join(() => void steps());
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
  const turns = new Turns();
  for (let number = 0; number < 40; number += 1) {
    turns.join(() => {
      seen.push(number);
      if (number === 0) turns.join(() => seen.push(40));
    });
  }
  await nextTurn();
  await nextTurn();
  expect(seen).toEqual(Array.from({ length: 41 }, (_, index) => index));
});
