import { identifier, join, literal, sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity, type Entity } from '../../records/entity.ts';

/**
 * Jobs as rows of the administrators' list: waiting, running or failed. A successful job has no row.
 * @param names jobs that are defined in this process
 */
export const jobEntity = (names: readonly string[]): Entity =>
  defineEntity('jobs', {
    title: 'Job',
    from: identifier('gatewright_jobs'),
    fields: {
      id: field.integer(always),
      name: field.string({ ...always, label: { 'zh-CN': '任务', en: 'Job' } }),
      defined: computed(field.boolean(always), {
        value: names.length === 0 ? sql`(1 = 0)` : sql`(t."name" in (${join(names.map(literal))}))`,
        note: 'false if no file of this instance defines it: it waits',
      }),
      state: field.enum(['waiting', 'running', 'failed'], {
        ...always,
        label: { 'zh-CN': '状态', en: 'State' },
        labels: {
          waiting: { 'zh-CN': '等待', en: 'Waiting' },
          running: { 'zh-CN': '运行中', en: 'Running' },
          failed: { 'zh-CN': '失败', en: 'Failed' },
        },
      }),
      key: field.string({ label: { 'zh-CN': '唯一键', en: 'Key' } }),
      values: computed(field.json({ ...always, label: { 'zh-CN': '输入', en: 'Values' } }), {
        value: sql`t."input"`,
        comparable: false,
      }),
      attempts: computed(field.integer({ ...always, label: { 'zh-CN': '已尝试次数', en: 'Attempts' } }), {
        note: 'number of runs so far, including the current one',
      }),
      next_run_at: computed(field.datetime({ label: { 'zh-CN': '下次运行', en: 'Next run' } }), {
        value: sql`(case t."state" when 'waiting' then t."available_at" end)`,
        note: 'null unless the job waits',
      }),
      error: computed(field.text({ label: { 'zh-CN': '错误', en: 'Error' } }), {
        note: 'error of the last run',
      }),
      created_at: field.datetime({ ...always, label: { 'zh-CN': '创建时间', en: 'Created' } }),
      started_at: field.datetime({ label: { 'zh-CN': '开始时间', en: 'Started' } }),
      failed_at: field.datetime({ label: { 'zh-CN': '失败时间', en: 'Failed' } }),
    },
    indexed: ['name', 'state'],
    list: {
      operation: 'listJobs',
      path: '/admin/jobs',
      summary: { 'zh-CN': '任务列表', en: 'List jobs' },
      description: {
        'zh-CN': '等待、运行中与失败的任务；完成的任务不保留。',
        en: 'Jobs that wait, run or have failed. Successful jobs are not listed.',
      },
    },
  });
