/**
 * Restrictions of a key (scopes, networks, limit, quota): how a request states them, their rules, and how a row
 * stores them.
 */

import { isNetwork } from '../../auth/client-network.ts';
import { isRate } from '../../auth/rate-limit.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { InputViolation } from '../../ledger/command.ts';
import { maxRestrictions } from '../../policy/key-scope.ts';

/** Restrictions of a key as its row has them; null: none. */
export interface StoredRestrictions {
  /** JSON arrays of texts. */
  readonly scopes: string | null;
  readonly networks: string | null;
  /** JSON object. */
  readonly limit: string | null;
  /** Requests of a month. */
  readonly quota: number | null;
}

export const noRestrictions: StoredRestrictions = { scopes: null, networks: null, limit: null, quota: null };

const restrictionNames = ['scopes', 'networks', 'limit', 'quota'] as const;

/** The same as they are sent. */
type SentRestrictions = { readonly [Name in keyof StoredRestrictions]?: Json };

/** Schema of one network, as far as a pattern can describe it; the service checks the rest. */
const networkItems: JsonSchema = { type: 'string', pattern: '^[0-9A-Fa-f:.]+(?:/[0-9]{1,3})?$' };

const restrictionSchema = (items: JsonSchema): JsonSchema => ({
  type: ['array', 'null'],
  items,
  minItems: 1,
  maxItems: maxRestrictions,
});

export const limitSchema: JsonSchema = {
  type: ['object', 'null'],
  description: 'at most `max` requests in a `window`, of which `burst` (`max` unless given) may come at once',
  properties: {
    max: { type: 'integer', minimum: 1 },
    window: { type: 'string', pattern: '^[0-9]{1,6}[smhd]$' },
    burst: { type: 'integer', minimum: 1 },
  },
  required: ['max', 'window'],
  additionalProperties: false,
};

/** Adds the rules of scopes, networks and limits to the schema; `known` are the scopes of the service. */
export const refineKey =
  (known: ReadonlySet<string>) =>
  (schema: JsonSchema): JsonSchema => {
    const { properties } = schema;
    if (!isJsonObject(properties)) return schema;
    const parts = {
      scopes: restrictionSchema({ type: 'string', enum: [...known] }),
      networks: restrictionSchema(networkItems),
      limit: limitSchema,
    };
    const refined = Object.entries(parts).flatMap(([name, part]) => {
      const field = properties[name];
      return isJsonObject(field) ? [[name, { ...field, ...part }]] : [];
    });
    return { ...schema, properties: { ...properties, ...Object.fromEntries(refined) } };
  };

/** Schemas of the restrictions of a new key, which are absent where it has none. */
export const shownRestrictions: Readonly<Record<keyof StoredRestrictions, JsonSchema>> = {
  scopes: { type: 'array', items: { type: 'string' } },
  networks: { type: 'array', items: { type: 'string' } },
  limit: { ...limitSchema, type: 'object' },
  quota: { type: 'integer', minimum: 1 },
};

/** Violations of a list of texts each of which has to be known. */
const listViolations = (
  name: 'scopes' | 'networks',
  sent: Json | undefined,
  isKnown: (text: string) => boolean,
): readonly InputViolation[] => {
  if (sent === undefined || sent === null) return [];
  if (!Array.isArray(sent) || sent.some((item) => typeof item !== 'string'))
    return [{ field: name, rule: 'type', params: { type: 'array' } }];
  if (sent.length === 0) return [{ field: name, rule: 'required' }];
  if (sent.length > maxRestrictions)
    return [{ field: name, rule: 'too_many', params: { max: maxRestrictions } }];
  const unknown = sent.find((item) => !isKnown(String(item)));
  if (unknown === undefined) return [];
  return [
    {
      field: name,
      rule: name === 'scopes' ? 'key_scope' : 'key_network',
      params: { value: String(unknown) },
    },
  ];
};

/** Rules of restrictions that are broken; `known` are the scopes of the service. */
export const restrictionViolations = (
  { scopes, networks, limit }: SentRestrictions,
  known: ReadonlySet<string>,
): readonly InputViolation[] => {
  const violations = [
    ...listViolations('scopes', scopes, (text) => known.has(text)),
    ...listViolations('networks', networks, isNetwork),
  ];
  if (limit !== undefined && limit !== null && !isRate(limit))
    violations.push({ field: 'limit', rule: 'key_limit' });
  return violations;
};

const toStored = (value: Json | undefined): string | number | null | undefined => {
  if (value === undefined || value === null || typeof value === 'number') return value;
  return JSON.stringify(Array.isArray(value) ? [...new Set(value)] : value);
};

/** The columns of restrictions that were sent and checked. A list has each text once. */
export const storedRestrictions = (sent: SentRestrictions): Partial<StoredRestrictions> =>
  Object.fromEntries(
    restrictionNames.map((name) => [name, toStored(sent[name])]).filter(([, value]) => value !== undefined),
  );

/** Restrictions of a key where it has some, as they are returned and written to the audit log. */
export const restrictionsShown = (restrictions: StoredRestrictions): JsonObject =>
  Object.fromEntries(
    restrictionNames
      .map((name): [string, Json] => {
        const value = restrictions[name];
        return [name, typeof value === 'string' ? JSON.parse(value) : value];
      })
      .filter(([, value]) => value !== null),
  );
