/** The door to API keys: their commands, their restrictions, and their use. */

export { issueKey, keyCommands, keyFieldDefinitions } from './api-keys/commands.ts';
export type { ApiKeyParts } from './api-keys/endpoints.ts';
export { apiKeyEndpoints } from './api-keys/endpoints.ts';
export { keyEntity, ownKeyEntity } from './api-keys/entity.ts';
export { notifyOfExpiry } from './api-keys/expiry-notices.ts';
export type { KeyAdviceParts } from './api-keys/key-advice.ts';
export {
  countedListSchema,
  keyAdviceMembers,
  keyAdviceReader,
  keysOf,
  keysSchema,
  objectsSchema,
  userOrNull,
  userOrNullSchema,
} from './api-keys/key-advice.ts';
export type { KnownSecret } from './api-keys/known-secrets.ts';
export { findSecrets, maxSoughtSecrets, secretFilter } from './api-keys/known-secrets.ts';
export { restrictionViolations } from './api-keys/restrictions.ts';
export { revokeLeakedKey, sweepRevokedKeys } from './api-keys/revoked-keys.ts';
export { lockKey, rotatedKey, rotateKey } from './api-keys/rotation.ts';
export type { KeyScopeParts } from './api-keys/scope-endpoints.ts';
export { keyScopeEndpoints } from './api-keys/scope-endpoints.ts';
export { plainHash, storedFormsOf } from './api-keys/stored-hash.ts';
export type { KeyUsage } from './api-keys/usage/daily-counts.ts';
export { createKeyUsage } from './api-keys/usage/daily-counts.ts';
export type { KeyUsageParts } from './api-keys/usage/endpoint.ts';
export { keyUsageEndpoint } from './api-keys/usage/endpoint.ts';
export type { KeyCalls } from './api-keys/usage/route-usage.ts';
export { createKeyCalls } from './api-keys/usage/route-usage.ts';
export type { KeyUses } from './api-keys/usage/scope-usage.ts';
export { createKeyUses } from './api-keys/usage/scope-usage.ts';
