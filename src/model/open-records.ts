import type { ResourceModel } from './resource.ts';
import { everyRecord, type RowExpression, type RowReachRule } from './row-expression.ts';

/** The terms that hold for every caller; undefined where there are none. */
const forAnybody = ({ others }: RowReachRule): readonly RowExpression[] | undefined =>
  others === 'none' ? undefined : others.map(({ expression }) => expression);

/**
 * The records that any authenticated caller may change, as no rule depends on who they are: all, or those that meet
 * the expression. Undefined where permissions decide, or a row rule that depends on the caller.
 */
export const openRecords = ({ rules }: ResourceModel): RowExpression | undefined => {
  const { permissions, isolation } = rules;
  if (permissions !== 'none') return undefined;
  if (isolation === undefined) return everyRecord;
  const read = forAnybody(isolation.read);
  const write = forAnybody(isolation.write);
  if (read === undefined || write === undefined) return undefined;
  return { kind: 'allOf', rules: isolation.read === isolation.write ? write : [...read, ...write] };
};
