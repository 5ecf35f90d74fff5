/** Finds the records that refer to given ones, with locks or without. */

import type { Reader, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { readId } from '../../database/record-column.ts';
import {
  columnsOfRows,
  type Fragment,
  identifier,
  join,
  literal,
  rowsOf,
  sql,
  statement,
} from '../../database/statement.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';

/** Ids of one statement. */
const idsPerStatement = 100;

/** A record, and the one to which it refers. */
export interface Dependency {
  readonly id: RecordId;
  readonly to: RecordId;
}

/** Returns the records that refer to these by a field, up to a limit, locked until the end of the transaction. */
export type Dependents = (
  transaction: Transaction,
  ids: readonly RecordId[],
) => Promise<readonly Dependency[]>;

/** Returns the records that refer to these by a field, up to a limit, in no particular order and without locks. */
export type Referring = (
  reader: Reader,
  ids: readonly RecordId[],
  most: number,
) => Promise<readonly Dependency[]>;

const namedIds = (argument: (name: 'ids', index: number) => Fragment): Fragment =>
  join(Array.from({ length: idsPerStatement }, (_, index) => argument('ids', index)));

/** Reads for a hundred ids at a time; fewer are filled up with the first one, so that the SQL is the same. */
const readByHundreds = async (
  key: RecordKey,
  target: RecordKey,
  ids: readonly RecordId[],
  most: number,
  read: (ids: readonly RecordId[], most: number) => Promise<readonly Dependency[]>,
): Promise<Dependency[]> => {
  const found: Dependency[] = [];
  for (let start = 0; start < ids.length && found.length < most; start += idsPerStatement) {
    const part = ids.slice(start, start + idsPerStatement);
    const filled = Array.from({ length: idsPerStatement }, (_, index) => part[index] ?? part[0] ?? 0);
    for (const row of await read(filled, most - found.length))
      found.push({ id: key.stored(row.id), to: target.stored(row.to) });
  }
  return found;
};

/** The columns of a dependency. */
const dependency = (
  dialect: Dialect,
  key: RecordKey,
  target: RecordKey,
  column: (field: string) => Fragment,
  name: string,
): Fragment =>
  sql`${readId(dialect, key, column('id'))} as id, ${readId(dialect, target, column(name))} as ${identifier('to')}`;

/** Prepares the search for records of a model that refer to others by a field, which has an index. */
export const createReferring = (
  dialect: Dialect,
  { key, stored }: ResourceModel,
  { name, referenceKey = key }: ModelField,
): Referring => {
  const column = columnsOfRows(stored);
  const referring = statement<{ ids: readonly RecordId[]; most: number }>(
    dialect,
    (param) =>
      sql`select ${dependency(dialect, key, referenceKey, column, name)} from ${rowsOf(stored)} where ${column(name)} in (${namedIds(param)}) limit ${param('most')}`,
  );
  return (reader, ids, most) =>
    readByHundreds(key, referenceKey, ids, most, (part, left) =>
      reader.all<Dependency>(referring({ ids: part, most: left })),
    );
};

/** Prepares the search for records of a model that are deleted or changed with those to which a field refers. */
export const createDependents = (
  dialect: Dialect,
  { key, stored }: ResourceModel,
  { name, referenceKey = key }: ModelField,
  most: number,
  lock: Fragment,
): Dependents => {
  const column = columnsOfRows(stored);
  const referring = statement<{ ids: readonly RecordId[] }>(
    dialect,
    (param) =>
      sql`select ${dependency(dialect, key, referenceKey, column, name)} from ${rowsOf(stored)} where ${column(name)} in (${namedIds(param)}) order by ${column('id')} limit ${literal(most)}${lock}`,
  );
  return (transaction, ids) =>
    readByHundreds(key, referenceKey, ids, most, (part) =>
      transaction.all<Dependency>(referring({ ids: part })),
    );
};
