import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
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

/** Replaces data that could not be loaded: the reason, and a button that tries again without a reload. */
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
