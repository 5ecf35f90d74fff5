/** Requests, and what is said of those that came to nothing. */

/** Nobody answered. */
class Unreachable extends Error {}

/** What is answered; nobody's answer can be told from a request that was given up. @param {Promise<Response>} asked @param {AbortSignal} [signal] */
export const reached = async (asked, signal) => {
  try {
    return await asked;
  } catch (error) {
    throw signal?.aborted ? error : new Unreachable();
  }
};

/**
 * As `fetch`, but a request that nobody answered can be told from one that could not be made.
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
