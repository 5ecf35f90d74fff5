/**
 * How the service's own tables keep the id of a record of any model, in two columns. The one of integers has the id
 * itself where it is a number, and otherwise a number that follows from the text: by it the indexes find the rows.
 * The one of texts has the id where it is a text, and decides; it is null for every number. So statements about
 * records with numbers, and the indexes, stay as they were.
 */

import { hash } from 'node:crypto';
import type { ColumnKind } from '../fields/field.ts';
import type { RecordId, RecordKey } from '../fields/key.ts';
import { parseBigint } from '../fields/keys.ts';
import type { Dialect } from './dialect.ts';
import type { Query } from './query.ts';
import {
  type Argument,
  type Fragment,
  literal,
  type Statement,
  type StatementArguments,
  sql,
  statement,
} from './statement.ts';

/** Hexadecimal digits that fit a safe integer. */
const digits = 13;

/** Bits that fit a safe integer. */
const lowBits = 53;
const lowMask = literal(Number.MAX_SAFE_INTEGER);

const numberOfAnyText = (id: string): number => Number.parseInt(hash('sha256', id).slice(0, digits), 16);

const numberOfText = (id: string): number =>
  parseBigint(id) === undefined ? numberOfAnyText(id) : Number(BigInt.asUintN(lowBits, BigInt(id)));

/** The number that a table of the service keeps for a record. Of digits it is one that SQL can compute too. */
export const recordNumber = (id: RecordId): number => (typeof id === 'number' ? id : numberOfText(id));

/**
 * The number that stands for a record where nothing beside it keeps its id: the id itself if it is one, or the digits
 * of one that a double holds. Numbers of 64 bits whose low bits are the same get others.
 */
export const soleNumber = (id: RecordId): number => {
  if (typeof id === 'number') return id;
  const isExact = parseBigint(id) !== undefined && Number.isSafeInteger(Number(id));
  return isExact ? Number(id) : numberOfAnyText(id);
};

/** A value of ids as drivers return it without loss. Compare and sort by the value itself. */
export const readId = ({ columns }: Dialect, { field: { type } }: RecordKey, value: Fragment): Fragment => {
  const kind: ColumnKind = type.column;
  return columns[kind].render?.(value, 0) ?? value;
};

/** The columns of a new record whose id the database gives as digits, by that id, in SQL; none for other keys. */
export const columnsOfNew = (
  dialect: Dialect,
  { field: { type } }: RecordKey,
): { readonly [Name in keyof RecordColumns]?: (written: { readonly id: Fragment }) => Fragment } => {
  const kind: ColumnKind = type.column;
  return kind === 'bigint'
    ? {
        record_id: ({ id }) => sql`${dialect.cast(id, kind)} & ${lowMask}`,
        record_key: ({ id }) => id,
      }
    : {};
};

/** The text that a table of the service keeps for a record; null for an id that is a number. */
export const keyText = (id: RecordId): string | null => (typeof id === 'number' ? null : id);

/** The columns of a record. */
export const columnsOfRecord = (id: RecordId) => ({ record_id: recordNumber(id), record_key: keyText(id) });

/** The columns of a record in a row. */
export interface RecordColumns {
  readonly record_id: number;
  readonly record_key: string | null;
}

/** The id that a row keeps. */
export const storedRecord = ({ record_id: number, record_key: text }: RecordColumns): RecordId =>
  text ?? Number(number);

/** The id in a row under the alias, as a value of the column `id` of its model. */
export const recordValue = (
  dialect: Dialect,
  { field: { type } }: RecordKey,
  column: (name: 'record_id' | 'record_key') => Fragment,
): Fragment => {
  const kind: ColumnKind = type.column;
  return kind === 'integer' ? column('record_id') : dialect.cast(column('record_key'), kind);
};

type AboutRecord = { readonly record: number; readonly keyText: string };

/** The condition that a row is about the record of these arguments; its id is a text or a number. */
export const isAboutRecord = (value: (name: keyof AboutRecord) => Fragment, isText: boolean): Fragment => {
  const byNumber = sql`record_id = ${value('record')}`;
  return isText ? sql`${byNumber} and record_key = ${value('keyText')}` : byNumber;
};

/** A statement about one record, which takes its id as `record`. */
export type RecordStatement<Arguments extends StatementArguments> = (
  values: Arguments & { readonly record: RecordId },
) => Query;

/**
 * Makes a statement about one record: `build` gets the condition that a row is about it, which differs between ids that
 * are numbers and those that are texts.
 */
export const recordStatement = <Arguments extends StatementArguments>(
  dialect: Dialect,
  build: (param: Argument<Arguments>, isAbout: Fragment) => Fragment,
): RecordStatement<Arguments> => {
  type All = Arguments & AboutRecord;
  const made = (isText: boolean): Statement<All> =>
    statement<All>(dialect, (param) => {
      const value = param as unknown as Argument<AboutRecord>;
      return build(param as unknown as Argument<Arguments>, isAboutRecord(value, isText));
    });
  const [byNumber, byText] = [made(false), made(true)];
  return ({ record, ...values }) => {
    const about = { record: recordNumber(record), keyText: keyText(record) ?? '' };
    return (typeof record === 'number' ? byNumber : byText)({ ...values, ...about } as unknown as All);
  };
};
