/** Updates of single records, and of further values of a record that the same transaction has saved. */

import type { Transaction } from '../../database/database.ts';
import { versionColumn } from '../../database/source.ts';
import { type Argument, type Fragment, identifier, join, sql, where } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Columns } from '../collisions.ts';
import type { Parking } from '../parking.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { everyRow } from '../rows/reach.ts';
import { readerOf } from '../view.ts';
import type { RecordTable, SavedRecord } from './record-table.ts';
import {
  noArguments,
  reachArguments,
  type WriteArguments,
  type WriteReach,
  writeReachOf,
} from './write-reach.ts';

export class RecordUpdates {
  readonly #table: RecordTable;
  readonly #parking: Parking;

  constructor(table: RecordTable, parking: Parking) {
    this.#table = table;
    this.#parking = parking;
  }

  /**
   * Updates a record. Undefined if no record of the grant's rows has this id and an accepted version, or if the grant
   * does not allow its old or new values. @throws ConstraintError
   */
  readonly update = async (
    grant: Grant,
    id: number,
    columns: Columns,
    now: number,
    versions: readonly number[] | undefined,
    within?: Transaction,
  ): Promise<SavedRecord | undefined> => {
    const reach = versions?.length === 0 ? undefined : writeReachOf(grant);
    if (reach === undefined) return undefined;
    const parking = this.#parking;
    const all = { ...parking.originals(within, id), ...columns, updated_at: toTimestamp(now) };
    const updated = await this.#updateRow(grant, reach, id, all, versions, within, true);
    if (updated !== undefined) parking.forget(within, id);
    return updated;
  };

  /**
   * Sets further values of a record that the same transaction has saved, as a part of that write: its version and its
   * time stay. Undefined if the row rule of the grant does not allow them. @throws ConstraintError
   */
  readonly complete = async (
    grant: Grant,
    id: number,
    columns: Columns,
    within: Transaction,
  ): Promise<SavedRecord | undefined> => {
    const reach = writeReachOf(grant);
    if (reach === undefined) return undefined;
    // The saving statement has checked the rows, and the conditions of the fields that it set.
    const written = { ...reach, rows: everyRow, held: everyRow, key: `${reach.writes?.key}` };
    return this.#updateRow(grant, written, id, columns, undefined, within, false);
  };

  /** @param raises whether the record gets a new version */
  async #updateRow(
    grant: Grant,
    reach: WriteReach,
    id: number,
    columns: Columns,
    versions: readonly number[] | undefined,
    within: Transaction | undefined,
    raises: boolean,
  ): Promise<SavedRecord | undefined> {
    const table = this.#table;
    const names = Object.keys(columns);
    const { id: view } = table.views.of(grant);
    const key = `update ${raises} ${view} ${versions?.length ?? 0} ${names.join(',')}\n${reach.key}`;
    const update = table.compiled(key, (param) => {
      const assignments = names.map((each, index) => sql`${identifier(each)} = ${param('values', index)}`);
      if (raises) assignments.push(sql`${identifier(versionColumn)} = ${table.version} + 1`);
      const conditions = this.#conditionsOf(reach, names, versions, param);
      return sql`update ${table.name} set ${join(assignments)}${where(conditions)}${table.returningSaved(grant)}`;
    });
    const values = Object.values(columns);
    const asked = { ...noArguments, ...reachArguments(reach), ...readerOf(grant) };
    const query = update({ ...asked, values, id, versions: versions ?? [] });
    const [row] = await table.write<SavedRecord>(query, within, id);
    return row && table.toSaved(row, grant);
  }

  /** Conditions on the row as it is, and on its new values where these could leave the caller's reach. */
  #conditionsOf(
    reach: WriteReach,
    names: readonly string[],
    versions: readonly number[] | undefined,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] {
    const { conditions, column } = this.#table;
    const target = conditions.targetConditions(reach, versions, param);
    if (!conditions.leavesReach(reach.writes, names)) return target;
    const next: ColumnSql = (of) =>
      names.includes(of) ? conditions.assignedValue(names, of, param) : column(of);
    return [...target, ...conditions.rowConditions(reach.writes, 'writes', param, next)];
  }
}
