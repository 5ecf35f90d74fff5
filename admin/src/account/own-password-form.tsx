/** The form of the own password, as a page and as a required step. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useGetIdentity, useLogout, useNotify } from 'ra-core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { OutsidePage } from '../pages/outside-page.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf, sentenceOf, severityOf } from '../parts/problem.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { renewSession, send } from '../service.ts';
import { useLanguage, usePageLanguage, useText } from '../texts/provider.ts';

interface OwnPasswordFormProps {
  readonly onDone: () => void;
  /** Elements next to the submit button. */
  readonly children?: ReactNode;
}

/**
 * Changes the password of the signed-in user. Other sessions end; this one stays, and asks the service for required
 * steps.
 */
export const OwnPasswordForm = ({ onDone, children }: OwnPasswordFormProps) => {
  const text = useText();
  const language = useLanguage();
  const notify = useNotify();
  const { identity } = useGetIdentity();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { saved } = useUnsaved(current !== '' || password !== '');
  const username = String(identity?.['username'] ?? '');
  const failure = error === undefined ? undefined : failureOf(error);
  const fields = failure?.fields ?? {};

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await send('PUT', '/admin/password', { body: { current_password: current, password } });
      saved();
      notify(text('account.passwordChanged'), { type: 'success' });
      await renewSession();
      onDone();
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };

  const type = shown ? 'text' : 'password';
  return (
    <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1 }}>
      {failure === undefined || Object.keys(fields).length > 0 ? null : (
        <Alert severity={severityOf(failure)}>{sentenceOf(error, language, text)}</Alert>
      )}
      {/* Tells a password manager whose password it is. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <TextField
        label={text('account.currentPassword')}
        type={type}
        autoComplete="current-password"
        autoFocus
        required
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
        error={fields['current_password'] !== undefined}
        helperText={fields['current_password']}
      />
      <TextField
        label={text('account.newPassword')}
        type={type}
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={fields['password'] !== undefined}
        helperText={fields['password'] ?? text('account.passwordHelp')}
      />
      <FormControlLabel
        control={<Checkbox checked={shown} onChange={(event) => setShown(event.target.checked)} />}
        label={text('account.showPasswords')}
      />
      <Stack direction="row" sx={{ gap: 1, mt: 1, flexWrap: 'wrap' }}>
        <Button
          type="submit"
          variant="contained"
          loading={busy}
          disabled={current === '' || password === '' || username === ''}
        >
          {text('account.changePassword')}
        </Button>
        {children}
      </Stack>
    </Stack>
  );
};

/** The page of the own password. */
export const OwnPassword = () => {
  const text = useText();
  const navigate = useNavigate();
  return (
    <Page title={text('account.changePassword')} lead={text('account.changeLead')}>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Box sx={{ maxWidth: 640 }}>
          <OwnPasswordForm onDone={() => void navigate('/')}>
            <LinkButton to="/">{text('common.cancel')}</LinkButton>
          </OwnPasswordForm>
        </Box>
      </Paper>
    </Page>
  );
};

/** Replaces every page while the user must change their password first. */
export const PasswordFirst = () => {
  const text = useText();
  const logout = useLogout();
  usePageLanguage();
  return (
    <OutsidePage title={text('account.firstTitle')}>
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('account.firstLead')}</Typography>
      <OwnPasswordForm onDone={() => {}}>
        <Button onClick={() => void logout()}>{text('menu.signOut')}</Button>
      </OwnPasswordForm>
    </OutsidePage>
  );
};
