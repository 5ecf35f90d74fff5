/** The preferences of a request (RFC 7240): `Prefer: handling=strict` refuses fields that a write would ignore. */

import type { JsonSchema } from '../fields/field.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { type Catalogue, fieldError, type Label } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';

/** A token, a quoted string or a mark. The alternatives begin differently, so each character is read once. */
const lexeme = /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)"|([,;=]))/gy;

/**
 * Returns the preferences of a `Prefer` header by name, in lower case. Of a preference that comes twice the first one
 * counts. Parameters are left out; nothing is read behind a syntax error.
 */
export const parsePreferences = (header: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  let name = '';
  let value = '';
  let place: 'name' | 'value' | 'parameters' = 'name';
  const end = (): void => {
    if (name !== '' && !found.has(name)) found.set(name, value);
    name = '';
    value = '';
    place = 'name';
  };
  let read = 0;
  for (const match of header.matchAll(lexeme)) {
    const [whole, token, quoted, mark] = match;
    read += whole.length;
    if (mark === ',') end();
    else if (mark === ';') place = 'parameters';
    else if (mark === '=' && place === 'name') place = 'value';
    else if (place === 'name') name = (token ?? '').toLowerCase();
    else if (place === 'value') value = (token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '').toLowerCase();
  }
  if (header.slice(read).trim() === '') end();
  return found;
};

/** The header of a response to a request whose preference was applied. */
export const strictApplied = { 'Preference-Applied': 'handling=strict' } as const;

/** Tells whether a `Prefer` header asks for strict handling. */
export const prefersStrict = (header: string): boolean =>
  parsePreferences(header).get('handling') === 'strict';

/** Most ignored names of one object that are reported, and the longest name in UTF-16 units. */
const maxIgnored = 50;
const longestName = 100;

/** Returns the messages about names that a write would ignore; `labelOf` is undefined for an unknown name. */
export const ignoredErrors = (
  catalogue: Catalogue,
  names: readonly string[],
  labelOf: (name: string) => Label | undefined = () => undefined,
): readonly FieldError[] =>
  names.slice(0, maxIgnored).map((name) => {
    const shown = name.slice(0, longestName);
    return fieldError(catalogue, shown, labelOf(name) ?? shown, 'ignored');
  });

/**
 * The names that a body of this schema may have; undefined where the schema names none, or its operation checks each
 * record itself.
 */
export const namesOfBody = (schema: JsonSchema | undefined): ReadonlySet<string> | undefined => {
  const properties = schema?.['properties'];
  if (!isJsonObject(properties) || schema?.['additionalProperties'] === true) return undefined;
  return new Set(Object.keys(properties));
};

/** @throws Problem `invalid_record` with a message for each name of the body that is not known */
export const refuseUnknownNames = (
  catalogue: Catalogue,
  names: ReadonlySet<string>,
  body: JsonObject,
): void => {
  const unknown = Object.keys(body).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Problem('invalid_record', { errors: ignoredErrors(catalogue, unknown) });
};
