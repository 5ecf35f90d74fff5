import { useSyncExternalStore } from 'react';

/** A step that the service requires of the signed-in user before anything else. */
export interface Due {
  readonly get: () => boolean;
  readonly set: (value: boolean) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const createDue = (): Due => {
  let due = false;
  const listeners = new Set<() => void>();
  return {
    get: () => due,
    set: (value) => {
      if (value === due) return;
      due = value;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** The user must change their password. */
export const passwordDue = createDue();

/** The user must set up a second factor. */
export const factorDue = createDue();

export const useDue = ({ subscribe, get }: Due): boolean => useSyncExternalStore(subscribe, get);
