import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { JsonObject } from '../kernel/json.ts';

/** Why browsers refuse passkeys to the service: it is reached without https, or by an address instead of a name. */
export type PasskeysProblem = 'not_https' | 'ip_address';

/** What an authenticator is asked by, and has made, beside its signature. */
export interface KnownCredential {
  /** Id that the authenticator gave it, base64url. */
  readonly credential: string;
  readonly transports: readonly string[];
}

/** A credential as its authenticator has made it; the COSE key in base64url. */
export interface RegisteredCredential extends KnownCredential {
  readonly publicKey: string;
  readonly counter: number;
}

/** WebAuthn (W3C, level 3), for this service's origin; user verification is preferred, attestation not asked for. */
export interface Passkeys {
  /** Undefined where passkeys are possible. */
  readonly problem: PasskeysProblem | undefined;
  /** What a browser makes a passkey by. `known`: those that the user has. */
  creationOptions(
    user: { readonly username: string; readonly name: string },
    known: readonly KnownCredential[],
  ): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /** What a browser asks a passkey by. */
  requestOptions(known: readonly KnownCredential[]): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** The credential that answers this challenge; undefined where it does not. */
  registered(response: JsonObject, challenge: string): Promise<RegisteredCredential | undefined>;
  /** The counter that a credential says now; undefined where it is not its answer to this challenge. */
  signed(response: JsonObject, challenge: string, by: RegisteredCredential): Promise<number | undefined>;
}

/** COSE numbers of Ed25519, ES256 and RS256: what authenticators have (WebAuthn, 5.4). */
const algorithms = [-8, -7, -257];

/** Milliseconds for which a browser waits for an authenticator. */
const patience = 5 * 60 * 1000;

/** Transports that browsers name (WebAuthn, 5.8.4); they go back into options, so nothing else is kept. */
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

const problemOf = ({ protocol, hostname }: URL): PasskeysProblem | undefined => {
  if (/^[\d.]+$|^\[/.test(hostname)) return 'ip_address';
  const local = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || local ? undefined : 'not_https';
};

/** Loaded where the first passkey is asked for. */
const library = () => import('@simplewebauthn/server');

const named = (known: readonly KnownCredential[]) =>
  known.map(({ credential, transports: by }) => ({ id: credential, transports: [...by] }));

export const createPasskeys = (baseUrl: string): Passkeys => {
  const url = new URL(baseUrl);
  const { hostname: rpId, origin } = url;

  return {
    problem: problemOf(url),

    async creationOptions({ username, name }, known) {
      const { generateRegistrationOptions } = await library();
      return generateRegistrationOptions({
        ...{ rpName: 'Gatewright', rpID: rpId, userName: username, userDisplayName: name, timeout: patience },
        excludeCredentials: named(known),
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      });
    },

    async requestOptions(known) {
      const { generateAuthenticationOptions } = await library();
      return generateAuthenticationOptions({
        ...{ rpID: rpId, timeout: patience, userVerification: 'preferred' },
        allowCredentials: named(known),
      });
    },

    async registered(response, challenge) {
      const { verifyRegistrationResponse } = await library();
      // What is not as it should be is thrown: it is the caller's, whatever it is.
      const verified = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
        requireUserVerification: false,
        supportedAlgorithmIDs: algorithms,
      }).catch(() => undefined);
      if (verified?.verified !== true) return undefined;
      const { id, publicKey, counter, transports: by } = verified.registrationInfo.credential;
      return {
        ...{ credential: id, counter, publicKey: Buffer.from(publicKey).toString('base64url') },
        transports: transports.filter((each) => Array.isArray(by) && by.includes(each)),
      };
    },

    async signed(response, challenge, { credential, publicKey, counter, transports: by }) {
      const { verifyAuthenticationResponse } = await library();
      const verified = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
        credential: {
          ...{ id: credential, counter, transports: [...by] },
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        },
        requireUserVerification: false,
      }).catch(() => undefined);
      return verified?.verified === true ? verified.authenticationInfo.newCounter : undefined;
    },
  };
};
