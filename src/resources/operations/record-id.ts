import type { RecordId, RecordKey } from '../../fields/key.ts';
import { Problem } from '../../kernel/problem.ts';

/** The value as an id of the records with this key. @throws Problem `record_not_found` if it cannot be one */
export const requireId = (key: RecordKey, id: unknown): RecordId => {
  if (!key.is(id)) throw new Problem('record_not_found');
  return id;
};

/** True if a value can be the version of a record. */
export const isVersion = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
