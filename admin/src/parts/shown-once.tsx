/** The dialog that shows a secret once. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { Secret } from './secret.tsx';
import { useUnsaved } from './unsaved.ts';

interface ShownOnceProps {
  readonly title: string;
  readonly lead: string;
  /** Further facts: names and values. */
  readonly facts?: readonly (readonly [label: string, value: ReactNode])[];
  /** Names and texts that can be copied. */
  readonly secrets: readonly (readonly [label: string, value: string])[];
  /** Label by which the user confirms having stored the secrets; absent if they can be read again. */
  readonly kept?: string | undefined;
  /** Further actions. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/**
 * Shows a secret once. If it cannot be read again, the dialog closes only after a confirmation, and leaving the page
 * asks too.
 */
export const ShownOnce = (props: ShownOnceProps) => {
  const { title, lead, facts = [], secrets, kept: keptText, children, onClose } = props;
  const text = useText();
  const heading = useId();
  const [kept, setKept] = useState(keptText === undefined);
  useUnsaved(!kept);
  return (
    <Dialog
      open
      fullWidth
      maxWidth="sm"
      aria-labelledby={heading}
      {...(keptText === undefined ? { onClose } : {})}
    >
      <DialogTitle id={heading}>{title}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2 }}>
          <Alert severity={keptText === undefined ? 'success' : 'warning'}>{lead}</Alert>
          {facts.length === 0 ? null : (
            <Box
              component="dl"
              sx={{
                m: 0,
                display: 'grid',
                gridTemplateColumns: { xs: '1fr', sm: 'auto 1fr' },
                columnGap: 2,
                rowGap: 0.5,
              }}
            >
              {facts.map(([label, value]) => (
                <Box key={label} sx={{ display: 'contents', typography: 'body2' }}>
                  <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
                    {label}
                  </Typography>
                  <Typography component="dd" variant="body2" sx={{ m: 0, overflowWrap: 'anywhere' }}>
                    {value}
                  </Typography>
                </Box>
              ))}
            </Box>
          )}
          {secrets.map(([label, value]) => (
            <Secret key={label} label={label} value={value} />
          ))}
          {children}
          {keptText === undefined ? null : (
            <FormControlLabel
              control={<Checkbox checked={kept} onChange={(event) => setKept(event.target.checked)} />}
              label={keptText}
            />
          )}
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" disabled={!kept} onClick={onClose}>
          {text('common.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
