/** The result of every reader of policies: a rule for each table, role and action, with its place in the source. */

import type { PlacedTable } from '../../../database/described-tables.ts';
import type { RowAction } from '../../../model/row-expression.ts';
import type { PolicyCondition } from './condition.ts';

/** The rows of a table that a role reaches by one action. */
export interface SourceRule {
  readonly table: PlacedTable;
  readonly role: string;
  readonly action: RowAction;
  /** Where the source says so: `the policies "own rows", "shared" on documents`. */
  readonly place: string;
  /** On the row as it is. `always` for a create. */
  readonly before: PolicyCondition;
  /** On the row as it will be; undefined where the source checks nothing after the write. */
  readonly after: PolicyCondition | undefined;
  /** Columns that the role reads or writes by it; undefined for all. */
  readonly columns: ReadonlySet<string> | undefined;
  /** The column that gets the id of the caller by itself, in a create. */
  readonly owner?: string | undefined;
  /** Why the source allows less, or otherwise, than a model can say: the action stays closed. A clause. */
  readonly closed?: string | undefined;
}

/** A part of the source that no model has. */
export interface LeftPolicy {
  readonly place: string;
  /** A clause. */
  readonly because: string;
}

export interface SourcePolicies {
  /** As the option names it, without a path: `row-security`. */
  readonly name: string;
  readonly rules: readonly SourceRule[];
  readonly left: readonly LeftPolicy[];
  /** True if the source applies the rule of reading to each update and deletion too. */
  readonly readsFirst: boolean;
}

/** The knowledge of a reader beside its source. */
export interface ReaderContext {
  /** Names of claims and settings that hold the id of the caller, in lower case. */
  readonly claims: ReadonlySet<string>;
}

/** A source that cannot be read: a sentence without its end. */
export class SourceError extends Error {}
