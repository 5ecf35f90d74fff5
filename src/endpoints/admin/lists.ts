import type { Endpoint } from '../../http/endpoint.ts';
import { applicationEntity } from '../../service/applications/entity.ts';
import { auditEntity } from '../../service/audit/entity.ts';
import { paymentEntity } from '../../service/payments/entity.ts';
import { refusalEntity } from '../../service/refusals/entity.ts';
import { serveEntity } from '../entity.ts';
import type { Services } from '../services.ts';

/** What administrators look at and nobody changes: applications, payments, the audit list. */
export const adminListEndpoints = (services: Services): Endpoint[] => {
  const { applications, securityEvents, refusals } = services;
  // The credentials file can change while the service runs; its list is rebuilt then, not for every request.
  let current = applicationEntity(applications.applications());
  applications.onChange(() => {
    current = applicationEntity(applications.applications());
  });
  return [
    ...serveEntity(services, current, { current: () => current }),
    ...serveEntity(services, paymentEntity),
    // Security events and refusals are written in batches.
    ...serveEntity(services, auditEntity, { flush: () => securityEvents.flush() }),
    ...serveEntity(services, refusalEntity, { flush: () => refusals.flush() }),
  ];
};
