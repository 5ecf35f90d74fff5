import type { Bucket } from '../fields/aggregates.ts';
import type { ColumnKind, ColumnValue, FieldDefinition } from '../fields/field.ts';
import type { Ask, ForeignKeyShape, IndexShape, Introspection, TableShape } from './introspection.ts';
import type { MigrationDatabase } from './migrations/migration.ts';
import type { DialectName } from './name.ts';
import type { Compiler, Fragment } from './statement.ts';

/** How a kind of column is declared, and how its values become JSON. */
export interface ColumnWords {
  /** SQL type. Texts sort by code point on every database. */
  readonly type: string;
  /**
   * The value as it stands in a JSON object that the database makes; null stays null. Absent: the column itself is
   * rendered rightly. `scale`: decimal places of a number that is kept as a whole one.
   */
  render?(value: Fragment, scale: number): Fragment;
}

/** One entry of a JSON object: its key and the SQL of its value, rendered. */
export interface JsonEntry {
  readonly name: string;
  readonly value: Fragment;
}

/**
 * A database's SQL where it differs from that of others: every word of it. Code that builds a statement asks for the
 * word, never for the name of the database.
 */
export interface Dialect extends Compiler {
  readonly name: DialectName;
  readonly columns: Readonly<Record<ColumnKind, ColumnWords>>;
  /** A text as a value of a kind of column. */
  cast(value: Fragment, kind: ColumnKind): Fragment;
  /** A JSON object, to stand in another one. */
  object(entries: readonly JsonEntry[]): Fragment;
  /** The same as text: compact, keys in the order of the entries, the same bytes on every database. */
  objectText(entries: readonly JsonEntry[]): Fragment;
  /**
   * A value of a JSON object that the service has kept, by its keys from the outside in, as a column of a kind holds it.
   * Null where there is none, or none that such a column could hold. `scale`: see `ColumnWords.render`.
   */
  member(object: Fragment, keys: readonly string[], kind: ColumnKind, scale: number): Fragment;
  /** Whether two JSON objects hold the same under all of these keys; under a key that is missing they hold null. */
  agree(one: Fragment, other: Fragment, keys: readonly string[]): Fragment;
  /** The text of a JSON object without its last brace, so that more entries can follow. */
  unclosed(object: Fragment): Fragment;
  /**
   * A column for rows with texts that is 1 while all texts so far have no more bytes than so many, and otherwise ends the
   * statement with `TooLongError`. Undefined where `Query.longest` does.
   */
  fits(text: Fragment, bytes: number): Fragment | undefined;
  /** The condition that a number is at most so many; where it is more, the statement ends with `TooLongError`. */
  atMost(count: Fragment, most: number): Fragment;
  /**
   * The condition that a number, which comes with the request, is more than a count; where it is not, the statement ends
   * with `TooLongError`. Undefined where no reader waits for another's statement, so that none need say what it looks at.
   */
  assertRowsExamined(count: Fragment, most: Fragment): Fragment | undefined;
  /** Bytes of a table on the disk, indexes left out; undefined where nothing is gained by knowing. */
  readonly tableBytes: ((table: string) => Fragment) | undefined;
  /**
   * A text that names all that the statement sees: where it is the same twice, nothing was committed in between. Null from
   * a server that cannot tell. Undefined where the database itself tells (`OpenDatabase.revision`).
   */
  readonly snapshotId: Fragment | undefined;
  /** A JSON array of values, as text. */
  arrayText(values: readonly Fragment[]): Fragment;
  /** A JSON array of the one column `column` of a query, to stand in an object. */
  arrayOf(column: Fragment, query: Fragment): Fragment;
  /** Texts of all rows as one, in the order of the rows. */
  joined(value: Fragment, separator: Fragment): Fragment;
  /** A long JSON text as it leaves the database. */
  answer(json: Fragment): Fragment;
  /** Bytes of a value; a long one is not read for it. */
  octets(value: Fragment): Fragment;
  /** Whether a text holds another, whatever the case of ASCII letters; the needle comes in lower case. */
  contains(value: Fragment, needle: Fragment): Fragment;
  /** A term of ORDER BY: null is less than every value. */
  ordered(value: Fragment, descending: boolean, nullable: boolean): Fragment;
  /**
   * Whether a value is among the one column of a query, written so that an index on the value is used also where the
   * condition is one of several alternatives.
   */
  among(value: Fragment, query: Fragment): Fragment;
  /** A number of rows that comes with a request, as LIMIT and OFFSET take it. */
  rows(count: Fragment): Fragment;
  /**
   * Behind a query of one table: no other transaction changes or deletes its rows until this one is over. It is the lock that an
   * update takes, so others may still write references to the rows: a transaction that has written one and then locks the
   * row does not wait for all others that have done the same.
   */
  readonly updateLock: Fragment;
  /** The same with the lock that a delete takes: no other transaction writes a reference to the rows either. */
  readonly deleteLock: Fragment;
  /** Behind the columns of an INSERT that brings a key which the database would have counted itself. */
  readonly givenKey: Fragment;
  /** The moment at which a statement began, by the clock of the database, as a timestamp column takes it. */
  readonly now: Fragment;
  /** So many milliseconds after that moment. */
  later(milliseconds: Fragment): Fragment;
  /**
   * The span of time in which a moment or a day lies, as text: `2026-11-21T08`, `2026-11-21`, `2026-W47` (ISO 8601),
   * `2026-11`, `2026`. `shift`: how far local time is ahead of UTC, as an interval (`480 minutes`); a moment that it
   * moves out of the years 0001 to 9999 counts with the first or the last one in them.
   */
  bucket(value: Fragment, bucket: Bucket, kind: 'timestamp' | 'date', shift: Fragment): Fragment;
  /** Stands at the end of a SELECT whose rows are to be changed: takes them, and passes over those that others hold. */
  readonly forUpdateSkipLocked: Fragment;
  /**
   * A query that waits until no other transaction is between it and its end. Absent where writes come one
   * after the other: there the ids that they give are in the order of their commits.
   */
  readonly commitOrderLock: Fragment | undefined;
  /**
   * A statement that writes and returns rows, and others that read these as `_written` and write beside it, as one
   * statement. Absent where several are no slower.
   */
  readonly writeWithCte: ((write: Fragment, others: readonly Fragment[]) => Fragment) | undefined;
  /** Whether columns of rows that an OFFSET skips are computed as well. */
  readonly computesSkippedRows: boolean;
  /**
   * Whether a plan that serves all values has to guess how many rows a LIMIT and an OFFSET among them let through. Where the
   * guess is a bad one, the database makes a plan of every request's own.
   */
  readonly misestimatesBoundLimit: boolean;
  /** Statements of one transaction that take room on the disk as a table that grows does, and give it back. */
  readonly takeRoom: readonly string[];
  /** Whether `takeRoom` leaves nothing to clean up, so that it may run before any write has failed. */
  readonly takesRoomLightly: boolean;
  /** Whether rows that a page and its total both look through are better kept in between than found twice. */
  readonly keepsRows: boolean;
  readonly schema: SchemaWords;
}

