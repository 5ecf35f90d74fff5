/** Counts of records: the numbers of counted fields, taken in the transaction that inserts the record. */

import type { Database, Transaction } from '../database/database.ts';
import { soleNumber } from '../database/record-column.ts';
import { prepare } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { RecordNumbering } from '../fields/field.ts';
import { errorMessage } from '../kernel/error-message.ts';
import type { Json } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { CountedField, ResourceModel } from '../model/resource.ts';
import type { Columns } from './collisions.ts';

/**
 * Counts new records of a model. The row of a count stays locked until the end of the transaction, so that a number is
 * used by the record that is inserted, or by the next one if the transaction is rolled back.
 */
export interface RecordCounts {
  /**
   * Takes the next numbers for a record with these values. Returns the values of its counted fields.
   * @throws Error of a format that is a function of the application; no number is taken then
   */
  take(transaction: Transaction, columns: Columns, at: number): Promise<Columns>;
}

/** The values of a record under the names of their fields, as hooks have them. */
const valuesIn = (
  { fields }: Pick<ResourceModel, 'fields'>,
  columns: Columns,
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    [...fields.values()]
      .filter(({ serverSet }) => !serverSet)
      .map(({ name, type, options }): [string, Json] => {
        const value = columns[name] ?? null;
        return [name, value === null || type.decode === undefined ? value : type.decode(value, options)];
      }),
  );

/** The numbering of a record by one field. @throws Problem of the application; Error that names the field */
const numberingOf = (
  model: Pick<ResourceModel, 'name' | 'fields'>,
  { field, counting }: CountedField,
  columns: Columns,
  at: number,
): RecordNumbering => {
  try {
    return counting.numbering(() => valuesIn(model, columns), at);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const message = `The format of ${model.name}.${field.name} failed: ${errorMessage(error)}`;
    throw new Error(message, { cause: error });
  }
};

/** Undefined if the model has no counted field. */
export const createCounts = (
  database: Database,
  { name: model, counted, fields }: Pick<ResourceModel, 'name' | 'counted' | 'fields'>,
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
      // Every format first: a failing one would lose the numbers that were taken before.
      const numbered = counted.map(
        (each) => [each, numberingOf({ name: model, fields }, each, columns, at)] as const,
      );
      for (const [{ field, per }, { period, value }] of numbered) {
        const target = per === undefined ? undefined : fields.get(per)?.referenceKey?.of(columns[per]);
        const target_id = soleNumber(target ?? 0);
        const query = next({ field: field.name, per: per ?? '', target_id, period });
        const [row] = await transaction.all<{ last: number }>(query);
        if (row === undefined) throw new Error(`no number was counted for ${model}.${field.name}`);
        values[field.name] = value(Number(row.last));
      }
      return values;
    },
  };
};
