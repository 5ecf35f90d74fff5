/** JSON Schemas of the identity of a user, as sign-ins and `/auth/me` return it. */

import type { JsonSchema } from '../../fields/field.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { publicUserEntity } from '../../records/user-entity.ts';

const { integer, text, textOrNull } = valueSchemas;

/** A user without an address signs in with a provider. */
export const userIdentity = { id: integer, username: text, email: textOrNull, name: text };

/** An object with the flag that takes the place of an address. */
const withTakenAddress = (schema: JsonSchema): JsonSchema => {
  const known = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const taken: JsonSchema = {
    const: true,
    description: 'the address belonged to another user at the first sign-in with a provider',
  };
  return { ...schema, properties: { ...known, email_taken: taken } };
};

/** The same of a sign-in that can be a long one. */
export const withRefreshToken = (schema: JsonSchema): JsonSchema => {
  const known = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const refresh: JsonSchema = { ...text, description: 'for a long sign-in only' };
  return { ...schema, title: `Long${schema['title']}`, properties: { ...known, refresh_token: refresh } };
};

/** A token with its user. */
export const loginSchema = objectSchema('Login', {
  token: text,
  user: objectSchema('UserIdentity', userIdentity),
});

/** The same, of a sign-in at a provider. */
export const exchangedLoginSchema = objectSchema('ExchangedLogin', {
  token: text,
  user: withTakenAddress(objectSchema('ExchangedIdentity', userIdentity)),
});

export const meSchema = withTakenAddress({ ...publicUserEntity.schema, title: 'Me' });
