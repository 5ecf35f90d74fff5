import type { Clock } from '../kernel/clock.ts';
import type { Translations } from '../kernel/messages/messages.ts';
import type { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { Tokens } from './jwt.ts';
import type { ApplicationSecrets, IdentityStore, SecondFactorState, UsageRecorder } from './ports.ts';
import type { SessionCookies } from './session.ts';

/**
 * Whose credentials were refused, as far as they say: an id that was signed, the SHA-256 of a key, an application that
 * somebody names. Never the credentials themselves, and whether it is true nobody has looked at.
 */
export type Claim =
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'api_key'; readonly hash: string }
  | { readonly kind: 'application'; readonly appId: string };

/** What an authentication method may look at: the request before anybody knows who sends it. */
export interface AuthRequest {
  /** Told whose credentials they seem to be that are refused, where somebody keeps that. */
  refused?(claim: Claim): void;
  /** HTTP method, upper case. */
  readonly method: string;
  /** A header's value; undefined where it is absent. A header sent twice is answered as it cannot be valid. */
  header(name: string): string | undefined;
  /** The client's IP address. */
  readonly address: string;
  /**
   * The raw bytes of the body, empty where there is none; read when they are first asked for. Throws `body_too_large`,
   * and `overloaded` where too many bodies are held.
   */
  readBody(): Uint8Array | Promise<Uint8Array>;
  /** The models whose grants the principal shall carry. */
  readonly models: readonly string[];
}

/** A person, known by a token, a key or a session. */
export interface IdentifiedUser<Method extends string = string> {
  readonly kind: 'user';
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  /**
   * Permission entries that a role of the user is granted, as `Model.action`: those of the models that the endpoint's
   * rule asks about, and of no other.
   */
  readonly granted: readonly string[];
  /** An administrator asks that the password be changed: until it is, the policy refuses almost everything. */
  readonly mustChangePassword: boolean;
  /** How these credentials stand to the second factor of the administration area: its endpoints ask for it. */
  readonly secondFactor: SecondFactorState;
  readonly method: Method;
  /** Id of the API key or session that was used, for logs and for ending a session. */
  readonly credential?: number | undefined;
}

/** An application, known by a secret of its own. No user is bound, so roles do not apply. */
export interface IdentifiedApplication<Method extends string = string> {
  readonly kind: 'application';
  readonly appId: string;
  readonly method: Method;
}

export type Identified = IdentifiedUser | IdentifiedApplication;

export type AuthOutcome<Caller extends Identified = Identified> =
  /** The request carries no credentials of this method. */
  | { readonly kind: 'absent' }
  /** It carries some, and they are not good. */
  | { readonly kind: 'rejected'; readonly problem: Problem; readonly claim?: Claim | undefined }
  | { readonly kind: 'principal'; readonly principal: Caller };

export const absent: { readonly kind: 'absent' } = { kind: 'absent' };

/** Throws only when it cannot know (the database is away): that is 503, never 401. */
export type Authenticate<Caller extends Identified = Identified> = (
  request: AuthRequest,
) => Promise<AuthOutcome<Caller>> | AuthOutcome<Caller>;

/** As much of a method as the guard needs. */
export interface Verifier<Caller extends Identified = Identified> {
  readonly challenge: string;
  readonly authenticate: Authenticate<Caller>;
}

/** What methods are opened with. */
export interface AuthDependencies {
  readonly tokens: Tokens;
  readonly cookies: SessionCookies;
  readonly identities: IdentityStore;
  readonly applications: ApplicationSecrets;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
}

/** A part of what is sent, as OpenAPI describes it. */
export type SecurityScheme = { readonly description: Translations } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
  | { readonly type: 'apiKey'; readonly in: 'cookie'; readonly name: (baseUrl: string) => string }
);

/** A text that is sent in one header as it is: people paste it into the documentation page, the client takes it. */
export interface PlainSecret {
  /** What it is held under, and its option of the client. Methods that send the same name the same. */
  readonly option: string;
  /** In the header before it, e.g. `Bearer `. */
  readonly prefix: string;
  /** Environment variable that samples of code read it from. */
  readonly variable: string;
  /** Of the field that it is pasted into. */
  readonly label: Translations;
  /** Says that there is one. */
  readonly held: Translations;
  /** Whether its first 8 characters tell people which one it is, and nobody else anything. */
  readonly recognisable: boolean;
}

/**
 * One way to authenticate, with everything in which it differs from others. Adding one is a file that exports such an
 * object and its line in the registry: guard, refusals, challenge, API description, documentation page, CORS,
 * explanations and counts follow from it.
 */
export interface AuthMethod<Name extends string = string> {
  /** As endpoints list it. */
  readonly name: Name;
  /** What people call it. */
  readonly label: Translations;
  /** The same in the plot of requests, where it has its own words there. */
  readonly plotted?: Translations;
  /** `admin`: for the service's own endpoints of the administration area; models and endpoints of applications cannot list it. */
  readonly area: 'api' | 'admin';
  /** Whose credentials it takes: what an explanation asks for. Only applications are no users. */
  readonly holder: 'user' | 'api_key' | 'application';
  /** Value of WWW-Authenticate that asks for these credentials. */
  readonly challenge: string;
  /** Problems that refuse credentials; the first is that of credentials that are not good (any more). */
  readonly refusals: readonly [ProblemName, ...ProblemName[]];
  /** Problems that refuse writes beside them. */
  readonly writeRefusals: readonly ProblemName[];
  /** Whether the credentials cover the body: it is read before anybody knows who sends it. */
  readonly coversBody: boolean;
  /** Everything that is sent together, by its name in the API description where there is more than one. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Its words in the sentence that lists the methods of the API, and a paragraph of its own behind that. */
  readonly overview?: { readonly listed: Translations; readonly more?: Translations };
  /** Absent where what is sent is computed: the page and the client then need code for it. */
  readonly secret?: PlainSecret;
  /** Methods that share this function are one under two names: they are opened and asked once. */
  readonly open: (dependencies: AuthDependencies) => Authenticate<Identified>;
}
