import { sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity } from '../../records/entity.ts';

/** Routes by method, with how many of their responses took up to which time. */
const counted = sql`(select c."method", c."route", c."bound", c."requests", c."refused", c."failed",
    sum(c."requests") over (partition by c."method", c."route" order by c."bound") as "up_to",
    sum(c."requests") over (partition by c."method", c."route") as "whole"
  from (select "method", "route", "bound", sum("requests") as "requests", sum("refused") as "refused", sum("failed") as "failed"
    from ${tableName('gatewright_route_times')} group by "method", "route", "bound") c)`;

const milliseconds = (zh: string, en: string, note: string) =>
  computed(field.integer({ ...always, label: { 'zh-CN': zh, en } }), { note });

const count = (zh: string, en: string) => field.integer({ ...always, label: { 'zh-CN': zh, en } });

/**
 * How fast routes of the API respond: the last 24 hours, of all instances. Times are upper bounds of steps, so that
 * they never flatter.
 */
export const routeEntity = defineEntity('routes', {
  title: 'RouteTimes',
  from: sql`(select g."method" || ' ' || g."route" as "name", g."method", g."route",
      cast(sum(g."requests") as bigint) as "requests", cast(sum(g."refused") as bigint) as "refused",
      cast(sum(g."failed") as bigint) as "failed",
      min(case when g."up_to" * 2 >= g."whole" then g."bound" end) as "p50",
      min(case when g."up_to" * 20 >= g."whole" * 19 then g."bound" end) as "p95"
    from ${counted} g group by g."method", g."route")`,
  fields: {
    name: computed(field.string({ ...always, label: { 'zh-CN': '接口', en: 'Route' } }), {
      note: 'method and path: `GET /api/v1/orders/:id`',
    }),
    method: field.string({ ...always, label: { 'zh-CN': '方法', en: 'Method' } }),
    route: field.string({ ...always, label: { 'zh-CN': '路径', en: 'Path' } }),
    requests: count('请求', 'Requests'),
    refused: count('被拒绝（4xx）', 'Refused (4xx)'),
    failed: count('失败（5xx）', 'Failed (5xx)'),
    p50: milliseconds(
      '中位耗时（毫秒）',
      'Median (ms)',
      'milliseconds that half of the responses took at most',
    ),
    p95: milliseconds('95% 耗时（毫秒）', 'p95 (ms)', 'milliseconds that 95 % of the responses took at most'),
  },
  key: 'name',
  list: {
    operation: 'listRouteTimes',
    path: '/admin/routes',
    order: '-p95',
    summary: { 'zh-CN': '接口的响应时间', en: 'List how fast routes respond' },
    description: {
      'zh-CN': '最近 24 小时、全部实例、每 10 秒写入一次；不含管理后台的请求。最慢的在前。',
      en: 'Covers the last 24 hours and all instances, without requests of the administration area, and is written every 10 seconds. The slowest come first.',
    },
  },
});
