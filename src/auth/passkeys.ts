/**
 * Passkeys (WebAuthn) for the origin of this service: options for the browser, and verification of its
 * responses.
 */

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { JsonObject } from '../kernel/json.ts';

/** Why browsers refuse passkeys to the service: it is reached without https, or by an address instead of a name. */
export type PasskeysProblem = 'not_https' | 'ip_address';

/** A credential as a browser needs it to find the authenticator. */
export interface KnownCredential {
  /** Id that the authenticator assigned, base64url. */
  readonly credential: string;
  readonly transports: readonly string[];
}

/** A credential as its authenticator created it; the COSE key in base64url. */
export interface RegisteredCredential extends KnownCredential {
  readonly publicKey: string;
  readonly counter: number;
}

/** Options as the browser takes them: they are passed on, except for the challenge, which is kept. */
export type BrowserOptions = JsonObject & { readonly challenge: string };

/** WebAuthn (W3C, level 3), for this service's origin; user verification is preferred, attestation not asked for. */
export interface Passkeys {
  /** Undefined where passkeys are possible. */
  readonly problem: PasskeysProblem | undefined;
  /** PublicKeyCredentialCreationOptionsJSON. `known`: the credentials that the user already has. */
  creationOptions(
    user: { readonly username: string; readonly name: string },
    known: readonly KnownCredential[],
  ): Promise<BrowserOptions>;
  /** PublicKeyCredentialRequestOptionsJSON, for signing in with a passkey. */
  requestOptions(known: readonly KnownCredential[]): Promise<BrowserOptions>;
  /** The credential that a response to this challenge registers; undefined where it is not valid. */
  verifyRegistration(response: JsonObject, challenge: string): Promise<RegisteredCredential | undefined>;
  /** The new counter of a credential from its response to this challenge; undefined where that is not valid. */
  verifySignIn(
    response: JsonObject,
    challenge: string,
    credential: RegisteredCredential,
  ): Promise<number | undefined>;
}

/** COSE numbers of Ed25519, ES256 and RS256, which authenticators support (WebAuthn, 5.4). */
const algorithms = [-8, -7, -257];

/** Milliseconds for which a browser waits for an authenticator. */
const promptTimeoutMs = 5 * 60 * 1000;

/** Transports that browsers name (WebAuthn, 5.8.4); they are returned in options, so no others are stored. */
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

const problemOf = ({ protocol, hostname }: URL): PasskeysProblem | undefined => {
  if (/^[\d.]+$|^\[/.test(hostname)) return 'ip_address';
  const local = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || local ? undefined : 'not_https';
};

/** Loaded when the first passkey is used. */
const library = () => import('@simplewebauthn/server');

const descriptorsOf = (known: readonly KnownCredential[]) =>
  known.map(({ credential, transports: stored }) => ({ id: credential, transports: [...stored] }));

/** @param application its name, which authenticators show beside their passkeys */
export const createPasskeys = (baseUrl: string, application: string): Passkeys => {
  const url = new URL(baseUrl);
  const { hostname: rpId, origin } = url;

  return {
    problem: problemOf(url),

    async creationOptions({ username, name }, known) {
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        rpName: application,
        rpID: rpId,
        userName: username,
        userDisplayName: name,
        timeout: promptTimeoutMs,
        excludeCredentials: descriptorsOf(known),
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      });
      return options as unknown as BrowserOptions;
    },

    async requestOptions(known) {
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID: rpId,
        timeout: promptTimeoutMs,
        userVerification: 'preferred',
        allowCredentials: descriptorsOf(known),
      });
      return options as unknown as BrowserOptions;
    },

    async verifyRegistration(response, challenge) {
      const { verifyRegistrationResponse } = await library();
      // Every error of the verification means an invalid response.
      const verified = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: false,
        supportedAlgorithmIDs: algorithms,
      }).catch(() => undefined);
      if (verified?.verified !== true) return undefined;
      const { id, publicKey, counter, transports: offered } = verified.registrationInfo.credential;
      return {
        credential: id,
        counter,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        transports: transports.filter((each) => Array.isArray(offered) && offered.includes(each)),
      };
    },

    async verifySignIn(response, challenge, { credential, publicKey, counter, transports: stored }) {
      const { verifyAuthenticationResponse } = await library();
      const verified = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        credential: {
          id: credential,
          counter,
          transports: [...stored],
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        },
        requireUserVerification: false,
      }).catch(() => undefined);
      return verified?.verified === true ? verified.authenticationInfo.newCounter : undefined;
    },
  };
};
