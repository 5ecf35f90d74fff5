/** The grant of a store call and its terms. Only this room mints one. */

import type { Principal } from '../auth/principal.ts';
import type { ColumnValue } from '../fields/field.ts';
import type { RowTerm } from '../model/row-expression.ts';

/** Conditions that every row must meet (AND); an empty list matches all rows, `none` matches none. */
export type RowFilter = readonly RowCondition[] | 'none';

export type RowCondition =
  /** A column has a value. */
  | { readonly column: string; readonly value: ColumnValue }
  /** A rule that holds for a caller: the id of a user, null for everybody else. */
  | { readonly rule: RowTerm; readonly caller: number | null };

/** Fields that the caller may write only where a record meets conditions: as it is, and a new one as it will be. */
export interface HeldFields {
  readonly fields: readonly string[];
  readonly rows: readonly RowCondition[];
}

/** Fields of a model that its callers see only in records that meet a condition. */
export interface MaskedFields {
  readonly fields: readonly string[];
  /** Conditions that all hold in these records; `none`: there is no such record. */
  readonly terms: readonly RowTerm[] | 'none';
}

/**
 * The masked fields of a model for one kind of caller, made once; conditions on the caller are about the grant's
 * principal.
 */
export interface FieldMask {
  /** Identifies the mask among the masks of the model. */
  readonly key: 'user' | 'others';
  readonly sets: readonly MaskedFields[];
}

/** The records that a reference in a body may name. */
export interface ReferenceTerms {
  /** Rows of the referenced model. */
  readonly rows: RowFilter;
  /** Rows of the written record's own model in which the stored value may stay. */
  readonly kept: RowFilter;
}

export interface GrantTerms {
  readonly principal: Principal;
  /** Rows that the caller reaches: all others are answered as missing. */
  readonly rows: RowFilter;
  /**
   * Rows among them that the caller may write, before and after: all others are forbidden. Absent where all may be
   * written.
   */
  readonly writes?: RowFilter | undefined;
  /** Fields that the caller may read in this response, and filter, sort and search by. */
  readonly readable: readonly string[];
  /** Readable fields, of the model's other views as well, that depend on the record; absent where none does. */
  readonly mask?: FieldMask | undefined;
  /** Fields that the caller may write; others in a body are ignored. */
  readonly writable: ReadonlySet<string>;
  /** Writable fields that depend on the record; absent where none does. */
  readonly held?: readonly HeldFields[] | undefined;
  /** Conditions of the fields that this write sets, which the writing statement checks once more (`settled`). */
  readonly settledRows?: RowFilter | undefined;
  /** Owner of a created record; undefined where the resource has no owner rule. */
  readonly owner?: number | null | undefined;
  /** The records that references in a body may name, by field; an absent reference may name any existing record. */
  readonly references?: ReadonlyMap<string, ReferenceTerms> | undefined;
}

/**
 * The permission to run one operation. A store call demands one, so a forgotten check does not compile. The class is
 * nominal (a private member), and only `decide.ts` and `system-grant.ts` may import this file, which the import check
 * enforces.
 */
export class MintedGrant implements GrantTerms {
  readonly #minted = true;
  readonly principal: Principal;
  readonly rows: RowFilter;
  readonly writes: RowFilter | undefined;
  readonly readable: readonly string[];
  readonly mask: FieldMask | undefined;
  readonly writable: ReadonlySet<string>;
  readonly held: readonly HeldFields[] | undefined;
  readonly settledRows: RowFilter | undefined;
  readonly owner: number | null | undefined;
  readonly references: ReadonlyMap<string, ReferenceTerms> | undefined;

  constructor(terms: GrantTerms) {
    this.principal = terms.principal;
    this.rows = terms.rows;
    this.writes = terms.writes;
    this.readable = terms.readable;
    this.mask = terms.mask;
    this.writable = terms.writable;
    this.held = terms.held;
    this.settledRows = terms.settledRows;
    this.owner = terms.owner;
    this.references = terms.references;
    Object.freeze(this);
  }

  /** The same grant for the rows that also meet the condition and the filter. */
  narrowed(condition: RowCondition, filter: RowFilter = []): MintedGrant {
    const rows = this.rows === 'none' || filter === 'none' ? 'none' : [...this.rows, condition, ...filter];
    return new MintedGrant({ ...this, rows });
  }

  /** The same grant for the write of one record: the fields of `met` are writable, the fields of `refused` are not. */
  settled(met: readonly HeldFields[], refused: readonly HeldFields[]): MintedGrant {
    const without = new Set(refused.flatMap(({ fields }) => fields));
    const rows = met.flatMap((each) => each.rows);
    return new MintedGrant({
      ...this,
      writable: new Set([...this.writable].filter((name) => !without.has(name))),
      held: undefined,
      settledRows: rows.length === 0 ? undefined : rows,
    });
  }

  /** True if a value is a grant that this module created. */
  static made(value: object): value is MintedGrant {
    return #minted in value && value.#minted;
  }
}
