import type { RecordKey } from './key.ts';
import { integerKey } from './keys/integer.ts';

/** The kinds of keys: `key: 'uuid'` of a model. */
export const recordKeys = { integer: integerKey } as const satisfies Readonly<Record<string, RecordKey>>;

/** The key of models that name no other, and of the service's own records. */
export const defaultKey: RecordKey<number> = recordKeys.integer;
