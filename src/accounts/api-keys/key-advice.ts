/**
 * Advice about API keys, and the parts that every list of keys in need of attention shares: its records and its schema.
 */

import type { JsonSchema } from '../../fields/field.ts';
import { valueSchemas } from '../../http/schemas.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { type Attention, type KeyInNeed, type KeysInNeed, maxListed } from '../attention.ts';
import type { KeyUses, WideKey } from './usage/scope-usage.ts';

/** A user as a response shows it; null where there is none. */
export const userOrNull = (id: number | null, username: string | null): Json =>
  id === null || username === null ? null : { id, username };

const keyOf = ({ id, name, user_id, username, owner_id, owner_name, ...times }: KeyInNeed) => ({
  id,
  name,
  user: { id: user_id, username },
  owner: userOrNull(owner_id, owner_name),
  expires_at: times.expires_at,
  created_at: times.created_at,
  last_used_at: times.last_used_at,
});

/** A count of keys, and the first of them, as a response shows them. */
export const keysOf = ({ count, keys }: KeysInNeed): Json => ({ count, keys: keys.map(keyOf) });

const wideKeysOf = (keys: readonly WideKey[]): Json => ({
  count: keys.length,
  keys: keys.slice(0, maxListed).map(({ narrower, ...key }) => ({
    ...keyOf(key),
    narrower_scopes: [...narrower],
  })),
});

export interface KeyAdviceParts {
  readonly attention: Attention;
  readonly keyUses: KeyUses;
  readonly keyScopes: ReadonlySet<string>;
}

/** Advice about keys that never expire, are unused, or may do more than they did within 30 days. */
export const keyAdviceReader = (services: KeyAdviceParts): (() => Promise<JsonObject>) => {
  const { attention, keyUses, keyScopes } = services;
  return async () => {
    await keyUses.flush();
    const [endless, neglected, wide] = await Promise.all([
      attention.endlessKeys(),
      attention.neglectedKeys(),
      keyUses.wide(keyScopes),
    ]);
    return {
      endless_keys: keysOf(endless),
      neglected_keys: keysOf(neglected),
      wide_keys: wideKeysOf(wide),
    };
  };
};

const { integer, text, timeOrNull } = valueSchemas;

/** Schema of a list of objects. */
export const objectsSchema = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'array',
  items: { type: 'object', properties },
});

/** Schema of a count, and of the list of the first entries under a name. */
export const countedListSchema = (
  name: string,
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema => ({
  type: 'object',
  properties: { count: integer, [name]: objectsSchema(properties) },
});
export const userOrNullSchema: JsonSchema = {
  type: ['object', 'null'],
  properties: { id: integer, username: text },
};
const key = {
  id: integer,
  name: text,
  user: { type: 'object', properties: { id: integer, username: text } },
  owner: {
    ...userOrNullSchema,
    description: 'the person who owns the service account that the key belongs to',
  },
  expires_at: timeOrNull,
  created_at: { type: 'string', format: 'date-time' },
  last_used_at: timeOrNull,
} as const satisfies Readonly<Record<string, JsonSchema>>;
/** Schema of a count of keys with the first of them. */
export const keysSchema = countedListSchema('keys', key);
/** Schemas of the members of the advice. */
export const keyAdviceMembers = {
  endless_keys: { ...keysSchema, description: 'never expire' },
  neglected_keys: {
    ...keysSchema,
    description: 'active, and not used for 30 days or since their creation',
  },
  wide_keys: {
    ...countedListSchema('keys', { ...key, narrower_scopes: { type: 'array', items: text } }),
    description:
      'can do more than their requests of the last 30 days needed; `narrower_scopes` would be enough. Covers the 200 keys that were used last.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const keyAdviceSchema: JsonSchema = {
  type: 'object',
  title: 'ApiKeyAdvice',
  properties: keyAdviceMembers,
  required: Object.keys(keyAdviceMembers),
};
