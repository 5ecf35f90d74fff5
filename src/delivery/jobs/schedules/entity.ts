import { identifier, join, literal, sql } from '../../../database/statement.ts';
import { field } from '../../../fields/define.ts';
import { always, computed, defineEntity, type Entity } from '../../../records/entity.ts';

/**
 * The schedules of recurring jobs, one for all instances.
 * @param names jobs that files of this instance's application define
 */
export const scheduleEntity = (names: readonly string[]): Entity =>
  defineEntity('schedules', {
    title: 'Schedule',
    from: identifier('gatewright_schedules'),
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
      failed: computed(field.integer({ ...always, label: { 'zh-CN': '失败次数', en: 'Failed runs' } }), {
        value: sql`(select count(*) from (select 1 from "gatewright_jobs" j where j."name" = t."name" and j."state" = 'failed' limit 1000) f)`,
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
