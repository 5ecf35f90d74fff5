/** Requests to the service, and the facts that it has written into the page. */

import { texts } from './texts.js';

const { lang, dataset } = document.documentElement;

/** Facts about the service, by their names. @type {Readonly<Record<string, string | undefined>>} */
export const facts = dataset;

/** Path before `/account`, `/admin` and `/api/v1`; empty without a base path. */
export const base = dataset['base'] ?? '';

/** @typedef {{ field: string, message: string }} FieldError */
/** @typedef {{ status: number, message: string, data: any, errors: readonly FieldError[] }} Outcome */

const timeoutMs = 30_000;

/**
 * Sends a request without cookies: these pages ignore the signed-in user. Status 0: no response.
 * @param {string} path @param {object} [body]
 * @returns {Promise<Outcome>}
 */
export const request = async (path, body) => {
  try {
    const response = await fetch(base + path, {
      method: body === undefined ? 'GET' : 'POST',
      credentials: 'omit',
      headers: { 'Accept-Language': lang, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { message, data } = await response.json();
    return { status: response.status, message, data, errors: data?.errors ?? [] };
  } catch {
    return { status: 0, message: texts.unreachable, data: undefined, errors: [] };
  }
};
