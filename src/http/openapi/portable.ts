import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';

const isChoice = (choice: Json): boolean => isJsonObject(choice) && 'const' in choice;

/** Tells whether null is one of the choices, and a list of types is given as well. */
const isNullableChoice = ({ type, oneOf }: JsonObject): boolean =>
  Array.isArray(type) && Array.isArray(oneOf) && oneOf.every(isChoice);

/** Generators require the items of a list. */
const alternative = (type: Json, items: Json): JsonObject => (type === 'array' ? { type, items } : { type });

/** Several types as alternatives, one each; null and a single type stay a list. */
const withoutTypeList = (schema: JsonObject): JsonObject => {
  const { type, items = {}, ...rest } = schema;
  const isList = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1;
  return isList && rest['anyOf'] === undefined
    ? { ...rest, anyOf: type.map((each) => alternative(each, items)) }
    : schema;
};

/** Generators treat a property with a `default` as required, in request bodies too. */
const withoutDefault = ({ default: preset, ...rest }: JsonObject): JsonObject =>
  preset === undefined ? rest : { ...rest, 'x-default': preset };

const withoutTypeOfChoice = ({ type: _type, ...rest }: JsonObject): JsonObject => rest;

/** Keywords whose value is a schema, a list of schemas, or an object of them; other values are data. */
const withSchema: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);
const withSchemas: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf']);

const portableSchema = (schema: Json): Json => (isJsonObject(schema) ? portable(schema) : schema);

const portableValue = (keyword: string, value: Json): Json => {
  if (withSchema.has(keyword)) return portableSchema(value);
  if (withSchemas.has(keyword) && Array.isArray(value)) return value.map(portableSchema);
  if (keyword !== 'properties' || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, portableSchema(part)]));
};

/**
 * Rewrites a schema for generators of clients. Choices that include null lose their list of types, from which
 * generators would infer any text or null. Several types become alternatives, as some generators keep only the first
 * of a list. A default becomes the extension `x-default`.
 */
export const portable = (schema: JsonObject): JsonObject => {
  const withAlternatives = isNullableChoice(schema) ? withoutTypeOfChoice(schema) : withoutTypeList(schema);
  const entries = Object.entries(withoutDefault(withAlternatives));
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, portableValue(keyword, value)]));
};
