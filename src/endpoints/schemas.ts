import type { JsonSchema } from '../fields/field.ts';
import { recordedActions } from '../records/history/recorded.ts';
import { jobStates } from '../service/jobs/job-source.ts';
import { heldFactors } from '../service/sources.ts';
import { deliveryStates } from '../service/webhooks/sources.ts';
import { disabledReasons } from '../service/webhooks/webhooks.ts';

/** Schemas of what the fixed endpoints answer. */

const integer: JsonSchema = { type: 'integer' };
const text: JsonSchema = { type: 'string' };
const boolean: JsonSchema = { type: 'boolean' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const texts: JsonSchema = { type: 'array', items: text };

/** The title names the schema in the API description. */
const object = (title: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  title,
  properties,
  required: Object.keys(properties),
});

const userIdentity = { id: integer, username: text, email: text, name: text };
const secondFactorState = object('SecondFactorState', {
  enrolled: boolean,
  due: { type: 'boolean', description: 'one has to be set up before anything else' },
});
/** Whom an explanation is about; the last field is there only for a key that was revoked. */
const explainedCaller = {
  ...object('ExplainedCaller', {
    kind: { type: 'string', enum: ['user', 'api_key', 'application', 'nobody'] },
    id: { type: ['integer', 'string', 'null'] },
    name: { type: ['string', 'null'] },
    revoked_at: time,
  }),
  required: ['kind', 'id', 'name'],
};
/** Whose session it is; the last field is there only while it is true. */
const sessionUser = {
  ...object('SessionUser', {
    ...{ ...userIdentity, roles: texts, second_factor: secondFactorState },
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
const key = {
  id: integer,
  name: text,
  key: { type: 'string', description: '8 hex digits and ****' },
  status: { type: 'string', enum: ['active', 'expired'] },
  expires_at: timeOrNull,
  created_at: time,
  last_used_at: timeOrNull,
} as const;

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
  because: text,
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
    conditions: object('ExplainedConditions', {
      about: {
        type: 'string',
        enum: ['record', 'list', 'body', 'unknown'],
        description: 'what the outcomes are about; unknown: a record that is not there for whoever asks',
      },
      rule: condition,
    }),
  }),
  required: Object.keys(step),
} as const satisfies JsonSchema;

