/**
 * Tokens and keys of the reader: in memory only, gone with the tab. The page never asks for an application's secret.
 */

/** @typedef {import('./ways.js').Held} Held */

/** The held credentials, by the slot of the methods that send it. @type {Map<string, Held>} */
const held = new Map();

/** @type {Set<() => void>} */
const listeners = new Set();

const changed = () => {
  for (const listener of listeners) listener();
};

/** Milliseconds before its expiry at which a token is renewed. */
const renewBeforeMs = 60_000;

/** The slot of the login's token. */
export const loginSlot = 'token';

export const credentials = {
  /** @param {string} slot */
  get: (slot) => held.get(slot),
  /**
   * @param {string} slot @param {string} value
   * @param {string} [account] whose it is, where the service has said so
   * @param {import('./ways.js').Renewal} [renewal] how another one is had before this one is over
   */
  set: (slot, value, account, renewal) => {
    held.set(slot, { value, account, renewal });
    changed();
  },
  /** Has what is about to end renewed. @param {string | undefined} slot */
  fresh: async (slot) => {
    const renewal = held.get(slot ?? '')?.renewal;
    if (renewal !== undefined && renewal.expires - Date.now() < renewBeforeMs) await renewal.renew();
  },
  /** @param {string} slot */
  forget: (slot) => {
    held.delete(slot);
    changed();
  },
  /** @param {() => void} listener */
  onChange: (listener) => {
    listeners.add(listener);
  },
  get any() {
    return held.size > 0;
  },
  /** Whose token is held. */
  get account() {
    return held.get(loginSlot)?.account;
  },
};

/** Whether there is something to send for a method. @param {import('./ways.js').Way | undefined} way */
export const isHeld = (way) => way?.slot !== undefined && held.has(way.slot);
