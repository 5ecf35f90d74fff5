import { useSyncExternalStore } from 'react';

/** The signed-in user, as far as it matters whether it is still the same person. */
export interface SignedIn {
  readonly id: number;
  readonly username: string;
}

export type SessionEnd =
  /** The session stands, as far as the page knows. */
  | { readonly kind: 'none' }
  /** It has ended: requests wait until `who` has signed in again. */
  | { readonly kind: 'ended'; readonly who: SignedIn }
  /** `now` has signed in instead: the page and what was typed into it stay `who`'s. */
  | { readonly kind: 'stranger'; readonly who: SignedIn; readonly now: SignedIn };

const none = { kind: 'none' } as const;

let known: SignedIn | undefined;
let state: SessionEnd = none;
let waiting: (() => void)[] = [];
const listeners = new Set<() => void>();

const put = (next: SessionEnd): void => {
  state = next;
  for (const listener of listeners) listener();
};

/** The end of the session in the middle of the work: one dialog, however many requests found out. */
export const sessionEnd = {
  /** The service said who is signed in. Requests that waited for this user go on. */
  begun: (now: SignedIn): void => {
    if (state.kind !== 'none' && state.who.id !== now.id) {
      put({ kind: 'stranger', who: state.who, now });
      return;
    }
    known = now;
    const released = waiting;
    waiting = [];
    if (state.kind !== 'none') put(none);
    for (const goOn of released) goOn();
  },
  /** The user signs out: refusals are expected from now on. Returns a function that undoes this where that failed. */
  left: (): (() => void) => {
    const before = known;
    known = undefined;
    return () => {
      known ??= before;
    };
  },
  /** A request was refused for want of a session. Undefined: no user was signed in on this page. */
  signedInAgain: (): Promise<void> | undefined => {
    if (known === undefined) return undefined;
    if (state.kind === 'none') put({ kind: 'ended', who: known });
    return new Promise((resolve) => waiting.push(resolve));
  },
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useSessionEnd = (): SessionEnd => useSyncExternalStore(subscribe, () => state);
