/** Milliseconds since the Unix epoch. Injected, so that tests move time instead of sleeping. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Difference up to which two clocks count as equal. */
const toleranceMs = 1_000;

/** Largest step forward that counts as normal. A larger one is a leap: a long suspension, or a wrong clock. */
const maxStepMs = 3_600_000;

/** Uptime after which the time behind a leap is trusted. */
const doubtMs = 86_400_000;

/** A time of the clock, and the reading of the monotonic clock at that moment. */
interface Reading {
  readonly time: number;
  readonly at: number;
}

/** A step of the clock against the monotonic clock. */
export interface ClockMove {
  readonly direction: 'back' | 'forward';
  readonly milliseconds: number;
}

/** The clocks of a service. `removal` measures the age of records that are to be removed. */
interface ServiceClocks {
  readonly now: Clock;
  readonly removal: Clock;
}

/**
 * The clock of a service: the machine's clock, or the database's where the two differ, as all instances share the
 * latter.
 *
 * Removal cannot be undone. Therefore `removal` follows a leap forward only after a day, and runs on from the time
 * before the leap until then.
 */
export class ServiceClock implements ServiceClocks {
  readonly #own: Clock;
  readonly #elapsed: Clock;
  /** The database's clock at the last comparison. */
  #database: Reading | undefined;
  /** The machine's clock less the database's, at the last comparison. */
  #offset = 0;
  #last: Reading;
  #trusted: Reading;
  #doubtedAt: number | undefined;

  /** @param elapsed the monotonic clock, in milliseconds */
  constructor(own: Clock = systemClock, elapsed: Clock = () => performance.now()) {
    this.#own = own;
    this.#elapsed = elapsed;
    this.#last = this.#read();
    this.#trusted = this.#last;
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

  readonly removal: Clock = () => Math.floor(Math.min(this.now(), this.#expected(this.#trusted)));

  /** Compares with a time of the database, which was read between two moments of the monotonic clock. */
  compare(time: number, begin: number, end: number): void {
    // The error is up to half of the time that the statement took.
    if (end - begin > 2 * toleranceMs) return;
    const reading = { time, at: (begin + end) / 2 };
    this.#offset = Math.round(this.#own() - this.#expected(reading));
    this.#database = reading;
  }

  /** Starts from the time that the last run has stored, and returns the first result of `check`. */
  start(storedTime: number | undefined): ClockMove | undefined {
    if (storedTime !== undefined) this.#last = { time: storedTime, at: this.#elapsed() };
    this.#trusted = this.#last;
    return this.check();
  }

  /** Returns a step back since the last check, or a leap forward, which is reported once; undefined for neither. */
  check(): ClockMove | undefined {
    const now = this.#read();
    const back = this.#expected(this.#last) - now.time;
    const leap = now.time - this.#expected(this.#trusted);
    this.#last = now;
    if (leap <= maxStepMs) {
      this.#trusted = now;
      this.#doubtedAt = undefined;
    } else if (this.#doubtedAt === undefined) {
      this.#doubtedAt = now.at;
      return { direction: 'forward', milliseconds: leap };
    } else if (now.at - this.#doubtedAt >= doubtMs) {
      this.#trusted = now;
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

/** Returns milliseconds since the epoch as `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form of every time in a response. */
export const toTimestamp = (milliseconds: number): string => {
  // Writes of the same batch share a time.
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

/** True if `YYYY-MM-DD` names a day that exists, years 0001 to 9999. */
export const isDate = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
};

/**
 * Parses an ISO 8601 timestamp with any offset. Without an offset it is UTC, a bare date is midnight UTC, and digits
 * below a millisecond are cut. Returns milliseconds since the epoch; undefined when the text is no timestamp of the
 * years 0001 to 9999 (in UTC), or its day does not exist.
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
