/** Commands of administrators on jobs and schedules. */

import { sql as kysely } from 'kysely';
import { literal, toQuery } from '../../database/statement.ts';
import { clockSlackMs } from '../../database/tables.ts';
import { Problem } from '../../kernel/problem.ts';
import { type CommandResult, defineEntityCommand, type EntityCommand } from '../../ledger/command.ts';
import type { Change } from '../../ledger/context.ts';

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

  return { repeat, remove } satisfies Readonly<Record<string, EntityCommand>>;
};
