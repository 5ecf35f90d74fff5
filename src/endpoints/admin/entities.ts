import type { Endpoint } from '../../http/endpoint.ts';
import { keyEntity } from '../../service/api-keys/entity.ts';
import { applicationEntity } from '../../service/applications/entity.ts';
import { auditEntity } from '../../service/audit/entity.ts';
import { jobEntity } from '../../service/jobs/entity.ts';
import { paymentEntity } from '../../service/payments/entity.ts';
import { refusalEntity } from '../../service/refusals/entity.ts';
import { permissionEntity, roleEntity } from '../../service/roles/entity.ts';
import { sessionEntity } from '../../service/sessions/entity.ts';
import { managedUserEntity } from '../../service/users/entity.ts';
import { viewEntity } from '../../service/views/entity.ts';
import { deliveryEntity, webhookEntity } from '../../service/webhooks/entity.ts';
import { describedLists, type ServedEntity, serveEntity } from '../entity.ts';
import type { Services } from '../services.ts';
import { adminKeyEndpoints } from './api-keys.ts';
import { deliveryEndpoints } from './deliveries.ts';
import { invitationEndpoints } from './invitations.ts';
import { jobEndpoints } from './jobs.ts';
import { permissionEndpoints } from './permissions.ts';
import { referenceEndpoints } from './references.ts';
import { roleEndpoints } from './roles.ts';
import { searchEndpoint } from './search.ts';
import { ownSessionEndpoints } from './session.ts';
import { adminUserEndpoints } from './users.ts';
import { viewEndpoints } from './views.ts';
import { webhookEndpoints } from './webhooks.ts';

/** Applications stand in a file that can change while the service runs; their list is made when it does. */
const servedApplications = ({ applications }: Services): ServedEntity => {
  let current = applicationEntity(applications.applications());
  applications.onChange(() => {
    current = applicationEntity(applications.applications());
  });
  return { entity: current, current: () => current };
};

/** Webhooks are there where some model tells of events. */
const servedWebhooks = (services: Services): ServedEntity[] =>
  [...services.resources.values()].some(({ model }) => model.events)
    ? [
        { entity: webhookEntity, commands: webhookEndpoints(services) },
        // Its rows stand below a webhook, and its columns depend on what the caller may read.
        { entity: deliveryEntity([]), list: deliveryEndpoints(services) },
      ]
    : [];

/** Every entity of the service in the administration area, a line each. */
const servedEntities = (services: Services): readonly ServedEntity[] => [
  {
    entity: managedUserEntity,
    commands: [...adminUserEndpoints(services), ...invitationEndpoints(services)],
  },
  { entity: keyEntity, commands: adminKeyEndpoints(services) },
  { entity: sessionEntity, commands: ownSessionEndpoints(services) },
  { entity: roleEntity, commands: roleEndpoints(services) },
  { entity: permissionEntity(services.permissionEntries), commands: permissionEndpoints(services) },
  servedApplications(services),
  { entity: paymentEntity },
  // Security events and refusals are written in batches.
  { entity: auditEntity, flush: () => services.securityEvents.flush() },
  { entity: refusalEntity, flush: () => services.refusals.flush() },
  { entity: jobEntity(services.jobNames), commands: jobEndpoints(services) },
  { entity: viewEntity, commands: viewEndpoints(services) },
  ...servedWebhooks(services),
];

/** Lists, records and commands of all entities, what refers to them, and the search through them. */
export const entityEndpoints = (services: Services): Endpoint[] => {
  const served = servedEntities(services);
  const entities = served.map(({ entity }) => entity);
  return [
    ...served.flatMap((each) => serveEntity(services, each)),
    ...referenceEndpoints(services, entities),
    searchEndpoint(services, entities),
    describedLists(services, entities),
  ];
};
