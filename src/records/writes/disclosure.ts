/** Reads what records hide from the callers of a mask: fields that `views.when` makes depend on the record. */

import { readId } from '../../database/record-column.ts';
import { columnOf } from '../../database/source.ts';
import { type Fragment, identifier, isAmongRecords, join, sql, where } from '../../database/statement.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import { defaultKey } from '../../fields/keys.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import { hiddenFields, maskFlags, showsFields } from '../masked-source.ts';
import { readerOf, seenSource } from '../view.ts';
import { byHundreds, idsPerStatement } from './hundreds.ts';
import type { RecordTable } from './record-writes.ts';
import { noArguments } from './write-arguments.ts';

/** The key of the records to which a reference of a model leads. */
const keyBehind = ({ fields }: ResourceModel, column: string): RecordKey =>
  fields.get(column)?.referenceKey ?? defaultKey;

type MaskedCaller = Pick<Grant, 'mask' | 'principal'>;

export class RecordDisclosure {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  /**
   * The fields that records hide from the callers of a mask, by id. A record that does not exist hides all fields of
   * the mask. One statement for each hundred records, or none.
   */
  readonly hidden = async (
    grant: MaskedCaller,
    ids: readonly RecordId[],
  ): Promise<ReadonlyMap<RecordId, ReadonlySet<string>>> => {
    const { mask } = grant;
    const hidden = new Map(ids.map((id) => [id, hiddenFields(mask, '', {})]));
    if (mask === undefined) return hidden;
    const { database, dialect, column, model, name } = this.#table;
    const read = this.#table.compiled(`hidden ${mask.key}`, (param) => {
      const flags = maskFlags(mask, '', (set) => showsFields(set, column, dialect));
      const asked = Array.from({ length: idsPerStatement }, (_, index) => param('values', index));
      const columns = join([sql`${readId(dialect, model.key, column('id'))} as id`, ...flags]);
      return sql`select ${columns} from ${name} where ${isAmongRecords(model.stored, asked)}`;
    });
    for (const values of byHundreds(ids)) {
      const rows = await database.all<{ id: RecordId }>(read({ ...noArguments, ...readerOf(grant), values }));
      for (const row of rows) hidden.set(this.#table.model.key.stored(row.id), hiddenFields(mask, '', row));
    }
    return hidden;
  };

  /**
   * The ids of `others` to which records join these ids by two references, where they show both references to the
   * callers of a mask. Undefined where every record shows them. One statement for each hundred ids on either side.
   */
  readonly joined = async (
    grant: MaskedCaller,
    { from, to }: { readonly from: string; readonly to: string },
    ids: readonly RecordId[],
    others: readonly RecordId[],
  ): Promise<ReadonlyMap<RecordId, ReadonlySet<RecordId>> | undefined> => {
    const { mask } = grant;
    const { database, dialect, column, model, name, source } = this.#table;
    const seen = seenSource(source, mask);
    const conditions = [from, to].flatMap((of) => columnOf(seen, of).shownIf ?? []);
    if (mask === undefined || conditions.length === 0) return undefined;
    const keys = { from: keyBehind(model, from), to: keyBehind(model, to) };
    const read = this.#table.compiled(`joined ${mask.key} ${from} ${to}`, (param) => {
      const named = (start: number): Fragment =>
        join(Array.from({ length: idsPerStatement }, (_, index) => param('values', start + index)));
      const rows = [
        sql`${column(from)} in (${named(0)})`,
        sql`${column(to)} in (${named(idsPerStatement)})`,
        ...conditions.map(({ condition }) => condition(dialect, model.stored.name)),
      ];
      const read = (key: RecordKey, of: string): Fragment => readId(dialect, key, column(of));
      const columns = sql`${read(keys.from, from)} as id, ${read(keys.to, to)} as ${identifier('to')}`;
      return sql`select distinct ${columns} from ${name}${where(rows)}`;
    });
    const joined = new Map<RecordId, Set<RecordId>>();
    for (const some of byHundreds(ids))
      for (const further of byHundreds(others)) {
        const query = read({ ...noArguments, ...readerOf(grant), values: [...some, ...further] });
        for (const { id, to: other } of await database.all<{ id: RecordId; to: RecordId }>(query)) {
          const one = keys.from.stored(id);
          joined.set(one, (joined.get(one) ?? new Set()).add(keys.to.stored(other)));
        }
      }
    return joined;
  };
}
