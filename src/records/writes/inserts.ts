import type { Transaction } from '../../database/database.ts';
import { type Argument, type Fragment, identifier, join, sql, where } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Columns } from '../collisions.ts';
import type { CompanionInsert } from '../companion-inserts.ts';
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

/** Inserts of a table. */
export class RecordInserts {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  /**
   * Inserts a record. Undefined if the grant does not allow such a record. Companion inserts are part of the same
   * statement; they need `Dialect.writeWithCte`. @throws ConstraintError
   */
  readonly insert = async (
    grant: Grant,
    columns: Columns,
    now: number,
    within?: Transaction,
    companions: readonly CompanionInsert[] = [],
  ): Promise<SavedRecord | undefined> => {
    const table = this.#table;
    const reach = writeReachOf(grant);
    if (reach === undefined) return undefined;
    const names = [...Object.keys(columns), 'created_at', 'updated_at'];
    const at = toTimestamp(now);
    const further = companions.map((each) => each.key).join(' ');
    const key = `insert ${further} ${table.views.of(grant).id} ${names.join(',')}\n${reach.key}`;
    const insert = table.compiled(key, (param) =>
      table.withCompanions(grant, this.#insertOf(grant, reach, names, param), companions, param),
    );
    const values = [...Object.values(columns), at, at];
    const bound = { values, companions: companions.flatMap((each) => each.values) };
    const query = insert({ ...noArguments, ...reachArguments(reach), ...readerOf(grant), ...bound });
    const [row] = await table.write<SavedRecord>(query, within, 0);
    const { writes = everyRow, held } = reach;
    if (row === undefined && writes === everyRow && held === everyRow)
      throw new Error('an insert returned no record');
    return row && table.toSaved(row, grant);
  };

  /** The insert of these columns; with conditions on the new row, it inserts a row that meets them or none. */
  #insertOf(
    grant: Grant,
    { writes = everyRow, held }: WriteReach,
    names: readonly string[],
    param: Argument<WriteArguments>,
  ): Fragment {
    const { name, conditions } = this.#table;
    const saved = this.#table.returningSaved(grant);
    const into = sql`insert into ${name} (${join(names.map((each) => identifier(each)))})`;
    if (writes.terms.length === 0 && held.terms.length === 0) {
      const places = names.map((_, index) => param('values', index));
      return sql`${into} values (${join(places)})${saved}`;
    }
    const made: ColumnSql = (of) => conditions.assignedValue(names, of, param);
    const admitted = [
      ...conditions.rowConditions(writes, 'writes', param, made),
      ...conditions.rowConditions(held, 'held', param, made),
    ];
    return sql`${into} ${sql`select ${join(names.map(made))}${where(admitted)}`}${saved}`;
  }
}
