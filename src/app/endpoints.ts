/** The list of the endpoints that every application has, a line each. */

import { type ApiKeyParts, apiKeyEndpoints } from '../accounts/api-keys.ts';
import { type PaymentParts, paymentEndpoint } from '../accounts/applications.ts';
import { type OidcParts, oidcEndpoints } from '../accounts/oidc.ts';
import { type SecondFactorParts, secondFactorEndpoints } from '../accounts/second-factors.ts';
import {
  type LoginParts,
  type LogoutParts,
  type LongSignInEndpointParts,
  loginEndpoint,
  logoutEndpoint,
  longSignInEndpoints,
  type SessionParts,
  type SessionTokenParts,
  sessionEndpoints,
  sessionTokenEndpoint,
} from '../accounts/sessions.ts';
import {
  type AccountLinkEndpointParts,
  accountLinkEndpoints,
  adminPasswordEndpoint,
  type FirstPasswordParts,
  meEndpoint,
  type OwnAccountParts,
  ownAccountEndpoints,
  passwordEndpoint,
  type ServiceAccountParts,
  serviceAccountEndpoints,
  usersEndpoint,
} from '../accounts/users.ts';
import { type AboutParts, aboutEndpoint } from '../console/about.ts';
import { type AdminEntityParts, entityEndpoints } from '../console/entities.ts';
import {
  type ExplainParts,
  explainEndpoint,
  explainSignInEndpoints,
  type RefusalCauseParts,
  refusalCausesEndpoint,
  type SignInExplanationParts,
} from '../console/explain.ts';
import { type StatsParts, statsEndpoint } from '../console/stats.ts';
import {
  type ActivityParts,
  activityEndpoints,
  type ChangesEndpointParts,
  changesEndpoints,
} from '../delivery/events.ts';
import { ownWebhookEndpoints, type WebhookEntityParts } from '../delivery/webhooks.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { ListParts } from '../http/list-endpoint.ts';
import { type HealthParts, healthEndpoint } from '../upkeep/health.ts';

export type FixedEndpointParts = HealthParts &
  LoginParts &
  LogoutParts &
  LongSignInEndpointParts &
  OwnAccountParts &
  FirstPasswordParts &
  AccountLinkEndpointParts &
  OidcParts &
  ListParts &
  ApiKeyParts &
  ServiceAccountParts &
  WebhookEntityParts &
  PaymentParts &
  ChangesEndpointParts &
  ActivityParts &
  SessionParts &
  SecondFactorParts &
  SessionTokenParts &
  AdminEntityParts &
  ExplainParts &
  SignInExplanationParts &
  StatsParts &
  AboutParts &
  RefusalCauseParts & {
    /** True if there is an endpoint of payments. */
    readonly takesPayments: boolean;
  };

/** Every endpoint that does not depend on the models, a line each. */
export const fixedEndpoints = (services: FixedEndpointParts): Endpoint[] => {
  const payments = services.takesPayments ? [paymentEndpoint(services)] : [];
  return [
    healthEndpoint(services),
    loginEndpoint(services),
    logoutEndpoint(services),
    ...longSignInEndpoints(services),
    meEndpoint(services),
    ...ownAccountEndpoints(services),
    passwordEndpoint(services),
    ...accountLinkEndpoints(services),
    ...oidcEndpoints(services),
    usersEndpoint(services),
    ...apiKeyEndpoints(services),
    ...serviceAccountEndpoints(services),
    ...ownWebhookEndpoints(services),
    ...payments,
    ...changesEndpoints(services),
    ...activityEndpoints(services),
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
};
