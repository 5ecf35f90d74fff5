/** Locks the records of a transaction in the order of their ids, so that transactions never wait in a circle. */

import type { SqlValue, Transaction } from '../../database/database.ts';
import { readId } from '../../database/record-column.ts';
import {
  type Argument,
  type Fragment,
  isAmongRecords,
  join,
  type Statement,
  sql,
  where,
} from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import type { Grant } from '../../policy/grant.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { byHundreds, idsPerStatement } from './hundreds.ts';
import type { RecordTable } from './record-writes.ts';
import { noArguments, type WriteArguments } from './write-arguments.ts';
import type { RowLock } from './write-states.ts';

export class RecordLocks {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  /**
   * Locks the records that the grants reach and that have one of these values in a unique column, in the order of
   * their ids and until the end of the transaction. Transactions that lock all of their records in this way before
   * they write never wait for each other in a circle. At most two statements for each hundred values.
   */
  readonly lock = async (
    grants: readonly Grant[],
    of: string,
    values: readonly SqlValue[],
    within: Transaction,
    lock: RowLock = 'updateLock',
  ): Promise<void> => {
    const { dialect, model } = this.#table;
    const reaches = grants.map((grant) => reachOf(grant)).filter((rows) => rows !== undefined);
    if (!dialect.locksRows || values.length < 2 || reaches.length === 0) return;
    const named =
      of === 'id'
        ? values.flatMap((value) => model.key.of(value) ?? [])
        : await this.#idsOf(this.#finding(reaches, of, undefined), reaches, values, within);
    named.sort(model.key.compare);
    await this.#idsOf(this.#finding(reaches, 'id', lock), reaches, named, within);
  };

  /** The statement that finds the records within a reach by a hundred values of a column, and locks them. */
  #finding(reaches: readonly RowReach[], by: string, lock: RowLock | undefined): Statement<WriteArguments> {
    const { column, dialect, model, name } = this.#table;
    const key = reaches.map((rows) => rows.key).join('\n');
    return this.#table.compiled(`lock ${lock} ${by} ${key}`, (param) => {
      const asked = Array.from({ length: idsPerStatement }, (_, index) => param('values', index));
      const any = join(this.#anyOf(reaches, param), ' or ');
      const conditions = [
        by === 'id' ? isAmongRecords(model.stored, asked) : sql`${column(by)} in (${join(asked)})`,
        sql`(${any})`,
      ];
      const found = sql`select ${readId(dialect, model.key, column('id'))} as id from ${name}${where(conditions)} order by ${column('id')}`;
      return lock === undefined ? found : sql`${found}${dialect[lock]}`;
    });
  }

  /** A condition for each reach: the row is within it. */
  #anyOf(reaches: readonly RowReach[], param: Argument<WriteArguments>): readonly Fragment[] {
    const { column, dialect } = this.#table;
    let start = 0;
    return reaches.map(({ terms }) => {
      const first = start;
      start += terms.length;
      const met = reachConditions(terms, column, (at) => param('rows', first + at), 'hold', dialect);
      return met.length === 0 ? sql`1 = 1` : sql`(${join(met, ' and ')})`;
    });
  }

  async #idsOf(
    read: Statement<WriteArguments>,
    reaches: readonly RowReach[],
    named: readonly SqlValue[],
    within: Transaction,
  ): Promise<RecordId[]> {
    const rows = reaches.flatMap((each) => each.values);
    const found: RecordId[] = [];
    for (const values of byHundreds(named))
      for (const { id } of await within.all<{ id: RecordId }>(read({ ...noArguments, rows, values })))
        found.push(this.#table.model.key.stored(id));
    return found;
  }
}
