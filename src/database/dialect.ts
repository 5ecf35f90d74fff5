/**
 * Interfaces of the SQL in which the databases differ: the words of statements (`Dialect`) and those of migrations
 * (`SchemaDialect`).
 */

import type { Bucket } from '../fields/aggregates.ts';
import type { ColumnKind, ColumnValue, FieldDefinition } from '../fields/field.ts';
import type { DescribeSchema } from './described-tables.ts';
import type {
  Ask,
  ForeignKeyShape,
  IndexShape,
  Introspection,
  SameKey,
  TableShape,
} from './introspection.ts';
import type { MigrationDatabase } from './migrations/migration.ts';
import type { DialectName } from './name.ts';
import type { SearchDialect, SearchSchema } from './search.ts';
import type { Compiler, Fragment } from './statement.ts';
import type { ServiceNames } from './stored-names.ts';

/** The SQL of a kind of column: its type, and the JSON form of its values. */
export interface ColumnDialect {
  /** SQL type. Texts sort by code point on every database. */
  readonly type: string;
  /**
   * The value in a JSON object that the database makes; null stays null. Absent if the stored value is right. `scale`:
   * decimal places of a number that is stored as an integer.
   */
  render?(value: Fragment, scale: number): Fragment;
  /** The least or the greatest value of all rows, if the functions `min` and `max` do not take this type. */
  extreme?(of: 'min' | 'max', value: Fragment): Fragment;
}

/** One entry of a JSON object: its key and the SQL of its value, rendered. */
export interface JsonEntry {
  readonly name: string;
  readonly value: Fragment;
}

/**
 * All SQL in which the databases differ. Code that builds a statement uses these members, and never checks which
 * database it is.
 */
