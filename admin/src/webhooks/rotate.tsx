import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { type TextKey, useText } from '../texts/provider.ts';
import { ShownSecret } from './shown-secret.tsx';

/** Seconds for which the secret before signs as well. */
const overlaps: readonly (readonly [seconds: number, label: TextKey])[] = [
  [0, 'webhooks.overlaps.none'],
  [3_600, 'webhooks.overlaps.hour'],
  [86_400, 'webhooks.overlaps.day'],
  [7 * 86_400, 'webhooks.overlaps.week'],
  [30 * 86_400, 'webhooks.overlaps.month'],
];

interface RotateProps {
  readonly id: number;
  readonly onClose: () => void;
}

/** Gives a webhook another secret; for a while both sign, so that a receiver can change at its own time. */
export const Rotate = ({ id, onClose }: RotateProps) => {
  const text = useText();
  const tell = useTell();
  const client = useQueryClient();
  const heading = useId();
  const [overlap, setOverlap] = useState(86_400);
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
          <TextField
            select
            label={text('webhooks.overlap')}
            value={overlap}
            onChange={(event) => setOverlap(Number(event.target.value))}
          >
            {overlaps.map(([seconds, label]) => (
              <MenuItem key={seconds} value={seconds}>
                {text(label)}
              </MenuItem>
            ))}
          </TextField>
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
