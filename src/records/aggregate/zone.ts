/** The local time of a zone in SQL: a search among the changes of its offset, whose values are bound. */

import { type Fragment, type StatementArguments, sql } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { ZoneOffsets } from '../../kernel/time-zone.ts';

/** The changes of a zone's offset, and the offsets before the first of them and from each on, as intervals. */
export interface ZoneValues extends StatementArguments {
  readonly changes: readonly string[];
  readonly shifts: readonly string[];
}

/** Number of changes in the statement: few sizes, so that few texts are prepared. */
export const changesOf = ({ changes }: ZoneOffsets): number =>
  2 ** Math.ceil(Math.log2(changes.length + 1)) - 1;

/** The values of a zone, padded with its last change: a time after it is after all of these. */
export const zoneValues = (zone: ZoneOffsets): ZoneValues => {
  const { first, changes } = zone;
  const last = changes.at(-1);
  const padded = Array.from({ length: changesOf(zone) }, (_, index) => changes[index] ?? last);
  return {
    changes: padded.map((change) => toTimestamp(change?.at ?? 0)),
    shifts: [first, ...padded.map((change) => change?.offset ?? first)].map((offset) => `${offset} seconds`),
  };
};

/** The offset at a time, as an interval, found among a number of changes by halving them. */
export const shiftAt = (
  time: Fragment,
  changes: number,
  param: (name: 'changes' | 'shifts', index: number) => Fragment,
): Fragment => {
  const between = (low: number, high: number): Fragment => {
    if (low === high) return param('shifts', low);
    const middle = Math.floor((low + high) / 2);
    const [before, after] = [between(low, middle), between(middle + 1, high)];
    return sql`case when ${time} < ${param('changes', middle)} then ${before} else ${after} end`;
  };
  return between(0, changes);
};
