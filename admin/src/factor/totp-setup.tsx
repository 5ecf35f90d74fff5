import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MuiLink from '@mui/material/Link';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type FormEvent, lazy, Suspense, useId, useRef, useState } from 'react';
import { useSentence } from '../parts/problem.ts';
import { useRefusal } from '../parts/refusal.ts';
import { Secret } from '../parts/secret.tsx';
import { useText } from '../texts/provider.ts';
import { CodeField } from './code-field.tsx';
import { confirmTotp, type NewTotp, type WithCodes } from './factors.ts';

const QrCode = lazy(() => import('./qr-code.tsx').then(({ QrCode: part }) => ({ default: part })));

interface TotpSetupProps {
  readonly setup: NewTotp;
  readonly onDone: (added: WithCodes) => void;
  readonly onClose: () => void;
}

/** The secret from which an application makes codes, and the first code, which proves that it has it. */
export const TotpSetup = ({ setup, onDone, onClose }: TotpSetupProps) => {
  const text = useText();
  const sentence = useSentence();
  const heading = useId();
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const { refusal, refuse, clear, correct } = useRefusal();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    clear();
    try {
      onDone(await confirmTotp(code));
    } catch (error) {
      refuse(error);
      setBusy(false);
      setCode('');
      field.current?.focus();
    }
  };

  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={heading}>
      <Stack component="form" noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle id={heading}>{text('factor.totp.setUp')}</DialogTitle>
        <DialogContent>
          <Stack sx={{ gap: 1.5 }}>
            <Typography>{text('factor.totp.scan')}</Typography>
            <Suspense fallback={<Box sx={{ height: 220 }} />}>
              <QrCode value={setup.url} label={text('factor.totp.qr')} />
            </Suspense>
            <MuiLink href={setup.url} sx={{ alignSelf: 'center' }}>
              {text('factor.totp.openHere')}
            </MuiLink>
            <Secret label={text('factor.totp.secret')} value={setup.secret} />
            <Typography sx={{ mt: 0.5 }}>{text('factor.totp.confirm')}</Typography>
            {refusal.failure === undefined ? null : (
              <Alert severity="error">{sentence(refusal.failure)}</Alert>
            )}
            <CodeField
              ref={field}
              value={code}
              onChange={(typed) => {
                setCode(typed);
                correct('code');
              }}
              error={refusal.fields['code']}
              autoFocus
            />
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{text('common.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy} disabled={code.length !== 6}>
            {text('factor.turnOn')}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
};
