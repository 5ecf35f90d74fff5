/** JSON Schemas of second factors, their set-up and recovery codes. */

import type { JsonSchema } from '../../fields/field.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';

const { integer, text, boolean, time, timeOrNull } = valueSchemas;

const factorTimes = { created_at: time, last_used_at: timeOrNull } as const;

const newRecoveryCodes: JsonSchema = {
  type: ['array', 'null'],
  items: { type: 'string', pattern: '^([a-z2-7]{4}-){3}[a-z2-7]{4}$' },
  description: 'shown once, with the first factor; null with another one',
};

export const secondFactorSchema = objectSchema('SecondFactor', {
  totp: { ...objectSchema('TotpFactor', factorTimes), type: ['object', 'null'] },
  passkeys: { type: 'array', items: objectSchema('Passkey', { id: integer, name: text, ...factorTimes }) },
  recovery_codes_left: integer,
  required: {
    type: 'boolean',
    description: 'every administrator has to have a factor: ADMIN_SECOND_FACTOR',
  },
  passkeys_possible: boolean,
  passkeys_problem: {
    type: ['string', 'null'],
    enum: ['not_https', 'ip_address', null],
    description: 'why browsers refuse passkeys at BASE_URL',
  },
});

export const newTotpSchema = objectSchema('NewTotp', {
  secret: { type: 'string', description: 'base32; shown once' },
  url: { type: 'string', description: 'content of the QR code: otpauth://totp/…' },
  expires_at: { ...time, description: 'deadline for confirming a code' },
});

export const confirmedTotpSchema = objectSchema('ConfirmedTotp', { recovery_codes: newRecoveryCodes });

export const passkeyOptionsSchema = {
  type: 'object',
  title: 'PasskeyOptions',
  description: 'PublicKeyCredentialCreationOptionsJSON',
} as const satisfies JsonSchema;

export const newPasskeySchema = objectSchema('NewPasskey', {
  id: integer,
  name: text,
  recovery_codes: newRecoveryCodes,
});

export const recoveryCodesSchema = objectSchema('RecoveryCodes', {
  recovery_codes: { ...newRecoveryCodes, type: 'array' },
});
