import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { AuthOutcome } from './method.ts';

/** The parts that both methods by which applications sign requests have in common. */

/** Credentials of an application that are refused; its id is a claim. */
export const rejectedOf = (problem: ProblemName, appId: string | undefined): AuthOutcome<never> => ({
  kind: 'rejected',
  problem: new Problem(problem),
  claim: appId === undefined ? undefined : { kind: 'application', appId },
});

/**
 * True if a key of an application made a signature. It tries all keys without an early exit, and at least two: an
 * unknown application, one with a key and one during a rotation take the same time.
 * @param dummy a random key, which is tried in place of a missing one and never accepted
 */
export const isSignedByOneOf = (
  keys: readonly string[],
  dummy: string,
  verifies: (key: string) => boolean,
): boolean => {
  const padding = Array.from({ length: Math.max(0, 2 - keys.length) }, () => dummy);
  let signed = false;
  for (const [index, key] of [...keys, ...padding].entries())
    if (verifies(key) && index < keys.length) signed = true;
  return signed;
};
