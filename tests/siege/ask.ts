/** An answer of the service; `code` is that of the envelope. */
export interface Asked {
  readonly status: number;
  readonly code: number;
  readonly headers: Headers;
  readonly data: unknown;
}

export interface Question {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds; 20 s unless given. */
  readonly timeoutMs?: number;
}

/** Asks once. Throws where no whole answer comes: the caller then knows nothing. */
export const ask = async (method: string, url: string, question: Question = {}): Promise<Asked> => {
  const { token, body, timeoutMs = 20_000 } = question;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...question.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { code, data } = (await response.json()) as { code: number; data?: unknown };
  return { status: response.status, code, headers: response.headers, data };
};

/** The time that something took, in milliseconds, with its result. */
export const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; took: number }> => {
  const begun = performance.now();
  const value = await work();
  return { value, took: performance.now() - begun };
};
