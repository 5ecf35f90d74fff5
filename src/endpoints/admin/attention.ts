import type { JsonSchema } from '../../fields/field.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { openRecords } from '../../model/open-records.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { ServedResource } from '../../operations/served-resource.ts';
import type { KeyUses, WideKey } from '../../service/api-keys/key-uses.ts';
import {
  type Attention,
  type KeyInNeed,
  type KeysInNeed,
  maxListed,
} from '../../service/attention/attention.ts';
import { createWorkAttention } from '../../service/attention/attention-work.ts';
import type { TableContext } from '../../service/context.ts';
import type { PermissionEntry } from '../../service/roles/entity.ts';

const userOrNull = (id: number | null, username: string | null): Json =>
  id === null || username === null ? null : { id, username };

const keyOf = ({ id, name, user_id, username, owner_id, owner_name, ...times }: KeyInNeed) => ({
  id,
  name,
  user: { id: user_id, username },
  owner: userOrNull(owner_id, owner_name),
  expires_at: times.expires_at,
  created_at: times.created_at,
  last_used_at: times.last_used_at,
});

const keysOf = ({ count, keys }: KeysInNeed): Json => ({ count, keys: keys.map(keyOf) });

const wideKeysOf = (keys: readonly WideKey[]): Json => ({
  count: keys.length,
  keys: keys.slice(0, maxListed).map(({ narrower, ...key }) => ({
    ...keyOf(key),
    narrower_scopes: [...narrower],
  })),
});

export interface KeyAdviceParts {
  readonly attention: Attention;
  readonly keyUses: KeyUses;
  readonly keyScopes: ReadonlySet<string>;
}

/** Advice about keys that never expire, are unused, or may do more than they did within 30 days. */
export const keyAdviceReader = (services: KeyAdviceParts): (() => Promise<JsonObject>) => {
  const { attention, keyUses, keyScopes } = services;
  return async () => {
    await keyUses.flush();
    const [endless, neglected, wide] = await Promise.all([
      attention.endlessKeys(),
      attention.neglectedKeys(),
      keyUses.wide(keyScopes),
    ]);
    return {
      endless_keys: keysOf(endless),
      neglected_keys: keysOf(neglected),
      wide_keys: wideKeysOf(wide),
    };
  };
};

/** Whether no rule asks who a caller is: anybody with a token does anything to the records. */
const isOpen = (model: ResourceModel): boolean => {
  const { ownership, restricted, restrictedUnless, publicRead } = model.rules;
  return (
    openRecords(model) !== undefined &&
    !ownership &&
    restricted.size + restrictedUnless.length === 0 &&
    publicRead === undefined
  );
};

const integer: JsonSchema = { type: 'integer' };
const text: JsonSchema = { type: 'string' };
const boolean: JsonSchema = { type: 'boolean' };
const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' };

