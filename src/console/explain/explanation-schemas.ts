/** JSON Schemas of explanations: of a request, and of a sign-in at a provider. */

import { objectSchema, textsSchema, valueSchemas } from '../../http/schemas.ts';

const { integer, text, boolean, time, timeOrNull } = valueSchemas;

/** The caller whom an explanation is about; the last field is there only for a key that was revoked. */
const explainedCaller = objectSchema(
  'ExplainedCaller',
  {
    kind: { type: 'string', enum: ['user', 'api_key', 'application', 'nobody'] },
    id: { type: ['integer', 'string', 'null'] },
    name: { type: ['string', 'null'] },
    revoked_at: time,
  },
  ['revoked_at'],
);

/** A condition of a row rule; those within it are described as plain objects, since a schema cannot hold itself. */
const condition = objectSchema(
  'ExplainedCondition',
  {
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
    value: { type: 'string', description: 'value that `equals` compares with' },
    of: { type: 'string', description: 'model of the memberships, or the one that the reference names' },
    on: { type: 'string', description: 'field of the memberships that is compared' },
    where: {
      type: 'array',
      items: objectSchema('ExplainedMembership', { field: text, values: textsSchema }),
    },
    change_at: {
      type: ['string', 'null'],
      description: 'record or list of memberships where the outcome can be changed',
    },
    conditions: {
      type: 'array',
      items: { type: 'object' },
      description: 'conditions within, in the same shape; of `via` the one that the named record must meet',
    },
  },
  ['field', 'value', 'of', 'on', 'where', 'conditions'],
);

const step = {
  rule: text,
  label: text,
  outcome: { type: 'string', enum: ['passed', 'refused', 'narrowed', 'off'] },
  because: { type: 'string', description: 'the reason, in the language of the request' },
  reason: {
    ...objectSchema('ExplainedReason', { name: text, params: { type: 'object' } }),
    description: 'the same as a name and its values, for a page in another language',
  },
} as const;
/** The conditions are there where the step is one of a row rule. */
const explainedStep = objectSchema(
  'ExplainedStep',
  {
    ...step,
    grants: {
      ...objectSchema('ExplainedGrants', {
        model: text,
        action: text,
        roles: { type: 'array', items: objectSchema('ExplainedRole', { role: text, allowed: boolean }) },
      }),
      description: 'of the permission check: each role of the caller, and whether it gives the right',
    },
    key: {
      ...objectSchema('ExplainedRestriction', { needed: { type: ['string', 'null'] }, held: textsSchema }),
      description:
        'of the scopes and the networks of a key: what the request needs, or from where it comes, and what the key has',
    },
    record: {
      ...objectSchema('ExplainedRecord', {
        model: text,
        path: text,
        id: integer,
        owner: {
          ...objectSchema('ExplainedOwner', { id: integer, name: text }),
          type: ['object', 'null'],
          description: 'null: the record has no owner',
        },
      }),
      description: 'of a record that is there and out of scope',
    },
    conditions: objectSchema('ExplainedConditions', {
      about: {
        type: 'string',
        enum: ['record', 'list', 'body', 'unknown'],
        description: 'subject of the outcomes; unknown: a record that this caller cannot access',
      },
      rule: condition,
    }),
  },
  ['grants', 'key', 'record', 'conditions'],
);

export const explanationSchema = objectSchema('Explanation', {
  method: text,
  path: text,
  caller: explainedCaller,
  allowed: boolean,
  status: { type: 'integer', description: 'HTTP status that the request would get' },
  code: { type: 'integer', description: 'code of the envelope; 0 where it is allowed' },
  endpoint: {
    type: ['object', 'null'],
    properties: { operation: text, method: text, path: text, authentication: textsSchema },
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
});

export const explainedSignInSchema = objectSchema('ExplainedSignIn', {
  provider: text,
  subject: { type: ['string', 'null'], description: 'account at the provider' },
  user: {
    ...objectSchema('ExplainedSignInUser', { id: integer, name: text }),
    type: ['object', 'null'],
    description: 'user who signs in; null: the sign-in creates one, or is refused',
  },
  last_sign_in_at: timeOrNull,
  allowed: boolean,
  code: { type: 'integer', description: 'error of the sign-in; 0 where it is allowed' },
  claim: {
    ...objectSchema('ExplainedClaim', {
      name: text,
      source: { type: 'string', enum: ['query', 'last_sign_in', 'none'] },
      values: {
        type: 'array',
        items: objectSchema('ExplainedClaimValue', { value: text, roles: textsSchema }),
      },
    }),
    type: ['object', 'null'],
    description: 'null: the provider maps no roles',
  },
  roles: {
    type: 'array',
    items: objectSchema('ExplainedMappedRole', {
      role: text,
      origin: {
        type: 'string',
        enum: ['claim', 'default', 'kept', 'last_super_admin'],
        description: 'kept: the mapping does not name the role; last_super_admin: no other user has the role',
      },
      values: { ...textsSchema, description: 'values of the claim that grant the role' },
      held: { type: 'boolean', description: 'whether the user has the role now' },
    }),
    description: 'roles after the sign-in',
  },
  lost_roles: { ...textsSchema, description: 'roles that the sign-in takes from the user' },
  steps: { type: 'array', items: objectSchema('ExplainedSignInStep', step) },
  decided_by: { type: ['string', 'null'], description: 'rule of the step that refuses' },
});
