import type { Database, Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { type Fragment, identifier, join, literal, sql, statement } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import { type ActorRow, actorRow } from '../history/recorded.ts';
import { bundleColumns, noteColumns, type TrashBundle, trashColumns, trashTable } from './bundle.ts';

/** Records of one model that were deleted with one statement at most. */
const width = 100;

type NoteArguments = { readonly [Key in keyof ActorRow]: ActorRow[Key] } & {
  readonly bundle: string;
  readonly deleted_at: string;
  readonly ids: readonly number[];
};

/** Notes whose references the deletion of these records takes away: to be called before it. */
export type NoteReferences = (
  transaction: Transaction,
  ids: readonly number[],
  deletion: TrashBundle,
) => Promise<void>;

/** Notes the references of a model's field, whoever holds them: one statement for each hundred records that go. */
export const createNotes = (
  database: Database,
  { name: model, table }: ResourceModel,
  { name: field, column }: ModelField,
): NoteReferences => {
  const dialect = dialectOf(database);
  const noting = statement<NoteArguments>(dialect, (param) => {
    const ids = Array.from({ length: width }, (_, index) => param('ids', index));
    const text = (of: Exclude<keyof NoteArguments, 'ids'>): Fragment =>
      dialect.cast(param(of), of === 'deleted_at' ? 'timestamp' : of === 'actor_key' ? 'integer' : 'text');
    const values = [
      ...[literal('reference'), literal(model), literal(field)],
      ...[identifier('id'), identifier(column)],
      ...bundleColumns.map((each) => text(each)),
    ];
    return sql`insert into ${trashTable} (${trashColumns(noteColumns)}) select ${join(values)} from ${identifier(table)} where ${identifier(column)} in (${join(ids)})`;
  });
  return async (transaction, ids, { bundle, at, actor }) => {
    for (let start = 0; start < ids.length; start += width) {
      const part = ids.slice(start, start + width);
      // The statement is the same for fewer: the first one is asked for as often as others lack.
      const filled = Array.from({ length: width }, (_, index) => part[index] ?? part[0] ?? 0);
      await transaction.run(noting({ bundle, deleted_at: toTimestamp(at), ...actorRow(actor), ids: filled }));
    }
  };
};