export interface Dialect extends Compiler {
  readonly name: DialectName;
  /** The names under which the service's own tables are stored. */
  readonly names: ServiceNames;
  /** The program behind the database, as its makers name it, and the statement that returns its `version`. */
  readonly program: { readonly name: string; readonly versionSql: string };
  readonly columns: Readonly<Record<ColumnKind, ColumnDialect>>;
  /** A text as a value of a kind of column. */
  cast(value: Fragment, kind: ColumnKind): Fragment;
  /**
   * The id that a table of the service keeps of a record, within a JSON object: the text if there is one, else the
   * number.
   */
  recordId(number: Fragment, text: Fragment): Fragment;
  /** A JSON object within another one. */
  object(entries: readonly JsonEntry[]): Fragment;
  /** A JSON object as text: compact, keys in the order of the entries, the same bytes on every database. */
  objectText(entries: readonly JsonEntry[]): Fragment;
  /**
   * A value of a stored JSON object, by its path, as a kind of column stores it. Null if there is none, or none that
   * such a column can store. `scale`: see `ColumnDialect.render`.
   */
  member(object: Fragment, keys: readonly string[], kind: ColumnKind, scale: number): Fragment;
  /** The condition that two JSON objects have the same values under all of these keys; a missing key counts as null. */
  agree(one: Fragment, other: Fragment, keys: readonly string[]): Fragment;
  /** The text of a JSON object without its last brace, so that more entries can follow. */
  unclosed(object: Fragment): Fragment;
  /**
   * A column for rows with texts that is 1 while all texts so far have at most this many bytes; beyond that the
   * statement fails with `TooLongError`. Undefined if `Query.longest` does this.
   */
  fits(text: Fragment, bytes: number): Fragment | undefined;
  /** The condition that a number does not exceed a maximum; otherwise the statement fails with `TooLongError`. */
  atMost(count: Fragment, most: number): Fragment;
  /**
   * The condition that a bound maximum exceeds a count; otherwise the statement fails with `TooLongError`. Undefined if
   * no reader waits for another's statement, so that examined rows need no limit.
   */
  assertRowsExamined(count: Fragment, most: Fragment): Fragment | undefined;
  /** An instant of a table of another program in milliseconds; one without a zone is read as UTC. */
  milliseconds(value: Fragment): Fragment;
  /** A whole number below 2⁵³ that follows from values of one row: equal for equal values. */
  rowHash(values: readonly Fragment[]): Fragment;
  /** Bytes of a table on the disk without its indexes; undefined if the service has no use for them. */
  readonly tableBytes: ((table: string) => Fragment) | undefined;
  /** Bytes of the whole database on the disk, indexes included. */
  readonly databaseBytes: Fragment;
  /**
   * A text that identifies the snapshot of the statement: if two are equal, nothing was committed in between. Null on a
   * server without it. Undefined if the database has revisions instead (`Database.revision`).
   */
  readonly snapshotId: Fragment | undefined;
  /** A JSON array of values, as text. */
  arrayText(values: readonly Fragment[]): Fragment;
  /** A JSON array, within an object, of the one column `column` of a query. */
  arrayOf(column: Fragment, query: Fragment): Fragment;
  /** The texts of all rows joined into one, in the order of the rows. */
  joined(value: Fragment, separator: Fragment): Fragment;
  /** A long JSON text in the form in which the driver transfers it best. */
  answer(json: Fragment): Fragment;
  /** Bytes of a value; a long value is not read for this. */
  octets(value: Fragment): Fragment;
  /** The condition that a text contains another, ignoring the case of ASCII letters; the needle is in lower case. */
  contains(value: Fragment, needle: Fragment): Fragment;
  /** A term of ORDER BY: null is less than every value. */
  ordered(value: Fragment, descending: boolean, nullable: boolean): Fragment;
  /**
   * The condition that a value is in the one column of a query, written so that an index on the value is used even if
   * the condition is one of several alternatives.
   */
  among(value: Fragment, query: Fragment): Fragment;
  /** A bound number of rows, for LIMIT and OFFSET. */
  rows(count: Fragment): Fragment;
  /**
   * The end of a query on one table: no other transaction changes or deletes its rows until this one ends. It is the
   * lock of an update, so others may still write references to the rows: a transaction that has written one and then
   * locks the row does not wait for others that have done the same.
   */
  readonly updateLock: Fragment;
  /** `updateLock` with the lock of a delete: no other transaction writes a reference to the rows either. */
  readonly deleteLock: Fragment;
  /** True if transactions that write lock rows, and so may wait for each other; otherwise one writes at a time. */
  readonly locksRows: boolean;
  /** Follows the columns of an INSERT with given keys, which the database would otherwise generate. */
  readonly givenKey: Fragment;
  /** The time at which a statement began, by the clock of the database, as a timestamp column stores it. */
  readonly now: Fragment;
  /** `now` as whole microseconds since the epoch. */
  readonly nowMicroseconds: Fragment;
  /** `now` plus a number of milliseconds. */
  later(milliseconds: Fragment): Fragment;
  /**
   * The time bucket of a timestamp or a day, as text: `2026-11-21T08`, `2026-11-21`, `2026-W47` (ISO 8601), `2026-11`,
   * `2026`. `shift`: difference of local time from UTC, as an interval (`480 minutes`); a time that it moves out of the
   * years 0001 to 9999 counts as the first or the last one of them.
   */
  bucket(value: Fragment, bucket: Bucket, kind: 'timestamp' | 'date', shift: Fragment): Fragment;
  /**
   * The end of a SELECT whose rows will be changed: locks them, and skips rows that other transactions have locked.
   */
  readonly forUpdateSkipLocked: Fragment;
  /**
   * A query that waits until no other transaction is between this query and its commit, so that generated ids are in
   * the order of commits. Absent if writes are sequential anyway.
   */
  readonly commitOrderLock: Fragment | undefined;
  /**
   * Joins a statement that writes and returns rows, and others that read these rows as `_written`, into one statement.
   * Absent if several statements are no slower.
   */
  readonly writeWithCte: ((write: Fragment, others: readonly Fragment[]) => Fragment) | undefined;
  /** True if it also computes the columns of rows that an OFFSET skips. */
  readonly computesSkippedRows: boolean;
  /**
   * True if a generic plan has to estimate the rows of a bound LIMIT and OFFSET. After a bad estimate the database
   * plans each request again.
   */
  readonly misestimatesBoundLimit: boolean;
  /** Statements of one transaction that allocate disk space, as a growing table does, and release it. */
  readonly diskProbe: readonly string[];
  /** True if `diskProbe` leaves nothing to clean up, so that it may run before any write has failed. */
  readonly isDiskProbeCheap: boolean;
  /** True if a sub-select of FROM may use columns of those before it. */
  readonly hasLateral: boolean;
  /** True if it is faster to materialize the rows of a page with its total than to read them twice. */
  readonly prefersMaterializedCount: boolean;
  /** Full-text search. */
  readonly search: SearchDialect;
  readonly schema: SchemaDialect;
}

/** Types of columns in the service's own migrations. They never change, since released migrations never do. */
export interface OwnTypes {
  readonly text: string;
  readonly timestamp: string;
  readonly boolean: string;
  readonly integer: string;
  readonly json: string;
  /** A primary key that the database generates; that of a deleted row is never reused. */
  readonly id: string;
}

/** The table to which a column refers, and the effect on the column when a row of that table is deleted. */
export interface Reference extends Pick<ForeignKeyShape, 'table' | 'onDelete'> {
  /** A column of each table, of which both rows have the same value; undefined if they share none. */
  readonly same: Pick<SameKey, 'column' | 'to'> | undefined;
}

/** A column with a reference that has `same`. */
export interface SameReference {
  readonly table: string;
  readonly column: string;
  readonly to: string;
  readonly key: Pick<SameKey, 'column' | 'to'>;
  readonly onDelete: string;
}

