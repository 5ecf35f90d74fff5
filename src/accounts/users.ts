/** The door to users: their store, their identities, and the endpoints of accounts. */

export type { AccountLinkEndpointParts } from './users/account-link-endpoints.ts';
export { accountLinkEndpoints } from './users/account-link-endpoints.ts';
export { createAccountLinks } from './users/account-links.ts';
export type { UserScopeParts } from './users/accounts.ts';
export { createAccounts, scopeOfUser } from './users/accounts.ts';
export type { AdminUserParts } from './users/administered-users.ts';
export { adminUserEndpoints } from './users/administered-users.ts';
export type { CallerStore, CallerUser, KnownKey } from './users/callers.ts';
export { createCallerStore } from './users/callers.ts';
export { meEndpoint, usersEndpoint } from './users/endpoints.ts';
export { managedUserEntity } from './users/entity.ts';
export { createAccountStore, createIdentityStore } from './users/identities.ts';
export { freeUsername, usernameOfAddress } from './users/made-username.ts';
export type { OwnAccountParts } from './users/own-account.ts';
export { ownAccountEndpoints } from './users/own-account.ts';
export type { FirstPasswordParts } from './users/own-password.ts';
export { adminPasswordEndpoint, passwordEndpoint } from './users/own-password.ts';
export { createAccountsEnd } from './users/record-owners.ts';
export { createUserRemovals } from './users/removals.ts';
export type { ServiceAccountParts } from './users/service-account-endpoints.ts';
export { serviceAccountEndpoints } from './users/service-account-endpoints.ts';
export type { UserStore } from './users/store.ts';
export { createUserStore } from './users/store.ts';
export type { ReadUser } from './users/user-input.ts';
export { createUserInput, newUserOf } from './users/user-input.ts';
export type { NotifyUser } from './users/user-notices.ts';
export { createNotifyUser } from './users/user-notices.ts';
