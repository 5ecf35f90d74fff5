/** The part of the start page that lists work for an administrator, with its JSON Schema. */

import {
  countedListSchema,
  type KeyAdviceParts,
  keyAdviceMembers,
  keyAdviceReader,
  keysOf,
  keysSchema,
  objectsSchema,
  userOrNull,
  userOrNullSchema,
} from '../accounts/api-keys.ts';
import type { PermissionEntry } from '../accounts/roles.ts';
import type { JsonSchema } from '../fields/field.ts';
import { valueSchemas } from '../http/schemas.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { TableContext } from '../ledger/context.ts';
import { openRecords } from '../model/open-records.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { ServedResource } from '../resources/operations.ts';
import { createWorkAttention } from '../upkeep/work-attention.ts';

/** True if no rule asks who a caller is: anybody with a token does anything to the records. */
const isOpen = (model: ResourceModel): boolean => {
  const { ownership, restricted, restrictedUnless, publicRead } = model.rules;
  return (
    openRecords(model) !== undefined &&
    !ownership &&
    restricted.size + restrictedUnless.length === 0 &&
    publicRead === undefined
  );
};

const { integer, text, boolean, timeOrNull } = valueSchemas;

const models = objectsSchema({ model: text, path: text });

export const attentionSchema: JsonSchema = {
  type: 'object',
  properties: {
    expiring_keys: { ...keysSchema, description: 'active, and expire within 30 days' },
    ...keyAdviceMembers,
    ownerless_accounts: {
      ...countedListSchema('accounts', { id: integer, username: text, owner: userOrNullSchema }),
      description: 'enabled service accounts whose owner is disabled, or was deleted (`owner` is null)',
    },
    failed_sign_ins: {
      ...countedListSchema('sign_ins', {
        user: { type: ['object', 'null'], properties: { id: integer, username: text, disabled: boolean } },
        address: { type: ['string', 'null'] },
        count: integer,
        last_at: { type: 'string', format: 'date-time' },
      }),
      description:
        'of the last 24 hours, by account and address; user is null where there is no such account',
    },
    open_resources: { ...models, description: 'no rule depends on the caller' },
    ungranted_models: { ...models, description: 'permissions are checked, and no role has any' },
    disabled_webhooks: countedListSchema('webhooks', {
      id: integer,
      url: text,
      reason: text,
      disabled_at: timeOrNull,
    }),
    failing_webhooks: countedListSchema('webhooks', { id: integer, url: text, failures: integer }),
    failed_jobs: {
      ...countedListSchema('jobs', {
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
          id,
          username,
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
