/** Keeps the tokens of a long sign-in, in memory or in a storage that tabs share, and renews them one at a time. */

import { GatewrightError } from './error.ts';

/**
 * A place that outlives the page: `localStorage`, or one whose methods return promises. Every script of the page can
 * read a storage of the browser.
 */
export interface SignInStorage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): unknown;
  removeItem(name: string): unknown;
}

/** The tokens of a sign-in or a renewal; without `refresh_token` it ends with its token. */
export interface KeptTokens {
  readonly token: string;
  readonly refresh_token?: string | undefined;
}

const name = 'gatewright.sign_in';

const tokensIn = (text: string | null): KeptTokens | undefined => {
  try {
    const value = JSON.parse(text ?? 'null');
    return typeof value?.token === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
};

/** One tab at a time, where the browser has locks. Without them the service returns one pair to all tabs. */
const alone = <Result>(work: () => Promise<Result>): Promise<Result> => {
  const locks = globalThis.navigator?.locks;
  return locks === undefined ? work() : locks.request(name, work);
};

export interface LongSignIn {
  read(): Promise<KeptTokens | undefined>;
  keep(tokens: KeptTokens | undefined): Promise<void>;
  /** The tokens that follow; undefined if there are none, or the sign-in has ended. Nothing is kept. */
  after(tokens: KeptTokens): Promise<KeptTokens | undefined>;
  /** Tokens in place of a refused one; undefined if there are none, or the sign-in has ended. */
  renew(refused: string): Promise<KeptTokens | undefined>;
}

/** @param refresh exchanges a refresh token */
export const createLongSignIn = (
  storage: SignInStorage | undefined,
  refresh: (token: string) => Promise<KeptTokens>,
): LongSignIn => {
  let memory: KeptTokens | undefined;
  let renewing: Promise<KeptTokens | undefined> | undefined;

  const read = async (): Promise<KeptTokens | undefined> =>
    storage === undefined ? memory : tokensIn(await storage.getItem(name));
  const keep = async (tokens: KeptTokens | undefined): Promise<void> => {
    memory = tokens;
    if (tokens === undefined) await storage?.removeItem(name);
    else
      await storage?.setItem(
        name,
        JSON.stringify({ token: tokens.token, refresh_token: tokens.refresh_token }),
      );
  };

  const after = async ({ refresh_token: token }: KeptTokens): Promise<KeptTokens | undefined> => {
    if (token === undefined) return undefined;
    try {
      return await refresh(token);
    } catch (error) {
      if (error instanceof GatewrightError && error.status === 401) return undefined;
      throw error;
    }
  };

  const exchange = async (refused: string): Promise<KeptTokens | undefined> => {
    const kept = await read();
    // Another request, or another tab, has renewed it meanwhile.
    if (kept === undefined || kept.token !== refused) return kept;
    const next = await after(kept);
    // The user may have signed out or in meanwhile.
    const latest = await read();
    if (latest?.token !== refused) return latest;
    await keep(next);
    return next;
  };

  return {
    read,
    keep,
    after,
    renew: (refused) => {
      const run = () => exchange(refused);
      renewing ??= (storage === undefined ? run() : alone(run)).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
};
