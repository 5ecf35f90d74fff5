/**
 * Time zones by their names (`Europe/Berlin`): the offsets of local time from UTC, and the moments at which they
 * change. They come from Node's own data and not from a database, so that every database has the same local calendar.
 */

import { BoundedCache } from './bounded-cache.ts';

/** A change of the offset: from this moment on local time differs from UTC by so much. */
interface OffsetChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Seconds, positive east of Greenwich. */
  readonly offset: number;
}

/** The offset before the first change, and all changes in their order. */
export interface ZoneOffsets {
  readonly first: number;
  readonly changes: readonly OffsetChange[];
}

/** No zone has an earlier change. Before its first one local time is solar time, with an offset to the second. */
const firstMs = Date.UTC(1800, 0, 1);

/** The rules of today are computed up to here; the last offset holds from then on. */
const lastMs = Date.UTC(2100, 0, 1);

/** Shorter than the shortest time between two changes of a zone, of which the second takes the first one back. */
const stepMs = 6 * 24 * 3_600_000;

/** A process with requests for every zone has 400 lists of up to 365 changes. They never change while it runs. */
const known = new BoundedCache<ZoneOffsets>(400);

const offsetPattern = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Returns a function that reads the offset at a moment, in seconds. */
const readerOf = (timeZone: string): ((at: number) => number) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const text = format.format(at);
    const match = offsetPattern.exec(text);
    if (match === null) throw new Error(`no offset of ${timeZone} in: ${text}`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -offset : offset;
  };
};

/** The second of a change, from a moment before it and one at which the offset differs. */
const changeBetween = (read: (at: number) => number, before: number, after: number): number => {
  const old = read(before);
  let [low, high] = [before / 1000, after / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (read(middle * 1000) === old) low = middle;
    else high = middle;
  }
  return high * 1000;
};

const readOffsets = (name: string): ZoneOffsets => {
  const read = readerOf(name);
  const first = read(firstMs);
  const changes: OffsetChange[] = [];
  let [at, offset] = [firstMs, first];
  while (at < lastMs) {
    const next = Math.min(at + stepMs, lastMs);
    if (read(next) === offset) {
      at = next;
      continue;
    }
    at = changeBetween(read, at, next);
    offset = read(at);
    changes.push({ at, offset });
  }
  return { first, changes };
};

/** The name as Node's data has it; undefined for an unknown one. `+08:00` is an offset and not a zone. */
const nameOf = (text: string): string | undefined => {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

/** True if there is a zone of this name. */
export const isTimeZone = (text: string): boolean => nameOf(text) !== undefined;

/**
 * Returns the offsets of a zone, undefined if there is none of this name. The first call for a zone takes about 30 ms,
 * as its changes are looked for.
 */
export const zoneOffsets = (text: string): ZoneOffsets | undefined => {
  const name = nameOf(text);
  return name === undefined ? undefined : known.getOrMake(name, () => readOffsets(name));
};

/** Returns a function that reads the year of a moment by the clock of a zone. Its first call loads Node's data. */
export const yearReader = (timeZone: string): ((at: number) => number) => {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    format ??= new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric' });
    return Number(format.format(at));
  };
};