/**
 * Types of columns as the service's own migrations write them. The tables of a released migration never change, so
 * neither do these.
 */
export interface OwnTypes {
  readonly text: string;
  readonly timestamp: string;
  readonly boolean: string;
  readonly integer: string;
  readonly json: string;
  /** A primary key that the database counts; that of a row which is gone is never given again. */
  readonly id: string;
}

/** The table that a column refers to, and the effect on the column when a row of it goes. */
export type Reference = Pick<ForeignKeyShape, 'table' | 'onDelete'>;

/** A column that is added or changed. */
export interface ColumnStep {
  readonly column: string;
  /** Undefined where the column is new. */
  readonly from: FieldDefinition | undefined;
  readonly to: FieldDefinition;
  /** The reference of the column as it was and as it is to be; undefined where there is none. */
  readonly referred: Reference | undefined;
  readonly refers: Reference | undefined;
  /** The value for records without one, as the column takes it; undefined where nothing is to be filled in. */
  readonly fill: NonNullable<ColumnValue> | undefined;
}

/** Columns of one table that are added, changed and dropped. */
export interface ColumnAlteration {
  readonly db: MigrationDatabase;
  readonly dialect: Dialect;
  /** As it is before. */
  readonly table: TableShape;
  readonly steps: readonly ColumnStep[];
  readonly drop: readonly string[];
}

/** A column of ids that the database counts, and the largest that it has ever given. */
export interface IdCounter {
  readonly table: string;
  readonly column: string;
  readonly last: bigint;
}

/** How a database is emptied into another one, and filled from one. Texts are SQL. */
export interface MovingWords {
  /** Statements after which no other transaction writes to the tables until this one is over. */
  hold(tables: readonly string[]): readonly string[];
  /** Statements after which every write to the tables is refused (`fenceMessage`), by any program; and those that end it. */
  refuseWrites(tables: readonly string[]): readonly string[];
  takeWrites(tables: readonly string[]): readonly string[];
  /** Constraints and triggers that rows in any order would violate or fire: how each is removed and restored. */
  inTheWay(ask: Ask): Promise<readonly { readonly remove: string; readonly restore: string }[]>;
  counters(ask: Ask): Promise<readonly IdCounter[]>;
  setCounter(counter: IdCounter): readonly string[];
  /** Whether the values of a column declared like this are the same on every database. */
  portable(type: string): boolean;
  /** Whether texts may hold the character NUL. */
  readonly holdsNul: boolean;
}

/** The SQL of the triggers that raise a record's version when a reference of it becomes null. */
export interface ReferenceTriggers {
  /** Statements that make the trigger of this name for a column of a resource's table. */
  create(table: string, column: string, trigger: string): readonly string[];
  /** Does nothing where there is no such trigger. */
  drop(table: string, trigger: string): string;
}

/** How tables are made, read and changed, which migrations do. Texts are SQL. */
export interface SchemaWords {
  readonly own: OwnTypes;
  readonly introspection: Introspection;
  readonly referenceTriggers: ReferenceTriggers;
  /**
   * Statements that make the triggers by which a key that is deleted leaves a row in `gatewright_revoked_keys`, unless
   * there is one; where a user is deleted, while their name is still known. They take the place of those that are there.
   */
  readonly revokedKeyTriggers: readonly string[];
  readonly moving: MovingWords;
  /** Whether a foreign key has a name, by which it is dropped. */
  readonly namesForeignKeys: boolean;
  boolean(value: boolean): string;
  /** A JSON object whose keys are others, in their places; an entry goes where its key becomes null. */
  mapKeys(object: Fragment, key: (of: Fragment) => Fragment): Fragment;
  /** The same for a JSON array of texts. */
  mapTexts(array: Fragment, text: (of: Fragment) => Fragment): Fragment;
  /** Statements that give an index another name; it has its old one, and its columns as they are now. */
  renameIndex(table: string, index: IndexShape, next: string): readonly string[];
  /** @throws Error where a value does not fit, or where something would be lost */
  alterColumns(alteration: ColumnAlteration): Promise<void>;
  /** Statements that mark a database, so that another one under its name is recognized, where that is needed. */
  mark(): readonly string[];
}
