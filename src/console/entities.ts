/** The list of all entities in the administration area, with the parts that each is served from. */

import {
  type KeyScopeParts,
  type KeyUsageParts,
  keyCommands,
  keyEntity,
  keyScopeEndpoints,
  keyUsageEndpoint,
} from '../accounts/api-keys.ts';
import {
  type Applications,
  applicationCommands,
  applicationEntity,
  type SeenCredentialsStore,
} from '../accounts/applications.ts';
import { type InvitationParts, invitationEndpoints } from '../accounts/invitations.ts';
import {
  holdersEndpoint,
  type PermissionEntry,
  permissionCommands,
  permissionEntity,
  type RoleHolderParts,
  roleCommands,
  roleEntity,
} from '../accounts/roles.ts';
import type { SecurityEventStore } from '../accounts/security-events.ts';
import {
  type OwnSessionParts,
  ownSessionEndpoints,
  sessionEntity,
  type UserSessionParts,
  userSessionsEndpoint,
} from '../accounts/sessions.ts';
import {
  type AdminUserParts,
  adminUserEndpoints,
  managedUserEntity,
  type NotifyUser,
} from '../accounts/users.ts';
import { viewCommands, viewEntity } from '../accounts/views.ts';
import {
  type JobWorkers,
  jobCommands,
  jobEndpoint,
  jobEntity,
  type NextTicks,
  scheduleCommands,
  scheduleEntity,
} from '../delivery/jobs.ts';
import { servedWebhooks, type WebhookEntityParts, webhooksInArea } from '../delivery/webhooks.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { describedLists, type EntityParts, type ServedEntity, serveEntity } from '../http/entity-endpoint.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Languages } from '../kernel/messages.ts';
import { auditEntity } from '../ledger/audit-entity.ts';
import { paymentEntity } from '../ledger/payment-entity.ts';
import { type RefusalStore, refusalEntity } from '../upkeep/refusals.ts';
import { type RouteTimesStore, routeEntity } from '../upkeep/usage.ts';
import { type ViewAsParts, viewAsEndpoints } from './explain/view-as.ts';
import { type ReferenceParts, referenceEndpoints } from './references.ts';
import { type SearchParts, searchEndpoint } from './search.ts';

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

/** Milliseconds for which the next ticks are kept at most. */
const longestKeptMs = 3_600_000;

/** The list of schedules has the next tick of each; it is made again once one has passed. */
const servedSchedules = ({ jobNames, nextTicks, clock }: ServedEntityParts): ServedEntity => {
  let until = 0;
  let current = scheduleEntity(jobNames, new Map());
  const entityOf = () => {
    const now = clock();
    // A clock that was set back has other next ticks too.
    if (now >= until || now < until - longestKeptMs) {
      const next = nextTicks(now);
      until = Math.min(now + longestKeptMs, ...next.values());
      current = scheduleEntity(jobNames, next);
    }
    return current;
  };
  return { entity: current, entityOf, commands: scheduleCommands };
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
  /** The next tick of each recurring job. */
  readonly nextTicks: NextTicks;
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
  {
    entity: jobEntity(services.jobNames),
    commands: Object.values(jobCommands(services.jobs)),
    endpoints: [jobEndpoint(services, services.jobNames)],
  },
  servedSchedules(services),
  { entity: viewEntity, commands: viewCommands },
  ...servedWebhooks(services, webhooksInArea),
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
