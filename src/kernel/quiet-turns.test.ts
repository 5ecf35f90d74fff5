import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { QuietTurns } from './quiet-turns.ts';

/** How many pieces of work begin in 200 ms, while there are requests of a kind. */
const begun = async (requests: (quiet: QuietTurns) => void): Promise<number> => {
  const quiet = new QuietTurns();
  const until = performance.now() + 200;
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      await quiet.next();
      count += 1;
    }
  };
  const asking = async (): Promise<void> => {
    while (performance.now() < until) {
      requests(quiet);
      await turn();
    }
  };
  await Promise.all([work(), work(), work(), asking()]);
  return count;
};

describe('work in the background', () => {
  it('goes on at once while there is no request', async () => {
    expect(await begun(() => {})).toBeGreaterThan(50);
  });

  it('goes on once in 25 ms while every turn brings requests', async () => {
    const count = await begun((quiet) => {
      quiet.begun();
      quiet.ended();
    });
    expect(count).toBeLessThanOrEqual(12);
    expect(count).toBeGreaterThan(2);
  });

  it('goes on once in 25 ms while requests wait for something else', async () => {
    const count = await begun((quiet) => quiet.begun());
    expect(count).toBeLessThanOrEqual(12);
    expect(count).toBeGreaterThan(2);
  });
});
