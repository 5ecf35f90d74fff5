import type { Reason } from '../kernel/messages.ts';
import type { GrantTerms } from './grant.ts';

/** The rules on which a decision can rest, in the order in which they are applied. */
export type StepRule =
  | 'password_change'
  | 'second_factor'
  | 'key_scope'
  | 'open'
  | 'user'
  | 'role'
  | 'administrator'
  | 'public_read'
  | 'permission'
  | 'isolation'
  | 'manage'
  | 'ownership'
  | 'restricted_fields';

/**
 * The application of one rule. `passed` continues, `refused` ends with a refusal, `narrowed` continues with fewer
 * rows or fields, `off` means that the resource does not use the rule.
 */
export interface Step {
  readonly rule: StepRule;
  readonly outcome: 'passed' | 'refused' | 'narrowed' | 'off';
  /** Role names, an action, a column. Never a secret. */
  readonly because: Reason;
}

/** The steps of a decision, and the terms of the grant; no terms where a step refused. */
export interface Verdict {
  readonly steps: readonly Step[];
  readonly terms?: Omit<GrantTerms, 'principal'> | undefined;
}
