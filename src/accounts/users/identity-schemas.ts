/** JSON Schemas of the identity of a user, as sign-ins and `/auth/me` return it. */

import type { JsonSchema } from '../../fields/field.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { Languages } from '../../kernel/messages.ts';
import { publicUserEntity } from '../../records/user-entity.ts';

const { integer, text, textOrNull } = valueSchemas;

/** A user without an address signs in with a provider. */
export const userIdentity = { id: integer, username: text, email: textOrNull, name: text };

/** An object with a further property, which it does not require. */
const withProperty = (schema: JsonSchema, name: string, property: JsonSchema): JsonSchema => {
  const known = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, properties: { ...known, [name]: property } };
};

/** An object with the flag that takes the place of an address. */
const withTakenAddress = (schema: JsonSchema): JsonSchema =>
  withProperty(schema, 'email_taken', {
    const: true,
    description: 'the address belonged to another user at the first sign-in with a provider',
  });

/** The same of a sign-in that can be a long one. */
export const withRefreshToken = (schema: JsonSchema): JsonSchema =>
  withProperty({ ...schema, title: `Long${schema['title']}` }, 'refresh_token', {
    ...text,
    description: 'for a long sign-in only',
  });

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

const meSchema = withTakenAddress({ ...publicUserEntity.schema, title: 'Me' });

/** The caller; with the language of their mail where `LOCALE=auto:…` declares languages. */
export const meSchemaIn = ({ declared }: Languages): JsonSchema =>
  declared === undefined
    ? meSchema
    : withProperty(meSchema, 'locale', { ...textOrNull, description: 'language of mail to the user' });
