import type { ResourceModel } from './resource.ts';
import { everyRecord, type RowExpression, type RowReachRule } from './row-expression.ts';

/** The terms that hold for every caller; undefined where there are none. */
const forAnybody = ({ others }: RowReachRule): readonly RowExpression[] | undefined =>
  others === 'none' ? undefined : others.map(({ expression }) => expression);

/**
 * The records that any authenticated caller may change, as no rule depends on the caller: all, or the records that meet
 * the expression. Undefined where permissions decide, or a row rule that depends on the caller.
 */
export const openRecords = ({ rules }: ResourceModel): RowExpression | undefined => {
  const { permissions, isolation } = rules;
  if (permissions !== 'none') return undefined;
  if (isolation === undefined) return everyRecord;
  const read = forAnybody(isolation.read);
  if (read === undefined) return undefined;
  const changes = [...new Set([isolation.update, isolation.destroy])];
  const open = changes.flatMap((rule): RowExpression[] => {
    const write = forAnybody(rule);
    if (write === undefined) return [];
    return [{ kind: 'allOf', rules: isolation.read === rule ? write : [...read, ...write] }];
  });
  return open.length < 2 ? open[0] : { kind: 'anyOf', rules: open };
};