const list = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'array',
  items: { type: 'object', properties },
});
const found = (name: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties: { count: integer, [name]: list(properties) },
});
const userOrNullSchema: JsonSchema = {
  type: ['object', 'null'],
  properties: { id: integer, username: text },
};
const key = {
  id: integer,
  name: text,
  user: { type: 'object', properties: { id: integer, username: text } },
  owner: {
    ...userOrNullSchema,
    description: 'the person who owns the service account that the key belongs to',
  },
  expires_at: timeOrNull,
  created_at: { type: 'string', format: 'date-time' },
  last_used_at: timeOrNull,
} as const satisfies Readonly<Record<string, JsonSchema>>;
const keys = found('keys', key);
const keyAdvice = {
  endless_keys: { ...keys, description: 'never expire' },
  neglected_keys: { ...keys, description: 'active, and not used for 30 days or ever since they were made' },
  wide_keys: {
    ...found('keys', { ...key, narrower_scopes: { type: 'array', items: text } }),
    description:
      'may do more than their requests of the last 30 days needed; `narrower_scopes` would be enough. Of the 200 keys that were used last.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const keyAdviceSchema: JsonSchema = {
  type: 'object',
  title: 'ApiKeyAdvice',
  properties: keyAdvice,
  required: Object.keys(keyAdvice),
};

const models = list({ model: text, path: text });

export const attentionSchema: JsonSchema = {
  type: 'object',
  properties: {
    expiring_keys: { ...keys, description: 'active, and over within 30 days' },
    ...keyAdvice,
    ownerless_accounts: {
      ...found('accounts', { id: integer, username: text, owner: userOrNullSchema }),
      description: 'enabled service accounts whose owner is disabled, or was deleted (`owner` is null)',
    },
    failed_sign_ins: {
      ...found('sign_ins', {
        user: { type: ['object', 'null'], properties: { id: integer, username: text, disabled: boolean } },
        address: { type: ['string', 'null'] },
        count: integer,
        last_at: { type: 'string', format: 'date-time' },
      }),
      description:
        'of the last 24 hours, by account and address; user is null where there is no such account',
    },
    open_resources: { ...models, description: 'no rule asks who calls' },
    ungranted_models: { ...models, description: 'permissions are asked for, and no role was granted any' },
    disabled_webhooks: found('webhooks', { id: integer, url: text, reason: text, disabled_at: timeOrNull }),
    failing_webhooks: found('webhooks', { id: integer, url: text, failures: integer }),
    failed_jobs: {
      ...found('jobs', {
        id: integer,
        name: text,
        error: { type: ['string', 'null'] },
        failed_at: timeOrNull,
        runs: { type: 'integer', description: 'failed runs; 1 unless the job is recurring' },
        recurring: boolean,
        paused: { type: 'boolean', description: 'whether the schedule of the recurring job is paused' },
      }),
      description: 'the failed runs of a recurring job are one entry, with its last run',
    },
    unsent_mail: {
      type: 'object',
      description:
        'messages whose last attempt failed and that are tried again, with the error of the latest',
      properties: { count: integer, error: { type: ['string', 'null'] } },
    },
    backlog: {
      type: 'object',
      description: 'Number of entries that have been due for a minute and are not started',
      properties: { jobs: integer, deliveries: integer },
    },
  },
};

export const firstStepsSchema: JsonSchema = {
  type: 'object',
  description: 'whether there is a second user, a grant, a key, and a request by a key',
  properties: { user: boolean, grant: boolean, key: boolean, call: boolean },
};

export interface AttentionParts extends KeyAdviceParts, TableContext {
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly permissionEntries: readonly PermissionEntry[];
}

/** Work for an administrator, and first steps that a new installation has not done yet. */
export const attentionReader = (services: AttentionParts): (() => Promise<JsonObject>) => {
  const { attention, resources, permissionEntries } = services;
  const work = createWorkAttention(services);
  const readKeyAdvice = keyAdviceReader(services);
  const named = ({ model }: { readonly model: ResourceModel }) => ({ model: model.name, path: model.path });
  const open = [...resources.values()].filter(({ model }) => isOpen(model)).map(named);
  const checked = new Set(permissionEntries.filter((entry) => entry.checked).map(({ model }) => model));
  const guarded = [...resources.values()].map(named).filter(({ model }) => checked.has(model));

  const ofPeople = async (): Promise<JsonObject> => {
    const [expiring, advice, ownerless, failures] = await Promise.all([
      attention.expiringKeys(),
      readKeyAdvice(),
      attention.ownerlessAccounts(),
      attention.failedSignIns(),
    ]);
    return {
      expiring_keys: keysOf(expiring),
      ...advice,
      ownerless_accounts: {
        count: ownerless.count,
        accounts: ownerless.accounts.map(({ id, username, owner_id, owner_name }) => ({
          ...{ id, username },
          owner: userOrNull(owner_id, owner_name),
        })),
      },
      failed_sign_ins: {
        count: failures.count,
        sign_ins: failures.signIns.map(({ user_id: id, username, disabled, address, count, last_at }) => ({
          user: id === null || username === null ? null : { id, username, disabled: Boolean(disabled) },
          address,
          count,
          last_at,
        })),
      },
    };
  };

  const ofWork = async (): Promise<JsonObject> => {
    const [disabled, failing, jobs, mail, backlog] = await Promise.all([
      work.disabledWebhooks(),
      work.failingWebhooks(),
      work.failedJobs(),
      work.unsentMail(),
      work.backlog(),
    ]);
    return {
      disabled_webhooks: { count: disabled.count, webhooks: disabled.items.map((each) => ({ ...each })) },
      failing_webhooks: { count: failing.count, webhooks: failing.items.map((each) => ({ ...each })) },
      failed_jobs: { count: jobs.count, jobs: jobs.items.map((each) => ({ ...each })) },
      unsent_mail: mail,
      backlog,
    };
  };

  return async () => {
    const [people, working, granted, steps] = await Promise.all([
      ofPeople(),
      ofWork(),
      work.grantedModels(),
      work.firstSteps(),
    ]);
    return {
      attention: {
        ...people,
        open_resources: open,
        ungranted_models: guarded.filter(({ model }) => !granted.has(model)),
        ...working,
      },
      first_steps: { ...steps },
    };
  };
};
