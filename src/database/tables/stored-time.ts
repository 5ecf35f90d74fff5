/** The use of a stored time: what it decides, and the effect of a clock that was wrong when it was written. */

import type { Fragment } from '../statement.ts';

/** Returns the time that is a number of milliseconds ahead of now, as the column stores it. */
export type Ahead = (milliseconds: number) => Fragment;

/** Most milliseconds by which correct clocks may differ. */
export const clockSlackMs = 10_000;

interface DecidingTime {
  readonly decides: string;
  readonly wasAhead: string;
  readonly wasBehind: string;
}

/** A time that can be ahead of now by a known length. A later one was written by a wrong clock, and is void. */
export interface BoundedTime extends DecidingTime {
  readonly mostMs: number;
  /** The clock that writes it; that of the service by default. */
  readonly clock?: 'database' | 'service';
  /** The unit of a column that counts from the epoch, in milliseconds; absent for a timestamp. */
  readonly unitMs?: number;
  /** Condition on the rows to which it applies; all by default. */
  readonly of?: Fragment;
  /** Replaces the comparison with `mostMs`. */
  readonly found?: (ahead: Ahead) => Fragment;
  /** The replacement of a void time, and its column if that differs; without it the row is deleted. */
  readonly set?: { readonly aheadMs: number; readonly column?: string };
}

/**
 * A time that another part of the service checks, or that needs no check. `most` says in words how far ahead it can be.
 */
export interface UnboundedTime extends DecidingTime {
  readonly most: string;
}

/** `shown`: the time decides nothing. */
export type TimeUse = 'shown' | BoundedTime | UnboundedTime | readonly (BoundedTime | UnboundedTime)[];

export const seconds = (count: number): number => count * 1_000;

/** Replaces a void time by the present. */
export const setToNow = { aheadMs: 0 } as const;

/** A time by which old rows are removed, with the clock for removals (`ServiceClock`). */
export const removedAfter = (age: string, what: string): UnboundedTime => ({
  decides: `how long ${what} kept: ${age}`,
  most: 'now',
  wasAhead: 'kept longer by as much',
  wasBehind: 'removed sooner by as much',
});
