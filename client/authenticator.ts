import {
  areSame,
  bearer,
  type Credentials,
  type CredentialHeaders as Headers,
  headersOf,
} from './credentials.ts';
import { GatewrightError } from './error.ts';
import type { LongSignIn } from './long-sign-in.ts';

export interface Login {
  readonly account: string;
  readonly password: string;
  /** A code of the authenticator application, or a recovery code, of a user with two-step verification. */
  readonly otp?: string;
  /** Begins a long sign-in, which the client renews by itself, where the service has `sessions`. */
  readonly remember?: boolean;
}

/**
 * The credentials of the caller: a login that is performed (again) when needed, a token managed elsewhere, or a key.
 */
export type Auth = Login | Credentials;

/** The response of a login. */
export interface Session {
  readonly token: string;
  /** Of a long sign-in. */
  readonly refresh_token?: string;
  readonly user: {
    readonly id: number;
    readonly username: string;
    readonly email: string | null;
    readonly name: string;
  };
}

export interface Authenticator {
  /** Headers of the next request; signs in first if necessary. */
  headers(signal?: AbortSignal): Promise<Headers>;
  /** Headers that replace refused ones; undefined where that is not possible. */
  renew(refused: Headers, signal?: AbortSignal): Promise<Headers | undefined>;
  /** Signs in, and from then on calls as this user. */
  login(login: Login, signal?: AbortSignal): Promise<Session>;
  /**
   * Forgets the credentials. Returns the headers of the token among them, empty when there is none, and, for a long
   * sign-in, a function that returns the headers of a new token if that one is refused.
   */
  forget(): Promise<{ readonly headers: Headers; readonly renew?: () => Promise<Headers | undefined> }>;
}

/** Rejects when the signal aborts; the promise itself continues for other callers. */
const orAbort = <Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const settled = (): void => signal?.removeEventListener('abort', abort);
    promise.then(resolve, reject).finally(settled);
  });

/** Whether the service has refused these credentials, and would again. */
const isFinal = (error: unknown): boolean =>
  error instanceof GatewrightError && (error.status === 401 || error.status === 422);

/** The token in these headers; empty if there is none. */
const tokenIn = ({ Authorization = '' }: Headers): string => Authorization.replace('Bearer ', '');

/** Keeps the credentials of a client. `signIn` exchanges an account and a password for a token. */
export const createAuthenticator = (
  given: Auth | undefined,
  signIn: (login: Login) => Promise<Session>,
  long: LongSignIn,
): Authenticator => {
  let auth = given;
  /** The login that is running or done; concurrent requests share it. */
  let session: Promise<Session> | undefined;

  const signInAndKeep = async (login: Login): Promise<Session> => {
    const answer = await signIn(login);
    await long.keep(answer.refresh_token === undefined ? undefined : answer);
    return answer;
  };

  const start = (login: Login): Promise<Session> => {
    const started = signInAndKeep(login);
    session = started;
    // A refused one is kept: trying a wrong password at every call would lock the account.
    started.then(
      ({ refresh_token: long }) => {
        if (session === started && long !== undefined) session = undefined;
      },
      (error: unknown) => {
        if (session === started && !isFinal(error)) session = undefined;
      },
    );
    return started;
  };

  const current = async (login: Login, signal: AbortSignal | undefined): Promise<Headers> => {
    const { token } = await orAbort(session ?? start(login), signal);
    return bearer(token);
  };

  return {
    headers: async (signal) => {
      if (auth !== undefined && !('account' in auth)) return headersOf(auth);
      const kept = await long.read();
      if (kept !== undefined) return bearer(kept.token);
      return auth === undefined ? {} : current(auth, signal);
    },
    renew: async (refused, signal) => {
      if (auth !== undefined && !('account' in auth)) return undefined;
      const kept = await orAbort(long.renew(tokenIn(refused)), signal);
      if (kept !== undefined) return bearer(kept.token);
      if (auth === undefined) return undefined;
      const latest = await current(auth, signal);
      // Another request may have signed in again meanwhile.
      if (!areSame(latest, refused)) return latest;
      session = undefined;
      return current(auth, signal);
    },
    login: async (login, signal) => {
      const started = signInAndKeep(login);
      const answer = await orAbort(started, signal);
      // A long sign-in needs no password any more.
      const isLong = answer.refresh_token !== undefined;
      auth = isLong ? undefined : login;
      session = isLong ? undefined : started;
      return answer;
    },
    forget: async () => {
      const [former, started, kept] = [auth, session, await long.read()];
      auth = undefined;
      session = undefined;
      if (former !== undefined && !('account' in former))
        return { headers: 'token' in former ? await headersOf(former) : {} };
      await long.keep(undefined);
      if (kept !== undefined)
        return { headers: bearer(kept.token), renew: async () => bearer((await long.after(kept))?.token) };
      const answer = await started?.catch(() => undefined);
      return { headers: bearer(answer?.token) };
    },
  };
};