/**
 * The SQL of references with `same`: a foreign key over the reference and the shared column, which is never null. The
 * reference's own foreign key stays, and has the same effect.
 */
export interface SameKeys {
  /** Clauses of `create table`, where keys are a part of it. */
  clauses(reference: SameReference): readonly string[];
  /** Statements that add the key to a table, where that is possible. */
  add(reference: SameReference): readonly string[];
}

/** A column that is added or changed. */
export interface ColumnStep {
  readonly column: string;
  /** Undefined for a new column. */
  readonly from: FieldDefinition | undefined;
  readonly to: FieldDefinition;
  /** The reference of the column before and after; undefined if there is none. */
  readonly referred: Reference | undefined;
  readonly refers: Reference | undefined;
  /** The value for records without one, as the column stores it; undefined if nothing is filled in. */
  readonly fill: NonNullable<ColumnValue> | undefined;
}

/** Columns of one table that are added, changed and dropped. */
export interface ColumnAlteration {
  readonly db: MigrationDatabase;
  readonly dialect: Dialect;
  /** The table before the change. */
  readonly table: TableShape;
  readonly steps: readonly ColumnStep[];
  readonly drop: readonly string[];
}

/** A column of generated ids, and the largest id that was ever generated. */
export interface IdCounter {
  readonly table: string;
  readonly column: string;
  readonly last: bigint;
}

/** The SQL to move a database into another one. */
export interface MoveDialect {
  /** Statements after which no other transaction writes to the tables until this one ends. */
  hold(tables: readonly string[]): readonly string[];
  /**
   * Statements after which every program's writes to the tables are refused (`fenceMessage`); `takeWrites` ends this.
   */
  refuseWrites(tables: readonly string[]): readonly string[];
  takeWrites(tables: readonly string[]): readonly string[];
  /** Statements that remove and restore each constraint and trigger that inserts in any order would violate or fire. */
  inTheWay(ask: Ask): Promise<readonly { readonly remove: string; readonly restore: string }[]>;
  counters(ask: Ask): Promise<readonly IdCounter[]>;
  setCounter(counter: IdCounter): readonly string[];
  /** True if the values of a column of this type are the same on every database. */
  portable(type: string): boolean;
  /** True if texts may contain the character NUL. */
  readonly holdsNul: boolean;
}

/** The SQL of the triggers that increment a record's version when one of its references becomes null. */
export interface ReferenceTriggers {
  /** Statements that create the trigger of this name for a column of a resource's table. */
  create(table: string, column: string, trigger: string): readonly string[];
  /** A statement that drops the trigger if it exists. */
  drop(table: string, trigger: string): string;
}

/** The SQL of migrations, which create, read and change tables. */
export interface SchemaDialect {
  readonly own: OwnTypes;
  readonly introspection: Introspection;
  /** Reads the tables of another program. */
  readonly describe: DescribeSchema;
  readonly referenceTriggers: ReferenceTriggers;
  readonly sameKeys: SameKeys;
  /**
   * Statements that create the triggers by which a deleted key leaves a row in `gatewright_revoked_keys`, unless it has
   * one. With a user they fire before the user's name is deleted. They replace existing triggers.
   */
  readonly revokedKeyTriggers: readonly string[];
  readonly moving: MoveDialect;
  /** Indexes of full-text search. */
  readonly search: SearchSchema;
  /** True if foreign keys have names, by which they are dropped. */
  readonly namesForeignKeys: boolean;
  boolean(value: boolean): string;
  /** A JSON object with its keys replaced in place; an entry whose key becomes null is removed. */
  mapKeys(object: Fragment, key: (of: Fragment) => Fragment): Fragment;
  /** A JSON array with its texts replaced in place; a text that becomes null is removed. */
  mapTexts(array: Fragment, text: (of: Fragment) => Fragment): Fragment;
  /** Statements that rename an index; `index` has its old name and its current columns. */
  renameIndex(table: string, index: IndexShape, next: string): readonly string[];
  /** @throws Error if a value does not fit, or data would be lost */
  alterColumns(alteration: ColumnAlteration): Promise<void>;
  /**
   * A query for the one-row tables of services (`gatewright_database`), whatever they are called: `found` as
   * `ServiceNames.shown` gives it, and `prefixed` where `gatewright_` is a prefix and not the usual name.
   */
  readonly serviceSets: string;
  /** True if services with other names of their tables can be in one database. */
  readonly servicesShare: boolean;
  /**
   * Statements that lock tables, by their quoted names, until the end of the transaction. They wait as long as needed and
   * hold none of them meanwhile. None where a transaction that writes is alone anyway.
   */
  lockTables(tables: readonly string[]): readonly string[];
  /** Statements that make the place of the service's own tables, where they have one. */
  readonly place: readonly string[];
  /** Statements that mark a database, so that another one under its name is recognized, if that is needed. */
  mark(): readonly string[];
}
