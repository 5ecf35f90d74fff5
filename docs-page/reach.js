/** Requests, and what is said of those that came to nothing. */

/** Nobody answered. */
class Unreachable extends Error {}

/**
 * As `fetch`, but a request that nobody answered can be told from one that could not be made.
 * @param {string | URL} address @param {RequestInit} [init]
 */
export const ask = async (address, init) => {
  const request = new Request(address, init);
  try {
    return await fetch(request);
  } catch (error) {
    throw request.signal.aborted ? error : new Unreachable();
  }
};

/** @param {unknown} error @param {import('./texts.js').Texts} t */
export const failureText = (error, t) => {
  if (error instanceof Unreachable) return t.unreachable;
  return error instanceof SyntaxError ? t.unreadable : t.failed + String(error);
};
