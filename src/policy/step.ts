import type { GrantTerms } from './grant.ts';

/** The rules that a decision can rest on, in the order in which they are asked. */
export type StepRule =
  | 'password_change'
  | 'second_factor'
  | 'open'
  | 'user'
  | 'role'
  | 'administrator'
  | 'public_read'
  | 'permission'
  | 'isolation'
  | 'ownership'
  | 'restricted_fields';

/**
 * One rule that was looked at. `passed` lets go on, `refused` ends with a refusal, `narrowed` lets go on with fewer
 * rows or fields, `off` means that the resource does not use the rule.
 */
export interface Step {
  readonly rule: StepRule;
  readonly outcome: 'passed' | 'refused' | 'narrowed' | 'off';
  /** What it was decided by, for a reader: role names, an action, a column. Never a secret. */
  readonly because: string;
}

/** The steps that were taken, and the terms of the grant; none where a step refused. */
export interface Verdict {
  readonly steps: readonly Step[];
  readonly terms?: Omit<GrantTerms, 'principal'>;
}
