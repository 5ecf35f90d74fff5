import { useSyncExternalStore } from 'react';

let due = false;
const listeners = new Set<() => void>();

/** Whether the service lets the signed-in person do nothing but change their password. */
export const passwordDue = {
  get: (): boolean => due,
  set: (value: boolean): void => {
    if (value === due) return;
    due = value;
    for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const usePasswordDue = (): boolean => useSyncExternalStore(passwordDue.subscribe, passwordDue.get);
