import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { basePath } from '../base.ts';
import { useText } from '../texts/provider.ts';
import { Link } from './link.tsx';
import { failureOf, useSentence } from './problem.ts';

/** Query options of a list that shows failures in its own place: they are not notified too. */
export const failureShownHere = { onError: () => undefined };

interface FailedProps {
  readonly error: unknown;
  /** Repeats the request; the queries of the page are repeated if absent. */
  readonly onRetry?: (() => Promise<unknown> | unknown) | undefined;
}

/** Milliseconds between two looks for a service that did not respond. */
const lookMs = 5_000;

/** True if the service was not there, so that the same request succeeds once it is. */
const isAway = (error: unknown): boolean => [0, 503].includes(failureOf(error).status);

/** Tells whether the service responds, and its database too. */
const isBack = async (): Promise<boolean> => {
  try {
    return (await fetch(`${basePath}/api/v1/health?ready`)).ok;
  } catch {
    return false;
  }
};

/** Calls a function once the service is back, while the page is seen. */
const useReturn = (isWaiting: boolean, onReturn: () => void): void => {
  const latest = useRef(onReturn);
  latest.current = onReturn;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible')
        void isBack().then((back) => {
          if (back) latest.current();
        });
    }, lookMs);
    return () => clearInterval(timer);
  }, [isWaiting]);
};

/**
 * Replaces data that could not be loaded: the reason, and a button that tries again without a reload. It tries by
 * itself once a service that did not respond is back.
 */
export const Failed = ({ error, onRetry }: FailedProps) => {
  const text = useText();
  const sentence = useSentence();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const readAgain = (): Promise<unknown> =>
    client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  const retry = async (): Promise<void> => {
    setBusy(true);
    try {
      await (onRetry ?? readAgain)();
    } finally {
      setBusy(false);
    }
  };
  useReturn(isAway(error) && !busy, () => void retry());
  const isForbidden = failureOf(error).status === 403;
  return (
    <Alert
      severity="error"
      sx={{ flexWrap: 'wrap' }}
      action={
        isForbidden ? null : (
          <Button color="inherit" loading={busy} onClick={() => void retry()}>
            {text('problem.retry')}
          </Button>
        )
      }
    >
      {sentence(error)} {isForbidden ? <Link to="/permissions">{text('titles.permissions')}</Link> : null}
    </Alert>
  );
};
