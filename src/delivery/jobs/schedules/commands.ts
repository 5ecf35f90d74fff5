/** Commands that pause and resume a schedule. */

import { sql as kysely } from 'kysely';
import { toQuery } from '../../../database/statement.ts';
import { Problem } from '../../../kernel/problem.ts';
import {
  type CommandCall,
  type CommandResult,
  defineEntityCommand,
  type EntityCommand,
} from '../../../ledger/command.ts';

/**
 * Pauses or resumes a schedule, which may be in that state already and then stays as it is.
 * @throws Problem `record_not_found`
 */
const change = async (
  { transaction, tables, params }: CommandCall<object>,
  action: 'schedule.pause' | 'schedule.resume',
  columns: { readonly paused_at: string | null; readonly ticked_at?: ReturnType<typeof kysely<string>> },
): Promise<CommandResult> => {
  const { name = '' } = params;
  const found = await transaction.get(
    toQuery(tables.selectFrom('gatewright_schedules').select('name').where('name', '=', name)),
  );
  if (found === undefined) throw new Problem('record_not_found');
  const update = tables
    .updateTable('gatewright_schedules')
    .set(columns)
    .where('name', '=', name)
    .where('paused_at', columns.paused_at === null ? 'is not' : 'is', null);
  const changed = (await transaction.run(toQuery(update))) > 0;
  return changed ? { audit: { action, target: { kind: 'schedule', id: null, name } } } : {};
};

const pause = defineEntityCommand({
  verb: 'pause',
  operation: 'pauseSchedule',
  summary: { 'zh-CN': '暂停周期任务', en: 'Pause a recurring job' },
  description: {
    'zh-CN': '所有实例不再为其触发时刻安排运行。已在等待或重试的运行不受影响。',
    en: 'Instances no longer store runs for its ticks. Waiting runs, also those of a retry, are not affected.',
  },
  problems: ['record_not_found'],
  run: (call) => change(call, 'schedule.pause', { paused_at: call.at }),
});

const resume = defineEntityCommand({
  verb: 'resume',
  operation: 'resumeSchedule',
  summary: { 'zh-CN': '恢复周期任务', en: 'Resume a recurring job' },
  description: {
    'zh-CN': '从现在起重新计算触发时刻，暂停期间错过的不再补运行。',
    en: 'Ticks count from now on; those of the pause are not made up for.',
  },
  problems: ['record_not_found'],
  run: (call) =>
    change(call, 'schedule.resume', {
      paused_at: null,
      ticked_at: kysely<string>`${call.dialect.now}`,
    }),
});

export const scheduleCommands: readonly EntityCommand[] = [pause, resume];
