/** The rows that a caller reaches and may write, as one value for the statements of a write, and the values these bind. */

import type { SqlValue } from '../../database/database.ts';
import type { ColumnValue } from '../../fields/field.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import type { Grant } from '../../policy/grant.ts';
import { everyRow, type ReachTerm, type RowReach, reachOf } from '../rows/reach.ts';

/** Values that the statements on a table of records bind. */
export type WriteArguments = {
  /** Values of the written columns, in their order. */
  readonly values: readonly SqlValue[];
  /** Values of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Values of the row filter for writes. */
  readonly writes: readonly SqlValue[];
  /** Values of the conditions of fields. */
  readonly held: readonly SqlValue[];
  /** The id of the user who reads the response. */
  readonly reader: SqlValue;
  readonly id: number;
  /** Values of the companion inserts, one insert after the other. */
  readonly companions: readonly SqlValue[];
  /** Accepted versions; empty for any. */
  readonly versions: readonly SqlValue[];
};

/** Arguments for a statement that uses none of them. */
export const noArguments: WriteArguments = {
  values: [],
  rows: [],
  writes: [],
  held: [],
  reader: null,
  id: 0,
  versions: [],
  companions: [],
};

/** The rows that a caller reaches, and the rows among them that the caller may write. */
export interface WriteReach {
  readonly rows: RowReach;
  /** Undefined if every reached row may be written. */
  readonly writes: RowReach | undefined;
  /** Conditions of the fields that are written: on the row as it is, of a new one as it will be. */
  readonly held: RowReach;
  readonly key: string;
}

/** The reach of a grant for writes; undefined if it admits no row, neither before nor after a write. */
export const writeReachOf = (grant: Grant): WriteReach | undefined => {
  const rows = reachOf(grant);
  const held = grant.settledRows === undefined ? everyRow : reachOf({ rows: grant.settledRows });
  const writes = grant.writes === undefined ? undefined : reachOf({ rows: grant.writes });
  if (rows === undefined || held === undefined) return undefined;
  if (grant.writes === undefined) return { rows, writes, held, key: `${rows.key}\n\n${held.key}` };
  return writes && { rows, writes, held, key: `${rows.key}\n${writes.key}\n${held.key}` };
};

/** The arguments that the conditions of a reach bind. */
export const reachArguments = ({ rows, writes, held }: WriteReach) => ({
  rows: rows.values,
  writes: writes?.values ?? [],
  held: held.values,
});

/**
 * The part of a rule that the values of these columns decide. Undefined if they decide nothing: other columns may meet
 * the rule.
 */
const decidedRule = (rule: RowExpression, names: readonly string[]): RowExpression | undefined => {
  if ('column' in rule) return names.includes(rule.column) ? rule : undefined;
  const parts = rule.rules.map((part) => decidedRule(part, names));
  const rules = parts.filter((part) => part !== undefined);
  if (rule.kind === 'anyOf') return rules.length < parts.length ? undefined : { kind: 'anyOf', rules };
  return rules.length === 0 ? undefined : { kind: 'allOf', rules };
};

/** The conditions of a reach that the values of these columns decide. */
export const decidedReach = ({ terms, values, key }: RowReach, names: readonly string[]): RowReach => {
  const decided: { term: ReachTerm; value: ColumnValue }[] = [];
  for (const [index, term] of terms.entries()) {
    const isColumn = typeof term === 'string';
    const part = isColumn ? term : decidedRule(term, names);
    if (part === undefined || (isColumn && !names.includes(term))) continue;
    decided.push({ term: part, value: values[index] ?? null });
  }
  return { terms: decided.map(({ term }) => term), values: decided.map(({ value }) => value), key };
};
