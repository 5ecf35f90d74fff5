import { type Clock, systemClock } from './clock.ts';

/** Milliseconds by which two clocks may differ before it matters which of them is right. */
const toleranceMs = 1_000;

/** Milliseconds that time may pass over unseen. A longer leap may be a long stop, or a clock that is wrong. */
const leapMs = 3_600_000;

/** Milliseconds of running after which the time behind a leap is believed. */
const doubtMs = 86_400_000;

/** A time, and when it was read by the clock that never jumps. */
interface Reading {
  readonly time: number;
  readonly at: number;
}

/** How the clock has moved otherwise than time passes. */
export interface ClockMove {
  readonly direction: 'back' | 'forward';
  readonly milliseconds: number;
}

/** The clocks of a service: `removal` decides what is old enough to be removed. */
export interface ServiceClocks {
  readonly now: Clock;
  readonly removal: Clock;
}

/**
 * The clock of a service. It is that of its machine, unless the database's differs: that one counts then, as it is the
 * same for all instances.
 *
 * What was once removed does not come back, so `removal` does not follow a leap forward until it has been there for a
 * day: it goes on from the time before.
 */
export class ServiceClock implements ServiceClocks {
  readonly #own: Clock;
  readonly #elapsed: Clock;
  /** Of the database, at the last comparison. */
  #database: Reading | undefined;
  /** The machine's clock less the database's, at the last comparison. */
  #offset = 0;
  #last: Reading;
  #believed: Reading;
  #doubtedAt: number | undefined;

  /** @param elapsed milliseconds that only grow */
  constructor(own: Clock = systemClock, elapsed: Clock = () => performance.now()) {
    this.#own = own;
    this.#elapsed = elapsed;
    this.#last = this.#read();
    this.#believed = this.#last;
  }

  /** Milliseconds by which the machine's clock is ahead of the database's. */
  get offset(): number {
    return this.#offset;
  }

  get isOff(): boolean {
    return Math.abs(this.#offset) > toleranceMs;
  }

  readonly now: Clock = () => {
    const own = this.#own();
    if (this.#database === undefined) return own;
    const expected = this.#expected(this.#database);
    return Math.abs(own - expected) <= toleranceMs ? own : Math.round(expected);
  };

  readonly removal: Clock = () => Math.floor(Math.min(this.now(), this.#expected(this.#believed)));

  /** Compares with the database's clock, which was asked between two moments of `elapsed`. */
  compare(time: number, asked: number, answered: number): void {
    // It may be wrong by half of what the answer took.
    if (answered - asked > 2 * toleranceMs) return;
    const reading = { time, at: (asked + answered) / 2 };
    this.#offset = Math.round(this.#own() - this.#expected(reading));
    this.#database = reading;
  }

  /** Goes on from the time that the last run has left. */
  begin(left: number | undefined): ClockMove | undefined {
    if (left !== undefined) this.#last = { time: left, at: this.#elapsed() };
    this.#believed = this.#last;
    return this.look();
  }

  /** Tells of a move since the last look; of one forward only where it is a leap, and once. */
  look(): ClockMove | undefined {
    const now = this.#read();
    const back = this.#expected(this.#last) - now.time;
    const leap = now.time - this.#expected(this.#believed);
    this.#last = now;
    if (leap <= leapMs) {
      this.#believed = now;
      this.#doubtedAt = undefined;
    } else if (this.#doubtedAt === undefined) {
      this.#doubtedAt = now.at;
      return { direction: 'forward', milliseconds: leap };
    } else if (now.at - this.#doubtedAt >= doubtMs) {
      this.#believed = now;
      this.#doubtedAt = undefined;
    }
    return back > toleranceMs ? { direction: 'back', milliseconds: back } : undefined;
  }

  #read(): Reading {
    return { time: this.now(), at: this.#elapsed() };
  }

  #expected({ time, at }: Reading): number {
    return time + this.#elapsed() - at;
  }
}
