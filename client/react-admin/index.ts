/** The public interface of `gatewright/react-admin`. */
export type { SecondFactorAnswer, SecondFactorQuestion, SessionUser } from './auth-provider.ts';
export { createAuthProvider } from './auth-provider.ts';
export type { DataProviderOptions, ResourceRoute, Send } from './data-provider.ts';
export { createDataProvider, etagField, everyRecord } from './data-provider.ts';
export { routesOf } from './routes.ts';
export type { TokenAccess, TokenAccessOptions } from './token-access.ts';
export { createTokenAccess } from './token-access.ts';
