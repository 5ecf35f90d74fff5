import type { Database, Transaction } from '../../database/database.ts';
import { type Fragment, identifier, join, literal, sql, statement } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
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

/** Prepares the notes on references by a model's field: one statement for each hundred deleted records. */
export const createNotes = (
  database: Database,
  { name: model, table }: ResourceModel,
  { name: field, column }: ModelField,
): NoteReferences => {
  const { dialect } = database;
  const noting = statement<NoteArguments>(dialect, (param) => {
    const ids = Array.from({ length: idsPerStatement }, (_, index) => param('ids', index));
    const text = (of: Exclude<keyof NoteArguments, 'ids'>): Fragment =>
      dialect.cast(param(of), of === 'deleted_at' ? 'timestamp' : of === 'actor_key' ? 'integer' : 'text');
    const values = [
      literal('reference'),
      literal(model),
      literal(field),
      identifier('id'),
      identifier(column),
      ...bundleColumns.map((each) => text(each)),
    ];
    return sql`insert into ${trashTable} (${trashColumns(noteColumns)}) select ${join(values)} from ${identifier(table)} where ${identifier(column)} in (${join(ids)})`;
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
