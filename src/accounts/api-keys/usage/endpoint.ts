/** Endpoint with the use of one key: days, networks, routes and the scopes that its requests needed. */

import { adminAuth, adminTag } from '../../../http/administration.ts';
import { idOf, reachesIn } from '../../../http/call.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { type EntityReadParts, entityPolicy, readEntity } from '../../../http/entity-endpoint.ts';
import { objectSchema, valueSchemas } from '../../../http/schemas.ts';
import { keyEntity } from '../entity.ts';
import { dayOf, type KeyUsage } from './daily-counts.ts';
import type { KeyCalls } from './route-usage.ts';
import type { KeyUses } from './scope-usage.ts';

const { integer, text, time } = valueSchemas;

const keyUsageSchema = objectSchema('ApiKeyUsage', {
  last_30_days: {
    type: 'array',
    items: objectSchema('ApiKeyDay', {
      at: time,
      requests: integer,
      refused: { type: 'integer', description: 'responses with a status of 400 or above' },
    }),
  },
  last_address: { type: ['string', 'null'] },
  calls: {
    type: 'array',
    description: 'routes and statuses of its requests, the last 50, the newest first',
    items: objectSchema('ApiKeyCall', {
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
    items: objectSchema('ApiKeyScopeUse', {
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
  networks: { type: 'array', items: objectSchema('ApiKeyNetwork', { network: text, first_used_at: time }) },
});

const day = 24 * 3_600_000;

/** Number of shown days, today included. */
const shownDays = 30;

export interface KeyUsageParts extends EntityReadParts {
  readonly keyUsage: KeyUsage;
  readonly keyCalls: KeyCalls;
  readonly keyUses: KeyUses;
  readonly keyScopes: ReadonlySet<string>;
}

/** Use of a key: by the day, and by network. */
export const keyUsageEndpoint = (services: KeyUsageParts): Endpoint => {
  const { clock, database, keyUsage, keyCalls, keyUses, keyScopes } = services;
  const read = readEntity(services, keyEntity);
  return {
    operation: 'adminGetApiKeyUsage',
    method: 'GET',
    path: '/admin/api_keys/:id/usage',
    auth: adminAuth,
    policy: entityPolicy(keyEntity),
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': 'API 密钥的使用情况', en: 'Get the usage of an API key' },
      description: {
        'zh-CN':
          '最近 30 天每天（UTC）的请求数与其中状态码 400 及以上的数量，最近一次请求的地址，以及用过该密钥的网络。`scopes` 为这些请求所需的权限范围；`narrower_scopes` 为足够的权限范围，密钥不多于所用或存在不足 30 天时为 null。计数每 10 秒写入一次，多个实例相加。',
        en: 'Requests per day (UTC) over the last 30 days, and the number with a status of 400 or above; the address of the last request, and the networks that used the key. `scopes` are those that its requests needed; `narrower_scopes` those that would be enough, null for a key that has no more, or that is younger than 30 days. Counts are written every 10 seconds, and are summed over all instances.',
      },
      tag: adminTag,
      data: keyUsageSchema,
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const id = idOf(call);
      await read(call, id);
      await Promise.all([keyUsage.flush(), keyCalls.flush(), keyUses.flush()]);
      const now = clock();
      const days = Array.from({ length: shownDays }, (_, index) =>
        dayOf(now - (shownDays - 1 - index) * day),
      );
      const [use, calls, scopes, narrower] = await Promise.all([
        keyUsage.of(id, days[0] ?? ''),
        keyCalls.of(id),
        keyUses.of(id),
        keyUses.narrowerOf(id, keyScopes),
      ]);
      const found = new Map(use.days.map((each) => [each.day, each]));
      return {
        data: {
          last_30_days: days.map((each) => ({
            at: `${each}T00:00:00.000Z`,
            requests: found.get(each)?.requests ?? 0,
            refused: found.get(each)?.refused ?? 0,
          })),
          last_address: use.lastAddress,
          calls: calls.map((each) => ({ ...each })),
          // Endpoints that ask about each model by itself need no scope of their own.
          scopes: scopes.filter(({ scope }) => keyScopes.has(scope)).map((each) => ({ ...each })),
          narrower_scopes: narrower === undefined ? null : [...narrower],
          networks: use.networks.map(({ network, first_used_at }) => ({ network, first_used_at })),
        },
      };
    },
    reaches: reachesIn(database, keyEntity),
  };
};
