import type { Endpoint } from '../../http/endpoint.ts';
import { JsonText } from '../../kernel/json.ts';
import type { Services } from '../services.ts';

const ok = new JsonText('{"status":"ok"}');

/** Speaks for the process; with `?ready` it asks the database as well, and answers 503 while that is away. */
export const healthEndpoint = ({ database }: Services): Endpoint => ({
  operation: 'getHealth',
  method: 'GET',
  path: '/api/v1/health',
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '健康检查', en: 'Health check' },
    description: {
      'zh-CN': '反映进程状态；带 `?ready` 时一并检查数据库，数据库不可用则为 503。',
      en: 'Speaks for the process; with `?ready` the database is asked too, 503 while it is away.',
    },
    tag: 'Health',
    data: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
  },
  handle: async ({ query }) => {
    if (query !== '' && new URLSearchParams(query).has('ready')) await database.ping();
    return { data: ok };
  },
});
