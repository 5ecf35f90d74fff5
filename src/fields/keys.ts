/** The list of all keys, and what follows from them: schemas of ids, and ids of which no model is known. */

import { isJsonObject, type Json } from '../kernel/json.ts';
import type { JsonSchema } from './field.ts';
import type { RecordId, RecordKey } from './key.ts';
import { integerKey } from './keys/integer.ts';
import { uuidKey } from './keys/uuid.ts';

/** The kinds of keys: `key: 'uuid'` of a model. */
export const recordKeys = { integer: integerKey, uuid: uuidKey } as const satisfies Readonly<
  Record<string, RecordKey>
>;

export type KeyKind = keyof typeof recordKeys;

/** The type of the ids of a key, as records, filters and clients have them. */
export type IdOfKey<Kind> = Kind extends Exclude<KeyKind, 'integer'> ? string : number;

/** The names of the keys. */
export const keyKinds = Object.keys(recordKeys) as readonly KeyKind[];

/** Schema of an id that a path or a body names. */
export const idSchema = (key: RecordKey): JsonSchema =>
  key.kind === 'integer' ? { type: 'integer', minimum: 1 } : key.schema;

/**
 * The types of ids of records of any model, in schemas that are made before the models are known. A description shows
 * the type of integers alone where no model has another key.
 */
export const recordIdTypes: string[] = ['integer', 'string'];

/** A schema with the ids of any model as an application has them: integers alone where no model has another key. */
export const withIdTypes = <Schema extends Json>(schema: Schema, textIds: boolean): Schema => {
  const replaced = (value: Json): Json => {
    if (value === recordIdTypes) return 'integer';
    if (Array.isArray(value)) return value.map(replaced);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part)]));
  };
  return textIds ? schema : (replaced(schema) as Schema);
};

/** True if one of the keys is another one than integers. */
export const hasTextIds = (keys: Iterable<RecordKey>): boolean =>
  [...keys].some(({ kind }) => kind !== 'integer');

/** Schema of ids of records of several models, by their keys. */
export const anyIdSchema = (keys: Iterable<RecordKey>): JsonSchema => ({
  type: hasTextIds(keys) ? ['integer', 'string'] : 'integer',
});

/** The key of models that name no other, and of the service's own records. */
export const defaultKey: RecordKey<number> = recordKeys.integer;

/** The id in a text, for a command that knows no models: the first key that takes it decides. */
export const parseAnyId = (text: string): RecordId | undefined => {
  for (const kind of keyKinds) {
    const id: RecordId | undefined = recordKeys[kind].parse(text);
    if (id !== undefined) return id;
  }
  return undefined;
};
