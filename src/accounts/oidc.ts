/** The door to sign-in by OpenID Connect: providers, and the accounts that are linked to them. */

export type { SignInProvider } from './oidc/client.ts';
export { createProviders } from './oidc/client.ts';
export type { OidcParts } from './oidc/endpoints.ts';
export { oidcEndpoints } from './oidc/endpoints.ts';
export type { LinkedAccounts } from './oidc/linked-accounts.ts';
export { createLinkedAccounts } from './oidc/linked-accounts.ts';
export type { OidcOptions, OidcProvider, RoleMapping } from './oidc/provider-options.ts';
export { oidc, providersOption } from './oidc/provider-options.ts';
export { signInPagePath } from './oidc/provider-sign-ins.ts';
export { arrivalOf } from './oidc/return-path.ts';
export { defaultRoles, explainRoles, rolesOfValue } from './oidc/role-mapping.ts';
