/** Milliseconds for which a failure is remembered. */
const failedMs = 30_000;

export interface Fetched<Value> {
  /** Returns the value; fetches it if there is none or an outdated one. @throws the error of the last fetch */
  readonly get: () => Promise<Value>;
  /** Fetches again, unless the last fetch is not older than `leastMs`. */
  readonly renew: (leastMs: number) => Promise<Value>;
}

/**
 * A document of a provider. Concurrent callers share one fetch, and a failure is remembered for a while: anonymous
 * requests cause no more than that.
 * @param clock milliseconds
 */
export const createFetched = <Value>(
  fetch: () => Promise<Value>,
  freshMs: number,
  clock: () => number,
): Fetched<Value> => {
  let last: { readonly at: number; readonly value: Promise<Value> } | undefined;
  let failed = false;

  const begin = (): Promise<Value> => {
    const value = fetch();
    const begun = { at: clock(), value };
    last = begun;
    failed = false;
    value.catch(() => {
      if (last !== begun) return;
      failed = true;
      last = { at: clock(), value };
    });
    return value;
  };

  const atMost = (ms: number): Promise<Value> => {
    // A clock that was set back makes nothing older than it is.
    const isFresh = last !== undefined && Math.abs(clock() - last.at) < (failed ? failedMs : ms);
    return last !== undefined && isFresh ? last.value : begin();
  };

  return { get: () => atMost(freshMs), renew: atMost };
};
