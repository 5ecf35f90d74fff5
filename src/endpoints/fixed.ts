import type { Endpoint } from '../http/endpoint.ts';
import { type AboutParts, aboutEndpoint } from './admin/about.ts';
import { type AdminEntityParts, entityEndpoints } from './admin/entities.ts';
import { type ExplainParts, explainEndpoint } from './admin/explain.ts';
import { explainSignInEndpoints, type SignInExplanationParts } from './admin/explain-sign-in.ts';
import { type RefusalCauseParts, refusalCausesEndpoint } from './admin/refusal-causes.ts';
import { type SecondFactorParts, secondFactorEndpoints } from './admin/second-factor.ts';
import { type SessionParts, sessionEndpoints } from './admin/session.ts';
import { type SessionTokenParts, sessionTokenEndpoint } from './admin/session-token.ts';
import { type StatsParts, statsEndpoint } from './admin/stats.ts';
import { type ApiKeyParts, apiKeyEndpoints } from './api-keys/api-keys.ts';
import { type AccountLinkEndpointParts, accountLinkEndpoints } from './auth/account-links.ts';
import { type OidcParts, oidcEndpoints } from './auth/oidc/endpoints.ts';
import { adminPasswordEndpoint, type OwnPasswordParts, passwordEndpoint } from './auth/own-password.ts';
import { type LoginParts, type LogoutParts, loginEndpoint, logoutEndpoint } from './auth/sign-in.ts';
import { type ChangesEndpointParts, changesEndpoints } from './changes.ts';
import { type HealthParts, healthEndpoint } from './health/health.ts';
import type { ListParts } from './list-endpoint.ts';
import { type PaymentParts, paymentEndpoint } from './payment/payment.ts';
import { type MeParts, meEndpoint, usersEndpoint } from './users/users.ts';
import { type OwnWebhookParts, ownWebhookEndpoints } from './webhooks/own-webhooks.ts';

export type FixedEndpointParts = HealthParts &
  LoginParts &
  LogoutParts &
  MeParts &
  OwnPasswordParts &
  AccountLinkEndpointParts &
  OidcParts &
  ListParts &
  ApiKeyParts &
  OwnWebhookParts &
  PaymentParts &
  ChangesEndpointParts &
  SessionParts &
  SecondFactorParts &
  SessionTokenParts &
  AdminEntityParts &
  ExplainParts &
  SignInExplanationParts &
  StatsParts &
  AboutParts &
  RefusalCauseParts & {
    /** Whether there is an endpoint of payments. */
    readonly takesPayments: boolean;
  };

/** Every endpoint that an application has whatever its models are, a line each. */
export const fixedEndpoints = (services: FixedEndpointParts): Endpoint[] => [
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
