import type { ModelField, ResourceModel } from '../../model/resource.ts';
import type { Transaction } from '../database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { all, literal, name, sql, statement } from '../statement.ts';

/** Records that one statement looks for referrers of. */
const width = 100;

/** A record, and the one that it refers to. */
export interface Dependency {
  readonly id: number;
  readonly to: number;
}

/** The records that refer to one of these by the field, at most so many; locked until the transaction is over. */
export type Dependents = (transaction: Transaction, ids: readonly number[]) => Promise<readonly Dependency[]>;

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
    return sql`select ${id} as id, ${name(column)} as ${name('to')} from ${name(table)} where ${name(column)} in (${all(named)}) order by ${id} limit ${literal(most)}${dialect.rowLock}`;
  });
  return async (transaction, ids) => {
    const found: Dependency[] = [];
    for (let start = 0; start < ids.length && found.length < most; start += width) {
      const part = ids.slice(start, start + width);
      // The statement is the same for fewer: the first one is asked for as often as others lack.
      const filled = Array.from({ length: width }, (_, index) => part[index] ?? part[0] ?? 0);
      const rows = await transaction.all<Dependency>(referring({ ids: filled }));
      for (const row of rows) found.push({ id: Number(row.id), to: Number(row.to) });
    }
    return found;
  };
};
