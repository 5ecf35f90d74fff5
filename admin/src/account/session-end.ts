/** The state of the session: its end during work, and the sign-in that continues it. */

import { useSyncExternalStore } from 'react';

/** The signed-in user, with enough to recognise them. */
export interface SignedIn {
  readonly id: number;
  readonly username: string;
}

export type SessionEnd =
  /** The session is valid, as far as the page knows. */
  | { readonly kind: 'none' }
  /** The session has ended: requests wait until `who` has signed in again. */
  | { readonly kind: 'ended'; readonly who: SignedIn }
  /** `now` has signed in instead: the page and its input still belong to `who`. */
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

/** The end of a session during work: one dialog, whatever the number of failed requests. */
export const sessionEnd = {
  /** Called when the service names the signed-in user. Requests waiting for this user continue. */
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
  /**
   * Called when the user signs out: refusals are expected from then on. Returns a function that undoes this if signing
   * out fails.
   */
  left: (): (() => void) => {
    const before = known;
    known = undefined;
    return () => {
      known ??= before;
    };
  },
  /**
   * Called when a request was refused for lack of a session. Resolves after the sign-in; undefined if no user was
   * signed in on this page.
   */
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
