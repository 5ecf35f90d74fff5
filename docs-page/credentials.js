/**
 * Tokens and keys of the reader: in memory only, gone with the tab. The page never asks for an application's secret.
 */

/** @typedef {import('./ways.js').Held} Held */

/** The held credentials, by the slot of the methods that send them. @type {Map<string, Held[]>} */
const held = new Map();

/** Which of several in a slot is sent. @type {Map<string, Held>} */
const used = new Map();

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
  /** The one that is sent. @param {string} slot */
  get: (slot) => used.get(slot),
  /** All of a slot, in the order in which they came. @param {string} slot */
  all: (slot) => held.get(slot) ?? [],
  /** Sends another one of them from now on. @param {string} slot @param {Held} one */
  use: (slot, one) => {
    used.set(slot, one);
    changed();
  },
  /**
   * @param {string} slot @param {string} value
   * @param {string} [account] whose it is, where the service has said so
   * @param {import('./ways.js').Renewal} [renewal] how another one is had before this one is over
   */
  set: (slot, value, account, renewal) => {
    const one = { value, account, renewal };
    const all = held.get(slot) ?? [];
    // Another token of the same account takes the place of the earlier one.
    const at = all.findIndex((each) =>
      account === undefined ? each.value === value : each.account === account,
    );
    held.set(slot, at < 0 ? [...all, one] : all.with(at, one));
    used.set(slot, one);
    changed();
  },
  /** Has what is about to end renewed. @param {string | undefined} slot */
  fresh: async (slot) => {
    const renewal = used.get(slot ?? '')?.renewal;
    if (renewal !== undefined && renewal.expires - Date.now() < renewBeforeMs) await renewal.renew();
  },
  /** @param {string} slot @param {Held} one */
  forget: (slot, one) => {
    const rest = (held.get(slot) ?? []).filter((each) => each !== one);
    const [next] = rest;
    held.set(slot, rest);
    if (next === undefined) used.delete(slot);
    else if (used.get(slot) === one) used.set(slot, next);
    changed();
  },
  /** @param {() => void} listener */
  onChange: (listener) => {
    listeners.add(listener);
  },
  get any() {
    return used.size > 0;
  },
  /** Whose token is sent. */
  get account() {
    return used.get(loginSlot)?.account;
  },
};

/** Whether there is something to send for a method. @param {import('./ways.js').Way | undefined} way */
export const isHeld = (way) => way?.slot !== undefined && used.has(way.slot);
