import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useCloseNotification, useNotify } from 'ra-core';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';

/** Milliseconds for which undo is offered. */
const undoMs = 12_000;

interface UndoProps {
  readonly onUndo: () => Promise<void>;
}

const Undo = ({ onUndo }: UndoProps) => {
  const text = useText();
  const close = useCloseNotification();
  const [busy, setBusy] = useState(false);
  return (
    <Button
      color="inherit"
      size="small"
      sx={{ textDecoration: 'underline', '&:hover': { bgcolor: 'transparent' } }}
      loading={busy}
      onClick={() => {
        setBusy(true);
        void onUndo().finally(close);
      }}
    >
      {text('trash.undo')}
    </Button>
  );
};

/** Notifies of an action and offers to undo it for a while. */
export const useUndoNotice = (): ((message: string, onUndo: () => Promise<void>) => void) => {
  const notify = useNotify();
  return (message, onUndo) =>
    notify(
      <Alert
        severity="success"
        icon={false}
        sx={{ bgcolor: 'text.primary', color: 'background.default', border: 0, boxShadow: 'var(--shadow)' }}
        action={<Undo onUndo={onUndo} />}
      >
        {message}
      </Alert>,
      { autoHideDuration: undoMs },
    );
};
