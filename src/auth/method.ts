/**
 * The contract of an authentication method: its part of a request, its outcome, and its description.
 */

import type { Clock } from '../kernel/clock.ts';
import type { Translations } from '../kernel/messages.ts';
import type { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { Tokens } from './jwt.ts';
import type { ApplicationKeys, Identity, IdentityStore, NonceStore, UsageRecorder } from './ports.ts';
import type { KeyLimits } from './rate-limit.ts';
import type { SessionCookies } from './session.ts';

/**
 * The owner that refused credentials claim to have: a signed id, the SHA-256 of a key, the name of an application.
 * Never the credentials themselves; the claim is not verified.
 */
export type Claim =
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'api_key'; readonly hash: string }
  | { readonly kind: 'application'; readonly appId: string };

/** The parts of a request that an authentication method may read, before the caller is known. */
export interface AuthRequest {
  /** Receives the claimed owner of refused credentials, if claims are recorded. */
  refused?(claim: Claim): void;
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** A header's value; undefined where it is absent. A header sent twice is returned as an invalid value. */
  header(name: string): string | undefined;
  /**
   * The value of a header that a proxy in front of the service sets; undefined where it is absent, and where the
   * connection does not come from a proxy that `TRUST_PROXY` names: anyone else could write it.
   */
  proxyHeader(name: string): string | undefined;
  /** The client's IP address. */
  readonly address: string;
  /**
   * The raw bytes of the body, empty where there is none; they are read at the first call. Throws `body_too_large`,
   * and `overloaded` where too many bodies are held.
   */
  readBody(): Uint8Array | Promise<Uint8Array>;
  /** The models whose grants the principal needs. */
  readonly models: readonly string[];
}

/** A user, authenticated by a token, a key or a session. */
export interface IdentifiedUser<Method extends string = string> extends Identity {
  readonly method: Method;
  /** Id of the API key or session that was used, for logs and for ending a session. */
  readonly credential?: number | undefined;
  /** Scopes of the API key, which reduce what the user may do; undefined: everything that the user may. */
  readonly scopes?: ReadonlySet<string> | undefined;
  /** Limits of the API key; undefined where it has none. */
  readonly limits?: KeyLimits | undefined;
  /** The scopes that this request of an API key has needed so far, also if the key lacks them. */
  readonly uses?: Set<string> | undefined;
}

/** An application, authenticated by a secret of its own. It has no user, so roles do not apply. */
export interface IdentifiedApplication<Method extends string = string> {
  readonly kind: 'application';
  readonly appId: string;
  readonly method: Method;
}

export type Identified = IdentifiedUser | IdentifiedApplication;

export type AuthOutcome<Caller extends Identified = Identified> =
  /** The request carries no credentials of this method. */
  | { readonly kind: 'absent' }
  /** The credentials are not valid. */
  | { readonly kind: 'rejected'; readonly problem: Problem; readonly claim?: Claim | undefined }
  | { readonly kind: 'principal'; readonly principal: Caller };

export const absent: { readonly kind: 'absent' } = { kind: 'absent' };

/** Throws only when it cannot decide (the database is unavailable): that is 503, never 401. */
export type Authenticate<Caller extends Identified = Identified> = (
  request: AuthRequest,
) => Promise<AuthOutcome<Caller>> | AuthOutcome<Caller>;

/** The part of a method that the guard needs. */
export interface Verifier<Caller extends Identified = Identified> {
  readonly challenge: string;
  readonly refusalHeaders?: Readonly<Record<string, string>> | undefined;
  readonly authenticate: Authenticate<Caller>;
}

/** Dependencies of the methods. */
export interface AuthDependencies {
  readonly tokens: Tokens;
  readonly cookies: SessionCookies;
  readonly identities: IdentityStore;
  readonly applications: ApplicationKeys;
  readonly nonces: NonceStore;
  readonly usage: UsageRecorder;
  /** The address by which callers know the service. */
  readonly baseUrl: string;
  readonly clock: Clock;
}

/**
 * A part of the credentials, as OpenAPI describes it. A header with `setBy: 'proxy'` is read with `proxyHeader`: no
 * page of another origin may send it, the documentation page does not, and a caller seems to have it all the time, so
 * that a method must refuse writes that pages of other origins cause (`sameOrigin`).
 */
export type SecurityScheme = { readonly description: Translations } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly setBy?: 'proxy' }
  | { readonly type: 'apiKey'; readonly in: 'cookie'; readonly name: (baseUrl: string) => string }
);

/**
 * A secret that is sent unchanged in one header: people paste it into the documentation page, the client takes it.
 */
export interface PlainSecret {
  /**
   * Its key in the store of the page, and its option of the client. Methods that send the same secret share the name.
   */
  readonly option: string;
  /** Text before it in the header, e.g. `Bearer `. */
  readonly prefix: string;
  /** Environment variable from which code samples read it. */
  readonly variable: string;
  /** Label of its input. */
  readonly label: Translations;
  /** Text that says that one is set. */
  readonly held: Translations;
  /** True if its first 8 characters identify it to its owner, and reveal nothing to others. */
  readonly recognisable: boolean;
}

/**
 * An authentication method, with everything in which it differs from others. To add one, write a file that exports
 * such an object and list it in the registry: guard, refusals, challenge, API description, documentation page, CORS,
 * explanations and counts follow from it.
 */
export interface AuthMethod<Name extends string = string> {
  /** The name that endpoints list. */
  readonly name: Name;
  /** Its display name. */
  readonly label: Translations;
  /** Its name in the plot of requests, if it differs there. */
  readonly plotted?: Translations;
  /**
   * `admin`: for the service's own endpoints of the administration area; models and endpoints of applications cannot
   * list it.
   */
  readonly area: 'api' | 'admin';
  /** Asked for, and named to callers, only where an endpoint lists it. */
  readonly optIn?: true;
  /** The owner of its credentials, for which an explanation asks. Only applications are not users. */
  readonly holder: 'user' | 'api_key' | 'application';
  /** True if an application has a key for it at this time; absent where the holder is no application. */
  readonly isHeldBy?: (applications: ApplicationKeys, appId: string, now: number) => boolean;
  /** Value of WWW-Authenticate that asks for these credentials. */
  readonly challenge: string;
  /** Further headers of a 401. */
  readonly refusalHeaders?: Readonly<
    Record<string, { readonly value: string; readonly description: Translations }>
  >;
  /** Problems that refuse credentials; the first one is for invalid (or expired) credentials. */
  readonly refusals: readonly [ProblemName, ...ProblemName[]];
  /** Further problems that refuse writes. */
  readonly writeRefusals: readonly ProblemName[];
  /** True if the credentials cover the body, so that it is read before the caller is known. */
  readonly coversBody: boolean;
  /** The headers that are required jointly, by their names in the API description if there is more than one. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Its phrase in the sentence that lists the methods of the API, and a paragraph of its own after that. */
  readonly overview?: { readonly listed: Translations; readonly more?: Translations };
  /** Absent where the credentials are computed: the page and the client then need code for them. */
  readonly secret?: PlainSecret;
  /** Methods that share this function are one method under two names: they are opened and tried once. */
  readonly open: (dependencies: AuthDependencies) => Authenticate<Identified>;
}
