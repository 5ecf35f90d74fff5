import type { ResourceModel } from './resource.ts';
import { everyRecord, type RowExpression, type RowReachRule } from './row-expression.ts';

/** What holds whoever calls; undefined where nothing does. */
const forAnybody = ({ others }: RowReachRule): readonly RowExpression[] | undefined =>
  others === 'none' ? undefined : others.map(({ expression }) => expression);

/**
 * The records that callers change who have nothing but credentials, as no rule asks who they are: every one, or those
 * that meet the expression. Undefined where permissions decide, or a row rule that asks for the caller.
 */
export const openRecords = ({ rules }: ResourceModel): RowExpression | undefined => {
  const { permissions, isolation } = rules;
  if (permissions !== 'none') return undefined;
  if (isolation === undefined) return everyRecord;
  const [read, write] = [forAnybody(isolation.read), forAnybody(isolation.write)];
  if (read === undefined || write === undefined) return undefined;
  return { kind: 'allOf', rules: isolation.read === isolation.write ? write : [...read, ...write] };
};
