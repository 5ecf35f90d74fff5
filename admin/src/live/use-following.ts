/** The stream of changes as a hook, while the page is visible. */

import { useEffect, useState } from 'react';
import { type FollowState, follow, type Place, type RecordChange } from './follow.ts';

/** Milliseconds for which changes are collected before a request. */
const collectingMs = 250;

interface Following {
  readonly onChanges: (changes: readonly RecordChange[]) => void;
  readonly onGap: () => void;
}

export type LiveState = FollowState | { readonly kind: 'paused' };

const isHidden = (): boolean => document.visibilityState === 'hidden';

/** Follows the changes of a model while the page is visible; returns the state of the connection. */
export const useFollowing = (model: string | undefined, following: Following): LiveState | undefined => {
  const [state, setState] = useState<LiveState>();
  // New callbacks apply to later changes without a new connection.
  const [latest] = useState(() => ({ current: following }));
  useEffect(() => {
    latest.current = following;
  });
  useEffect(() => {
    if (model === undefined) return undefined;
    const place: Place = { id: '' };
    let connection: AbortController | undefined;
    let pendingChanges: RecordChange[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const deliver = (): void => {
      timer = undefined;
      const changes = pendingChanges;
      pendingChanges = [];
      latest.current.onChanges(changes);
    };
    const look = (): void => {
      if (isHidden()) {
        connection?.abort();
        connection = undefined;
        setState({ kind: 'paused' });
      } else if (connection === undefined) {
        connection = new AbortController();
        const { signal } = connection;
        void follow(model, place, signal, {
          onState: (next) => {
            if (!signal.aborted) setState(next);
          },
          onChange: (change) => {
            pendingChanges.push(change);
            timer ??= setTimeout(deliver, collectingMs);
          },
          onGap: () => latest.current.onGap(),
        });
      }
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      clearTimeout(timer);
      connection?.abort();
      setState(undefined);
    };
  }, [model, latest]);
  return state;
};
