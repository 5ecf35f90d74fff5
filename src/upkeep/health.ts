import type { Answer, Endpoint } from '../http/endpoint.ts';
import { JsonText } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Stopping } from '../kernel/stopping.ts';

const alive: Answer = { data: new JsonText('{"status":"ok"}') };

export interface HealthParts {
  /** Resolves where a write would be taken. @throws Problem `database_unavailable` */
  readonly ready: () => Promise<void>;
  readonly stopping: Stopping;
}

const whenReady = async ({ ready, stopping }: HealthParts): Promise<Answer> => {
  if (stopping.begun) throw new Problem('stopping', { headers: { 'Retry-After': '5' } });
  await ready();
  return alive;
};

/**
 * Reports on the process; with `?ready` on its readiness: 503 while the database would accept no write, and once the
 * service is about to stop.
 */
export const healthEndpoint = (services: HealthParts): Endpoint => ({
  operation: 'getHealth',
  method: 'GET',
  path: '/api/v1/health',
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  fromMemory: true,
  docs: {
    summary: { 'zh-CN': '健康检查', en: 'Health check' },
    description: {
      'zh-CN':
        '反映进程状态；带 `?ready` 时一并检查数据库能否写入（磁盘已满、只读、文件丢失、数据损坏等），不能则为 503。',
      en: 'State of the process. With `?ready`, also of the database: 503 while it accepts no writes (unavailable, read-only, lost, damaged, or its disk full).',
    },
    tag: 'Health',
    problems: ['stopping', 'not_ready_damaged'],
    data: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
  },
  handle: ({ query }) =>
    query !== '' && new URLSearchParams(query).has('ready') ? whenReady(services) : alive,
});
