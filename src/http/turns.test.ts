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

it('leaves what is too much for one turn to the next, which hears newcomers first come first served', async () => {
  const seen: number[] = [];
  let announced = 0;
  const turns = new Turns(() => {
    announced += 1;
  });
  for (let number = 0; number < 40; number += 1) turns.join(() => seen.push(number));
  await nextTurn();
  expect(seen).toHaveLength(32);
  turns.join(() => seen.push(40));
  await nextTurn();
  expect(announced).toBe(2);
  expect(seen).toEqual(Array.from({ length: 41 }, (_, index) => index));
});
