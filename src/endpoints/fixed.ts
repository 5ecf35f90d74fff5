import type { Endpoint } from '../http/endpoint.ts';
import { aboutEndpoint } from './admin/about.ts';
import { entityEndpoints } from './admin/entities.ts';
import { explainEndpoint } from './admin/explain.ts';
import { explainSignInEndpoints } from './admin/explain-sign-in.ts';
import { refusalCausesEndpoint } from './admin/refusal-causes.ts';
import { secondFactorEndpoints } from './admin/second-factor.ts';
import { sessionEndpoints } from './admin/session.ts';
import { sessionTokenEndpoint } from './admin/session-token.ts';
import { statsEndpoint } from './admin/stats.ts';
import { apiKeyEndpoints } from './api-keys/api-keys.ts';
import { accountLinkEndpoints } from './auth/account-links.ts';
import { oidcEndpoints } from './auth/oidc/endpoints.ts';
import { adminPasswordEndpoint, passwordEndpoint } from './auth/own-password.ts';
import { loginEndpoint, logoutEndpoint } from './auth/sign-in.ts';
import { changesEndpoints } from './changes.ts';
import { healthEndpoint } from './health/health.ts';
import { paymentEndpoint } from './payment/payment.ts';
import type { Services } from './services.ts';
import { meEndpoint, usersEndpoint } from './users/users.ts';
import { ownWebhookEndpoints } from './webhooks/own-webhooks.ts';

/** Every endpoint that an application has whatever its models are, a line each. */
export const fixedEndpoints = (services: Services): Endpoint[] => [
  healthEndpoint(services),
  loginEndpoint(services),
  logoutEndpoint(services),
  meEndpoint(services),
  passwordEndpoint(services),
  ...accountLinkEndpoints(services),
  ...oidcEndpoints(services),
  usersEndpoint(services),
  ...apiKeyEndpoints(services),
  ...ownWebhookEndpoints(services),
  ...(services.takesPayments ? [paymentEndpoint(services)] : []),
  ...changesEndpoints(services),
  ...sessionEndpoints(services),
  ...secondFactorEndpoints(services),
  sessionTokenEndpoint(services),
  adminPasswordEndpoint(services),
  ...entityEndpoints(services),
  explainEndpoint(services),
  ...explainSignInEndpoints(services),
  statsEndpoint(services),
  aboutEndpoint(services),
  refusalCausesEndpoint(services),
];
