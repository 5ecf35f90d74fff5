/**
 * The credentials cannot be read or written. The message is one line for the operator and never contains a secret.
 */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}
