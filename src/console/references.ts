/** Previews of deletions: how many records refer to a user, a role or a webhook. */

import { roleEntity } from '../accounts/roles.ts';
import { managedUserEntity, type UserStore } from '../accounts/users.ts';
import type { Reader, SqlValue } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { type Fragment, identifier, sql, statement, tableName } from '../database/statement.ts';
import { webhookEntity } from '../delivery/webhooks.ts';
import { adminAuth, adminTag } from '../http/administration.ts';
import { checkedModels, reachesIn } from '../http/call.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type EntityReadParts, entityPolicy, keyIn, readEntity } from '../http/entity-endpoint.ts';
import { spaced } from '../kernel/spacing.ts';
import type { Entity } from '../records/entity.ts';
import { adminArea } from '../resources/admin-area.ts';
import {
  actingFor,
  countedReferences,
  createForecast,
  type Forecast,
  relatedFor,
  type ServedResource,
} from '../resources/operations.ts';
import {
  answerReferences,
  type OwnReferences,
  type Refusal,
  referencesSchema,
  referencesWords,
} from '../resources/references.ts';

type CountOwn = (key: number | string) => Promise<readonly OwnReferences[]>;

/** Rows of the service's own that refer to another. */
interface BoundRows {
  readonly count: number;
  /** True if there are more than counted. */
  readonly more: boolean;
}

/**
 * Counts the rows of a table with one value in an indexed column that meet `also`, up to a maximum.
 */
const createBoundRows = (dialect: Dialect, table: string, column: string, also?: Fragment) => {
  const counted = statement<{ value: SqlValue; limit: number }>(
    dialect,
    (param) =>
      sql`select count(*) as rows from (select 1 as one from ${tableName(table)}
        where ${identifier(column)} = ${param('value')}${also === undefined ? sql`` : sql` and ${also}`}
        limit ${param('limit')}) as found`,
  );
  return async (reader: Reader, value: SqlValue, max: number): Promise<BoundRows> => {
    const row = await reader.get<{ rows: number | string }>(counted({ value, limit: max + 1 }));
    const count = Number(row?.rows ?? 0);
    return { count: Math.min(count, max), more: count > max };
  };
};

export interface ReferenceParts extends EntityReadParts {
  readonly users: UserStore;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

/** Counts the records of entities that refer to a record of this entity; kept records come last. */
const createCounts = ({ database }: ReferenceParts, entities: readonly Entity[], to: Entity): CountOwn => {
  const { dialect } = database;
  const references = entities.flatMap((entity) =>
    (entity.references ?? [])
      .filter((reference) => reference.to === to.model)
      .map(({ model = entity.model ?? entity.title, resource = entity.name, ...rest }) => ({
        count: createBoundRows(dialect, rest.table, rest.column, rest.also),
        kind: { model, resource, field: rest.field, on_delete: rest.onDelete },
      })),
  );
  const isKept = ({ kind }: (typeof references)[number]): number => (kind.on_delete === 'keep' ? 1 : 0);
  const ordered = references.toSorted((one, other) => isKept(one) - isKept(other));
  return (key) =>
    Promise.all(
      ordered.map(async ({ kind, count }) => ({
        ...kind,
        resource: kind.resource.replace(':id', String(key)),
        ...(await count(database, key, countedReferences)),
        to: [key],
      })),
    );
};

interface ForeseenDeletion {
  readonly entity: Entity;
  readonly words: { readonly 'zh-CN': string; readonly en: string };
  /** The reason for a refusal that no model's rules change. */
  refusal(
    key: number | string,
    record: Readonly<Record<string, unknown>>,
    own: readonly OwnReferences[],
  ): Refusal | undefined | Promise<Refusal | undefined>;
  /** References that the models of the application declare. */
  readonly foresee?: (ids: readonly number[]) => Promise<Forecast>;
}

/** Endpoints that preview the deletion of a user, a role or a webhook. */
export const referenceEndpoints = (services: ReferenceParts, entities: readonly Entity[]): Endpoint[] => {
  const { database, users } = services;
  const models = new Map([...services.resources].map(([name, resource]) => [name, resource.model]));
  const deletions: readonly ForeseenDeletion[] = [
    {
      entity: managedUserEntity,
      words: { 'zh-CN': '用户', en: 'a user' },
      refusal: async (id) => ((await users.isLastSuperAdmin(Number(id))) ? 'last_super_admin' : undefined),
      foresee: createForecast(database, models, 'User'),
    },
    {
      entity: roleEntity,
      words: { 'zh-CN': '角色', en: 'a role' },
      refusal: (_name, record, own) => {
        if (record['built_in'] === true) return 'built_in_role';
        return own.some((each) => each.on_delete === 'restrict' && each.count > 0)
          ? 'role_in_use'
          : undefined;
      },
    },
    { entity: webhookEntity, words: { 'zh-CN': 'Webhook', en: 'a webhook' }, refusal: () => undefined },
  ];
  return deletions
    .filter(({ entity }) => entities.includes(entity))
    .map(({ entity, words, refusal, foresee }): Endpoint => {
      const read = readEntity(services, entity);
      const count = createCounts(services, entities, entity);
      return {
        operation: `foreseeDeletion${entity.model}`,
        method: 'GET',
        path: `${entity.list?.path}/:${entity.key}/references`,
        auth: adminAuth,
        policy: entityPolicy(entity),
        accepts: 'nothing',
        grantsOn: foresee === undefined ? undefined : checkedModels(models.values()),
        docs: {
          summary: {
            'zh-CN': spaced`${words['zh-CN']}的引用与删除后果`,
            en: `List records that refer to ${words.en}`,
          },
          description: referencesWords,
          tag: adminTag,
          data: referencesSchema,
          problems: ['record_not_found'],
        },
        handle: async (call) => {
          const key = keyIn(call, entity);
          const record = JSON.parse(await read(call, key)) as Readonly<Record<string, unknown>>;
          const [forecast, own] = await Promise.all([foresee?.([Number(key)]), count(key)]);
          const problem = await refusal(key, record, own);
          const foreseen = forecast?.refused ?? [];
          const refused = problem === undefined ? foreseen : [{ id: key, problem }, ...foreseen];
          const related = relatedFor({ models }, actingFor(call, adminArea));
          return {
            data: answerReferences({ refused, references: forecast?.references ?? [] }, related, own),
          };
        },
        reaches: reachesIn(database, entity),
      };
    });
};
