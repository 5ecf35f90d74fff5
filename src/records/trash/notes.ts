/** Notes in the trash on references that become null with a deletion, so that a restore can set them again. */

import type { Database, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { readId } from '../../database/record-column.ts';
import {
  columnsOfRows,
  type Fragment,
  join,
  literal,
  rowsOf,
  sql,
  statement,
} from '../../database/statement.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import { type ActorRow, actorRow } from '../history/recorded.ts';
import { bundleColumns, noteColumns, type TrashBundle, trashColumns, trashTable } from './bundle.ts';

/** Ids of one statement. */
const idsPerStatement = 100;

type NoteArguments = { readonly [Key in keyof ActorRow]: ActorRow[Key] } & {
  readonly bundle: string;
  readonly deleted_at: string;
  readonly ids: readonly RecordId[];
};

/** Notes the references that the deletion of these records will set to null. Call it before the deletion. */
export type NoteReferences = (
  transaction: Transaction,
  ids: readonly RecordId[],
  deletion: TrashBundle,
) => Promise<void>;

/**
 * The two columns of an id. Notes are found by their bundle, so that the number of an id that is a text is of no use.
 */
const idColumns = (dialect: Dialect, key: RecordKey, value: Fragment): readonly Fragment[] =>
  key.field.type.column === 'integer'
    ? [value, dialect.cast(sql`null`, 'text')]
    : [literal(0), dialect.cast(readId(dialect, key, value), 'text')];

/** Prepares the notes on references by a model's field: one statement for each hundred deleted records. */
export const createNotes = (
  database: Database,
  { name: model, key, stored }: ResourceModel,
  { name: field, referenceKey = key }: ModelField,
): NoteReferences => {
  const { dialect } = database;
  const column = columnsOfRows(stored);
  const noting = statement<NoteArguments>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    const text = (of: Exclude<keyof NoteArguments, 'ids'>): Fragment =>
      dialect.cast(param(of), of === 'deleted_at' ? 'timestamp' : of === 'actor_key' ? 'integer' : 'text');
    const values = [
      literal('reference'),
      literal(model),
      literal(field),
      ...idColumns(dialect, key, column('id')),
      ...idColumns(dialect, referenceKey, column(field)),
      ...bundleColumns.map((each) => text(each)),
    ];
    return sql`insert into ${trashTable} (${trashColumns(noteColumns)}) select ${join(values)} from ${rowsOf(stored)} where ${column(field)} in (${join(ids)})`;
  });
  return async (transaction, ids, { bundle, at, actor }) => {
    for (let start = 0; start < ids.length; start += idsPerStatement) {
      const part = ids.slice(start, start + idsPerStatement);
      // Fewer ids are filled up with the first one, so that the SQL is the same.
      const filled = Array.from({ length: idsPerStatement }, (_, index) => part[index] ?? part[0] ?? 0);
      await transaction.run(noting({ bundle, deleted_at: toTimestamp(at), ...actorRow(actor), ids: filled }));
    }
  };
};
