/** The form of a new password. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { focusFirstError } from '../parts/focus-errors.ts';
import { failureOf, severityOf, useSentence } from '../parts/problem.ts';
import { useRefusal } from '../parts/refusal.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useOutsideTexts } from '../texts/outside.ts';
import { useText } from '../texts/provider.ts';

interface NewPasswordFormProps {
  /** Name of the account, for password managers. */
  readonly username: string;
  /** Returns a function that leaves the page. @throws the refusal of the service */
  readonly onSubmit: (password: string) => Promise<() => void>;
}

/** Asks for a password twice, as it is not shown. */
export const NewPasswordForm = ({ username, onSubmit }: NewPasswordFormProps) => {
  const text = useText();
  const own = useOutsideTexts();
  const sentence = useSentence();
  const form = useRef<HTMLFormElement>(null);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const { refusal, refuse, refuseFields, correct, clear } = useRefusal();
  const { fields, failure, attempt } = refusal;
  // A reloaded page has lost the link.
  const { saved } = useUnsaved(password !== '' || again !== '');
  useEffect(() => {
    if (form.current && attempt > 0) focusFirstError(form.current);
  }, [attempt]);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (password !== again) {
      refuseFields({ again: own.invitation.differ });
      return;
    }
    setBusy(true);
    clear();
    try {
      const goOn = await onSubmit(password);
      saved();
      goOn();
    } catch (error) {
      refuse(error);
      setBusy(false);
    }
  };

  const type = shown ? 'text' : 'password';
  return (
    <Stack component="form" ref={form} noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1 }}>
      {failure === undefined ? null : (
        <Alert severity={severityOf(failureOf(failure))}>{sentence(failure)}</Alert>
      )}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <TextField
        label={own.invitation.password}
        type={type}
        autoComplete="new-password"
        autoFocus
        required
        value={password}
        onChange={(event) => {
          setPassword(event.target.value);
          correct('password');
        }}
        error={fields['password'] !== undefined}
        helperText={fields['password'] ?? text('account.passwordHelp')}
      />
      <TextField
        label={own.invitation.again}
        type={type}
        autoComplete="new-password"
        required
        value={again}
        onChange={(event) => {
          setAgain(event.target.value);
          correct('again');
        }}
        error={fields['again'] !== undefined}
        helperText={fields['again']}
      />
      <FormControlLabel
        control={<Checkbox checked={shown} onChange={(event) => setShown(event.target.checked)} />}
        label={text('account.showPasswords')}
      />
      <Button
        type="submit"
        variant="contained"
        size="large"
        loading={busy}
        disabled={password === '' || again === ''}
        sx={{ mt: 1 }}
      >
        {own.invitation.submit}
      </Button>
    </Stack>
  );
};
