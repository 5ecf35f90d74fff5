import type { Database, Transaction } from '../database/database.ts';
import { prepare } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { Columns } from './collisions.ts';

/**
 * Counts new records of a model. The row of a count stays locked until the end of the transaction, so that a number is
 * used by the record that is inserted, or by the next one if the transaction is rolled back.
 */
export interface RecordCounts {
  /** Takes the next numbers for a record with these values. Returns the values of its counted fields. */
  take(transaction: Transaction, columns: Columns, at: number): Promise<Columns>;
}

/** Undefined if the model has no counted field. */
export const createCounts = (
  database: Database,
  { name: model, counted }: Pick<ResourceModel, 'name' | 'counted'>,
): RecordCounts | undefined => {
  if (counted.length === 0) return undefined;
  const next = prepare<{ field: string; per: string; target_id: number; period: number }>((param) =>
    tablesOf(database)
      .insertInto('gatewright_counts')
      .values({
        model,
        field: param('field'),
        per: param('per'),
        target_id: param('target_id'),
        period: param('period'),
        last: 1,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['model', 'field', 'per', 'target_id', 'period'])
          .doUpdateSet((eb) => ({ last: eb('gatewright_counts.last', '+', 1) })),
      )
      .returning('last'),
  );
  return {
    take: async (transaction, columns, at) => {
      const values: Record<string, string> = {};
      for (const { field, counting, per } of counted) {
        const period = counting.period(at);
        const target_id = Number(per === undefined ? 0 : (columns[per] ?? 0));
        const query = next({ field: field.column, per: per ?? '', target_id, period });
        const [row] = await transaction.all<{ last: number }>(query);
        if (row === undefined) throw new Error(`no number was counted for ${model}.${field.name}`);
        values[field.column] = counting.value(Number(row.last), period);
      }
      return values;
    },
  };
};
