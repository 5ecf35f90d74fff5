import type { Transaction } from '../../database/database.ts';
import { sql, where } from '../../database/statement.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Parking } from '../parking.ts';
import type { RecordTable, WithReach, WithWhole } from './record-table.ts';
import { noArguments, reachArguments, writeReachOf } from './write-reach.ts';

/** A record as it was when it was deleted. */
interface RemovedRecord extends WithWhole, WithReach {
  readonly version: number;
}

/** Deletions of single records. */
export class RecordRemovals {
  readonly #table: RecordTable;
  readonly #parking: Parking;

  constructor(table: RecordTable, parking: Parking) {
    this.#table = table;
    this.#parking = parking;
  }

  /**
   * Deletes a record. Undefined if no record that the grant lets be written has this id and an accepted version.
   * @throws ConstraintError if another record still refers to it
   */
  readonly remove = async (
    grant: Grant,
    id: number,
    versions: readonly number[] | undefined,
    within?: Transaction,
  ): Promise<RemovedRecord | undefined> => {
    const table = this.#table;
    const reach = versions?.length === 0 ? undefined : writeReachOf(grant);
    if (reach === undefined) return undefined;
    const remove = table.compiled(`remove ${versions?.length ?? 0} ${reach.key}`, (param) => {
      const columns = [sql`${table.version} as version`, ...table.keptReach];
      if (!table.needsWhole && table.model.trash) columns.push(table.everyField);
      const conditions = table.conditions.targetConditions(reach, versions, param);
      return sql`delete from ${table.name}${where(conditions)}${table.returning(columns)}`;
    });
    const query = remove({ ...noArguments, ...reachArguments(reach), id, versions: versions ?? [] });
    const [row] = await table.write<RemovedRecord>(query, within, id);
    if (row === undefined) return undefined;
    const last = this.#parking.withOriginals(within, id, row.whole);
    this.#parking.forget(within, id);
    return { ...row, whole: last, version: Number(row.version) };
  };
}
