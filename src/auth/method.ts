import type { Problem } from '../kernel/problem.ts';

/** Names as endpoints list them. `bearer` is the same token and the same verification as `jwt`. */
export type AuthMethodName = 'jwt' | 'bearer' | 'api_key' | 'signature' | 'session';

/** A person, known by a token, a key or a session. */
export interface UserPrincipal {
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
  readonly method: AuthMethodName;
  /** Id of the API key or session that was used, for logs and for ending a session. */
  readonly credential?: number | undefined;
}

/** An application, known by its request signature. No user is bound, so roles do not apply. */
export interface ApplicationPrincipal {
  readonly kind: 'application';
  readonly appId: string;
  readonly method: 'signature';
}

export interface Nobody {
  readonly kind: 'nobody';
}

export type Principal = UserPrincipal | ApplicationPrincipal | Nobody;

export const nobody: Nobody = { kind: 'nobody' };

/** `bearer` is the same token and the same verification as `jwt`. */
const verified = (method: AuthMethodName): AuthMethodName => (method === 'bearer' ? 'jwt' : method);

/** Whether an endpoint with these methods would take the credentials of this principal; one that asks for none does. */
export const takes = (auth: readonly AuthMethodName[], principal: Principal): boolean =>
  auth.length === 0 ||
  (principal.kind !== 'nobody' && auth.some((method) => verified(method) === verified(principal.method)));

/** What an authentication method may look at: the request before anybody knows who sends it. */
export interface AuthRequest {
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

export type AuthOutcome =
  /** The request carries no credentials of this method. */
  | { readonly kind: 'absent' }
  /** It carries some, and they are not good. */
  | { readonly kind: 'rejected'; readonly problem: Problem }
  | { readonly kind: 'principal'; readonly principal: UserPrincipal | ApplicationPrincipal };

export const absent: AuthOutcome = { kind: 'absent' };

/** One way to authenticate. Adding one is a file that makes such an object and a line in the registry. */
export interface AuthMethod {
  readonly name: AuthMethodName;
  /** Value of WWW-Authenticate that asks for these credentials. */
  readonly challenge: string;
  /** OpenAPI security scheme(s) that must all be sent, by scheme name. */
  readonly schemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Throws only when it cannot know (the database is away): that is 503, never 401. */
  authenticate(request: AuthRequest): Promise<AuthOutcome> | AuthOutcome;
}
