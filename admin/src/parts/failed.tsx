import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { Link } from './link.tsx';
import { failureOf, useSentence } from './problem.ts';

/** Of a list that says in its own place, and in the language of the page, what could not be had: not at the edge as well. */
export const saidInPlace = { onError: () => undefined };

interface FailedProps {
  readonly error: unknown;
  /** Tries again, where it is not what the page reads. */
  readonly onRetry?: () => Promise<unknown> | unknown;
}

/** In the place of what could not be had: why, and another try that leaves the rest of the page as it is. */
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
