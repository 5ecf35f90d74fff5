import type { Application } from '../app/application.ts';
import { endpointAccess, pathOf } from '../resources/application-endpoints.ts';
import { apiArea } from '../resources/area.ts';
import { resourceAccess } from '../resources/resource-endpoints.ts';
import { codePartsOf } from './code.ts';
import { type Policy, policyOf } from './policy.ts';

/** The policy of an application: it needs neither a database nor secrets, and nothing of it is started. */
export const applicationPolicy = ({ models, endpoints, config }: Application): Policy => {
  const { onPayment, registration } = config;
  const own = endpoints.map((endpoint) => ({
    subject: `${endpoint.method} ${pathOf(endpoint.path)}`,
    endpoint,
  }));
  return policyOf({
    models,
    resources: [...models.values()].flatMap((model) => resourceAccess(model, models, apiArea)),
    endpoints: own.map(({ subject, endpoint }) => ({ subject, access: endpointAccess(endpoint) })),
    code: codePartsOf({
      models,
      endpoints: own.map(({ subject, endpoint: { handle } }) => ({ subject, handle })),
      settings: { onPayment },
    }),
    registers: registration ? (registration.roles ?? []) : undefined,
  });
};
