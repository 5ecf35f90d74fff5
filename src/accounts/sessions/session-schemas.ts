/** JSON Schemas of sessions of the administration area, of long sign-ins, and of the sign-ins of a user. */

import { objectSchema, textsSchema, valueSchemas } from '../../http/schemas.ts';
import { userIdentity } from '../users/identity-schemas.ts';

const { integer, text, boolean, time } = valueSchemas;

const secondFactorState = objectSchema('SecondFactorState', {
  enrolled: boolean,
  due: { type: 'boolean', description: 'a factor must be set up first' },
});

/** The user of a session; the last member is there only while it is true. */
export const sessionUserSchema = objectSchema(
  'SessionUser',
  {
    ...userIdentity,
    roles: textsSchema,
    second_factor: secondFactorState,
    must_change_password: { const: true },
  },
  ['must_change_password'],
);

const listedSession = {
  id: integer,
  address: text,
  user_agent: text,
  created_at: time,
  last_used_at: time,
  remembered: {
    type: 'boolean',
    description: 'a long sign-in; otherwise a session of the administration area',
  },
} as const;

/** A user's own sessions. */
export const ownSessionsSchema = {
  type: 'array',
  items: objectSchema('OwnSession', { ...listedSession, current: boolean }),
} as const;

/** The pair of a renewal. */
export const renewedSchema = objectSchema('RenewedSignIn', { token: text, refresh_token: text });

export const signInsSchema = objectSchema('SignIns', {
  sessions: {
    type: 'array',
    items: objectSchema('UserSession', listedSession),
  },
  tokens: objectSchema('UserTokens', {
    latest_expiry: {
      ...time,
      type: ['string', 'null'],
      description: 'of tokens that no revocation of all of them covers; null: none',
    },
    revoked_up_to: {
      ...time,
      type: ['string', 'null'],
      description: 'every token that expires by then is revoked; null: none that would still be valid',
    },
    revoked: {
      type: 'array',
      items: time,
      description: 'expiries of tokens that were revoked one by one and would still be valid',
    },
  }),
});

/** The token works while the session does, until `expires_at` at the latest. */
export const sessionTokenSchema = objectSchema('SessionToken', {
  token: text,
  expires_at: time,
  user: objectSchema('SessionTokenUser', { ...userIdentity, roles: textsSchema }),
});
