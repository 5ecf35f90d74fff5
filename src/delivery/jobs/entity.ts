/** Jobs as administrators see them: their list, and the page of one with its failed runs. */

import { join, literal, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { adminAuth, adminTag } from '../../http/administration.ts';
import { idOf, reachesIn } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { type EntityReadParts, entityPolicy, showEntity } from '../../http/entity-endpoint.ts';
import { always, computed, defineEntity, type Entity, type EntityDefinition } from '../../records/entity.ts';

/** @param names jobs that are defined in this process */
const jobFields = (names: readonly string[]): EntityDefinition['fields'] => ({
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
});

const from = tableName('gatewright_jobs');

/**
 * Jobs as rows of the administrators' list: waiting, running or failed. A successful job has no row.
 * @param names jobs that are defined in this process
 */
export const jobEntity = (names: readonly string[]): Entity =>
  defineEntity('jobs', {
    title: 'Job',
    from,
    fields: jobFields(names),
    found: { named: 'name', alias: 'key' },
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

/** The schema of the failed runs of a job. */
const runsSchema: JsonSchema = {
  type: ['array', 'null'],
  items: {
    type: 'object',
    properties: {
      attempt: { type: 'integer', minimum: 1 },
      started_at: { type: 'string', format: 'date-time' },
      ended_at: { type: 'string', format: 'date-time' },
      error: { type: 'string' },
    },
    required: ['attempt', 'started_at', 'ended_at', 'error'],
  },
};

/** A job with its failed runs and the stack of its last error, which are too long for a list. */
const wholeJob = (names: readonly string[]): Entity =>
  defineEntity('job', {
    title: 'WholeJob',
    from,
    fields: {
      ...jobFields(names),
      stack: computed(field.text({ label: { 'zh-CN': '调用栈', en: 'Stack' } }), {
        comparable: false,
        note: 'places in files of the application from which the last run threw its error, a line each, and those of its causes',
      }),
      runs: computed(field.json({ label: { 'zh-CN': '失败的运行', en: 'Failed runs' } }), {
        comparable: false,
        schema: runsSchema,
        note: 'the runs that failed, the oldest first; a run that ended with its process is not among them',
      }),
    },
  });

/** The endpoint of one job. */
export const jobEndpoint = (services: EntityReadParts, names: readonly string[]): Endpoint => {
  const entity = wholeJob(names);
  const show = showEntity(services, entity);
  return {
    operation: 'getJob',
    method: 'GET',
    path: '/admin/jobs/:id',
    auth: adminAuth,
    policy: entityPolicy(entity),
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '任务详情', en: 'Show a job' },
      description: {
        'zh-CN': '含失败的各次运行，与最近一次错误的调用栈。',
        en: 'With its failed runs and the stack of its last error.',
      },
      tag: adminTag,
      data: entity.schema,
      problems: ['record_not_found'],
    },
    handle: (call) => show(call, idOf(call)),
    reaches: reachesIn(services.database, entity),
  };
};
