/** Requests, and messages about failed ones. */

/** The error of a request without a response. */
class Unreachable extends Error {}

/** Resolves with the response; throws `Unreachable` without one, unless the request was given up. @param {Promise<Response>} asked @param {AbortSignal} [signal] */
export const reached = async (asked, signal) => {
  try {
    return await asked;
  } catch (error) {
    throw signal?.aborted ? error : new Unreachable();
  }
};

/**
 * As `fetch`, but a request without a response is distinguished from one that could not be made.
 * @param {string | URL} address @param {RequestInit} [init]
 */
export const ask = async (address, init) => {
  const request = new Request(address, init);
  return reached(fetch(request), request.signal);
};

/** @param {unknown} error @param {import('./texts.js').Texts} t */
export const failureText = (error, t) => {
  if (error instanceof Unreachable) return t.unreachable;
  return error instanceof SyntaxError ? t.unreadable : t.failed + String(error);
};
