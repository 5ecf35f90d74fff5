/** Parks records in the table: a placeholder takes the place of a unique value that another record of the transaction gets. */

import type { Transaction } from '../../database/database.ts';
import { bareColumn, sql } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import type { ModelField } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Columns } from '../collisions.ts';
import type { Parking } from '../parking.ts';
import type { RecordTable } from './record-writes.ts';
import { noArguments } from './write-arguments.ts';
import { type CurrentRecord, type WriteStates, writeStateOf } from './write-states.ts';

export class ParkedRecords {
  readonly #table: RecordTable;
  readonly #parking: Parking;
  readonly #states: WriteStates;

  constructor(table: RecordTable, parking: Parking, states: WriteStates) {
    this.#table = table;
    this.#parking = parking;
    this.#states = states;
  }

  /**
   * Gets a record out of the way of another one in its transaction: a placeholder takes the place of one of these
   * unique values. Its version and its time stay. Its next update or deletion in the transaction shows the record as
   * it was before, and an update sets the original value unless it sets another. Returns false if the grant does not
   * let the record be written, if the later write (`next`: its columns; undefined for a deletion) leaves all of the
   * fields as they are, or if no field can have a placeholder.
   */
  readonly park = async (
    grant: Grant,
    id: RecordId,
    fields: readonly ModelField[],
    next: Columns | undefined,
    within: Transaction,
  ): Promise<boolean> => {
    const parking = this.#parking;
    const { column, everyField, model, name } = this.#table;
    const row = await this.#states.readWriteState<CurrentRecord>(grant, id, within, 'updateLock', everyField);
    if (row === undefined || !writeStateOf(row).writable) return false;
    const before = parking.withOriginals(within, id, row.whole);
    const place = parking.placeIn(fields, grant);
    if (place === undefined || !parking.leaves(fields, before, next)) return false;
    const { field, placeholder } = place;
    const park = this.#table.compiled(`park ${field.name}`, (param) => {
      const value = 'sql' in placeholder ? placeholder.sql : param('values', 0);
      return sql`update ${name} set ${bareColumn(model.stored, field.name)} = ${value} where ${column('id')} = ${param('id')}`;
    });
    const values = 'sql' in placeholder ? [] : [placeholder.value];
    // Noted at once: whatever is issued from now on finds the placeholder.
    parking.note(within, id, field, before);
    await within.run(park({ ...noArguments, values, id }));
    return true;
  };

  /** True if a record still exists with a placeholder, at the end of a transaction. */
  readonly isParked = async (id: RecordId, within: Transaction): Promise<boolean> => {
    if (!this.#parking.isParked(within, id)) return false;
    const { name } = this.#table;
    const read = this.#table.compiled(
      'parked',
      (param) => sql`select "id" as id from ${name} where "id" = ${param('id')}`,
    );
    return (await within.get(read({ ...noArguments, id }))) !== undefined;
  };

  /** JSON text of a record that was read in a transaction, with its original values in place of placeholders. */
  readonly withOriginals = (id: RecordId, whole: string, within: Transaction): string =>
    this.#parking.withOriginals(within, id, whole);
}
