/**
 * A table of the service as one value. Its SQL, the types of its rows, what a renamed column or table of an application
 * changes in it, and its stored times follow from it.
 */

import type { Generated } from 'kysely';
import type { OwnTypes } from '../dialect.ts';
import type { TimeUse } from './stored-time.ts';

/** The part of an application's models that a column of the service's own tables keeps. */
export type KeptKind =
  /** Name of the model that the row is about: the row goes with the model. */
  | 'model'
  /** Name of the model whose record the row belongs to: it is renamed with the model, and stays without it. */
  | 'holder'
  /** Name of the model whose record owns the account of the row: the account ends with the model. */
  | 'owner'
  /** JSON array of names of models. */
  | 'models'
  /** The list of a table's records, as the administration area calls it: the row goes with the table. */
  | 'list'
  /** JSON: filter, sort and columns of such a list. */
  | 'query'
  /** Name of a column of the model's table: the row goes with it. */
  | 'field'
  /** JSON array of names of such columns. */
  | 'fields'
  /** JSON object: values of a record by column. */
  | 'values'
  /**
   * JSON object: values by path, of a deleted record and of the records to which it referred; for every other write two
   * such objects, `before` and `after`.
   */
  | 'paths'
  /**
   * Text that was sent for a record, or came back: as it was when a column is renamed, and gone when one is dropped.
   */
  | 'sent'
  /** JSON text of a response, with related records in it: the same, for columns of every model. */
  | 'answer'
  /** The application's own: only it knows what is in there. */
  | 'application'
  /** A record of an action, under the names of then. It holds no values, and never changes. */
  | 'log'
  /** Declarations of tables in migrations: `register.ts` keeps them. */
  | 'register'
  /** Nothing of the kind. */
  | 'other';

export interface ColumnOptions {
  /** Columns are not null unless they say so. */
  readonly nullable?: true;
  readonly default?: boolean | number | string;
  /** For a key of one column; `TableExtras.primaryKey` is for several. */
  readonly primaryKey?: true;
  /** `table.column`. */
  readonly references?: `${string}.${string}`;
  readonly onDelete?: 'cascade' | 'set null';
  /** SQL of a condition that every row fulfils. */
  readonly check?: string;
  /** `other` by default. */
  readonly kept?: KeptKind;
  /** For a time in a column of another type. */
  readonly time?: TimeUse;
  /** The SQL type, where it differs from the service's type of this kind. */
  readonly sqlType?: string;
}

/** A column; `Stored` is its type for Kysely. */
export interface TableColumn<Stored = unknown> {
  readonly type: keyof OwnTypes;
  readonly options: ColumnOptions;
  /** Carries the type only. */
  readonly stored?: Stored;
}

type Nullable<Value, Options> = Options extends { readonly nullable: true } ? Value | null : Value;

type StoredAs<Value, Options> = Options extends { readonly default: unknown }
  ? Generated<Nullable<Value, Options>>
  : Nullable<Value, Options>;

const columnOf =
  <Value>(type: keyof OwnTypes) =>
  <const Options extends ColumnOptions = ColumnOptions>(
    options?: Options,
  ): TableColumn<StoredAs<Value, Options>> => ({ type, options: options ?? {} });

const id = (): TableColumn<Generated<number>> => ({ type: 'id', options: {} });

const oneOf = <const Word extends string, const Options extends ColumnOptions = ColumnOptions>(
  _words: readonly Word[],
  options?: Options,
): TableColumn<StoredAs<Word, Options>> => ({ type: 'text', options: options ?? {} });

const time = <const Options extends ColumnOptions = ColumnOptions>(
  use: TimeUse,
  options?: Options,
): TableColumn<StoredAs<string, Options>> => ({ type: 'timestamp', options: { ...options, time: use } });

/** The kinds of columns. */
export const column = {
  /** The primary key that the database numbers. */
  id,
  text: columnOf<string>('text'),
  integer: columnOf<number>('integer'),
  boolean: columnOf<boolean | number>('boolean'),
  /** JSON as text. */
  json: columnOf<string>('json'),
  /** A text that is one of some words. */
  oneOf,
  /**
   * A time, bound and returned as text (`YYYY-MM-DDTHH:MM:SS.mmmZ`); PostgreSQL keeps it as timestamptz, SQLite as that
   * text.
   */
  time,
};

/** Words of the database in a condition. */
export interface ConditionWords {
  readonly on: string;
}

export interface TableIndex {
  /** Columns, or SQL of expressions. */
  readonly on: readonly string[];
  readonly unique?: true;
  /** SQL of the condition on the rows that it contains. */
  readonly where?: string | ((words: ConditionWords) => string);
}

export type TableColumns = Readonly<Record<string, TableColumn>>;

interface TableExtras<Columns extends TableColumns> {
  /** Several columns. */
  readonly primaryKey?: readonly (keyof Columns & string)[];
  readonly indexes?: Readonly<Record<string, TableIndex>>;
}

export interface Table<Name extends string = string, Columns extends TableColumns = TableColumns> {
  readonly name: Name;
  readonly columns: Columns;
  readonly primaryKey: readonly string[];
  readonly indexes: Readonly<Record<string, TableIndex>>;
}

/** The columns of a table for Kysely, with their comments. */
export type TableRow<Of extends Table> = {
  -readonly [Name in keyof Of['columns']]: Of['columns'][Name] extends TableColumn<infer Stored>
    ? Stored
    : never;
};

export const table = <const Name extends string, const Columns extends TableColumns>(
  name: Name,
  columns: Columns,
  { primaryKey = [], indexes = {} }: TableExtras<Columns> = {},
): Table<Name, Columns> => ({ name, columns, primaryKey, indexes });
