import { useSyncExternalStore } from 'react';

/** Something that the service lets the signed-in person do nothing before. */
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

/** They have to change their password. */
export const passwordDue = createDue();

/** They have to set up a second factor. */
export const factorDue = createDue();

export const useDue = ({ subscribe, get }: Due): boolean => useSyncExternalStore(subscribe, get);
