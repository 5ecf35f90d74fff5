import type { Endpoint } from '../../http/endpoint.ts';
import { jobEntity } from '../../service/jobs/entity.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';

/** Jobs that wait, run or have failed. Values are shown: administrators read every record anyway. */
export const jobEndpoints = (services: Services): Endpoint[] => {
  const entity = jobEntity(services.jobNames);
  const path = '/admin/jobs';
  const one = {
    auth: adminAuth,
    policy: administratorOnly,
    accepts: 'nothing',
    reaches: reachesIn(services.database, entity),
  } as const;
  return [
    {
      operation: 'repeatJob',
      method: 'POST',
      path: `${path}/:id/repeat`,
      ...one,
      docs: {
        summary: { 'zh-CN': '立即运行等待或失败的任务', en: 'Run a job now that waits or has failed' },
        description: {
          'zh-CN': '任务排到队首，由下一个空闲的工作进程运行。',
          en: 'The job becomes due at once, and is run by the next worker that is free.',
        },
        tag: adminTag,
        problems: ['record_not_found', 'job_running', 'conflict'],
      },
      handle: async (call) => {
        await services.jobs.repeat(idOf(call), actorOf(call));
        return {};
      },
    },
    {
      operation: 'deleteJob',
      method: 'DELETE',
      path: `${path}/:id`,
      ...one,
      docs: {
        summary: { 'zh-CN': '删除等待或失败的任务', en: 'Delete a job that waits or has failed' },
        description: {
          'zh-CN': '任务不再运行，也不可恢复。',
          en: 'The job never runs, and cannot be brought back.',
        },
        tag: adminTag,
        problems: ['record_not_found', 'job_running'],
      },
      handle: async (call) => {
        await services.jobs.remove(idOf(call), actorOf(call));
        return {};
      },
    },
  ];
};
