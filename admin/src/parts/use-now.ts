import { useSyncExternalStore } from 'react';

/** Milliseconds between updates of relative times. */
const step = 30_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

const tick = (): void => {
  now = Date.now();
  for (const listener of listeners) listener();
};

/** One timer serves all times of a page, and none runs without times. */
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

/** After a pause in a background tab the time is updated at once, so that new values are never in the future. */
const read = (): number => {
  if (listeners.size === 0) now = Date.now();
  return now;
};

/** Milliseconds since the epoch, updated every half minute. */
export const useNow = (): number => useSyncExternalStore(subscribe, read);

/** Updates the time of the page where a value lies after it: the value may have come since the last update. */
export const catchUpWith = (value: string | null | undefined): void => {
  if (value && Date.parse(value) > now && Date.now() - now > 1_000) tick();
};
