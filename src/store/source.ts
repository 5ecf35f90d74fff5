import type { CommonOptions, Dialect, FieldType } from '../fields/field.ts';

/** A column of something that can be listed and shown: a resource's table or one of the service's own. */
export interface SourceColumn {
  /** Name in the API. */
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
  /** SQL of the value, over the alias `t`; the quoted name itself where absent. */
  readonly expression?: (dialect: Dialect) => string;
  /** SQL that renders the value as JSON, where the field type's own rendering is not right (an array of roles). */
  readonly render?: (dialect: Dialect) => string;
  /** False where the column cannot be filtered, sorted or searched by (a rendered array). */
  readonly comparable?: boolean;
}

/** Where rows come from. Everything that lists or shows rows works on a source, whatever stands behind it. */
export interface Source {
  readonly name: string;
  /** A quoted table name or a parenthesised select; it gets the alias `t`. */
  readonly from: (dialect: Dialect) => string;
  readonly columns: ReadonlyMap<string, SourceColumn>;
  /** Unique, never null: breaks ties of every sort. */
  readonly key: string;
  /** Columns by which an index leads, the key included: a sort or an equality by another one scans. */
  readonly indexed: ReadonlySet<string>;
}
