import { dialectOf } from '../../database/registry.ts';
import { type Fragment, sql } from '../../database/statement.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { countedReferences, createForecast } from '../../operations/forecast.ts';
import { relatedFor } from '../../operations/related.ts';
import { userEntity } from '../../records/users.ts';
import { createBoundRows } from '../../service/bound-rows.ts';
import { roleEntity } from '../../service/roles/entity.ts';
import { webhookEntity } from '../../service/webhooks/entity.ts';
import { entityPolicy, readEntity } from '../entity.ts';
import {
  answerReferences,
  type OwnReferences,
  type Refusal,
  referencesSchema,
  referencesWords,
} from '../references.ts';
import type { Services } from '../services.ts';
import { actingFor, checkedModels, idOf, reachesIn } from '../shared.ts';
import { adminAuth, adminTag } from './area.ts';
import { adminArea } from './records.ts';

/** Rows of the service's own that refer to something, by their table and column. */
interface OwnKind extends Omit<OwnReferences, 'count' | 'more' | 'to'> {
  readonly table: string;
  readonly column: string;
  readonly also?: Fragment;
}

const ofUser: readonly OwnKind[] = [
  {
    ...{ model: 'ApiKey', resource: 'api_keys', field: 'user', on_delete: 'cascade' },
    ...{ table: 'api_keys', column: 'user_id' },
  },
  {
    ...{ model: 'Session', resource: 'sessions', field: 'user', on_delete: 'cascade' },
    ...{ table: 'sessions', column: 'user_id' },
  },
  {
    ...{ model: 'Webhook', resource: 'webhooks', field: 'user_id', on_delete: 'null' },
    ...{ table: 'gatewright_webhooks', column: 'user_id' },
  },
  // What the user made for others: an administrator who removes the user decides about it.
  {
    ...{ model: 'ApiKey', resource: 'api_keys', field: 'created_by', on_delete: 'keep' },
    ...{ table: 'api_keys', column: 'created_by' },
  },
  {
    ...{ model: 'Webhook', resource: 'webhooks', field: 'created_by', on_delete: 'keep' },
    ...{ table: 'gatewright_webhooks', column: 'created_by' },
  },
  {
    ...{ model: 'Invitation', resource: 'users', field: 'invited_by', on_delete: 'cascade' },
    ...{ table: 'gatewright_invitations', column: 'made_by', also: sql`ended_at is null` },
  },
];

const ofRole: readonly OwnKind[] = [
  {
    ...{ model: 'User', resource: 'users', field: 'roles', on_delete: 'restrict' },
    ...{ table: 'user_roles', column: 'role' },
  },
  {
    ...{ model: 'Permission', resource: 'permissions', field: 'role', on_delete: 'cascade' },
    ...{ table: 'permissions', column: 'role' },
  },
];

const ofWebhook: readonly OwnKind[] = [
  {
    ...{ model: 'Delivery', resource: 'deliveries', field: 'webhook', on_delete: 'cascade' },
    ...{ table: 'gatewright_deliveries', column: 'webhook_id' },
  },
];

type CountOwn = (value: number | string, to: number | string) => Promise<readonly OwnReferences[]>;

const counting = ({ database }: Services, kinds: readonly OwnKind[]): CountOwn => {
  const dialect = dialectOf(database);
  const made = kinds.map(({ table, column, also, ...kind }) => ({
    kind,
    count: createBoundRows(dialect, table, column, also),
  }));
  return (value, to) =>
    Promise.all(
      made.map(async ({ kind, count }) => ({
        ...kind,
        ...(await count(database, value, countedReferences)),
        to: [to],
      })),
    );
};

const common = { method: 'GET', auth: adminAuth, accepts: 'nothing' } as const;
const docs = (chinese: string, english: string): Endpoint['docs'] => ({
  summary: { 'zh-CN': `${chinese}的引用与删除后果`, en: `What refers to ${english}` },
  description: referencesWords,
  tag: adminTag,
  data: referencesSchema,
  problems: ['record_not_found'],
});

const userReferences = (services: Services): Endpoint => {
  const { database, users } = services;
  const models = new Map([...services.resources].map(([name, resource]) => [name, resource.model]));
  const foresee = createForecast(database, models, 'User');
  const count = counting(services, ofUser);
  return {
    ...common,
    operation: 'foreseeDeletionUser',
    path: '/admin/users/:id/references',
    policy: entityPolicy(userEntity),
    grantsOn: checkedModels(models.values()),
    docs: docs('用户', 'a user'),
    handle: async (call) => {
      const id = idOf(call);
      const stored = await users.namesOf(id);
      if (stored === undefined) throw new Problem('record_not_found');
      const [forecast, own, isLast] = await Promise.all([
        foresee([id]),
        count(id, id),
        users.isLastSuperAdmin(id),
      ]);
      const last = isLast ? [{ id, problem: 'last_super_admin' } as const] : [];
      const refused = [...last, ...forecast.refused];
      const related = relatedFor({ models }, actingFor(call, adminArea));
      return { data: answerReferences({ ...forecast, refused }, related, own) };
    },
    reaches: reachesIn(database, userEntity),
  };
};

const roleReferences = (services: Services): Endpoint => {
  const read = readEntity(services, roleEntity);
  const count = counting(services, ofRole);
  return {
    ...common,
    operation: 'foreseeDeletionRole',
    path: '/admin/roles/:name/references',
    policy: entityPolicy(roleEntity),
    docs: docs('角色', 'a role'),
    handle: async (call) => {
      const { name = '' } = call.params;
      const { built_in: builtIn } = JSON.parse(await read(call, name)) as { readonly built_in: boolean };
      const own = await count(name, name);
      const isHeld = own.some((each) => each.on_delete === 'restrict' && each.count > 0);
      const problem: Refusal | undefined = builtIn ? 'built_in_role' : isHeld ? 'role_in_use' : undefined;
      const { references } = answerReferences({ refused: [], references: [] }, () => undefined, own);
      const refused = problem === undefined ? [] : [{ id: name, problem }];
      return { data: { refused, references: references ?? [] } };
    },
    reaches: reachesIn(services.database, roleEntity),
  };
};

const webhookReferences = (services: Services): Endpoint => {
  const read = readEntity(services, webhookEntity);
  const count = counting(services, ofWebhook);
  return {
    ...common,
    operation: 'foreseeDeletionWebhook',
    path: '/admin/webhooks/:id/references',
    policy: entityPolicy(webhookEntity),
    docs: docs('Webhook', 'a webhook'),
    handle: async (call) => {
      const id = idOf(call);
      await read(call, id);
      const own = (await count(id, id)).map((each) => ({ ...each, resource: `webhooks/${id}/deliveries` }));
      return { data: answerReferences({ refused: [], references: [] }, () => undefined, own) };
    },
    reaches: reachesIn(services.database, webhookEntity),
  };
};

/** What the deletion of a user, a role or a webhook would do. */
export const referencesOfOwn = (services: Services): Endpoint[] => [
  userReferences(services),
  roleReferences(services),
  // Where nothing tells of events there are none.
  ...([...services.resources.values()].some(({ model }) => model.events)
    ? [webhookReferences(services)]
    : []),
];
