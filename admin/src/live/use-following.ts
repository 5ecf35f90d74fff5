import { useEffect, useState } from 'react';
import { type FollowState, follow, type Place, type RecordChange } from './follow.ts';

/** Milliseconds for which changes are gathered before anything is asked for. */
const gathering = 250;

interface Following {
  readonly onChanges: (changes: readonly RecordChange[]) => void;
  readonly onGap: () => void;
}

export type LiveState = FollowState | { readonly kind: 'paused' };

const isHidden = (): boolean => document.visibilityState === 'hidden';

/** Follows the changes of a model while the page is seen; returns the state of it. */
export const useFollowing = (model: string | undefined, following: Following): LiveState | undefined => {
  const [state, setState] = useState<LiveState>();
  // The callbacks of a render are for the changes that come after it: none of them reconnects.
  const [latest] = useState(() => ({ current: following }));
  useEffect(() => {
    latest.current = following;
  });
  useEffect(() => {
    if (model === undefined) return undefined;
    const place: Place = { id: '' };
    let connection: AbortController | undefined;
    let gathered: RecordChange[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hand = (): void => {
      timer = undefined;
      const changes = gathered;
      gathered = [];
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
            gathered.push(change);
            timer ??= setTimeout(hand, gathering);
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
