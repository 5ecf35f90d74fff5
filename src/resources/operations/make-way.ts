import type { RecordId } from '../../fields/key.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Grant } from '../../policy/grant.ts';
import type { MakeWay } from '../../records/records.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, recordKey, type SharedTransaction } from './transaction.ts';

/**
 * Rules about sets of records (unique values) hold at the end of a write of several records, whatever the order of its
 * items is. The write announces its updates and deletions before the first one. An item whose value another record
 * still has gets that record out of the way if a later item changes this value or deletes the record.
 */

interface Write {
  readonly resource: ServedResource;
  readonly acting: Acting;
}

interface Announced extends Write {
  readonly acting: Acting & { readonly shared: SharedTransaction };
  readonly grant: Grant;
}

/** Announces an update or deletion (`values`: undefined) that comes later in the same transaction. */
export const announce = (
  { resource, grant, acting: { shared } }: Announced,
  id: RecordId,
  values: JsonObject | undefined,
): void => {
  const { model, records, validate } = resource;
  if (!model.indexes.some(({ unique }) => unique)) return;
  shared.later.set(recordKey(model.name, id), async (fields) => {
    const next = values && validate(values, 'update', grant.writable).columns;
    if (!(await records.park(grant, id, fields, next, shared.transaction))) return false;
    shared.writes += 1;
    shared.beforeEnd(async () => {
      if (await records.isParked(id, shared.transaction))
        throw new Error(`${model.name} ${id}: the write that was to follow did not come`);
    });
    return true;
  });
};

/** The announced write of a record begins: from now on it keeps its values. */
export const begin = ({ resource: { model }, acting: { shared } }: Write, id: RecordId): void => {
  shared?.later.delete(recordKey(model.name, id));
};

/** How records get out of the way of a write in its transaction. */
export const makeWayIn = ({ resource: { model }, acting: { shared } }: Write): MakeWay | undefined =>
  shared && (async (id, fields) => (await shared.later.get(recordKey(model.name, id))?.(fields)) === true);
