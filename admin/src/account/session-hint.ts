import { useSyncExternalStore } from 'react';

/** In the storage of the browser, for all pages of it. */
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

/** A sign-out on another page of the browser does not lead this one away from what stands on it. */
let mayHave = isStored();

/**
 * Whether this browser may have a session. Pages cannot read the session cookie: a sign-in leaves this mark beside it,
 * and without the mark no request asks who is signed in.
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
