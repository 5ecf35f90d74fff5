import { useSyncExternalStore } from 'react';

/** Key in the storage of the browser, shared by all its pages. */
const name = 'gatewright.session';

/** A browser without storage may always have a session. */
const isStored = (): boolean => {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return true;
  }
};

const listeners = new Set<() => void>();

/** A sign-out on another page of the browser does not close this page. */
let mayHave = isStored();

/**
 * Tells whether this browser may have a session. Pages cannot read the session cookie, so a sign-in stores this mark
 * too. Without the mark no request asks for the signed-in user.
 */
export const sessionHint = {
  get: (): boolean => mayHave,
  set: (value: boolean): void => {
    mayHave = value;
    try {
      if (value) localStorage.setItem(name, '1');
      else localStorage.removeItem(name);
    } catch {
      // Without storage every page asks.
    }
    for (const listener of listeners) listener();
  },
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useSessionHint = (): boolean => useSyncExternalStore(subscribe, sessionHint.get);
