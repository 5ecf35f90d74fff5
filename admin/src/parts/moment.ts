/** Times and dates as text, in the language of the page and the time zone of the browser. */

import type { Language } from '../texts/provider.ts';

/** Name of the time zone in which this browser shows times: `Asia/Shanghai`. */
export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = {
  full: { dateStyle: 'medium', timeStyle: 'medium' },
  short: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
  /** For a time within the next minutes. */
  clock: { timeStyle: 'medium' },
  /** A date without a time is the same in all time zones. */
  date: { dateStyle: 'medium', timeZone: 'UTC' },
  exact: { dateStyle: 'long', timeStyle: 'long' },
  /** To the minute with the zone: for a time that other people have to keep. */
  zoned: {
    ...({ year: 'numeric', month: 'long', day: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const),
  },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

export type MomentFormat = keyof typeof formats;

/** Creating a formatter costs as much as a hundred uses. */
const made = new Map<string, Intl.DateTimeFormat>();

export const momentText = (language: Language, format: MomentFormat, at: Date): string => {
  const key = `${language} ${format}`;
  const known = made.get(key) ?? new Intl.DateTimeFormat(language, formats[format]);
  made.set(key, known);
  return known.format(at);
};

const day = 86_400_000;

const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relatives = new Map<Language, Intl.RelativeTimeFormat>();

const relativeFormat = (language: Language): Intl.RelativeTimeFormat => {
  const known = relatives.get(language) ?? new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  relatives.set(language, known);
  return known;
};

/** Adds the space between Chinese and digits, as everywhere on these pages. */
const withSpaces = (words: string): string => words.replace(/(\d)(?=[\u4e00-\u9fff])/gu, '$1 ');

/** Distance of a time from now, in the largest unit that is at least one; undefined within a minute. */
export const relativeText = (language: Language, distance: number): string | undefined => {
  const found = units.find(([, each]) => Math.abs(distance) >= each);
  if (found === undefined) return undefined;
  const [unit, length] = found;
  return withSpaces(relativeFormat(language).format(Math.trunc(distance / length), unit));
};

/** Days from today to a date, in the time zone of this browser. */
export const daysAhead = (date: string, now: number): number => {
  const today = new Date(now);
  const start = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  return Math.round((Date.parse(date) - start) / day);
};

export const daysText = (language: Language, days: number): string =>
  withSpaces(relativeFormat(language).format(days, 'day'));
