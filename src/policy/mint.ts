import type { Principal } from '../auth/principal.ts';
import type { ColumnValue } from '../fields/field.ts';
import type { RowTerm } from '../model/row-expression.ts';

/** Conditions that every row must meet (AND); an empty list lets all rows pass, `none` lets none. */
export type RowFilter = readonly RowCondition[] | 'none';

export type RowCondition =
  /** A column holds a value. */
  | { readonly column: string; readonly value: ColumnValue }
  /** A rule holds for a caller: the id of a user, null for everybody else, of whom it does not ask. */
  | { readonly rule: RowTerm; readonly caller: number | null };

/** Which records a reference in a body may name. */
export interface ReferenceTerms {
  /** Rows of the model that is referred to. */
  readonly rows: RowFilter;
  /** Rows of the written record's own model in which the value that stands there already may stay. */
  readonly kept: RowFilter;
}

export interface GrantTerms {
  readonly principal: Principal;
  /** What the caller reaches: everything else is answered as missing. */
  readonly rows: RowFilter;
  /** Of these, what they may write, before and after: everything else is forbidden. Absent where that is all. */
  readonly writes?: RowFilter | undefined;
  /** Fields that this caller may read in this answer: what is answered, filtered, sorted and searched by. */
  readonly readable: readonly string[];
  /** Fields that this caller may write; others in a body are ignored. */
  readonly writable: ReadonlySet<string>;
  /** Owner that a created record gets; undefined where the resource has no owner rule. */
  readonly owner?: number | null | undefined;
  /** What the references of a body may name, by field; one that is absent may name whatever exists. */
  readonly references?: ReadonlyMap<string, ReferenceTerms> | undefined;
}

/**
 * The permission to run one operation. A store call needs one, so forgetting the check does not compile. The class
 * is nominal (a private member), and only `decide.ts` and `system-grant.ts` may import this file: the import check
 * of the test command holds it so.
 */
export class MintedGrant implements GrantTerms {
  readonly #minted = true;
  readonly principal: Principal;
  readonly rows: RowFilter;
  readonly writes: RowFilter | undefined;
  readonly readable: readonly string[];
  readonly writable: ReadonlySet<string>;
  readonly owner: number | null | undefined;
  readonly references: ReadonlyMap<string, ReferenceTerms> | undefined;

  constructor(terms: GrantTerms) {
    this.principal = terms.principal;
    this.rows = terms.rows;
    this.writes = terms.writes;
    this.readable = terms.readable;
    this.writable = terms.writable;
    this.owner = terms.owner;
    this.references = terms.references;
    Object.freeze(this);
  }

  /** The same for fewer rows: those that meet this too. */
  narrowed(condition: RowCondition): MintedGrant {
    return new MintedGrant({ ...this, rows: this.rows === 'none' ? 'none' : [...this.rows, condition] });
  }

  /** Whether a value is a grant that this module made. */
  static made(value: object): value is MintedGrant {
    return #minted in value && value.#minted;
  }
}
