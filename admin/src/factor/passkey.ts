/** True if this browser supports WebAuthn level 3, whose options and credentials are JSON. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** The user, the browser or the authenticator refused, or the time ran out: browsers do not tell which. */
export class PasskeyError extends Error {
  /** True if the authenticator already has a passkey of this account. */
  readonly known: boolean;

  constructor(cause: unknown) {
    super('no passkey was given', { cause });
    this.name = 'PasskeyError';
    this.known = cause instanceof DOMException && cause.name === 'InvalidStateError';
  }
}

const answerOf = async (ask: () => Promise<Credential | null>): Promise<unknown> => {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (error) {
    throw new PasskeyError(error);
  }
  throw new PasskeyError(undefined);
};

/**
 * Asks the browser for one of the passkeys that the service knows. Returns AuthenticationResponseJSON.
 * @throws PasskeyError
 */
export const givePasskey = (options: unknown, signal: AbortSignal): Promise<unknown> =>
  answerOf(() => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as PublicKeyCredentialRequestOptionsJSON,
    );
    return navigator.credentials.get({ publicKey, signal });
  });

/**
 * Creates a passkey in the browser. Returns RegistrationResponseJSON.
 * @throws PasskeyError
 */
export const makePasskey = (options: unknown, signal: AbortSignal): Promise<unknown> =>
  answerOf(() => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey, signal });
  });
