import type { Endpoint } from '../../http/endpoint.ts';
import {
  applicationFields,
  applicationSource,
  auditFields,
  auditSource,
  paymentFields,
  paymentSource,
} from '../../store/tables/sources.ts';
import { listEndpoint } from '../list-endpoint.ts';
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
  ];
};
