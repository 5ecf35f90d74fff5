import { describe, expect, it } from 'vitest';
import { ServiceClock } from './clock.ts';

const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;
const start = 1_800_000_000_000;

/** A machine whose clock can be set; time passes by `pass`, with a look every ten seconds or every minute. */
const machine = (left?: number) => {
  let [own, elapsed] = [start, 0];
  const clock = new ServiceClock(
    () => own,
    () => elapsed,
  );
  const begun = clock.start(left);
  const moves: unknown[] = [];
  const pass = (milliseconds: number, step: number = minute) => {
    for (let passed = 0; passed < milliseconds; passed += step) {
      own += step;
      elapsed += step;
      const move = clock.check();
      if (move !== undefined) moves.push([move.direction, Math.round(move.milliseconds / hour)]);
    }
  };
  const set = (milliseconds: number) => {
    own += milliseconds;
  };
  return { clock, begun, moves, pass, set, own: () => own, elapsed: () => elapsed };
};

describe('the clock of a service', () => {
  it('the clock of a service is that of its machine, for removals as well, while nothing leaps', () => {
    const { clock, begun, moves, pass, own } = machine(start - minute);
    expect(begun).toBeUndefined();
    pass(30 * day, hour / 2);
    expect([clock.now(), clock.removal(), moves]).toEqual([own(), own(), []]);
  });

  it('removes nothing by the time behind a leap for a day, and believes it then', () => {
    const { clock, moves, pass, set, own } = machine();
    set(2 * day);
    expect(clock.removal()).toBe(own() - 2 * day);
    pass(23 * hour);
    expect([own() - clock.removal(), clock.now()]).toEqual([2 * day, own()]);
    pass(2 * hour);
    expect([clock.removal(), moves]).toEqual([own(), [['forward', 48]]]);
  });

  it('forgets a leap that was taken back, and tells that the clock was set back', () => {
    const { clock, moves, pass, set, own } = machine();
    set(2 * day);
    pass(hour);
    set(-2 * day);
    pass(minute);
    expect([clock.removal(), moves]).toEqual([
      own(),
      [
        ['forward', 48],
        ['back', 48],
      ],
    ]);
  });

  it('goes on from the time that the last run left: a leap over a restart is one, and so is a step back', () => {
    const ahead = machine(start - 40 * day);
    expect(ahead.begun).toEqual({ direction: 'forward', milliseconds: 40 * day });
    expect(ahead.clock.removal()).toBe(start - 40 * day);
    const behind = machine(start + 2 * day);
    expect(behind.begun).toEqual({ direction: 'back', milliseconds: 2 * day });
    expect(behind.clock.removal()).toBe(start);
  });

  it('the clock of a service is the database’s where the two differ, also while the machine’s is being set', () => {
    const { clock, pass, set, own, elapsed } = machine();
    clock.compare(own() - 2 * day, elapsed(), elapsed() + 20);
    expect([clock.isOff, Math.round(clock.offset / hour)]).toEqual([true, 48]);
    expect(Math.abs(clock.now() - (own() - 2 * day))).toBeLessThan(second);
    const before = clock.now();
    set(-2 * day);
    pass(10 * second, second);
    expect(Math.abs(clock.now() - before - 10 * second)).toBeLessThan(second);
    clock.compare(own(), elapsed(), elapsed() + 20);
    expect([clock.isOff, clock.now()]).toEqual([false, own()]);
    // A slow comparison says little.
    clock.compare(own() + day, elapsed(), elapsed() + 10_000);
    expect([clock.isOff, clock.now()]).toEqual([false, own()]);
  });
});
