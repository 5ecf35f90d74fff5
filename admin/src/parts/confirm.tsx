/** The dialog that asks before an action. */

import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId, useState } from 'react';
import { useText } from '../texts/provider.ts';

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** Label of the button that does it. */
  readonly action: string;
  /** Label of the other button; "Cancel" if absent. */
  readonly cancel?: string;
  readonly dangerous?: boolean;
  /** True if nothing can be done. */
  readonly disabled?: boolean;
  /** True for contents longer than a sentence. */
  readonly wide?: boolean;
  readonly onConfirm: () => Promise<void> | void;
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone; the focus starts on the cancel button. */
export const Confirm = ({
  open,
  title,
  children,
  action,
  cancel,
  dangerous = true,
  disabled = false,
  wide = false,
  onConfirm,
  onClose,
}: ConfirmProps) => {
  const text = useText();
  const heading = useId();
  const [busy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={heading} maxWidth={wide ? 'sm' : 'xs'} fullWidth>
      <DialogTitle id={heading}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText component="div" sx={{ overflowWrap: 'anywhere' }}>
          {children}
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {cancel ?? text('common.cancel')}
        </Button>
        <Button
          variant="contained"
          color={dangerous ? 'error' : 'primary'}
          loading={busy}
          disabled={disabled}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
