import type { Endpoint } from '../../http/endpoint.ts';
import { createList } from '../../records/list/list.ts';
import { refusalFields, refusalSource } from '../../service/refusals/refusal-source.ts';
import {
  applicationFields,
  applicationSource,
  auditFields,
  auditSource,
  paymentFields,
  paymentSource,
} from '../../service/sources.ts';
import { answerList, listEndpoint } from '../list-endpoint.ts';
import { listFieldsOf } from '../list-fields.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { adminAuth, administratorReads, adminTag } from './area.ts';

/** The list with what has happened up to now: security events are written in batches. */
const flushed = ({ securityEvents }: Services, list: Endpoint): Endpoint => ({
  ...list,
  handle: async (call) => {
    await securityEvents.flush();
    return list.handle(call);
  },
});

/** What administrators look at and nobody changes: applications, payments, the audit list. */
export const adminListEndpoints = (services: Services): Endpoint[] => {
  // The credentials file can change while the service runs; its list is rebuilt then, not for every request.
  let applications = applicationSource(services.applications.applications());
  services.applications.onChange(() => {
    applications = applicationSource(services.applications.applications());
  });
  return [
    listEndpoint(services, () => applications, {
      operation: 'listApplications',
      path: '/admin/applications',
      auth: adminAuth,
      policy: administratorReads(applicationFields),
      docs: {
        summary: { 'zh-CN': '应用列表', en: 'List applications' },
        tag: adminTag,
        data: schemas.application,
      },
    }),
    listEndpoint(services, paymentSource, {
      operation: 'listPayments',
      path: '/admin/payments',
      auth: adminAuth,
      policy: administratorReads(paymentFields),
      docs: {
        summary: { 'zh-CN': '收到的支付', en: 'Payments received' },
        tag: adminTag,
        data: schemas.payment,
      },
    }),
    flushed(
      services,
      listEndpoint(services, auditSource, {
        operation: 'listAudit',
        path: '/admin/audit',
        auth: adminAuth,
        policy: administratorReads(auditFields),
        docs: { summary: { 'zh-CN': '审计记录', en: 'Audit list' }, tag: adminTag, data: schemas.audit },
      }),
    ),
    refusalEndpoint(services),
  ];
};

/** What known callers were refused; the newest first, unless another order is asked for. */
const refusalEndpoint = (services: Services): Endpoint => {
  const { refusals, database, clock } = services;
  const list = createList(database, refusalSource, { clock });
  const policy = administratorReads(refusalFields);
  const origin = new URL(services.baseUrl).origin;
  return {
    operation: 'listRefusals',
    method: 'GET',
    path: '/admin/refusals',
    auth: adminAuth,
    policy,
    accepts: 'nothing',
    csv: true,
    docs: {
      summary: { 'zh-CN': '最近被拒绝的请求', en: 'Recent refusals' },
      description: {
        'zh-CN':
          '已知调用者在 24 小时内被拒绝（403）的请求、因行规则而答为不存在（404）的记录，以及凭据已失效或签名不符（401）的请求（密钥吊销后 90 天内仍可辨认），由新到旧；同一小时内相同的请求合并计数。不保存查询参数、请求体与凭据。各实例每 10 秒写入一次。',
        en: 'Requests of known callers that were refused (403) within 24 hours, records that row rules answered as missing (404), and requests with a key that has expired or was revoked within 90 days, a token that is over or a signature that does not fit (401: whose they were is looked up when they are written, and that an application was named proves nothing), the newest first; those alike within an hour are counted together. Neither query nor body nor credentials are kept. Each instance writes them every 10 s.',
      },
      tag: adminTag,
      data: schemas.refusal,
      list: true,
      listFields: listFieldsOf(refusalSource, policy),
    },
    handle: async (call) => {
      await refusals.flush();
      const { query } = call;
      const sorted = new URLSearchParams(query).has('sort');
      const asked = sorted ? query : [query, 'sort=-refused_at'].filter((part) => part !== '').join('&');
      return answerList(list, call, origin, undefined, { query: asked });
    },
  };
};
