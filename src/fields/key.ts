/**
 * The contract of a key: how the records of a model are named. One file for each kind implements it; `keys.ts` lists
 * them. Nothing else reads or writes an id as text, or asks of which type it is.
 */

import type { ColumnValue, CommonOptions, FieldDefinition, FieldType, JsonSchema } from './field.ts';

/** The id of a record as JSON has it: a number for an integer key, a text for every other. */
export type RecordId = number | string;

/** True for a value of JSON that can be the id of a record of some model. */
export const isRecordId = (value: unknown): value is RecordId =>
  typeof value === 'number' || typeof value === 'string';

/** A field whose value is a part of an id. */
export interface KeyPart {
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
}

export interface RecordKey<Id extends RecordId = RecordId> {
  /** Name of the key in model files, migrations and metadata. */
  readonly kind: string;
  /** Gives the id to a new record: the database counts, `create` makes it, or the body of the create has it. */
  readonly givenBy: 'database' | 'service' | 'caller';
  /** The field `id`: its type has the column, the schema, the filters and the form of references to the record. */
  readonly field: FieldDefinition;
  /** Schema of an id in a body, as a reference takes it. */
  readonly schema: JsonSchema;
  /** The id in a path or a parameter; undefined for a text that names no record. */
  parse(text: string): Id | undefined;
  /** An id as paths and parameters spell it. */
  format(id: RecordId): string;
  /** The id in a value of JSON, in canonical form; undefined for a value that names no record. */
  of(value: unknown): Id | undefined;
  /** The id in a column, as a driver returns it. */
  stored(column: NonNullable<ColumnValue>): Id;
  /** The id of a new record, at a time in milliseconds since 1970. Only for keys that the service gives. */
  create?(now: number): Id;
  /** The fields of a key of several, in the order of the id; absent for an id that has its own column. */
  readonly parts?: readonly KeyPart[];
  /** The order of ids in the database, for functions that sort. */
  compare(one: RecordId, other: RecordId): number;
  /** The id so many places before one, where the database counts ids; undefined if none was given so early. */
  before?(id: RecordId, places: number): Id | undefined;
}
