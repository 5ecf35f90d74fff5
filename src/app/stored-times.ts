/** Every stored time that a wrong clock could spoil, with its effect and its bound. */

import { tokenLifetime } from '../auth/jwt.ts';
import type { TimeBound } from '../database/mend-times.ts';
import { decidingTimes } from '../database/tables.ts';

/** Every stored time on which a decision depends: times of the service's tables, and a few in other places. */

/** A stored time, and the effect of a clock that was wrong when it was written. */
export interface StoredTime {
  /** `table.column`, or another place. */
  readonly place: string;
  readonly decides: string;
  /** The maximum by which it may lie in the future, in words. */
  readonly maxAhead: string;
  readonly wasAhead: string;
  readonly wasBehind: string;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

const words = (milliseconds: number): string => {
  if (milliseconds === 0) return 'now';
  const [unit, length] = units.find(([, each]) => milliseconds % each === 0) ?? ['s', 1_000];
  return `${milliseconds / length} ${unit}`;
};

const columnTimes: readonly StoredTime[] = decidingTimes.map(({ table, column, use }) => ({
  place: `${table}.${column}`,
  decides: use.decides,
  maxAhead: 'most' in use ? use.most : words(use.mostMs),
  wasAhead: use.wasAhead,
  wasBehind: use.wasBehind,
}));

const otherTimes: readonly StoredTime[] = [
  {
    place: '`exp` of a token',
    decides: 'when a token ends',
    maxAhead: words(tokenLifetime * 1_000),
    wasAhead: 'ends later by as much: any `exp` in the future is valid; a new `jwt_secret` ends it',
    wasBehind: 'ends sooner by as much',
  },
  {
    place: '`X-Timestamp` of a signed request',
    decides: 'whether a signature is fresh',
    maxAhead: '5 min',
    wasAhead: 'refused, as the contract says',
    wasBehind: 'refused, as the contract says',
  },
  {
    place: '`created` of an HTTP message signature',
    decides: 'whether a signature is fresh, and how long its nonce is kept: `gatewright_nonces.expiry`',
    maxAhead: '5 min',
    wasAhead: 'refused',
    wasBehind: 'refused',
  },
  {
    place: '`until` of a replaced application key, in the credentials',
    decides: 'how long it still signs',
    maxAhead: 'any: chosen with `--grace`',
    wasAhead: 'stays longer by as much; `app rotate` without a grace ends it',
    wasBehind: 'ends sooner by as much',
  },
];

export const storedTimes: readonly StoredTime[] = [...columnTimes, ...otherTimes];

/** The times that are checked against their bound in the tables. */
export const timeBounds: readonly TimeBound[] = decidingTimes.flatMap(({ table, column, use }) =>
  'mostMs' in use ? [{ ...use, table, column }] : [],
);
