import { GatewrightError } from '../../../client/error.ts';

/** Milliseconds that a request waits for its answer, the tries of the transport included. */
const limit = 60_000;

/** Message of the error that says so; whatever wraps the error keeps it. */
export const noAnswerInTime = 'No answer in time';

/** Gives up a request that is not answered; `signal` may give it up earlier. */
export const inTime = async <Result>(
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limit);
  try {
    return await attempt(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || signal?.aborted === true) throw error;
    throw new GatewrightError({ status: 0, code: 0, message: noAnswerInTime, cause: error });
  } finally {
    clearTimeout(timer);
  }
};
