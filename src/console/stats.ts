/** The start page: the state of the service, requests by hour and day, and work for an administrator. */

import type { KeyUsage } from '../accounts/api-keys.ts';
import type { SecurityEventStore } from '../accounts/security-events.ts';
import type { JsonSchema } from '../fields/field.ts';
import { adminAuth, administratorOnly, adminTag } from '../http/administration.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { valueSchemas } from '../http/schemas.ts';
import type { Json } from '../kernel/json.ts';
import {
  type CountedFailures,
  type CountedRequests,
  hourOf,
  type RequestCounts,
  type RouteTimesStore,
} from '../upkeep/usage.ts';
import { type AttentionParts, attentionReader, attentionSchema, firstStepsSchema } from './attention.ts';
import { type ServiceStateParts, serviceStateReader, serviceStateSchema } from './service-state.ts';

const hour = 3_600_000;
const day = 24 * hour;

const periods = {
  last_24_hours: { step: 'hour', length: hour, steps: 24, digits: 13, rest: ':00:00.000Z' },
  last_30_days: { step: 'day', length: day, steps: 30, digits: 10, rest: 'T00:00:00.000Z' },
} as const;
type Span = (typeof periods)[keyof typeof periods];

const add = (counts: Record<string, number>, name: string, more: number): void => {
  counts[name] = (counts[name] ?? 0) + more;
};

/** One point for every hour or day, also where nothing happened: the last one is still going on. */
const pointsOf = (
  { length, steps, digits, rest }: Span,
  now: number,
  requests: readonly CountedRequests[],
  failures: readonly CountedFailures[],
): Json[] =>
  Array.from({ length: steps }, (_, index) => {
    const at = hourOf(now - (steps - 1 - index) * length).slice(0, digits);
    const authentication: Record<string, number> = {};
    const status: Record<string, number> = {};
    for (const row of requests) {
      if (row.at !== at) continue;
      add(authentication, row.authentication, Number(row.requests));
      add(status, `${Math.floor(Number(row.status) / 100)}xx`, Number(row.requests));
    }
    const failed = failures.find((row) => row.at === at)?.failures ?? 0;
    return { at: at + rest, authentication, status, failed_sign_ins: Number(failed) };
  });

const { integer } = valueSchemas;
const optionalInteger: JsonSchema = { type: ['integer', 'null'] };
const counts: JsonSchema = { type: 'object', additionalProperties: integer };
const points: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time' },
      authentication: counts,
      status: counts,
      failed_sign_ins: integer,
    },
  },
};
const schema: JsonSchema = {
  type: 'object',
  title: 'Statistics',
  properties: {
    service: serviceStateSchema,
    last_24_hours: points,
    last_30_days: points,
    response_times: {
      type: 'object',
      description: 'Milliseconds that half of all responses, and 95 % of them, took at most within 24 hours',
      properties: { p50: optionalInteger, p95: optionalInteger },
    },
    attention: attentionSchema,
    first_steps: firstStepsSchema,
  },
};

export interface StatsParts extends AttentionParts, ServiceStateParts {
  readonly requestCounts: RequestCounts;
  readonly routeTimes: RouteTimesStore;
  readonly keyUsage: KeyUsage;
  readonly securityEvents: SecurityEventStore;
}

export const statsEndpoint = (services: StatsParts): Endpoint => {
  const { clock, requestCounts, routeTimes } = services;
  const readAttention = attentionReader(services);
  const readState = serviceStateReader(services);

  const read = async (span: Span, now: number): Promise<Json[]> => {
    const first = hourOf(now - (span.steps - 1) * span.length).slice(0, span.digits);
    const period = { step: span.step, from: first };
    const [requests, failures] = await Promise.all([
      requestCounts.requests(period),
      requestCounts.failures(period),
    ]);
    return pointsOf(span, now, requests, failures);
  };

  return {
    operation: 'getStatistics',
    method: 'GET',
    path: '/admin/stats',
    auth: adminAuth,
    policy: administratorOnly,
    accepts: 'nothing',
    docs: {
      summary: {
        'zh-CN': '服务状态、请求统计与待处理事项',
        en: 'State of the service, requests counted, and what needs attention',
      },
      description: {
        'zh-CN':
          '服务是否就绪、数据库大小、磁盘剩余空间与最近一次备份；按小时与按天（UTC）统计的请求，不含管理后台与接口文档页。计数每 10 秒写入一次。待处理事项各最多计到 1,000。',
        en: 'Readiness, size of the database, free disk space and the last backup; requests by the hour and by the day (UTC), without those of the administration area and of the documentation page. Counts are written every 10 seconds. Tasks that need attention are counted up to 1,000 of each kind.',
      },
      tag: adminTag,
      data: schema,
    },
    handle: async () => {
      await Promise.all([
        requestCounts.flush(),
        routeTimes.flush(),
        services.keyUsage.flush(),
        services.securityEvents.flush(),
      ]);
      const now = clock();
      const [service, hours, days, times, attention] = await Promise.all([
        readState(),
        read(periods.last_24_hours, now),
        read(periods.last_30_days, now),
        routeTimes.overall(),
        readAttention(),
      ]);
      return {
        data: { service, last_24_hours: hours, last_30_days: days, response_times: times, ...attention },
      };
    },
  };
};
