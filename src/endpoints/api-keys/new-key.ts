import { hashKey, keyPrefixLength, newKey } from '../../auth/api-key.ts';
import { field } from '../../fields/define.ts';
import type { Answer, Call } from '../../http/endpoint.ts';
import { parseTimestamp, toTimestamp } from '../../kernel/timestamp.ts';
import type { Services } from '../services.ts';
import { actorOf } from '../shared.ts';

/** Characters of a key's name. */
export const maxKeyName = 100;

/** Fields of a new key, on both routes. */
export const keyFieldDefinitions = {
  name: field.string({ required: true, max: maxKeyName }),
  expires_at: field.datetime(),
} as const;

/** When a key shall end, as it was sent: milliseconds since the epoch, null for never. */
export const endOf = (value: unknown): number | null =>
  typeof value === 'string' ? (parseTimestamp(value) ?? null) : null;

/**
 * Makes a key for a user and answers it in full: the only time that it is seen. An `expires_at` in the past is taken
 * and makes an expired key.
 */
export const createKey = async (
  { keys, catalogue }: Pick<Services, 'keys' | 'catalogue'>,
  call: Call,
  userId: number,
  values: Readonly<Record<string, unknown>>,
): Promise<Answer> => {
  const key = newKey();
  const name = String(values['name']);
  const expiresAt = endOf(values['expires_at']);
  const { id, createdAt } = await keys.create(
    { userId, name, hash: hashKey(key), prefix: key.slice(0, keyPrefixLength), expiresAt },
    actorOf(call),
  );
  return {
    message: catalogue.keyCreated,
    data: {
      id,
      name,
      key,
      expires_at: expiresAt === null ? null : toTimestamp(expiresAt),
      created_at: toTimestamp(createdAt),
    },
  };
};
