/** The steps of an explanation, as data: the rule, its outcome, the reason, and the parts of each kind. */

import type { RecordId } from '../../fields/key.ts';
import type { ExplainedRule } from '../../kernel/messages.ts';
import type { Step } from '../../policy/step.ts';
import type { ExplainedConditions } from './explained-conditions.ts';

/** A step of the policy, or one of those around it: the route before, authentication, the record after. */
export interface ExplainedStep extends Omit<Step, 'rule'> {
  readonly rule: ExplainedRule;
  /** The conditions of a row rule. */
  readonly conditions?: ExplainedConditions;
  /** For the permission check: each role of the caller, and whether it grants the action. */
  readonly grants?: ExplainedGrants;
  /** The scope or network restriction of a key. */
  readonly key?: ExplainedRestriction;
  /** The record, if it exists but is out of scope. */
  readonly record?: ExplainedRecord;
}

/** A record that the administrator reads and the caller does not reach. */
export interface ExplainedRecord {
  readonly model: string;
  readonly path: string;
  readonly id: RecordId;
  /** Null where the record has no owner. */
  readonly owner: { readonly id: number; readonly name: string } | null;
}

/** A restriction of a key, with the scope or address of the request; null: it is not known, or there is none. */
export interface ExplainedRestriction {
  readonly needed: string | null;
  readonly held: readonly string[];
}

export interface ExplainedGrants {
  readonly model: string;
  readonly action: string;
  readonly roles: readonly { readonly role: string; readonly allowed: boolean }[];
}
