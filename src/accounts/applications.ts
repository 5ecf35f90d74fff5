/** The door to applications that sign requests: their credentials, nonces and payments. */

export type { Applications } from './applications/commands.ts';
export { applicationCommands } from './applications/commands.ts';
export { applicationEntity } from './applications/entity.ts';
export type { Nonces } from './applications/nonces.ts';
export { createNonceStore } from './applications/nonces.ts';
export type { PaymentHook, PaymentParts } from './applications/payment-endpoint.ts';
export { paymentEndpoint } from './applications/payment-endpoint.ts';
export type { SeenCredentialsStore } from './applications/seen-credentials.ts';
export { createSeenCredentials } from './applications/seen-credentials.ts';
