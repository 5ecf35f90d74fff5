import type { Endpoint } from '../../http/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Languages } from '../../kernel/messages/languages.ts';
import { keyCommands } from '../../service/api-keys/commands.ts';
import { keyEntity } from '../../service/api-keys/entity.ts';
import { applicationEntity } from '../../service/applications/entity.ts';
import { auditEntity } from '../../service/audit/entity.ts';
import type { SecurityEventStore } from '../../service/audit/security-events.ts';
import { type JobWorkers, jobCommands } from '../../service/jobs/commands.ts';
import { jobEntity } from '../../service/jobs/entity.ts';
import type { NotifyUser } from '../../service/mail/user-notices.ts';
import { paymentEntity } from '../../service/payments/entity.ts';
import { refusalEntity } from '../../service/refusals/entity.ts';
import type { RefusalStore } from '../../service/refusals/refusals.ts';
import { permissionCommands, roleCommands } from '../../service/roles/commands.ts';
import { type PermissionEntry, permissionEntity, roleEntity } from '../../service/roles/entity.ts';
import { routeEntity } from '../../service/routes/entity.ts';
import { scheduleCommands } from '../../service/schedules/commands.ts';
import { scheduleEntity } from '../../service/schedules/entity.ts';
import { sessionEntity } from '../../service/sessions/entity.ts';
import type { RouteTimesStore } from '../../service/usage/route-times.ts';
import { managedUserEntity } from '../../service/users/entity.ts';
import type { SeenCredentialsStore } from '../../service/users/seen-credentials.ts';
import { viewCommands } from '../../service/views/commands.ts';
import { viewEntity } from '../../service/views/entity.ts';
import { webhookCommands } from '../../service/webhooks/commands.ts';
import { deliveryEntity, webhookEntity } from '../../service/webhooks/entity.ts';
import { describedLists, type EntityParts, type ServedEntity, serveEntity } from '../entity.ts';
import { checkedModels } from '../shared.ts';
import { type DeliveryParts, deliveryEndpoints } from '../webhooks/deliveries.ts';
import {
  servedModels,
  testWebhookEndpoint,
  type WebhookEndpointParts,
  type WebhookTestParts,
  webhookOf,
  webhookParts,
} from '../webhooks/place.ts';
import { type Applications, applicationCommands } from './application-commands.ts';
import { type InvitationParts, invitationEndpoints } from './invitations.ts';
import { type KeyScopeParts, keyScopeEndpoints } from './key-scopes.ts';
import { type KeyUsageParts, keyUsageEndpoint } from './key-usage.ts';
import { type ReferenceParts, referenceEndpoints } from './references.ts';
import { holdersEndpoint, type RoleHolderParts } from './roles.ts';
import { type SearchParts, searchEndpoint } from './search.ts';
import {
  type OwnSessionParts,
  ownSessionEndpoints,
  type UserSessionParts,
  userSessionsEndpoint,
} from './session.ts';
import { type AdminUserParts, adminUserEndpoints } from './users.ts';
import { type ViewAsParts, viewAsEndpoints } from './view-as.ts';
import { webhooksInArea } from './webhooks.ts';

export interface ApplicationEntityParts {
  readonly applications: Applications;
  readonly seenCredentials: SeenCredentialsStore;
  readonly clock: Clock;
}

/** Applications stand in a file that can change while the service runs; their list is made when it does. */
const servedApplications = ({
  applications,
  seenCredentials,
  clock,
}: ApplicationEntityParts): ServedEntity => {
  let current = applicationEntity(applications.applications());
  applications.onChange(() => {
    current = applicationEntity(applications.applications());
  });
  const commands = applicationCommands({ seenCredentials, clock, vault: applications });
  return { entity: current, entityOf: () => current, commands };
};

export type WebhookEntityParts = WebhookEndpointParts & WebhookTestParts & DeliveryParts;

/** Webhooks are there where some model has events. */
const servedWebhooks = (services: WebhookEntityParts): ServedEntity[] => {
  const parts = webhookParts(services);
  if (parts.models.length === 0) return [];
  return [
    {
      entity: webhookEntity,
      entityOf: webhookOf(services, webhooksInArea),
      grantsOn: checkedModels(servedModels(services)),
      commands: webhookCommands(parts),
      endpoints: [testWebhookEndpoint(services, webhooksInArea)],
    },
    // Its rows stand below a webhook, and its columns depend on what the caller may read.
    { entity: deliveryEntity([]), list: deliveryEndpoints(services, webhooksInArea) },
  ];
};

export interface ServedEntityParts
  extends AdminUserParts,
    InvitationParts,
    ViewAsParts,
    UserSessionParts,
    KeyUsageParts,
    KeyScopeParts,
    OwnSessionParts,
    RoleHolderParts,
    ApplicationEntityParts,
    WebhookEntityParts {
  readonly notifyUser: NotifyUser;
  readonly permissionEntries: readonly PermissionEntry[];
  readonly securityEvents: SecurityEventStore;
  readonly refusals: RefusalStore;
  readonly routeTimes: RouteTimesStore;
  readonly jobs: JobWorkers;
  /** Names of the application's jobs. */
  readonly jobNames: readonly string[];
}

/** Every entity of the service in the administration area, a line each. */
const servedEntities = (services: ServedEntityParts): readonly ServedEntity[] => [
  {
    entity: managedUserEntity,
    endpoints: [
      ...adminUserEndpoints(services),
      ...invitationEndpoints(services),
      ...viewAsEndpoints(services),
      userSessionsEndpoint(services),
    ],
  },
  {
    entity: keyEntity,
    commands: keyCommands({ known: services.keyScopes, notify: services.notifyUser }),
    endpoints: [keyUsageEndpoint(services), ...keyScopeEndpoints(services)],
  },
  { entity: sessionEntity, endpoints: ownSessionEndpoints(services) },
  { entity: roleEntity, commands: roleCommands, endpoints: [holdersEndpoint(services)] },
  {
    entity: permissionEntity(services.permissionEntries),
    commands: permissionCommands(services.permissionEntries),
  },
  servedApplications(services),
  { entity: paymentEntity },
  // Security events and refusals are written in batches.
  { entity: auditEntity, flush: () => services.securityEvents.flush() },
  { entity: refusalEntity, flush: () => services.refusals.flush() },
  { entity: routeEntity, flush: () => services.routeTimes.flush() },
  { entity: jobEntity(services.jobNames), commands: Object.values(jobCommands(services.jobs)) },
  { entity: scheduleEntity(services.jobNames), commands: scheduleCommands },
  { entity: viewEntity, commands: viewCommands },
  ...servedWebhooks(services),
];

export interface AdminEntityParts extends ServedEntityParts, EntityParts, ReferenceParts, SearchParts {
  readonly languages: Languages;
}

/** Lists, records and commands of all entities, what refers to them, and the search through them. */
export const entityEndpoints = (services: AdminEntityParts): Endpoint[] => {
  const served = servedEntities(services);
  const entities = served.map(({ entity }) => entity);
  return [
    ...served.flatMap((each) => serveEntity(services, each)),
    ...referenceEndpoints(services, entities),
    searchEndpoint(services, entities),
    describedLists(services, entities),
  ];
};
