/** The door to second factors: authenticator applications, passkeys and recovery codes. */

export type { SecondFactorParts } from './second-factors/endpoints.ts';
export { secondFactorEndpoints } from './second-factors/endpoints.ts';
export { createFactorSetups } from './second-factors/factor-setups.ts';
export { createSignInTickets } from './second-factors/sign-in-tickets.ts';
export { createSecondFactorStore } from './second-factors/store.ts';
