import { isNetwork } from '../../auth/client-network.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { maxRestrictions } from '../../policy/key-scope.ts';
import type { CheckContext, InputViolation } from '../command.ts';

/** Schema of one network, as far as a pattern can describe it; the service checks the rest. */
const networkItems: JsonSchema = { type: 'string', pattern: '^[0-9A-Fa-f:.]+(?:/[0-9]{1,3})?$' };

const restrictionSchema = (items: JsonSchema): JsonSchema => ({
  type: ['array', 'null'],
  items,
  minItems: 1,
  maxItems: maxRestrictions,
});

/** Adds what the fields do not say of scopes and networks; `known` are the scopes of the service. */
export const refineKey =
  (known: ReadonlySet<string>) =>
  (schema: JsonSchema): JsonSchema => {
    const { properties } = schema;
    if (!isJsonObject(properties)) return schema;
    const items = { scopes: { type: 'string', enum: [...known] }, networks: networkItems };
    const refined = Object.entries(items).flatMap(([name, item]) => {
      const field = properties[name];
      return isJsonObject(field) ? [[name, { ...field, ...restrictionSchema(item) }]] : [];
    });
    return { ...schema, properties: { ...properties, ...Object.fromEntries(refined) } };
  };

/** Schemas of the restrictions of a new key, which are absent where it has none. */
export const shownRestrictions: Readonly<Record<'scopes' | 'networks', JsonSchema>> = {
  scopes: { type: 'array', items: { type: 'string' } },
  networks: { type: 'array', items: { type: 'string' } },
};

/** Violations of a list of texts each of which has to be known. */
const listViolations = (
  name: 'scopes' | 'networks',
  sent: Json | undefined,
  isKnown: (text: string) => boolean,
  types: CheckContext['types'],
): readonly InputViolation[] => {
  if (sent === undefined || sent === null) return [];
  if (!Array.isArray(sent) || sent.some((item) => typeof item !== 'string'))
    return [{ field: name, rule: 'type', params: { type: types.array } }];
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

/** Rules of scopes and networks that are broken; `known` are the scopes of the service. */
export const restrictionViolations = (
  { scopes, networks }: { readonly scopes?: Json; readonly networks?: Json },
  known: ReadonlySet<string>,
  types: CheckContext['types'],
): readonly InputViolation[] => [
  ...listViolations('scopes', scopes, (text) => known.has(text), types),
  ...listViolations('networks', networks, isNetwork, types),
];

/** Texts of a list that was checked, each once; null where there is none. */
export const restrictionOf = (sent: Json | undefined): readonly string[] | null =>
  Array.isArray(sent) ? [...new Set(sent.map(String))] : null;

export const storedRestriction = (texts: readonly string[] | null): string | null =>
  texts === null ? null : JSON.stringify(texts);

/** Restrictions of a key where it has some, as they are returned and written to the audit log. */
export const restrictionsShown = (
  scopes: readonly string[] | null,
  networks: readonly string[] | null,
): JsonObject => ({
  ...(scopes === null ? {} : { scopes: [...scopes] }),
  ...(networks === null ? {} : { networks: [...networks] }),
});
