import type { RecordKey } from './key.ts';
import { integerKey } from './keys/integer.ts';
import { uuidKey } from './keys/uuid.ts';

/** The kinds of keys: `key: 'uuid'` of a model. */
export const recordKeys = { integer: integerKey, uuid: uuidKey } as const satisfies Readonly<Record<string, RecordKey>>;

export type KeyKind = keyof typeof recordKeys;

/** The type of the ids of a key, as records, filters and clients have them. */
export type IdOfKey<Kind> = Kind extends Exclude<KeyKind, 'integer'> ? string : number;

/** The names of the keys. */
export const keyKinds = Object.keys(recordKeys) as readonly KeyKind[];

/** The key of models that name no other, and of the service's own records. */
export const defaultKey: RecordKey<number> = recordKeys.integer;
