/**
 * Conditions on dates in words: `next_30`, `last_7`, `before_90` (days), `today`, `yesterday`, `on_2026-03-03`.
 * Addresses and saved views keep the words, so that they mean the same on every day; a request for a list has times in
 * their place. A day is one of the user: from midnight to midnight by the clock of the browser.
 */

/** Operators that only these pages know: for times (`when`), and for dates (`days`). */
export const wordOperators = ['when', 'days'] as const;
export type WordOperator = (typeof wordOperators)[number];

export const isWordOperator = (operator: string): operator is WordOperator =>
  operator === 'when' || operator === 'days';

/** Words with a number of days. */
export const countedWords = ['last', 'next', 'before', 'after'] as const;
export const plainWords = ['today', 'yesterday'] as const;

export type DateWord = (typeof countedWords)[number] | (typeof plainWords)[number] | 'on';

export interface DateWords {
  readonly word: DateWord;
  /** Number of days of a counted word. */
  readonly count?: number;
  /** Date of `on`, `YYYY-MM-DD`. */
  readonly date?: string;
}

/** Maximum number of days: a century. */
const maxDays = 36_525;

export const parseWords = (value: string): DateWords | undefined => {
  const plain = plainWords.find((word) => word === value);
  if (plain !== undefined) return { word: plain };
  const [, name, rest = ''] = /^([a-z]+)_(.+)$/.exec(value) ?? [];
  if (name === 'on' && /^\d{4}-\d\d-\d\d$/.test(rest) && !Number.isNaN(Date.parse(rest)))
    return { word: 'on', date: rest };
  const counted = countedWords.find((word) => word === name);
  const count = /^\d{1,5}$/.test(rest) ? Number(rest) : 0;
  return counted === undefined || count < 1 || count > maxDays ? undefined : { word: counted, count };
};

export const wordsText = ({ word, count, date }: DateWords): string =>
  word === 'on' ? `on_${date}` : count === undefined ? word : `${word}_${count}`;

/** Bounds of a range, each inclusive or exclusive. */
interface Bounds {
  readonly gte?: string;
  readonly gt?: string;
  readonly lte?: string;
  readonly lt?: string;
}

/** Local midnight at the start of the day of `at`, moved by a number of days. */
const midnight = (at: Date, days = 0): Date => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days);

const twoDigits = (number: number): string => String(number).padStart(2, '0');

const dateOf = (at: Date): string =>
  `${String(at.getFullYear()).padStart(4, '0')}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;

const dayLength = 86_400_000;

const dayOf = (start: Date): Bounds => ({ gte: start.toISOString(), lt: midnight(start, 1).toISOString() });

/** The times that words mean now. */
const momentsOf = ({ word, count = 0, date = '' }: DateWords, now: Date): Bounds => {
  const daysLater = (days: number): string => new Date(now.getTime() + days * dayLength).toISOString();
  switch (word) {
    case 'today':
      return dayOf(midnight(now));
    case 'yesterday':
      return dayOf(midnight(now, -1));
    case 'on':
      return dayOf(midnight(new Date(`${date}T00:00`)));
    case 'last':
      return { gte: daysLater(-count), lte: daysLater(0) };
    case 'next':
      return { gte: daysLater(0), lte: daysLater(count) };
    case 'before':
      return { lt: daysLater(-count) };
    case 'after':
      return { gt: daysLater(count) };
  }
};

/** The dates that words mean today. */
const datesOf = ({ word, count = 0, date = '' }: DateWords, now: Date): Bounds => {
  const dateLater = (days: number): string => dateOf(midnight(now, days));
  switch (word) {
    case 'today':
      return { gte: dateLater(0), lte: dateLater(0) };
    case 'yesterday':
      return { gte: dateLater(-1), lte: dateLater(-1) };
    case 'on':
      return { gte: date, lte: date };
    case 'last':
      return { gte: dateLater(-count), lte: dateLater(0) };
    case 'next':
      return { gte: dateLater(0), lte: dateLater(count) };
    case 'before':
      return { lt: dateLater(-count) };
    case 'after':
      return { gt: dateLater(count) };
  }
};

/** The later of two lower bounds, or the earlier of two upper ones: a list meets both conditions. */
const stricterBound = (key: string, one: unknown, other: string): string => {
  if (typeof one !== 'string') return other;
  return /@gte?$/.test(key) === one > other ? one : other;
};

/** Filter values with times and dates in place of words. Unknown words stay, and the service refuses them. */
export const withResolvedWords = (
  values: Readonly<Record<string, unknown>>,
  now: Date,
): Readonly<Record<string, unknown>> => {
  if (!Object.keys(values).some((key) => isWordOperator(key.split('@')[1] ?? ''))) return values;
  const plain: Record<string, unknown> = {};
  const ranges: [string, Bounds][] = [];
  for (const [key, value] of Object.entries(values)) {
    const [field = '', operator = ''] = key.split('@');
    const words = isWordOperator(operator) ? parseWords(String(value)) : undefined;
    if (words === undefined) plain[key] = value;
    else ranges.push([field, operator === 'when' ? momentsOf(words, now) : datesOf(words, now)]);
  }
  for (const [field, bounds] of ranges)
    for (const [operator, bound] of Object.entries(bounds)) {
      const key = `${field}@${operator}`;
      plain[key] = stricterBound(key, plain[key], String(bound));
    }
  return plain;
};
