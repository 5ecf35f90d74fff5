import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';

const isChoice = (choice: Json): boolean => isJsonObject(choice) && 'const' in choice;

/** Where null is one of the choices, a list of types stands beside them. */
const isNullableChoice = ({ type, oneOf }: JsonObject): boolean =>
  Array.isArray(type) && Array.isArray(oneOf) && oneOf.every(isChoice);

const portableValue = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(portableValue);
  return isJsonObject(value) ? portable(value) : value;
};

/**
 * A schema as generators of clients read it best: choices of which one is null stand without the types beside them.
 * They say the same, and with them a generator would make any text or null of the choices.
 */
export const portable = (schema: JsonObject): JsonObject => {
  const spared = isNullableChoice(schema) ? 'type' : undefined;
  const entries = Object.entries(schema).filter(([keyword]) => keyword !== spared);
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, portableValue(value)]));
};
