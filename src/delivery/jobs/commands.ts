/** Commands of administrators on jobs and schedules. */

import { sql as kysely } from 'kysely';
import { literal, toQuery } from '../../database/statement.ts';
import { clockSlackMs } from '../../database/tables.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { refined } from '../../http/input.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  type CommandResult,
  defineEntityCommand,
  type EntityCommand,
  type InputViolation,
} from '../../ledger/command.ts';
import type { Change } from '../../ledger/context.ts';
import type { CheckedInput } from '../../model/job.ts';

/**
 * Jobs that one command changes, and that it counts.
 * @limit Events, webhooks and jobs | failed jobs that one request runs again or deletes | count | the rest is left
 */
const mostAtOnce = 1_000;

/** The workers of jobs, as far as commands need them. */
export interface JobWorkers {
  /** Duration of a lease. */
  readonly leaseMs: number;
  /** Called when a job has become due. */
  readonly wake: () => void;
}

/** Holds for a job that may be changed. A lease that ends later than one can last is void. */
const isFree = (dialect: Change['dialect'], leaseMs: number) => {
  const { now, later } = dialect;
  return kysely<boolean>`(state <> 'running' or available_at <= ${now}
    or available_at > ${later(literal(leaseMs + clockSlackMs))})`;
};

/** Returns the result of a command by the rows that it returned. @throws Problem `record_not_found`, `job_running` */
const changedJob = async (
  { transaction, tables }: Change,
  id: number,
  [row]: readonly { readonly name: string }[],
  action: 'job.repeat' | 'job.delete',
): Promise<CommandResult> => {
  if (row !== undefined) return { audit: { action, target: { kind: 'job', id, name: row.name } } };
  const found = await transaction.get(
    toQuery(tables.selectFrom('gatewright_jobs').select('id').where('id', '=', id)),
  );
  throw new Problem(found === undefined ? 'record_not_found' : 'job_running');
};

/** Commands on jobs. A running job cannot be changed while its lease is valid. */
export const jobCommands = ({ leaseMs, wake }: JobWorkers) => {
  const repeat = defineEntityCommand({
    verb: 'repeat',
    operation: 'repeatJob',
    summary: { 'zh-CN': '立即运行等待或失败的任务', en: 'Run a job now that waits or has failed' },
    description: {
      'zh-CN': '任务排到队首，由下一个空闲的工作进程运行。',
      en: 'The job becomes due at once; the next free worker runs it.',
    },
    problems: ['record_not_found', 'job_running', 'conflict'],
    // Another job waits under the same key.
    constraints: { unique: 'conflict' },
    run: async (call) => {
      const { transaction, tables, dialect, id } = call;
      const update = tables
        .updateTable('gatewright_jobs')
        .set((eb) => ({
          state: 'waiting',
          available_at: kysely<string>`${dialect.now}`,
          failed_at: null,
          lease: null,
          // Another job may wait under the key of one that ran.
          key: eb.case().when('state', '=', 'running').then(null).else(eb.ref('key')).end(),
          attempts: eb.case().when('state', '=', 'failed').then(0).else(eb.ref('attempts')).end(),
        }))
        .where('id', '=', id)
        .where(isFree(dialect, leaseMs))
        .returning('name');
      return changedJob(call, id, await transaction.all(toQuery(update)), 'job.repeat');
    },
    after: wake,
  });

  const remove = defineEntityCommand({
    verb: 'remove',
    operation: 'deleteJob',
    summary: { 'zh-CN': '删除等待或失败的任务', en: 'Delete a job that waits or has failed' },
    description: {
      'zh-CN': '任务不再运行，也不可恢复。',
      en: 'The job never runs and cannot be restored.',
    },
    problems: ['record_not_found', 'job_running'],
    run: async (call) => {
      const { transaction, tables, dialect, id } = call;
      const removal = tables
        .deleteFrom('gatewright_jobs')
        .where('id', '=', id)
        .where(isFree(dialect, leaseMs))
        .returning('name');
      return changedJob(call, id, await transaction.all(toQuery(removal)), 'job.delete');
    },
  });

  return {
    repeat,
    remove,
    repeatFailed: repeatFailed(wake),
    removeFailed,
  } satisfies Readonly<Record<string, EntityCommand>>;
};

// Several failed jobs at once

const failedJobs = {
  ids: field.json({ label: { 'zh-CN': '任务编号', en: 'Ids of jobs' } }),
  name: field.string({ max: 200, label: { 'zh-CN': '任务', en: 'Job' } }),
} as const;

type FailedJobs = CheckedInput<typeof failedJobs>;

/** Ids, or a name: a body with neither must not mean every job. */
const violationsOf = ({ ids, name }: Partial<FailedJobs>): readonly InputViolation[] => {
  const isNamed = name !== undefined && name !== null;
  if (ids === undefined || ids === null) return isNamed ? [] : [{ field: 'ids', rule: 'required' }];
  if (!Array.isArray(ids) || !ids.every((id) => Number.isSafeInteger(id)))
    return [{ field: 'ids', rule: 'type', params: { type: 'array' } }];
  if (ids.length === 0) return [{ field: 'ids', rule: 'required' }];
  return ids.length > mostAtOnce ? [{ field: 'ids', rule: 'max_length', params: { max: mostAtOnce } }] : [];
};

