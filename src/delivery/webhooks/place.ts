/**
 * A place of webhooks (the administration area, or the API for users): parts that endpoints and commands of both
 * share.
 */

import type { Identities } from '../../auth/ports.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { idOf, reachesIn } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { CommandPlace, EntityOf } from '../../http/entity-endpoint.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Problem } from '../../kernel/problem.ts';
import type { EntityCommand } from '../../ledger/command.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Rule } from '../../policy/rule.ts';
import type { Entity } from '../../records/entity.ts';
import type { ServedResource } from '../../resources/operations.ts';
import type { WebhookCommandParts } from './commands.ts';
import type { Webhooks } from './webhooks.ts';

/** Administrators have the webhooks of all users; users have the ones that they manage. */
export interface WebhookPlace extends CommandPlace {
  readonly entity: Entity;
  readonly operation: (verb: string, noun: string) => string;
  /** The policy of endpoints that show other fields of the same rows. */
  readonly policyFor: (entity: Entity) => Rule;
  /** The webhooks; the body of a failed response is shown for these models only. */
  readonly webhooks: (readable: readonly string[]) => Entity;
  /** The deliveries; what was sent of a record is shown for these models only. */
  readonly deliveries: (readable: readonly string[]) => Entity;
  /** Tells whether the caller is shown what was sent of a model's records. */
  readonly reads: (asker: Principal, model: ResourceModel) => boolean;
  readonly showsOneDelivery: boolean;
  /** Names of the models whose changes may be sent; without one, there are no endpoints. */
  readonly offered: (parts: WebhookCommandParts) => readonly string[];
  readonly commands: (parts: WebhookCommandParts, services: ServedModelParts) => EntityCommand[];
}

export interface ServedModelParts {
  readonly resources: ReadonlyMap<string, ServedResource>;
}

export const servedModels = ({ resources }: ServedModelParts): readonly ResourceModel[] =>
  [...resources.values()].map(({ model }) => model);

/** Names of the models of which a caller is shown what was sent. */
export const readableBy = (
  models: readonly ResourceModel[],
  { reads }: Pick<WebhookPlace, 'reads'>,
  asker: Principal,
): readonly string[] => models.flatMap((model) => (reads(asker, model) ? [model.name] : []));

/** The webhooks as a call sees them. */
export const webhookOf = (services: ServedModelParts, place: WebhookPlace): EntityOf => {
  const models = servedModels(services);
  /** Keyed by the names of the models that may be read, which are asked for at every request. */
  const made = new BoundedCache<Entity>(16);
  return ({ principal }) => {
    const readable = readableBy(models, place, principal);
    return made.getOrMake(readable.join(), () => place.webhooks(readable));
  };
};

export interface WebhookEndpointParts extends ServedModelParts {
  readonly webhooks: Webhooks;
  readonly identities: Identities;
}

/** The parts of the service that commands on webhooks use. */
export const webhookParts = ({
  resources,
  webhooks,
  identities,
}: WebhookEndpointParts): WebhookCommandParts => {
  const withEvents = [...resources.values()].map(({ model }) => model).filter(({ events }) => events);
  const managed = withEvents.filter(({ rules }) => rules.manage !== undefined);
  return {
    models: withEvents.map(({ name }) => name),
    managedModels: managed.map(({ name }) => name),
    webhooks,
    isEnabledUser: async (id) => (await identities.byUserId(id, [])) !== undefined,
  };
};

const tested: JsonSchema = {
  type: 'object',
  title: 'WebhookTest',
  properties: {
    delivered: { type: 'boolean' },
    status: { type: ['integer', 'null'] },
    duration: { type: 'integer', description: 'milliseconds' },
    error: { type: ['string', 'null'] },
    body: { type: ['string', 'null'], description: 'beginning of the response' },
  },
  required: ['delivered', 'status', 'duration', 'error', 'body'],
};

export interface WebhookTestParts {
  readonly webhooks: Webhooks;
  readonly database: Database;
}

/** Sends a test message. It changes no record, so it is no command. */
export const testWebhookEndpoint = (
  { webhooks, database }: WebhookTestParts,
  { entity, path, auth, policy, tag, operation, rateLimit }: WebhookPlace,
): Endpoint => {
  const reaches = reachesIn(database, entity);
  return {
    operation: operation('test', 'Webhook'),
    method: 'POST',
    path: `${path}/:id/test`,
    auth,
    policy,
    rateLimit,
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '发送测试消息', en: 'Send a test message' },
      description: {
        'zh-CN': '立即发送 `{"type": "webhook.test"}`，一次，不保存，并返回接收方的响应。',
        en: 'Sends `{"type": "webhook.test"}` once, immediately, stores nothing, and returns the response of the receiver.',
      },
      tag,
      data: tested,
      problems: ['record_not_found', 'conflict'],
    },
    handle: async (call) => {
      if (!(await reaches(call.grant, call.params))) throw new Problem('record_not_found');
      const sent = await webhooks.test(idOf(call), call.signal);
      // The secret cannot be read: see disabled_reason.
      if (sent === undefined) throw new Problem('conflict');
      const { status = null, duration, error = null, body: text = null } = sent;
      const delivered = error === null && status !== null && status >= 200 && status < 300;
      return { data: { delivered, status, duration, error, body: text } };
    },
    reaches,
  };
};
