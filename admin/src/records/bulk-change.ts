/** Changes of several records in one transaction, and the way to undo them. */

import { readByIds, send } from '../service.ts';
import { traitsOf } from './field-kinds.ts';
import type { Metadata, MetadataField } from './metadata.ts';

type Values = Readonly<Record<string, unknown>>;

/** A changed record: its id, and its former values. */
export interface ChangedRecord {
  readonly id: number;
  readonly before: Values;
}

/** True if two values of a field are equal, whatever their spelling: `12.5` is `12.50`. */
export const isSameValue = (field: Pick<MetadataField, 'type'>, one: unknown, other: unknown): boolean => {
  if (one === null || other === null) return one === other;
  const { isSame } = traitsOf(field);
  return isSame?.(one, other) ?? JSON.stringify(one) === JSON.stringify(other);
};

const hasValues = ({ fields }: Pick<Metadata, 'fields'>, record: Values, values: Values): boolean =>
  Object.entries(values).every(([name, value]) => {
    const field = fields.find((each) => each.name === name);
    return field !== undefined && isSameValue(field, record[name] ?? null, value);
  });

/** The given records that do not have the values yet, with their present ones. */
export const recordsToChange = async (
  metadata: Pick<Metadata, 'fields'>,
  path: string,
  ids: readonly number[],
  values: Values,
): Promise<readonly ChangedRecord[]> => {
  const names = Object.keys(values);
  const records = new Map(
    (await readByIds(`/admin/records/${path}`, ids, names)).map((record) => [record.id, record]),
  );
  return ids.flatMap((id) => {
    const record = records.get(id);
    // The service refuses a record that was deleted meanwhile.
    if (record === undefined) return [{ id, before: {} }];
    if (hasValues(metadata, record, values)) return [];
    return [{ id, before: Object.fromEntries(names.map((name) => [name, record[name] ?? null])) }];
  });
};

/** Writes the values in one transaction, all or none. */
export const writeValues = (path: string, updates: readonly Values[]) =>
  send('POST', `/admin/records/${path}/batch`, { body: { update: updates } });

/** Restores the former values of records, except of those changed since. Returns the number of restored records. */
export const undoChanges = async (
  metadata: Pick<Metadata, 'fields'>,
  path: string,
  changed: readonly ChangedRecord[],
  values: Values,
): Promise<number> => {
  const now = await readByIds(
    `/admin/records/${path}`,
    changed.map(({ id }) => id),
    Object.keys(values),
  );
  const untouched = new Set(now.filter((record) => hasValues(metadata, record, values)).map(({ id }) => id));
  const updates = changed.filter(({ id }) => untouched.has(id)).map(({ id, before }) => ({ id, ...before }));
  if (updates.length > 0) await writeValues(path, updates);
  return updates.length;
};
