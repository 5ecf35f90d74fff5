import { describe, expect, it } from 'vitest';
import { Restarts } from './primary.ts';

describe('the end of a worker', () => {
  it('a worker that ends is replaced at once where it had worked for a while', () => {
    const restarts = new Restarts();
    for (let time = 0; time < 20; time += 1) expect(restarts.pauseAfter(true, false)).toBe(0);
  });

  it('right at its start has it replaced more and more slowly, and not for ever', () => {
    const restarts = new Restarts();
    const pauses = Array.from({ length: 5 }, () => restarts.pauseAfter(false, false));
    expect(pauses).toEqual([200, 400, 800, 1_600, undefined]);
  });

  it('right at its start is followed by attempts for as long as others work', () => {
    const restarts = new Restarts();
    const pauses = Array.from({ length: 20 }, () => restarts.pauseAfter(false, true));
    expect(pauses.slice(0, 3)).toEqual([200, 400, 800]);
    expect(pauses.at(-1)).toBe(30_000);
  });

  it('counts from nought after a start that lasted', () => {
    const restarts = new Restarts();
    for (let time = 0; time < 4; time += 1) restarts.pauseAfter(false, false);
    restarts.recordSettled();
    expect(restarts.pauseAfter(false, false)).toBe(200);
  });
});
