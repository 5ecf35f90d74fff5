import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type FormEvent, useState } from 'react';
import { useLogin } from 'react-admin';
import { useLocation } from 'react-router';
import { failureOf, sentenceOf } from '../parts/problem.ts';
import { forgetModels } from '../service.ts';
import { useLanguage, usePageLanguage, useText } from '../texts/provider.ts';
import { OutsidePage } from './outside-page.tsx';

const textIn = (state: unknown, name: 'nextPathname' | 'nextSearch'): string => {
  if (typeof state !== 'object' || state === null) return '';
  const found = Object.entries(state).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : '';
};

/** Where the link pointed; what begins with two slashes would be an address of another host to the router. */
const destinationOf = (state: unknown): string =>
  textIn(state, 'nextPathname').replace(/^[\\/]+/, '/') + textIn(state, 'nextSearch');

/** Sign-in. Whoever came by a link gets to it afterwards. */
export const SignIn = () => {
  const text = useText();
  const language = useLanguage();
  const login = useLogin();
  const { state } = useLocation();
  const [account, setAccount] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  usePageLanguage();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    forgetModels();
    try {
      await login({ username: account, password }, destinationOf(state) || '/');
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };

  const failure = error === undefined ? undefined : failureOf(error);
  const message =
    failure?.status === 403 ? text('signIn.notAdministrator') : sentenceOf(error ?? '', language, text);

  return (
    <OutsidePage title={text('signIn.title')}>
      <Stack component="form" onSubmit={(event) => void submit(event)} sx={{ gap: 1 }} noValidate>
        <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('signIn.lead')}</Typography>
        {error === undefined ? null : (
          <Alert severity={failure?.status === 429 ? 'warning' : 'error'}>{message}</Alert>
        )}
        <TextField
          label={text('signIn.account')}
          name="username"
          autoComplete="username"
          autoFocus
          required
          value={account}
          onChange={(event) => setAccount(event.target.value)}
          slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        />
        <TextField
          label={text('signIn.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button
          type="submit"
          variant="contained"
          size="large"
          loading={busy}
          disabled={account === '' || password === ''}
          sx={{ mt: 1.5 }}
        >
          {text('signIn.submit')}
        </Button>
      </Stack>
    </OutsidePage>
  );
};