/** Failed jobs with one of the ids, and of the name. */
const chosenJobs = ({ tables }: Pick<Change, 'tables'>, { ids, name }: FailedJobs) => {
  const failed = tables.selectFrom('gatewright_jobs as j').where('j.state', '=', 'failed');
  const named = name === undefined || name === null ? failed : failed.where('j.name', '=', name);
  return Array.isArray(ids) ? named.where('j.id', 'in', ids.map(Number)) : named;
};

/** The result: how many were changed, how many are left, and a line of the audit log for each name. */
const changedJobs = async (
  call: Change,
  values: FailedJobs,
  rows: readonly { readonly id: number; readonly name: string }[],
  action: 'job.repeat' | 'job.delete',
): Promise<CommandResult> => {
  const left = await call.transaction.all(toQuery(chosenJobs(call, values).select('j.id').limit(mostAtOnce)));
  const audit = [...Map.groupBy(rows, ({ name }) => name)].map(([name, of]) => ({
    action,
    target: { kind: 'job', id: null, name },
    detail: { jobs: of.map(({ id }) => Number(id)).toSorted((one, other) => one - other) },
  }));
  return { audit, data: { changed: rows.length, left: left.length } };
};

const countSchema: JsonSchema = {
  title: 'ChangedJobs',
  type: 'object',
  properties: {
    changed: { type: 'integer', minimum: 0, maximum: mostAtOnce },
    left: {
      type: 'integer',
      minimum: 0,
      maximum: mostAtOnce,
      description: `failed jobs among the named ones that are left, counted up to ${mostAtOnce}`,
    },
  },
  required: ['changed', 'left'],
};

const describedJobs = (schema: JsonSchema): JsonSchema =>
  refined(
    { ...schema, examples: [{ name: 'send-mail' }] },
    {
      ids: {
        type: 'array',
        items: { type: 'integer' },
        minItems: 1,
        maxItems: mostAtOnce,
        description: 'those of these that have failed; required without a name',
      },
      name: { description: 'failed jobs of this name' },
    },
  );

const ofFailedJobs = {
  method: 'POST',
  input: failedJobs,
  refine: describedJobs,
  data: countSchema,
  check: async (values: Partial<FailedJobs>) => violationsOf(values),
} as const;

const repeatFailed = (wake: () => void) =>
  defineEntityCommand({
    ...ofFailedJobs,
    verb: 'repeat_failed',
    path: '/repeat',
    operation: 'repeatJobs',
    summary: { 'zh-CN': '重新运行失败的任务', en: 'Run failed jobs again' },
    description: {
      'zh-CN': `一次至多 ${mostAtOnce} 个，先失败的在前。同一唯一键下已有任务等待的不动。`,
      en: `At most ${mostAtOnce} at once, those that were added first. One whose key another waiting job has stays failed.`,
    },
    problems: ['conflict'],
    // Another job under the same key was added meanwhile.
    constraints: { unique: 'conflict' },
    run: async (call) => {
      const { transaction, tables, dialect, values } = call;
      const chosen = chosenJobs(call, values)
        .select((eb) => eb.fn.max('j.id').as('id'))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('gatewright_jobs as w')
                .select('w.id')
                .whereRef('w.name', '=', 'j.name')
                .whereRef('w.key', '=', 'j.key')
                .where('w.state', '=', 'waiting'),
            ),
          ),
        )
        // One of several that failed under one key may wait.
        .groupBy([
          'j.name',
          'j.key',
          kysely`case when ${kysely.ref('j.key')} is null then ${kysely.ref('j.id')} end`,
        ])
        .orderBy('id')
        .limit(mostAtOnce);
      const update = tables
        .updateTable('gatewright_jobs')
        .set({
          state: 'waiting',
          available_at: kysely<string>`${dialect.now}`,
          failed_at: null,
          lease: null,
          attempts: 0,
        })
        .where('id', 'in', chosen)
        .where('state', '=', 'failed')
        .returning(['id', 'name']);
      return changedJobs(call, values, await transaction.all(toQuery(update)), 'job.repeat');
    },
    after: wake,
  });

const removeFailed = defineEntityCommand({
  ...ofFailedJobs,
  verb: 'remove_failed',
  path: '/delete',
  operation: 'deleteJobs',
  summary: { 'zh-CN': '删除失败的任务', en: 'Delete failed jobs' },
  description: {
    'zh-CN': `一次至多 ${mostAtOnce} 个，不可恢复。`,
    en: `At most ${mostAtOnce} at once. They cannot be restored.`,
  },
  run: async (call) => {
    const { transaction, tables, values } = call;
    const chosen = chosenJobs(call, values).select('j.id').orderBy('j.id').limit(mostAtOnce);
    const removal = tables
      .deleteFrom('gatewright_jobs')
      .where('id', 'in', chosen)
      .where('state', '=', 'failed')
      .returning(['id', 'name']);
    return changedJobs(call, values, await transaction.all(toQuery(removal)), 'job.delete');
  },
});
