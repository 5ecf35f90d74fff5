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

interface PasswordInputProps {
  readonly label: string;
  /** True if the password is readable. */
  readonly shown: boolean;
  readonly autoFocus?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
  readonly help?: string;
}

const PasswordInput = ({ label, shown, autoFocus, value, onChange, error, help }: PasswordInputProps) => (
  <TextField
    label={label}
    type={shown ? 'text' : 'password'}
    autoComplete="new-password"
    autoFocus={autoFocus === true}
    required
    value={value}
    onChange={(event) => onChange(event.target.value)}
    error={error !== undefined}
    helperText={error ?? help}
  />
);

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

  return (
    <Stack component="form" ref={form} noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1 }}>
      {failure === undefined ? null : (
        <Alert severity={severityOf(failureOf(failure))}>{sentence(failure)}</Alert>
      )}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        label={own.invitation.password}
        shown={shown}
        autoFocus
        value={password}
        onChange={(value) => {
          setPassword(value);
          correct('password');
        }}
        error={fields['password']}
        help={text('account.passwordHelp')}
      />
      <PasswordInput
        label={own.invitation.again}
        shown={shown}
        value={again}
        onChange={(value) => {
          setAgain(value);
          correct('again');
        }}
        error={fields['again']}
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
