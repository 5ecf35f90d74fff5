import type { Endpoint } from '../http/endpoint.ts';
import { adminKeyEndpoints } from './admin/api-keys.ts';
import { explainEndpoint } from './admin/explain.ts';
import { invitationEndpoints } from './admin/invitations.ts';
import { jobEndpoints } from './admin/jobs.ts';
import { adminListEndpoints } from './admin/lists.ts';
import { adminPasswordEndpoint } from './admin/password.ts';
import { permissionEndpoints } from './admin/permissions.ts';
import { referencesOfOwn } from './admin/references.ts';
import { roleEndpoints } from './admin/roles.ts';
import { searchEndpoint } from './admin/search.ts';
import { secondFactorEndpoints } from './admin/second-factor.ts';
import { sessionEndpoints } from './admin/session.ts';
import { sessionTokenEndpoint } from './admin/session-token.ts';
import { statsEndpoint } from './admin/stats.ts';
import { adminUserEndpoints } from './admin/users.ts';
import { viewEndpoints } from './admin/views.ts';
import { webhookEndpoints } from './admin/webhooks.ts';
import { apiKeyEndpoints } from './api-keys/api-keys.ts';
import { loginEndpoint } from './auth/login.ts';
import { meEndpoint } from './auth/me.ts';
import { passwordEndpoint } from './auth/password.ts';
import { changesEndpoints } from './changes.ts';
import { healthEndpoint } from './health/health.ts';
import { paymentEndpoint } from './payment/payment.ts';
import type { Services } from './services.ts';
import { usersEndpoint } from './users/users.ts';

/** Every endpoint that an application has whatever its models are, a line each. */
export const fixedEndpoints = (services: Services): Endpoint[] => [
  healthEndpoint(services),
  loginEndpoint(services),
  meEndpoint(),
  passwordEndpoint(services),
  usersEndpoint(services),
  ...apiKeyEndpoints(services),
  paymentEndpoint(services),
  ...changesEndpoints(services),
  ...sessionEndpoints(services),
  ...secondFactorEndpoints(services),
  sessionTokenEndpoint(services),
  adminPasswordEndpoint(services),
  ...adminKeyEndpoints(services),
  ...adminUserEndpoints(services),
  ...invitationEndpoints(services),
  ...roleEndpoints(services),
  ...permissionEndpoints(services),
  ...adminListEndpoints(services),
  ...jobEndpoints(services),
  ...viewEndpoints(services),
  ...webhookEndpoints(services),
  ...referencesOfOwn(services),
  searchEndpoint(services),
  explainEndpoint(services),
  statsEndpoint(services),
];
