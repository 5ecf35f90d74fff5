/** The conditions that a write puts on the row as it is, on its version, and on its new values. */

import type { Dialect } from '../../database/dialect.ts';
import { columnOf, type Source } from '../../database/source.ts';
import { type Argument, type Fragment, isRecord, join, sql } from '../../database/statement.ts';
import type { StoredTable } from '../../model/stored-table.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { columnsOf, type RowReach, reachConditions, type WriteReach } from '../rows/reach.ts';
import type { WriteArguments } from './write-arguments.ts';

/** The conditions of writes of a table: on the row, on its version, and on its new values. */
export class WriteConditions {
  readonly #source: Source;
  readonly #stored: StoredTable;
  readonly #column: ColumnSql;
  readonly #version: Fragment;
  readonly #dialect: Dialect;

  constructor(source: Source, stored: StoredTable, column: ColumnSql, version: Fragment, dialect: Dialect) {
    this.#source = source;
    this.#stored = stored;
    this.#column = column;
    this.#version = version;
    this.#dialect = dialect;
  }

  /** Conditions on the row as it is, or on its new values if `columns` gives these. */
  rowConditions(
    { terms }: Pick<RowReach, 'terms'>,
    of: 'rows' | 'writes' | 'held',
    param: Argument<WriteArguments>,
    columns: ColumnSql = this.#column,
  ): readonly Fragment[] {
    return reachConditions(terms, columns, (index) => param(of, index), 'hold', this.#dialect);
  }

  /** Conditions for the record with an id within the caller's rows. */
  byIdConditions(rows: RowReach, param: Argument<WriteArguments>): readonly Fragment[] {
    return [...this.rowConditions(rows, 'rows', param), isRecord(this.#stored, param('id'))];
  }

  /** Conditions for the record with an id that the caller may write, with an accepted version. */
  targetConditions(
    { rows, writes, held }: WriteReach,
    versions: readonly number[] | undefined,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] {
    const conditions = [...this.byIdConditions(rows, param)];
    if (writes !== undefined) conditions.push(...this.rowConditions(writes, 'writes', param));
    conditions.push(...this.rowConditions(held, 'held', param));
    const accepted = versions?.map((_, index) => param('versions', index)) ?? [];
    if (accepted.length > 0) conditions.push(sql`${this.#version} in (${join(accepted)})`);
    return conditions;
  }

  /** A written value in a condition, cast to the type of its column. */
  assignedValue(names: readonly string[], of: string, param: Argument<WriteArguments>): Fragment {
    const { type, form } = columnOf(this.#source, of);
    const index = names.indexOf(of);
    const value = this.#dialect.cast(index < 0 ? sql`null` : param('values', index), type.column);
    return form?.operand?.(value) ?? value;
  }

  /** True if an update of these columns may make a row that the caller could not write. */
  leavesReach(writes: RowReach | undefined, names: readonly string[]): writes is RowReach {
    return writes?.terms.some((term) => columnsOf(term).some((of) => names.includes(of))) === true;
  }
}
