import type { ResourceModel } from '../../model/resource.ts';
import { hasVersion } from '../../model/stored-table.ts';

/** Versions in a millisecond: more than any record gets of writes in it. */
const perMs = 1_000;

/** The last first version of this process. */
let last = 0;

/**
 * The version with which a new record begins, at a time in milliseconds since 1970: where a caller gives ids, the time
 * in microseconds. A record whose id another one had before is thus never at a version of that one, and a kept `ETag`
 * of it matches nothing. The last digits are random, as no caller has to learn of records that others make.
 * Undefined where the column begins with 1 by itself: an id that the service gives is given once. In an external table
 * the column belongs to the other program, which may have made it for small numbers.
 */
export const firstVersion = ({ key, stored }: ResourceModel, now: number): number | undefined => {
  if (key.givenBy !== 'caller' || stored.external === true || !hasVersion(stored)) return undefined;
  last = Math.max(Math.trunc(now) * perMs + Math.trunc(Math.random() * perMs), last + 1);
  return last;
};
