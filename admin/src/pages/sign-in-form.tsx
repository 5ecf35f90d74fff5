/** The form of the sign-in, in all its steps. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { GatewrightError } from '../../../client/error.ts';
import type { SecondFactorQuestion } from '../../../client/react-admin/auth-provider.ts';
import { problemTable } from '../../../src/kernel/problem-table.ts';
import { failureOf, sentenceOf, severityOf } from '../parts/problem.ts';
import { authProvider } from '../service.ts';
import { type Language, type Text, useLanguage, useText } from '../texts/provider.ts';
import { SecondStep } from './second-step.tsx';

interface SignInFormProps {
  /** Account with which the form starts; it can be changed. */
  readonly account?: string;
  /** One-time code of a sign-in with a provider, used immediately. */
  readonly providerCode?: string | undefined;
  /** Called at the start of the session; the form stays busy until this resolves. */
  readonly onSignedIn: () => Promise<void> | void;
  /** Elements next to the button. */
  readonly children?: ReactNode;
}

/** The question for a second factor in a refusal; undefined for other refusals. */
const questionOf = (error: unknown): SecondFactorQuestion | undefined =>
  error instanceof GatewrightError && error.code === problemTable.second_factor_required
    ? (error.data as SecondFactorQuestion)
    : undefined;

const messageOf = (error: unknown, language: Language, text: Text): string =>
  failureOf(error).status === 403 ? text('signIn.notAdministrator') : sentenceOf(error, language, text);

/** The sign-in in all its steps, on its own page and in the dialog after the end of a session. */
export const SignInForm = ({
  account: expected = '',
  providerCode,
  onSignedIn,
  children,
}: SignInFormProps) => {
  const [account, setAccount] = useState(expected);
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [question, setQuestion] = useState<SecondFactorQuestion>();

  const signIn = async (given: Parameters<typeof authProvider.login>[0]): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await authProvider.login(given);
      await onSignedIn();
    } catch (failure) {
      const asked = questionOf(failure);
      if (asked === undefined) setError(failure);
      setQuestion(asked);
      setBusy(false);
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is used once
  useEffect(() => {
    if (providerCode !== undefined) void signIn({ provider_code: providerCode });
  }, [providerCode]);

  const backToPassword = (reason?: unknown): void => {
    setPassword('');
    setError(reason);
    setQuestion(undefined);
  };

  if (question !== undefined)
    return (
      <SecondStep question={question} onSignedIn={onSignedIn} onBack={backToPassword}>
        {children}
      </SecondStep>
    );
  return (
    <PasswordStep
      account={account}
      password={password}
      onAccount={setAccount}
      onPassword={setPassword}
      error={error}
      busy={busy}
      onSubmit={() => void signIn({ username: account, password })}
    >
      {children}
    </PasswordStep>
  );
};

interface PasswordStepProps {
  readonly account: string;
  readonly password: string;
  readonly onAccount: (account: string) => void;
  readonly onPassword: (password: string) => void;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSubmit: () => void;
  /** Elements next to the button. */
  readonly children?: ReactNode;
}

const PasswordStep = (props: PasswordStepProps) => {
  const { account, password, onAccount, onPassword, error, busy, onSubmit, children } = props;
  const text = useText();
  const language = useLanguage();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // React passes the event on to the outer form, although the dialog is not within it in the document.
    event.stopPropagation();
    onSubmit();
  };
  return (
    <Stack component="form" onSubmit={submit} sx={{ gap: 1 }} noValidate>
      {error === undefined ? null : (
        <Alert severity={severityOf(failureOf(error))}>{messageOf(error, language, text)}</Alert>
      )}
      <TextField
        label={text('signIn.account')}
        name="username"
        autoComplete="username"
        autoFocus={account === ''}
        required
        value={account}
        onChange={(event) => onAccount(event.target.value)}
        slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
      />
      <TextField
        label={text('signIn.password')}
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus={account !== ''}
        required
        value={password}
        onChange={(event) => onPassword(event.target.value)}
      />
      <Stack sx={{ gap: 1, mt: 1.5 }}>
        <Button
          type="submit"
          variant="contained"
          size="large"
          loading={busy}
          disabled={account === '' || password === ''}
        >
          {text('signIn.submit')}
        </Button>
        {children}
      </Stack>
    </Stack>
  );
};