const webhook = {
  id: integer,
  url: text,
  models: texts,
  actions: { type: 'array', items: { type: 'string', enum: [...recordedActions] } },
  user_id: { type: ['integer', 'null'], description: 'the acting user; null once that user is deleted' },
  username: { type: ['string', 'null'] },
  created_by: { type: ['integer', 'null'], description: 'user who made it, also one who is gone' },
  disabled: boolean,
  disabled_reason: { type: ['string', 'null'], enum: [...disabledReasons, null] },
  disabled_at: timeOrNull,
  previous_until: { ...timeOrNull, description: 'until when the secret before signs as well' },
  failures: { type: 'integer', description: 'attempts that failed one after the other' },
  waiting: { type: 'integer', description: 'deliveries that wait, counted up to 1,000' },
  created_at: time,
  updated_at: time,
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const schemas = {
  login: object('Login', { token: text, user: object('UserIdentity', userIdentity) }),
  user: object('User', { ...userIdentity, roles: texts }),
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
  adminUser: object('ManagedUser', {
    ...userIdentity,
    roles: texts,
    disabled: boolean,
    must_change_password: boolean,
    created_at: time,
    updated_at: time,
    invited: { type: 'boolean', description: 'has no password yet, and cannot sign in' },
    invitation_expires_at: {
      ...timeOrNull,
      description: 'end of the link that is open, also of one whose time is over; null where there is none',
    },
    invited_by: { type: ['integer', 'null'], description: 'user who made the link that is open' },
    second_factor: {
      type: 'string',
      enum: [...heldFactors],
      description: 'what the administration area asks for beside the password',
    },
  }),
  invitation: object('Invitation', {
    url: { type: 'string', description: 'shown once; the token stands behind the #' },
    expires_at: time,
  }),
  invitedUser: object('InvitedUser', { username: text, email: text, name: text, expires_at: time }),
  key: object('ApiKey', key),
  adminKey: object('ManagedApiKey', {
    ...key,
    neglected: { type: 'boolean', description: 'active, and not used for 30 days or ever since it was made' },
    user: object('KeyOwner', { id: integer, username: text, name: text }),
    created_by: {
      type: ['integer', 'null'],
      description: 'user who made it, also one who is gone; null where the owner did',
    },
  }),
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
    networks: { type: 'array', items: object('ApiKeyNetwork', { network: text, first_used_at: time }) },
  }),
  newKey: object('NewApiKey', {
    id: integer,
    name: text,
    key: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    expires_at: timeOrNull,
    created_at: time,
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
  payment: object('Payment', {
    id: integer,
    app_id: text,
    order_no: {},
    amount: {},
    currency: {},
    status: { const: 'received' },
    body: { type: 'object' },
    created_at: time,
  }),
  role: object('Role', { name: text, built_in: boolean, users: integer, created_at: time }),
  permission: object('Permission', {
    role: text,
    model: text,
    action: text,
    allowed: boolean,
    checked: boolean,
  }),
  permissionChanges: object('PermissionChanges', {
    changed: {
      type: 'array',
      items: object('ChangedPermission', { role: text, model: text, action: text, allowed: boolean }),
      description: 'the entries that were not so before',
    },
  }),
  application: object('Application', { app_id: text, rotated_at: time, last_used_at: timeOrNull }),
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
    decided_by: { type: ['string', 'null'], description: 'rule of the step that decides' },
  }),
  refusal: object('Refusal', {
    id: integer,
    refused_at: { ...time, description: 'the last of them' },
    first_at: time,
    refusals: { type: 'integer', description: 'requests alike that were refused within an hour' },
    caller_kind: { type: 'string', enum: ['user', 'api_key', 'application'] },
    caller_id: { type: 'string', description: 'id of the user or of the key, app_id of the application' },
    caller_name: { type: 'string', description: 'username, of a key that of its owner; app_id' },
    key_name: { type: ['string', 'null'], description: 'of the key, also once it was revoked' },
    revoked_at: { ...timeOrNull, description: 'when the key was revoked; null unless it was' },
    revoked_by_kind: {
      type: ['string', 'null'],
      description: 'who revoked it, as in the audit list; null where that is not known',
    },
    revoked_by_id: { type: ['string', 'null'] },
    revoked_by_name: { type: ['string', 'null'] },
    method: text,
    path: { type: 'string', description: 'without its query' },
    status: integer,
    code: integer,
    address: text,
  }),
  session: object('Session', {
    id: integer,
    current: { type: 'boolean', description: 'whether this very request is made by it' },
    address: text,
    user_agent: text,
    created_at: time,
    last_used_at: time,
  }),
  job: object('Job', {
    id: integer,
    name: text,
    defined: { type: 'boolean', description: 'false where no file of this instance defines it: it waits' },
    state: { type: 'string', enum: [...jobStates] },
    key: { type: ['string', 'null'] },
    values: { type: 'object' },
    attempts: { type: 'integer', description: 'runs that were begun, the one that runs included' },
    next_run_at: { ...timeOrNull, description: 'null unless it waits' },
    error: { type: ['string', 'null'], description: 'why the last run failed' },
    created_at: time,
    started_at: timeOrNull,
    failed_at: timeOrNull,
  }),
  view: object('SavedView', {
    id: integer,
    resource: { type: 'string', description: '`records/orders`, `users`, `audit` …' },
    name: text,
    query: { type: 'object' },
    created_at: time,
    updated_at: time,
  }),
  webhook: object('Webhook', webhook),
  newWebhook: object('NewWebhook', {
    ...webhook,
    secret: { type: 'string', description: 'whsec_ and base64; shown once' },
  }),
  delivery: object('Delivery', {
    id: integer,
    message_id: { type: 'string', description: 'webhook-id of every attempt' },
    event: { type: 'integer', description: 'number of the event' },
    model: text,
    record_id: integer,
    action: { type: 'string', enum: [...recordedActions] },
    version: integer,
    state: { type: 'string', enum: [...deliveryStates] },
    attempts: { type: 'integer', description: 'attempts that were begun' },
    next_at: { ...timeOrNull, description: 'null unless it waits for its next attempt' },
    sending: { type: 'boolean', description: 'whether an attempt is under way' },
    status: { type: ['integer', 'null'], description: 'HTTP status of the last answer' },
    duration: { type: ['integer', 'null'], description: 'milliseconds of the last attempt' },
    error: {
      type: ['string', 'null'],
      description:
        'why the last attempt had no answer; of one that was skipped event_gone, model_gone, user_disabled or record_unreadable',
    },
    withheld: {
      type: 'boolean',
      description: 'headers and bodies are null, as the administrator who asks may not read the record',
    },
    request_headers: { type: ['object', 'null'] },
    request_body: { type: ['string', 'null'] },
    response_headers: { type: ['object', 'null'] },
    response_body: { type: ['string', 'null'] },
    created_at: time,
    attempted_at: timeOrNull,
    ended_at: timeOrNull,
  }),
  audit: object('AuditEntry', {
    id: integer,
    created_at: time,
    actor_kind: text,
    actor_id: { type: ['string', 'null'] },
    actor_name: { type: ['string', 'null'] },
    action: text,
    target_kind: text,
    target_id: { type: ['string', 'null'] },
    target_name: { type: ['string', 'null'] },
    detail: { type: 'object' },
    address: { type: ['string', 'null'] },
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
