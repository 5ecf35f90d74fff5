/** The list of all keys, and what follows from them: schemas of ids, and ids of which no model is known. */

import { isJsonObject, type Json } from '../kernel/json.ts';
import type { FieldType, JsonSchema } from './field.ts';
import { integer } from './integer.ts';
import type { RecordId, RecordKey } from './key.ts';
import { bigintKey, parseBigint } from './keys/bigint.ts';
import { isEncoded, keyOfColumns, kindsOfParts } from './keys/columns.ts';
import { integerKey } from './keys/integer.ts';
import { signedKey } from './keys/signed.ts';
import { textKey } from './keys/text.ts';
import { uuidKey } from './keys/uuid.ts';

/** The kinds of keys: `key: 'uuid'` of a model. */
export const recordKeys = {
  integer: integerKey,
  uuid: uuidKey,
  bigint: bigintKey,
  text: textKey,
} as const satisfies Readonly<Record<string, RecordKey>>;

export { isEncoded, keyOfColumns, kindsOfParts, parseBigint, signedKey };

export type KeyKind = keyof typeof recordKeys;

/** The type of the ids of a key, as records, filters and clients have them. */
export type IdOfKey<Kind> = Kind extends 'uuid' | 'bigint' | 'text' | readonly string[] ? string : number;

/** The name of the field that the body of a create has beside the model's own. */
export type GivenInBody<Kind> = Kind extends 'text' ? 'id' : never;

/** The key of a table: one of another program may have zero and negative numbers, which the service never gives. */
export const keyOfModel = (kind: KeyKind, isExternal: boolean): RecordKey =>
  kind === integerKey.kind && isExternal ? signedKey : recordKeys[kind];

/** The names of the keys. */
export const keyKinds = Object.keys(recordKeys) as readonly KeyKind[];

/** True if JSON has the ids of a key as numbers. */
export const isNumeric = ({ schema }: RecordKey): boolean => schema['type'] === 'integer';

/** Schema of an id that a path or a body names. */
export const idSchema = (key: RecordKey): JsonSchema =>
  key === integerKey ? { type: 'integer', minimum: 1 } : key.schema;

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
export const hasTextIds = (keys: Iterable<RecordKey>): boolean => [...keys].some((key) => !isNumeric(key));

/** Schema of ids of records of several models, by their keys. */
export const anyIdSchema = (keys: Iterable<RecordKey>): JsonSchema => ({
  type: hasTextIds(keys) ? ['integer', 'string'] : 'integer',
});

/** The key of models that name no other, and of the service's own records. */
export const defaultKey: RecordKey<number> = recordKeys.integer;

/** The field type of a column with ids that refers to nothing: of numbers there is one type alone. */
export const bareTypeOf = ({ field: { type } }: RecordKey): FieldType => {
  const kind: FieldType['column'] = type.column;
  return kind === 'bigint' ? integer : type;
};

/** The ids that a text can be, for a command that knows no models: each form once, those of the first keys first. */
export const parseAnyIds = (text: string): readonly RecordId[] => [
  ...new Set(
    keyKinds.flatMap((kind): readonly RecordId[] => {
      const id = recordKeys[kind].parse(text);
      return id === undefined ? [] : [id];
    }),
  ),
];

/** The same, where only its spelling matters. */
export const parseAnyId = (text: string): RecordId | undefined => parseAnyIds(text)[0];
