/** Reads records for a write: their version, and whether the grant lets them be written. */

import type { SqlValue, Transaction } from '../../database/database.ts';
import { readId } from '../../database/record-column.ts';
import { type Fragment, join, literal, sql, where } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Parking } from '../parking.ts';
import { everyRow, reachOf } from '../rows/reach.ts';
import type { RecordTable, WithReach } from './record-writes.ts';
import { noArguments } from './write-arguments.ts';

/** The state of a reached record that decides whether a write may change it. */
export interface WriteState {
  readonly version: number;
  /** True if the grant lets the record be written as it is now. */
  readonly writable: boolean;
}

/** A stored record with JSON text of every field. */
export interface CurrentRecord extends WriteState, WithReach {
  readonly whole: string;
}

/** The lock on a record that is read in a transaction: see `Dialect`. */
export type RowLock = 'updateLock' | 'deleteLock';

/** A write state as the database returns it. */
interface WriteStateRow {
  readonly version: number;
  readonly writable: unknown;
}

export const writeStateOf = ({ version, writable }: WriteStateRow): WriteState => ({
  version: Number(version),
  writable: Number(writable) === 1,
});

export class WriteStates {
  readonly #table: RecordTable;
  readonly #parking: Parking;

  constructor(table: RecordTable, parking: Parking) {
    this.#table = table;
    this.#parking = parking;
  }

  /** Reads a record that the grant reaches, with every field; in a transaction it is locked until the end. */
  readonly current = async (
    grant: Grant,
    id: RecordId,
    within?: Transaction,
    lock: RowLock = 'updateLock',
  ): Promise<CurrentRecord | undefined> => {
    const { everyField, keptReach } = this.#table;
    const locks = within === undefined ? undefined : lock;
    const more = join([everyField, ...keptReach]);
    const row = await this.readWriteState<CurrentRecord>(grant, id, within, locks, more);
    if (row === undefined) return undefined;
    const whole = this.#parking.withOriginals(within, id, row.whole);
    return { ...writeStateOf(row), whole, reach: row.reach };
  };

  /** Reads the version of a record that the grant reaches, and whether it may be written. */
  readonly writeState = async (
    grant: Grant,
    id: RecordId,
    within?: Transaction,
  ): Promise<WriteState | undefined> => {
    const row = await this.readWriteState<WriteStateRow>(grant, id, within, undefined);
    return row && writeStateOf(row);
  };

  /** Returns the id of the record that the grant reaches and whose unique column has a value. */
  readonly identify = async (
    grant: Grant,
    of: string,
    value: SqlValue,
    within?: Transaction,
  ): Promise<RecordId | undefined> => {
    const { database, dialect, conditions, column, model, name } = this.#table;
    const rows = reachOf(grant);
    if (rows === undefined) return undefined;
    const read = this.#table.compiled(`identify ${of} ${rows.key}`, (param) => {
      const met = [
        ...conditions.rowConditions(rows, 'rows', param),
        sql`${column(of)} = ${param('values', 0)}`,
      ];
      return sql`select ${readId(dialect, model.key, column('id'))} as id from ${name}${where(met)}`;
    });
    const query = read({ ...noArguments, rows: rows.values, values: [value] });
    const row = await (within ?? database).get<{ id: RecordId }>(query);
    return row && model.key.stored(row.id);
  };

  /** Reads the write state of a record that the grant reaches, with further columns. */
  readWriteState<Row extends WriteStateRow>(
    grant: Grant,
    id: RecordId,
    within: Transaction | undefined,
    lock: RowLock | undefined,
    more?: Fragment,
  ): Promise<Row | undefined> | undefined {
    const { database, dialect, conditions, name, version } = this.#table;
    const rows = reachOf(grant);
    if (rows === undefined) return undefined;
    const { writes: filter } = grant;
    const writes = filter === undefined ? everyRow : reachOf({ rows: filter });
    const key = `state ${lock} ${more !== undefined} ${rows.key}\n${writes?.key ?? 'none'}`;
    const read = this.#table.compiled(key, (param) => {
      const met = writes === undefined ? [sql`1 = 0`] : conditions.rowConditions(writes, 'writes', param);
      const writable = met.length === 0 ? literal(1) : sql`case when ${join(met, ' and ')} then 1 else 0 end`;
      const columns = [sql`${version} as version`, sql`${writable} as writable`];
      const answer = join(more === undefined ? columns : [...columns, more]);
      const row = sql`select ${answer} from ${name}${where(conditions.byIdConditions(rows, param))}`;
      return lock === undefined ? row : sql`${row}${dialect[lock]}`;
    });
    const query = read({ ...noArguments, rows: rows.values, writes: writes?.values ?? [], id });
    return (within ?? database).get<Row>(query);
  }
}
