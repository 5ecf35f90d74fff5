/** The dialog that replaces the secret of a webhook. */

import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { OverlapPicker, usualOverlap } from '../parts/overlap.tsx';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { ShownSecret } from './shown-secret.tsx';

interface RotateProps {
  readonly id: number;
  readonly onClose: () => void;
}

/** Replaces the secret of a webhook. During the overlap both sign, so that a receiver can switch at any time. */
export const Rotate = ({ id, onClose }: RotateProps) => {
  const text = useText();
  const tell = useTell();
  const client = useQueryClient();
  const heading = useId();
  const [overlap, setOverlap] = useState(usualOverlap);
  const [busy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string>();
  const rotate = async (): Promise<void> => {
    setBusy(true);
    try {
      const path = `/admin/webhooks/${id}/rotate`;
      const { data } = await send<{ readonly secret: string }>('POST', path, { body: { overlap } });
      setSecret(data.secret);
      await client.invalidateQueries();
    } catch (error) {
      tell(error);
      setBusy(false);
    }
  };
  if (secret !== undefined)
    return <ShownSecret title={text('webhooks.rotatedTitle')} secret={secret} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={heading}>
      <DialogTitle id={heading}>{text('webhooks.rotateTitle')}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 1.5 }}>
          <Typography sx={{ color: 'text.secondary' }}>{text('webhooks.rotateLead')}</Typography>
          <OverlapPicker value={overlap} onChange={setOverlap} />
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {text('common.cancel')}
        </Button>
        <Button variant="contained" loading={busy} onClick={() => void rotate()}>
          {text('webhooks.rotate')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
