/** Milliseconds since the Unix epoch. Injected, so that tests move time instead of sleeping. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

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
interface ServiceClocks {
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

let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** Milliseconds since the epoch as `YYYY-MM-DDTHH:MM:SS.mmmZ`, the only form in which the service answers a time. */
export const toTimestamp = (milliseconds: number): string => {
  // Writes that come together have the same moment.
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
};

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;

/** Whether `YYYY-MM-DD` names a day that exists, years 0001 to 9999. */
export const isDate = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
};

/**
 * Reads an ISO 8601 timestamp: any offset, none meaning UTC, a bare date meaning midnight UTC; what is finer than a
 * millisecond is cut. Answers milliseconds since the epoch, or undefined where the text is no timestamp of the years
 * 0001 to 9999 (in UTC) or names a day that does not exist.
 */
export const parseTimestamp = (text: string): number | undefined => {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    sign,
    oh = '0',
    om = '0',
  ] = match;
  if (!isDate(`${year}-${month}-${day}`)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(oh) > 23 || Number(om) > 59)
    return undefined;
  const instant = new Date(0);
  instant.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  instant.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  );
  const offset = (Number(oh) * 60 + Number(om)) * 60_000 * (sign === '-' ? -1 : 1);
  const milliseconds = instant.getTime() - offset;
  const utcYear = new Date(milliseconds).getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9999 ? milliseconds : undefined;
};
