import type { Reader, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, join, literal, sql, statement } from '../../database/statement.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';

/** Records that one statement looks for referrers of. */
const width = 100;

/** A record, and the one that it refers to. */
export interface Dependency {
  readonly id: number;
  readonly to: number;
}

/** The records that refer to one of these by the field, at most so many; locked until the transaction is over (`lock`). */
export type Dependents = (transaction: Transaction, ids: readonly number[]) => Promise<readonly Dependency[]>;

/** The records that refer to one of these by the field, at most so many, in no order; nobody is kept from writing them. */
export type Referring = (
  reader: Reader,
  ids: readonly number[],
  most: number,
) => Promise<readonly Dependency[]>;

const namedIds = (argument: (name: 'ids', index: number) => Fragment): Fragment =>
  join(Array.from({ length: width }, (_, index) => argument('ids', index)));

/** Asks for hundred ids at a time: the statement is the same for fewer, and the first is asked for as often as others lack. */
const byHundreds = async (
  ids: readonly number[],
  most: number,
  ask: (ids: readonly number[], most: number) => Promise<readonly Dependency[]>,
): Promise<Dependency[]> => {
  const found: Dependency[] = [];
  for (let start = 0; start < ids.length && found.length < most; start += width) {
    const part = ids.slice(start, start + width);
    const filled = Array.from({ length: width }, (_, index) => part[index] ?? part[0] ?? 0);
    for (const row of await ask(filled, most - found.length))
      found.push({ id: Number(row.id), to: Number(row.to) });
  }
  return found;
};

/** Looks up which records of a model refer to others by a field, through the index of that field. */
export const createReferring = (
  dialect: Dialect,
  { table }: ResourceModel,
  { column }: ModelField,
): Referring => {
  const referring = statement<{ ids: readonly number[]; most: number }>(
    dialect,
    (param) =>
      sql`select ${identifier('id')} as id, ${identifier(column)} as ${identifier('to')} from ${identifier(table)} where ${identifier(column)} in (${namedIds(param)}) limit ${param('most')}`,
  );
  return (reader, ids, most) =>
    byHundreds(ids, most, (part, left) => reader.all<Dependency>(referring({ ids: part, most: left })));
};

/** Looks up which records of a model go with those that a field of it names; one statement for each hundred of them. */
export const createDependents = (
  dialect: Dialect,
  { table }: ResourceModel,
  { column }: ModelField,
  most: number,
  lock: Fragment,
): Dependents => {
  const id = identifier('id');
  const referring = statement<{ ids: readonly number[] }>(
    dialect,
    (param) =>
      sql`select ${id} as id, ${identifier(column)} as ${identifier('to')} from ${identifier(table)} where ${identifier(column)} in (${namedIds(param)}) order by ${id} limit ${literal(most)}${lock}`,
  );
  return (transaction, ids) =>
    byHundreds(ids, most, (part) => transaction.all<Dependency>(referring({ ids: part })));
};
