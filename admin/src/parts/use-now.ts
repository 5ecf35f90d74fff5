import { useSyncExternalStore } from 'react';

/** Milliseconds after which a relative time is shown again. */
const step = 30_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

const tick = (): void => {
  now = Date.now();
  for (const listener of listeners) listener();
};

/** One timer for all times of a page, and none where there is no time. */
const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(tick, step);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
};

/** A page that was left alone goes on with the time of day; what comes into it meanwhile is never in the future. */
const read = (): number => {
  if (listeners.size === 0) now = Date.now();
  return now;
};

/** Milliseconds of the epoch, updated every half minute. */
export const useNow = (): number => useSyncExternalStore(subscribe, read);
