/** The step of the sign-in that asks for a second factor. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { SecondFactorAnswer, SecondFactorQuestion } from '../../../client/react-admin/auth-provider.ts';
import { problemTable } from '../../../src/kernel/problem-table.ts';
import { CodeField } from '../factor/code-field.tsx';
import { canUsePasskeys, givePasskey, PasskeyError } from '../factor/passkey.ts';
import { Icon } from '../parts/icon.tsx';
import { failureOf, severityOf, useSentence } from '../parts/problem.ts';
import { authProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';

interface SecondStepProps {
  readonly question: SecondFactorQuestion;
  readonly onSignedIn: () => Promise<void> | void;
  /** Returns to the password, with the reason if the service asks for it again. */
  readonly onBack: (reason?: unknown) => void;
  /** Elements next to the buttons. */
  readonly children?: ReactNode;
}

type Given = Omit<SecondFactorAnswer, 'ticket'>;

/** The second step of a sign-in, for accounts with a second factor. */
export const SecondStep = ({ question, onSignedIn, onBack, children }: SecondStepProps) => {
  const text = useText();
  const sentence = useSentence();
  const { ticket, methods, passkey_options: options } = question;
  const byApp = methods.includes('totp');
  const byPasskey = methods.includes('passkey') && options !== undefined;
  const usable = byPasskey && canUsePasskeys();
  const [recovery, setRecovery] = useState(!byApp && !byPasskey);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<'code' | 'passkey'>();
  const [error, setError] = useState<unknown>();
  const leaving = useRef(new AbortController());
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  const attempt = async (way: 'code' | 'passkey', give: () => Promise<Given> | Given): Promise<void> => {
    setBusy(way);
    setError(undefined);
    try {
      await authProvider.login({ ticket, ...(await give()) });
      await onSignedIn();
    } catch (failure) {
      if (leaving.current.signal.aborted) return;
      if (failureOf(failure).code === problemTable.second_factor_expired) return onBack(failure);
      setError(failure);
      setBusy(undefined);
      setCode('');
      field.current?.focus();
    }
  };

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    void attempt('code', () => (recovery ? { recovery_code: code.trim() } : { code }));
  };

  const asksForCode = recovery || byApp;
  return (
    <Stack component="form" noValidate onSubmit={submit} sx={{ gap: 1 }}>
      <Typography sx={{ color: 'text.secondary' }}>
        {text(
          recovery ? 'factor.step.recoveryLead' : byApp ? 'factor.step.appLead' : 'factor.step.passkeyLead',
        )}
      </Typography>
      {error === undefined ? null : (
        <Alert severity={severityOf(failureOf(error))}>
          {error instanceof PasskeyError ? text('factor.passkeyNotGiven') : sentence(error)}
        </Alert>
      )}
      {byPasskey && !usable ? <Alert severity="info">{text('factor.noPasskeysHere')}</Alert> : null}
      {usable && !recovery ? (
        <Button
          variant={byApp ? 'outlined' : 'contained'}
          size="large"
          startIcon={<Icon name="key" />}
          autoFocus={!byApp}
          loading={busy === 'passkey'}
          loadingPosition="start"
          disabled={busy === 'code'}
          onClick={() =>
            void attempt('passkey', async () => ({
              passkey: await givePasskey(options, leaving.current.signal),
            }))
          }
          sx={{ mt: 1 }}
        >
          {text('factor.step.usePasskey')}
        </Button>
      ) : null}
      {usable && byApp && !recovery ? <Divider>{text('factor.step.or')}</Divider> : null}
      {asksForCode ? (
        <>
          <CodeField
            key={recovery ? 'recovery' : 'app'}
            ref={field}
            recovery={recovery}
            value={code}
            onChange={setCode}
            autoFocus
          />
          <Button
            type="submit"
            variant="contained"
            size="large"
            loading={busy === 'code'}
            disabled={busy === 'passkey' || (recovery ? code.trim() === '' : code.length !== 6)}
          >
            {text('signIn.submit')}
          </Button>
        </>
      ) : null}
      <Stack sx={{ gap: 1 }}>
        {methods.includes('recovery_code') && (byApp || byPasskey) ? (
          <Button
            onClick={() => {
              setRecovery(!recovery);
              setCode('');
              setError(undefined);
            }}
          >
            {text(recovery ? 'factor.step.otherWay' : 'factor.step.useRecovery')}
          </Button>
        ) : null}
        <Button onClick={() => onBack()}>{text('factor.step.back')}</Button>
        {children}
      </Stack>
    </Stack>
  );
};
