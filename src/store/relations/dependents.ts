import type { ModelField, ResourceModel } from '../../model/resource.ts';
import type { Transaction } from '../database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { all, literal, name, sql, statement } from '../statement.ts';

/** Records that one statement looks for referrers of. */
const width = 100;

/** Ids of the records that refer to one of these by the field, at most so many; locked until the transaction is over. */
export type Dependents = (transaction: Transaction, ids: readonly number[]) => Promise<readonly number[]>;

/** Looks up which records of a model go with those that a field of it names; one statement for each hundred of them. */
export const createDependents = (
  dialect: Dialect,
  { table }: ResourceModel,
  { column }: ModelField,
  most: number,
): Dependents => {
  const referring = statement<{ ids: readonly number[] }>(dialect, (argument) => {
    const named = Array.from({ length: width }, (_, index) => argument('ids', index));
    const id = name('id');
    return sql`select ${id} as id from ${name(table)} where ${name(column)} in (${all(named)}) order by ${id} limit ${literal(most)}${dialect.rowLock}`;
  });
  return async (transaction, ids) => {
    const found: number[] = [];
    for (let start = 0; start < ids.length && found.length < most; start += width) {
      const part = ids.slice(start, start + width);
      // The statement is the same for fewer: the first one is asked for as often as others lack.
      const filled = Array.from({ length: width }, (_, index) => part[index] ?? part[0] ?? 0);
      const rows = await transaction.all<{ id: number }>(referring({ ids: filled }));
      for (const { id } of rows) found.push(Number(id));
    }
    return found;
  };
};
