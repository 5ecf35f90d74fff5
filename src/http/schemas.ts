/** JSON Schemas of the responses of fixed endpoints. */

import type { JsonSchema } from '../fields/field.ts';
import { isJsonObject } from '../kernel/json.ts';
import { publicUserEntity } from '../records/user-entity.ts';

/** Schemas of single values. */
export const valueSchemas = {
  integer: { type: 'integer' },
  text: { type: 'string' },
  textOrNull: { type: ['string', 'null'] },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  timeOrNull: { type: ['string', 'null'], format: 'date-time' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const { integer, text, textOrNull, boolean, time, timeOrNull } = valueSchemas;
const texts: JsonSchema = { type: 'array', items: text };

/** The title names the schema in the API description. */
const object = (title: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  title,
  properties,
  required: Object.keys(properties),
});

/** A user without an address signs in with a provider. */
const userIdentity = { id: integer, username: text, email: textOrNull, name: text };
/** An object with the flag that takes the place of an address. */
const withTakenAddress = (schema: JsonSchema): JsonSchema => {
  const known = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const taken: JsonSchema = {
    const: true,
    description: 'the address belonged to another user at the first sign-in with a provider',
  };
  return { ...schema, properties: { ...known, email_taken: taken } };
};
const secondFactorState = object('SecondFactorState', {
  enrolled: boolean,
  due: { type: 'boolean', description: 'one has to be set up before anything else' },
});
/** The caller whom an explanation is about; the last field is there only for a key that was revoked. */
const explainedCaller = {
  ...object('ExplainedCaller', {
    kind: { type: 'string', enum: ['user', 'api_key', 'application', 'nobody'] },
    id: { type: ['integer', 'string', 'null'] },
    name: { type: ['string', 'null'] },
    revoked_at: time,
  }),
  required: ['kind', 'id', 'name'],
};
/** The user of a session; the last field is there only while it is true. */
const sessionUser = {
  ...object('SessionUser', {
    ...userIdentity,
    roles: texts,
    second_factor: secondFactorState,
    must_change_password: { const: true },
  }),
  required: [...Object.keys(userIdentity), 'roles', 'second_factor'],
} as const;
const factorTimes = { created_at: time, last_used_at: timeOrNull } as const;
const recoveryCodes: JsonSchema = {
  type: ['array', 'null'],
  items: { type: 'string', pattern: '^([a-z2-7]{4}-){3}[a-z2-7]{4}$' },
  description: 'shown once, with the first factor; null with another one',
};
/** A condition of a row rule; those within it are described as plain objects, since a schema cannot hold itself. */
const condition = {
  ...object('ExplainedCondition', {
    kind: { type: 'string', enum: ['own', 'equals', 'member', 'via', 'anyOf', 'allOf'] },
    words: { type: 'string', description: 'the condition in names of fields and models' },
    outcome: {
      type: 'string',
      enum: ['passed', 'refused', 'narrowed'],
      description: 'narrowed: it depends on a record that is not known here',
    },
    decides: { type: 'boolean', description: 'whether this condition decides' },
    model: { type: 'string', description: 'model whose field is compared' },
    field: text,
    value: { type: 'string', description: 'what `equals` compares with' },
    of: { type: 'string', description: 'model of the memberships, or the one that the reference names' },
    on: { type: 'string', description: 'field of the memberships that is compared' },
    where: { type: 'array', items: object('ExplainedMembership', { field: text, values: texts }) },
    change_at: {
      type: ['string', 'null'],
      description: 'record or list of memberships where the outcome can be changed',
    },
    conditions: {
      type: 'array',
      items: { type: 'object' },
      description: 'conditions within, in the same shape; of `via` the one that the named record must meet',
    },
  }),
  required: ['kind', 'words', 'outcome', 'decides', 'model', 'change_at'],
} as const satisfies JsonSchema;

const step = {
  rule: text,
  label: text,
  outcome: { type: 'string', enum: ['passed', 'refused', 'narrowed', 'off'] },
  because: { type: 'string', description: 'the reason, in the language of the request' },
  reason: {
    ...object('ExplainedReason', { name: text, params: { type: 'object' } }),
    description: 'the same as a name and its values, from which a page writes it in a language of its own',
  },
} as const;
/** The conditions are there where the step is one of a row rule. */
const explainedStep = {
  ...object('ExplainedStep', {
    ...step,
    grants: {
      ...object('ExplainedGrants', {
        model: text,
        action: text,
        roles: { type: 'array', items: object('ExplainedRole', { role: text, allowed: boolean }) },
      }),
      description: 'of the permission check: each role of the caller, and whether it gives the right',
    },
    key: {
      ...object('ExplainedRestriction', { needed: { type: ['string', 'null'] }, held: texts }),
      description:
        'of the scopes and the networks of a key: what the request needs, or from where it comes, and what the key has',
    },
    record: {
      ...object('ExplainedRecord', {
        model: text,
        path: text,
        id: integer,
        owner: {
          ...object('ExplainedOwner', { id: integer, name: text }),
          type: ['object', 'null'],
          description: 'null: the record has no owner',
        },
      }),
      description: 'of a record that is there and out of scope',
    },
    conditions: object('ExplainedConditions', {
      about: {
        type: 'string',
        enum: ['record', 'list', 'body', 'unknown'],
        description: 'subject of the outcomes; unknown: a record that this caller does not reach',
      },
      rule: condition,
    }),
  }),
  required: Object.keys(step),
} as const satisfies JsonSchema;

export const schemas = {
  login: object('Login', { token: text, user: object('UserIdentity', userIdentity) }),
  exchangedLogin: object('ExchangedLogin', {
    token: text,
    user: withTakenAddress(object('ExchangedIdentity', userIdentity)),
  }),
  me: withTakenAddress({ ...publicUserEntity.schema, title: 'Me' }),
  sessionUser,
  secondFactor: object('SecondFactor', {
    totp: { ...object('TotpFactor', factorTimes), type: ['object', 'null'] },
    passkeys: { type: 'array', items: object('Passkey', { id: integer, name: text, ...factorTimes }) },
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
  }),
  newTotp: object('NewTotp', {
    secret: { type: 'string', description: 'base32; shown once' },
    url: { type: 'string', description: 'what a QR code holds: otpauth://totp/…' },
    expires_at: { ...time, description: 'until when a code of it can be confirmed' },
  }),
  confirmedTotp: object('ConfirmedTotp', { recovery_codes: recoveryCodes }),
  passkeyOptions: {
    type: 'object',
    title: 'PasskeyOptions',
    description: 'PublicKeyCredentialCreationOptionsJSON',
  },
  newPasskey: object('NewPasskey', { id: integer, name: text, recovery_codes: recoveryCodes }),
  recoveryCodes: object('RecoveryCodes', { recovery_codes: { ...recoveryCodes, type: 'array' } }),
  invitation: object('Invitation', {
    url: { type: 'string', description: 'shown once; the token stands behind the #' },
    expires_at: time,
    sent_to: {
      type: ['string', 'null'],
      description: 'address to which a mail with the link is sent; null: the application sends no mail',
    },
  }),
  invitedUser: object('InvitedUser', { username: text, email: textOrNull, name: text, expires_at: time }),
  keyUsage: object('ApiKeyUsage', {
    last_30_days: {
      type: 'array',
      items: object('ApiKeyDay', {
        at: time,
        requests: integer,
        refused: { type: 'integer', description: 'answered with a status of 400 or above' },
      }),
    },
    last_address: { type: ['string', 'null'] },
    calls: {
      type: 'array',
      description: 'routes and statuses of its requests, the last 50, the newest first',
      items: object('ApiKeyCall', {
        method: text,
        route: text,
        status: integer,
        requests: integer,
        last_at: time,
      }),
    },
    scopes: {
      type: 'array',
      description: 'scopes that its requests of the last 30 days needed, the most used first',
      items: object('ApiKeyScopeUse', {
        scope: text,
        requests: integer,
        last_day: { type: 'string', format: 'date' },
      }),
    },
    narrower_scopes: {
      type: ['array', 'null'],
      items: text,
      description: 'scopes that would be enough for that; null: it has no more, or too little is known',
    },
    networks: { type: 'array', items: object('ApiKeyNetwork', { network: text, first_used_at: time }) },
  }),
  signIns: object('SignIns', {
    sessions: {
      type: 'array',
      items: object('UserSession', {
        id: integer,
        address: text,
        user_agent: text,
        created_at: time,
        last_used_at: time,
      }),
    },
    tokens: object('UserTokens', {
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
  }),
  keyScope: object('ApiKeyScope', {
    scope: { type: 'string', description: 'as `scopes` of a key has it: `orders:read`, `POST /checkout`' },
    label: { type: 'string', description: 'the model, or the summary of the endpoint' },
  }),
  /** The token works while the session does, until `expires_at` at the latest. */
  sessionToken: object('SessionToken', {
    token: text,
    expires_at: time,
    user: object('SessionTokenUser', { ...userIdentity, roles: texts }),
  }),
  receipt: object('Receipt', {
    id: integer,
    app_id: text,
    order_no: {},
    amount: {},
    currency: {},
    status: { const: 'received' },
    created_at: time,
  }),
  explanation: object('Explanation', {
    method: text,
    path: text,
    caller: explainedCaller,
    allowed: boolean,
    status: { type: 'integer', description: 'HTTP status that the request would meet' },
    code: { type: 'integer', description: 'code of the envelope; 0 where it is allowed' },
    endpoint: {
      type: ['object', 'null'],
      properties: { operation: text, method: text, path: text, authentication: texts },
      required: ['operation', 'method', 'path', 'authentication'],
    },
    steps: {
      type: 'array',
      items: explainedStep,
    },
    decided_by: {
      type: ['string', 'null'],
      description:
        'rule of the step that decides: the one that refuses; else the one that leaves some records only; else the last that lets the caller in',
    },
  }),
  explainedSignIn: object('ExplainedSignIn', {
    provider: text,
    subject: { type: ['string', 'null'], description: 'account at the provider' },
    user: {
      ...object('ExplainedSignInUser', { id: integer, name: text }),
      type: ['object', 'null'],
      description: 'user who signs in; null: the sign-in creates one, or is refused',
    },
    last_sign_in_at: timeOrNull,
    allowed: boolean,
    code: { type: 'integer', description: 'error of the sign-in; 0 where it is allowed' },
    claim: {
      ...object('ExplainedClaim', {
        name: text,
        source: { type: 'string', enum: ['query', 'last_sign_in', 'none'] },
        values: { type: 'array', items: object('ExplainedClaimValue', { value: text, roles: texts }) },
      }),
      type: ['object', 'null'],
      description: 'null: the provider maps no roles',
    },
    roles: {
      type: 'array',
      items: object('ExplainedMappedRole', {
        role: text,
        origin: {
          type: 'string',
          enum: ['claim', 'default', 'kept', 'last_super_admin'],
          description:
            'kept: the mapping does not name the role; last_super_admin: no other user has the role',
        },
        values: { ...texts, description: 'values of the claim that grant the role' },
        held: { type: 'boolean', description: 'whether the user has the role now' },
      }),
      description: 'roles after the sign-in',
    },
    lost_roles: { ...texts, description: 'roles that the sign-in takes from the user' },
    steps: { type: 'array', items: object('ExplainedSignInStep', step) },
    decided_by: { type: ['string', 'null'], description: 'rule of the step that refuses' },
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
