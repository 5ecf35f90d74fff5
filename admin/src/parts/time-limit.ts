import { GatewrightError } from '../../../client/error.ts';

/** Milliseconds until a request is given up, retries of the transport included. */
const limit = 60_000;

/** Message of that error; wrappers of the error keep it. */
export const timeLimitMessage = 'No answer in time';

/** Aborts a request after the limit, or with `signal`. */
export const withTimeLimit = async <Result>(
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limit);
  try {
    return await attempt(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || signal?.aborted === true) throw error;
    throw new GatewrightError({ status: 0, code: 0, message: timeLimitMessage, cause: error });
  } finally {
    clearTimeout(timer);
  }
};
