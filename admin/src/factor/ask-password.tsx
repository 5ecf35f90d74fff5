import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { failureOf, severityOf, useSentence } from '../parts/problem.ts';
import { useRefusal } from '../parts/refusal.ts';
import { useText } from '../texts/provider.ts';
import { PasskeyError } from './passkey.ts';

interface AskPasswordProps {
  readonly title: string;
  readonly lead: string;
  /** The label of the button. */
  readonly action: string;
  readonly dangerous?: boolean;
  /** Further inputs, above the password. */
  readonly children?: ReactNode;
  /** Throws what it was refused with. */
  readonly onSubmit: (password: string) => Promise<void>;
  readonly onClose: () => void;
}

/** One's own password, before one's second factor is changed: a page left open must not be enough for it. */
export const AskPassword = (props: AskPasswordProps) => {
  const { title, lead, action, dangerous = false, children, onSubmit, onClose } = props;
  const text = useText();
  const sentence = useSentence();
  const heading = useId();
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const { refusal, refuse, clear, correct } = useRefusal();
  const { fields, failure } = refusal;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    clear();
    try {
      await onSubmit(password);
    } catch (error) {
      refuse(error);
      setBusy(false);
    }
  };

  const said = Object.entries(fields).filter(([name]) => name !== 'password');
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={heading}>
      <Stack component="form" noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle id={heading}>{title}</DialogTitle>
        <DialogContent>
          <Stack sx={{ gap: 1 }}>
            <Typography sx={{ color: 'text.secondary' }}>{lead}</Typography>
            {failure === undefined ? null : (
              <Alert severity={severityOf(failureOf(failure))}>
                {failure instanceof PasskeyError
                  ? text(failure.known ? 'factor.passkeyKnown' : 'factor.passkeyNotGiven')
                  : sentence(failure)}
              </Alert>
            )}
            {said.map(([name, message]) => (
              <Alert key={name} severity="error">
                {message}
              </Alert>
            ))}
            {children}
            <TextField
              label={text('account.currentPassword')}
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              value={password}
              onChange={(event) => {
                setPassword(event.target.value);
                correct('password');
              }}
              error={fields['password'] !== undefined}
              helperText={fields['password']}
            />
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{text('common.cancel')}</Button>
          <Button
            type="submit"
            variant="contained"
            color={dangerous ? 'error' : 'primary'}
            loading={busy}
            disabled={password === ''}
          >
            {action}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
};
