/** The schedules of recurring jobs as administrators see them, with the next tick of each. */

import type { Dialect } from '../../../database/dialect.ts';
import { type Fragment, join, literal, sql, tableName } from '../../../database/statement.ts';
import { field } from '../../../fields/define.ts';
import { toTimestamp } from '../../../kernel/clock.ts';
import { always, computed, defineEntity, type Entity } from '../../../records/entity.ts';

/** SQL of the next tick of a row. */
const nextTick =
  (next: ReadonlyMap<string, number>) =>
  (dialect: Dialect): Fragment => {
    const ticks = [...next].map(
      ([name, tick]) =>
        sql`when t."name" = ${literal(name)} then ${dialect.cast(literal(toTimestamp(tick)), 'timestamp')}`,
    );
    const none = dialect.cast(sql`null`, 'timestamp');
    return sql`(case when t."paused_at" is not null then ${none} ${join(ticks, ' ')} end)`;
  };

/**
 * The schedules of recurring jobs, one for all instances.
 * @param names jobs that files of this instance's application define
 * @param next the next tick of each, in milliseconds since the epoch
 */
export const scheduleEntity = (names: readonly string[], next: ReadonlyMap<string, number>): Entity =>
  defineEntity('schedules', {
    title: 'Schedule',
    from: tableName('gatewright_schedules'),
    fields: {
      name: field.string({ ...always, label: { 'zh-CN': '任务', en: 'Job' } }),
      pattern: computed(field.string({ ...always, label: { 'zh-CN': '周期', en: 'Schedule' } }), {
        note: 'cron expression and time zone',
      }),
      defined: computed(field.boolean(always), {
        value: names.length === 0 ? sql`(1 = 0)` : sql`(t."name" in (${join(names.map(literal))}))`,
        note: 'false where no file of this instance defines the job',
      }),
      last_tick_at: computed(
        field.datetime({ ...always, label: { 'zh-CN': '最近一次触发', en: 'Last tick' } }),
        {
          value: sql`t."ticked_at"`,
          note: 'the last tick for which a run was stored, or the time from which on ticks count',
        },
      ),
      next_run_at: computed(field.datetime({ label: { 'zh-CN': '下次运行', en: 'Next run' } }), {
        value: nextTick(next),
        note: 'the next tick by the clock of this instance; null while it is paused, or where no file of this instance defines the job',
      }),
      failed: computed(field.integer({ ...always, label: { 'zh-CN': '失败次数', en: 'Failed runs' } }), {
        value: sql`(select count(*) from (select 1 from ${tableName('gatewright_jobs')} j where j."name" = t."name" and j."state" = 'failed' limit 1000) f)`,
        comparable: false,
        note: 'failed runs that are kept, counted up to 1,000',
      }),
      paused_at: computed(field.datetime({ label: { 'zh-CN': '暂停时间', en: 'Paused' } }), {
        note: 'since when no run is stored; null unless it is paused',
      }),
    },
    key: 'name',
    list: {
      operation: 'listSchedules',
      path: '/admin/schedules',
      order: 'name',
      summary: { 'zh-CN': '周期任务列表', en: 'List the schedules of recurring jobs' },
    },
    record: {
      operation: 'getSchedule',
      summary: { 'zh-CN': '周期任务详情', en: 'Show the schedule of a recurring job' },
    },
  });
