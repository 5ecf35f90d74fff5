/**
 * Tokens and keys of whoever reads the page: in memory only, gone with the tab. A secret of an application is never
 * asked for.
 */

/** @typedef {'jwt' | 'bearer' | 'api_key' | 'signature' | 'session'} MethodName */

/** @type {{ token: string | undefined, account: string | undefined, apiKey: string | undefined, session: string | undefined }} */
const held = { token: undefined, account: undefined, apiKey: undefined, session: undefined };

/** @type {Set<() => void>} */
const listeners = new Set();

export const credentials = {
  /** @returns {Readonly<typeof held>} */
  get held() {
    return held;
  },
  /** @param {Partial<typeof held>} change */
  set(change) {
    Object.assign(held, change);
    for (const listener of listeners) listener();
  },
  /** @param {() => void} listener */
  onChange(listener) {
    listeners.add(listener);
  },
  /** Whether there is something to send for a method. @param {string} method */
  has(method) {
    if (method === 'jwt' || method === 'bearer') return held.token !== undefined;
    if (method === 'api_key') return held.apiKey !== undefined;
    return method === 'session' && held.session !== undefined;
  },
};

/** The three headers of a signed request, in any order and case, as `gatewright sign` prints them. @param {string} text */
export const parseSigned = (text) => {
  const found = new Map();
  for (const line of text.split('\n')) {
    const match = /^\s*(x-app-id|x-timestamp|x-signature)\s*:\s*(\S+)\s*$/i.exec(line);
    if (match !== null) found.set(String(match[1]).toLowerCase(), String(match[2]));
  }
  const [appId, timestamp, signature] = ['x-app-id', 'x-timestamp', 'x-signature'].map((name) =>
    found.get(name),
  );
  if (appId === undefined || timestamp === undefined || signature === undefined) return undefined;
  return { appId, timestamp, signature };
};

/** @typedef {NonNullable<ReturnType<typeof parseSigned>>} Signed */

/**
 * Headers that authenticate a request.
 * @param {string | undefined} method @param {Signed | undefined} signed
 * @returns {Record<string, string>}
 */
export const authenticationHeaders = (method, signed) => {
  if ((method === 'jwt' || method === 'bearer') && held.token !== undefined)
    return { Authorization: `Bearer ${held.token}` };
  if (method === 'api_key' && held.apiKey !== undefined) return { 'X-Api-Key': held.apiKey };
  if (method === 'signature' && signed !== undefined)
    return { 'X-App-Id': signed.appId, 'X-Timestamp': signed.timestamp, 'X-Signature': signed.signature };
  return {};
};
