import type { Clock } from '../../src/kernel/clock.ts';

/** The time of the machine, moved: what a service under test takes for now. */
export interface MovableClock {
  readonly now: Clock;
  /** Moves the clock by so many seconds; negative ones move it back. */
  advance(seconds: number): void;
  /** Back to the machine's own time. */
  reset(): void;
  /** Unix time in seconds, as `X-Timestamp` has it. */
  unix(): number;
}

export const movableClock = (): MovableClock => {
  let offset = 0;
  const now = (): number => Date.now() + offset;
  return {
    now,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    reset: () => {
      offset = 0;
    },
    unix: () => Math.floor(now() / 1000),
  };
};
