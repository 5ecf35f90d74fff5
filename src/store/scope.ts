import type { ColumnValue } from '../fields/field.ts';
import type { Grant, RowCondition } from '../policy/grant.ts';
import { type View, viewOf } from './list-parameters.ts';
import { columnOf } from './projection.ts';
import type { Source } from './source.ts';

/** The rows that a caller may see: columns that must equal values. */
export interface Scope {
  readonly columns: readonly string[];
  readonly values: readonly ColumnValue[];
  /** The columns as a text, for keys of caches. */
  readonly key: string;
}

const everything: Scope = { columns: [], values: [], key: '' };

/**
 * The rows that a grant and further conditions leave; undefined where that is none. A condition on null leaves none
 * as well: it comes from a caller who has no such value, and must never open the rows that have none either.
 */
export const scopeOf = (grant: Pick<Grant, 'rows'>, extra: readonly RowCondition[]): Scope | undefined => {
  if (grant.rows === 'none') return undefined;
  if (grant.rows.length === 0 && extra.length === 0) return everything;
  const conditions = extra.length === 0 ? grant.rows : [...grant.rows, ...extra];
  const columns: string[] = [];
  const values: ColumnValue[] = [];
  let key = '';
  for (const { column, value } of conditions) {
    if (value === undefined) throw new TypeError(`the row filter has no value for ${column}`);
    if (value === null) return undefined;
    columns.push(column);
    values.push(value);
    key += `${column}\0`;
  }
  return { columns, values, key };
};

interface KnownView {
  readonly view: View;
  readonly id: number;
}

/** Views of one source by the fields that grants let read. There are few: one for each set that the policy makes. */
export class Views {
  readonly #source: Source;
  readonly #byArray = new WeakMap<readonly string[], KnownView>();
  readonly #byNames = new Map<string, KnownView>();

  constructor(source: Source) {
    this.#source = source;
    // A source without its key could not be listed at all.
    columnOf(source, source.key);
  }

  of(readable: readonly string[]): KnownView {
    const known = this.#byArray.get(readable);
    if (known !== undefined) return known;
    const names = JSON.stringify(readable);
    const made = this.#byNames.get(names) ?? {
      view: viewOf(this.#source, readable),
      id: this.#byNames.size,
    };
    this.#byNames.set(names, made);
    // Only an array that nobody can change stands for its names.
    if (Object.isFrozen(readable)) this.#byArray.set(readable, made);
    return made;
  }
}
