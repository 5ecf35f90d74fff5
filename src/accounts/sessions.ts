/** The door to sessions and tokens: signing in and out, and the lists of both. */

export type { OwnSessionParts, SessionParts, UserSessionParts } from './sessions/endpoints.ts';
export { ownSessionEndpoints, sessionEndpoints, userSessionsEndpoint } from './sessions/endpoints.ts';
export { sessionEntity } from './sessions/entity.ts';
export { createLoginAttempts, sweepLoginAttempts } from './sessions/login-attempts.ts';
export type { LongSignInEndpointParts } from './sessions/long-sign-in-endpoints.ts';
export { longSignInEndpoints } from './sessions/long-sign-in-endpoints.ts';
export { LongSignIns } from './sessions/long-sign-ins.ts';
export { type SessionOptions, sessionsOption } from './sessions/session-options.ts';
export type { SessionTokenParts } from './sessions/session-token.ts';
export { sessionTokenEndpoint } from './sessions/session-token.ts';
export type { LoginParts, LogoutParts } from './sessions/sign-in.ts';
export { loginEndpoint, logoutEndpoint } from './sessions/sign-in.ts';
export { createSessionStore, type SessionStore } from './sessions/store.ts';
export type { TokenStore } from './sessions/tokens.ts';
export { createTokenStore } from './sessions/tokens.ts';
