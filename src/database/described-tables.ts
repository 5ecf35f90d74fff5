/**
 * Tables of any program as a database describes them, in words that are the same for every database: what
 * `gatewright adopt` reads. Nothing here writes.
 */

import type { ColumnKind } from '../fields/field.ts';
import type { Ask } from './introspection.ts';

/** The kind of values of a column, whatever the database calls it. */
export type StoredType =
  /** `max`: characters; undefined without a bound. */
  | {
      readonly kind: 'text';
      readonly max: number | undefined;
      /** The database fills it up with blanks. */
      readonly padded: boolean;
      /** The database takes capitals and small letters for the same. */
      readonly foldsCase: boolean;
    }
  /** `min` and `max`: what the column can hold; undefined beyond 2^53. `wide`: it was made for such numbers. */
  | {
      readonly kind: 'integer';
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly wide: boolean;
    }
  /** `precision`: digits in total; undefined without a bound. */
  | { readonly kind: 'decimal'; readonly precision: number | undefined; readonly scale: number | undefined }
  /**
   * `zoned`: an instant; without it, a time whose zone only the program knows. `fine`: values may have parts of a
   * millisecond.
   */
  | { readonly kind: 'timestamp'; readonly zoned: boolean; readonly fine: boolean }
  /** `places`: digits of a second after the point. */
  | { readonly kind: 'time'; readonly places: number }
  | { readonly kind: 'enum'; readonly choices: readonly string[] }
  /** `min` and `max`: what the column can hold; undefined for any double. */
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'boolean' | 'date' | 'uuid' | 'json' }
  /** Without a field of models; `because` is a clause. */
  | { readonly kind: 'other'; readonly because: string };

/** How the database gives a column its value where an INSERT has none. */
export type Provision =
  /** A value that does not depend on anything, as its text. */
  | { readonly by: 'constant'; readonly text: string }
  /** A number that the database counts up. */
  | { readonly by: 'count' }
  /** An expression, which an INSERT may replace. */
  | { readonly by: 'expression'; readonly sql: string }
  /** An expression that no statement can replace. */
  | { readonly by: 'always'; readonly sql: string };

export interface DescribedColumn {
  readonly name: string;
  /** The type as it was declared. */
  readonly declared: string;
  readonly type: StoredType;
  /** The name of its type or of the form of its values, where a model has to say it: see `StoredTable.types`. */
  readonly form?: string | undefined;
  /** Kinds of values that the service can serve from it. */
  readonly holds: readonly ColumnKind[];
  readonly notNull: boolean;
  readonly provision: Provision | undefined;
  readonly comment: string | undefined;
  /** False if the user of the connection may not select it. */
  readonly readable: boolean;
  /** Conditions of its domain, with `VALUE` for the column. */
  readonly checks: readonly string[];
}

export interface DescribedUnique {
  readonly name: string;
  readonly columns: readonly string[];
  /** Why it is no plain set of columns over all rows, as a clause. */
  readonly because: string | undefined;
}

export interface PlacedTable {
  /** Undefined where a database has no schemas. */
  readonly schema: string | undefined;
  readonly name: string;
}

export interface DescribedReference {
  /** SQLite names no key. */
  readonly name: string | undefined;
  readonly columns: readonly string[];
  readonly table: PlacedTable;
  readonly to: readonly string[];
  /** `no action`, `restrict`, `cascade`, `set null`, `set default`. */
  readonly onDelete: string;
}

export interface DescribedCheck {
  readonly name: string | undefined;
  /** The condition, without the word `check`. */
  readonly sql: string;
}

export type TableKind = 'table' | 'view' | 'materialized view' | 'foreign table';

export interface DescribedTable extends PlacedTable {
  readonly kind: TableKind;
  readonly columns: readonly DescribedColumn[];
  /** Columns of the primary key in its order; empty without one. */
  readonly key: readonly string[];
  readonly unique: readonly DescribedUnique[];
  readonly references: readonly DescribedReference[];
  readonly checks: readonly DescribedCheck[];
  readonly comment: string | undefined;
  /** `hidden`: the user of the connection sees only some of the rows. `exempt`: it is on, and this user sees all. */
  readonly rowSecurity: 'off' | 'hidden' | 'exempt';
  /** The table of which it is a part. */
  readonly partitionOf: string | undefined;
  /** The table whose columns it inherits, and whose lists have its rows too. */
  readonly inherits: string | undefined;
  /** The extension that made it. */
  readonly extension: string | undefined;
  /** True for tables that hold parts of another one, as those of a full-text search. */
  readonly internal: boolean;
  /** Rights of the user of the connection over whole rows. */
  readonly rights: readonly ('select' | 'insert' | 'update' | 'delete')[];
}

/** A policy of row security. */
export interface DescribedPolicy {
  readonly table: string;
  readonly name: string;
  readonly command: 'all' | 'select' | 'insert' | 'update' | 'delete';
  /** False for a restrictive one. */
  readonly permissive: boolean;
  /** Roles that it names; undefined for everyone. */
  readonly roles: readonly string[] | undefined;
  readonly using: string | undefined;
  readonly check: string | undefined;
}

/** Rights of a role over a table: columns that it may select, insert and update. */
export interface DescribedRights {
  readonly select: ReadonlySet<string>;
  readonly insert: ReadonlySet<string>;
  readonly update: ReadonlySet<string>;
  readonly delete: boolean;
}

/** A role of the database to which policies apply. */
export interface DescribedRole {
  readonly name: string;
  /** True if row security does not hold for it. */
  readonly bypasses: boolean;
  /** The roles whose rights it has, with itself. */
  readonly has: readonly string[];
  /** Rights by the names of tables. */
  readonly rights: ReadonlyMap<string, DescribedRights>;
}

export interface DescribedRowSecurity {
  readonly policies: readonly DescribedPolicy[];
  readonly roles: readonly DescribedRole[];
}

export interface DescribedSchema {
  /** The schema that was read; undefined where a database has none. */
  readonly schema: string | undefined;
  /** Policies of row security, and their roles; undefined where there are none. */
  readonly rowSecurity: DescribedRowSecurity | undefined;
  /** True if statements find its tables without naming it. */
  readonly current: boolean;
  /** In the order of their names. */
  readonly tables: readonly DescribedTable[];
}

/**
 * Reads all tables of a schema; without a name, of the one that statements find. The values of columns are looked at
 * only where nothing else says what form they have.
 * @throws Error naming the schema that does not exist, or that the user may not use
 */
export type DescribeSchema = (ask: Ask, schema: string | undefined) => Promise<DescribedSchema>;
