import { expect, it } from 'vitest';
import { DoublingPause } from './doubling-pause.ts';

it('a doubling pause doubles up to its maximum, and begins again after a success', () => {
  const pause = new DoublingPause(1_000, 5_000);
  const three = () => [pause.next(), pause.next(), pause.next()];
  expect([...three(), pause.next()]).toEqual([1_000, 2_000, 4_000, 5_000]);
  pause.reset();
  expect(three()).toEqual([1_000, 2_000, 4_000]);
});
